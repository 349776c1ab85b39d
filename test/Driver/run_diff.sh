#!/bin/bash
# run_diff.sh TEENYC ROOT: what `diff` prints, word for word.
set -euo pipefail
teenyc=$1 root=$2
edit=$root/test/Driver/edit_bundle.py
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# between A B CODE: compares what is printed with the input.
between() {
  local code=0
  "$teenyc" diff "$1" "$2" >out 2>&1 </dev/null || code=$?
  diff -u - out || { echo "(diff $1 $2)"; exit 1; }
  [ "$code" = "$3" ] || { echo "exit code $code, expected $3: diff $1 $2"; exit 1; }
}
hash() { "$edit" "$1" ignored.bundle "print(hashlib.sha256(t['$2']).hexdigest()[:12] + '...')"; }

model=$root/graphs/detect_decode/detect_decode.json
"$teenyc" compile "$model" --target=compute_80,x86-64 -o a.bundle
"$teenyc" compile "$model" --target=compute_80,x86-64 -o same.bundle
between a.bundle same.bundle 0 </dev/null

# Every part, in both directions where there is one.
"$edit" a.bundle b.bundle '
m["name"] = "other"
m["dims"][0]["max"] = 128
m["requirements"].append({"condition": "B <= 100", "message": "too many"})
m["buffers"].append({"name": "part", "kind": "temporary", "bytes": "64*B", "align": 16, "lifetime": [0, 0], "zeroed": True})
m["buffers"][1]["align"] = 16
k = m["kernels"][0]
k["params"][1]["name"] = "x"
k["source"] = "elsewhere.py:1"
k["code"][0]["registers"], k["code"][0]["spill_bytes"], k["code"][0]["shared_bytes"] = 40, 8, 1024
k["code"][1]["scratch_bytes"] = 64
m["launches"][0]["variants"][0]["grid"][0] = "67*B"
m["launches"][0]["variants"].insert(0, {"guard": "B == 1", "kernel": k["name"], "grid": [66, 1, 1],
                                        "args": [dict(a) for a in m["launches"][0]["variants"][0]["args"]]})
m["provenance"][0]["version"] = "0.0.1"
t["anchor_x"][0] ^= 1
rehash()'
old=$(hash a.bundle anchor_x) new=$(hash b.bundle anchor_x)
version=$("$teenyc" --version | sed -n 's/^teenyc //p' | head -1)
between a.bundle b.bundle 1 <<END
model
  name: detect_decode -> other
dims
  B: to 64 -> 128
requirements
+ B <= 100: message too many
buffers
  anchor_x: align 256 -> 16
+ part: kind temporary, bytes 64*B, align 16, launches 0 to 0, zeroed yes
launches
  boxes: grid [66*B, 1, 1] -> [67*B, 1, 1], argument anchor_x anchor_x -> none, argument x none -> anchor_x
+ boxes when B == 1: node boxes, computes yolo.detect_decode, kernel detect_decode_forward, grid [66, 1, 1], argument ltrb ltrb, argument x anchor_x, argument anchor_y anchor_y, argument strides strides, argument out boxes
kernels
  detect_decode_forward: source detect_decode.py:8 -> elsewhere.py:1, parameters ltrb anchor_x anchor_y strides out -> ltrb x anchor_y strides out, parameter anchor_x buffer -> none, parameter x none -> buffer
code
  detect_decode_forward, compute_80: registers 0 -> 40, spilled bytes 0 -> 8, shared bytes 0 -> 1024
  detect_decode_forward, x86-64: scratch bytes 0 -> 64
weights and sources
  anchor_x: SHA-256 $old -> $new
provenance
  teenyc: $version -> 0.0.1
END
between b.bundle a.bundle 1 <<END
model
  name: other -> detect_decode
dims
  B: to 128 -> 64
requirements
- B <= 100: message too many
buffers
  anchor_x: align 16 -> 256
- part: kind temporary, bytes 64*B, align 16, launches 0 to 0, zeroed yes
launches
- boxes when B == 1: node boxes, computes yolo.detect_decode, kernel detect_decode_forward, grid [66, 1, 1], argument ltrb ltrb, argument x anchor_x, argument anchor_y anchor_y, argument strides strides, argument out boxes
  boxes: grid [67*B, 1, 1] -> [66*B, 1, 1], argument x anchor_x -> none, argument anchor_x none -> anchor_x
kernels
  detect_decode_forward: source elsewhere.py:1 -> detect_decode.py:8, parameters ltrb x anchor_y strides out -> ltrb anchor_x anchor_y strides out, parameter x buffer -> none, parameter anchor_x none -> buffer
code
  detect_decode_forward, compute_80: registers 40 -> 0, spilled bytes 8 -> 0, shared bytes 1024 -> 0
  detect_decode_forward, x86-64: scratch bytes 64 -> 0
weights and sources
  anchor_x: SHA-256 $new -> $old
provenance
  teenyc: 0.0.1 -> $version
END

# What only one has: code for a target.
"$teenyc" compile "$model" --target=x86-64 -o one.bundle
"$teenyc" diff a.bundle one.bundle >out && exit 1
grep -qx '  targets: compute_80, x86-64 -> x86-64' out
grep -qE '^- detect_decode_forward, compute_80: bytes [0-9]+, registers 0, spilled bytes 0, shared bytes 0, threads 128, PTX 7.0, entry detect_decode_forward, SHA-256 [0-9a-f]{12}[.]{3}$' out
[ "$(wc -l <out)" = 4 ]

# The order of inputs, outputs and launches has a meaning.
"$teenyc" compile "$root/test/Driver/models/chain/model.json" --target=x86-64 -o a.bundle
"$edit" a.bundle b.bundle 'm["launches"] = m["launches"][::-1]
for b in m["buffers"]:
  if "lifetime" in b: b["lifetime"] = [0, len(m["launches"]) - 1]'
"$teenyc" diff a.bundle b.bundle >out && exit 1
grep -qE '^  order: first.0 when .* third.1 -> third.1 when .* first.0$' out

between a.bundle nothing.bundle 2 <<END
teenyc: error: $("$teenyc" verify nothing.bundle | sed 's/^structure  wrong: //')
END
