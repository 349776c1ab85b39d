#!/bin/bash
# run_verify.sh TEENYC ROOT: `verify` takes bundles as they are written, and says what is wrong with others.
set -euo pipefail
teenyc=$1 root=$2
edit=$root/test/Driver/edit_bundle.py
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# expect CODE BUNDLE PATTERN...: the exit code, and a line for each (extended regular expression), in order and no more.
expect() {
  local wanted=$1 bundle=$2 code=0
  shift 2
  "$teenyc" verify "$bundle" >out 2>err </dev/null || code=$?
  local lines=$#
  if [ "$code" != "$wanted" ] || [ -s err ] || [ "$(wc -l <out)" != "$lines" ]; then
    echo "exit code $code, expected $wanted and $lines lines of: $bundle"
    cat out err
    exit 1
  fi
  local number=0 pattern
  for pattern; do
    number=$((number + 1))
    sed -n "${number}p" out | grep -qxE -- "$pattern" || { echo "line $number is not: $pattern"; cat out; exit 1; }
  done
}
structure='structure  ok: 1 kernel, 1 launch: arguments match parameters, last guards are unconditional'
code='code       ok: 2 code objects: SHA-256, entry points and parameters as the manifest says'
data='data       ok: 3 weights and 1 other tensor have their SHA-256'
launches='launches   ok: grids and arguments are in range, at B = 0, 1, 2, 3, 4, 7, 8, 16, 32, 64'
memory='memory     ok: buffers that are alive together lie apart, in up to 0 bytes'

"$teenyc" compile "$root/graphs/detect_decode/detect_decode.json" --target=compute_80,x86-64 -o good.bundle
expect 0 good.bundle "$structure" "$code" "$data" "$launches" "$memory"

# after STATEMENTS PATTERN...: an edited bundle is wrong in these ways.
after() {
  local statements=$1
  shift
  "$edit" good.bundle edited.bundle "$statements"
  expect 1 edited.bundle "$@"
}
"$edit" good.bundle edited.bundle 'pass'
expect 0 edited.bundle "$structure" "$code" "$data" "$launches" "$memory"

# Bytes that have changed.
after 't["anchor_x"][5] ^= 1' "$structure" "$code" "data       wrong: 'anchor_x' has SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}" "$launches" "$memory"
after 'm["hashes"] = m["hashes"][1:]' "$structure" "$code" "data       wrong: the manifest has no SHA-256 of 'anchor_x'" "$launches" "$memory"
after 'for name in t:
  if name.endswith(".so"): t[name][-1] ^= 1' "$structure" \
  "code       wrong: kernel 'detect_decode_forward', target x86-64: 'teeny/code/detect_decode_forward.x86-64.so' has SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}" \
  "$data" "$launches" "$memory"
# Code that is not what the manifest says, with the right digest.
after 'for name in t:
  if name.endswith(".so"): t[name] = bytearray(b"MZ")
rehash()' "$structure" "code       wrong: kernel 'detect_decode_forward', target x86-64: not a shared library: .*" "$data" "$launches" "$memory"
after 'k = m["kernels"][0]
for code in k["code"]: code["symbol"] = "other"' "$structure" \
  "code       wrong: kernel 'detect_decode_forward', target compute_80: no entry 'other'" \
  "code       wrong: kernel 'detect_decode_forward', target x86-64: no entry 'other'" "$data" "$launches" "$memory"
after 'k = m["kernels"][0]
k["params"].insert(0, {"name": "more", "kind": "buffer"})
m["launches"][0]["variants"][0]["args"].insert(0, {"buffer": "ltrb"})' "$structure" \
  "code       wrong: kernel 'detect_decode_forward', target compute_80: entry 'detect_decode_forward' has 5 parameters, the manifest says 6" \
  "$data" "$launches" "$memory"
after 'k = m["kernels"][0]
k["params"][0]["kind"] = "i32"
m["launches"][0]["variants"][0]["args"][0] = {"int": 1}' "$structure" \
  "code       wrong: kernel 'detect_decode_forward', target compute_80: parameter 'ltrb' has 8 bytes, the manifest says 4" \
  "$data" "$launches" "$memory"
after 'k = m["kernels"][0]
k["num_warps"], k["code"][0]["threads"] = 8, 256' "$structure" \
  "code       wrong: kernel 'detect_decode_forward', target compute_80: entry 'detect_decode_forward' is for blocks of 128 threads, the manifest says 256" \
  "$data" "$launches" "$memory"
# Launches.
after 'm["launches"][0]["variants"][0]["grid"][0] = "66*B - 1"' "$structure" "$code" "$data" \
  "launches   wrong: at B = 0: launch 'boxes': grid\[0\] is 66\*B - 1 = -1, outside 0 to 2147483647" "$memory"
after 'm["kernels"][0]["params"][4]["written"] = False' "$structure" "$code" "$data" "launches   wrong: no launch writes to output 'boxes'" "$memory"
# A part that does not lie in its whole is seen where the plan is made.
after 'm["buffers"] += [
  {"name": "all", "kind": "temporary", "bytes": "64*B", "align": 16, "lifetime": [0, 0]},
  {"name": "part", "kind": "temporary", "bytes": "64*B", "align": 16, "lifetime": [0, 0], "alias_of": "all", "alias_offset": "16*B - 16"}]' \
  "$structure" "$code" "$data" "launches   wrong: at B = 0: buffer 'part': alias offset -16 is negative" \
  "launches   wrong: at B = 2: buffer 'part': 128 bytes at offset 16 exceed the 128 bytes of buffer 'all'" \
  "launches   wrong: at B = 3: .*" "launches   wrong: at B = 4: .*" "launches   wrong: at B = 7: .*" "launches   wrong: at B = 8: .*" \
  "launches   wrong: at B = 16: .*" "launches   wrong: at B = 32: .*" "launches   wrong: at B = 64: .*" \
  "memory     ok: buffers that are alive together lie apart, in up to 64 bytes"
# Sizes are tried of all dims together and of each by itself, as their ranges and multiples allow.
"$edit" good.bundle edited.bundle 'm["dims"].append({"name": "N", "min": 5, "max": 100, "multiple_of": 16})
m["requirements"].append({"condition": "N > 16 or B < 8", "message": "too few"})'
expect 0 edited.bundle "$structure" "$code" "$data" \
  'launches   ok: grids and arguments are in range, at \(B, N\) = \(0, 16\), \(1, 16\), \(2, 16\), \(3, 16\), \(4, 16\), \(7, 16\), \(32, 32\), \(64, 64\), \(64, 96\), \(32, 64\), \(0, 96\)' \
  "$memory"
# What is no bundle, or one that contradicts itself, ends there.
after 'm["launches"][0]["variants"][0]["guard"] = "B"' \
  "structure  wrong: edited.bundle: manifest: launches\[0\].variants\[0\].guard: 'B', but the last guard must be 1"
head -c 5000 good.bundle >short.bundle
expect 1 short.bundle "structure  wrong: short.bundle: .*"
expect 1 none.bundle "structure  wrong: .*none.bundle.*"

# Kernels alone have nothing to launch.
"$teenyc" compile "$root/kernels/nn/softmax.py::softmax_forward" --signature '*fp32, *fp32, i32, 1024' --target=x86-64 -o alone.bundle
expect 0 alone.bundle "structure  ok: 1 kernel, 0 launches: .*" "code       ok: 1 code object: .*" \
  "data       ok: 0 weights and 1 other tensor have their SHA-256"

# Cubins, where they can be made.
if "$teenyc" compile "$root/graphs/detect_decode/detect_decode.json" --target=sm_80 -o good.bundle 2>/dev/null; then
  expect 0 good.bundle "$structure" 'code       ok: 1 code object: .*' "$data" "$launches" "$memory"
  after 'k = m["kernels"][0]
k["params"][0]["kind"] = "i32"
m["launches"][0]["variants"][0]["args"][0] = {"int": 1}' "$structure" \
    "code       wrong: kernel 'detect_decode_forward', target sm_80: parameter 'ltrb' has 8 bytes, the manifest says 4" \
    "$data" "$launches" "$memory"
  after 'k = m["kernels"][0]
k["num_warps"], k["code"][0]["threads"] = 8, 256' "$structure" \
    "code       wrong: kernel 'detect_decode_forward', target sm_80: entry 'detect_decode_forward' is for blocks of 128 threads, the manifest says 256" \
    "$data" "$launches" "$memory"
fi
