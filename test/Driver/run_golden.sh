#!/bin/bash
# run_golden.sh TEENYC ROOT: golden runs are in the bundle, and `teeny-run --verify` sees whether a device agrees with them.
set -euo pipefail
teenyc=$1 root=$2
run=$(dirname "$teenyc")/teeny-run
edit=$root/test/Driver/edit_bundle.py
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# expect CODE PATTERN COMMAND...: its exit code, and a line that it prints (extended regular expression).
expect() {
  local wanted=$1 pattern=$2 code=0
  shift 2
  "$@" >out 2>&1 </dev/null || code=$?
  if [ "$code" != "$wanted" ] || ! grep -qE -- "$pattern" out; then
    echo "exit code $code, expected $wanted and '$pattern': $*"
    cat out
    exit 1
  fi
}
verify() { "$run" "$1" --verify --device cpu --target x86-64 --threads 1; }

model=$root/graphs/mlp/mlp.json
"$teenyc" compile "$model" --golden --target=x86-64 -o good.bundle
"$teenyc" compile "$model" --golden --target=x86-64 -o again.bundle
cmp good.bundle again.bundle
expect 0 '^on cpu \(.*, 1 thread\): 2 of 2 outputs agree with the reference$' verify good.bundle
grep -qE '^at B = 1$' out
grep -qE '^  probabilities  f32 \(3, 7\)  largest error [0-9.e-]+, relative [0-9.e-]+, allowed [0-9.e-]+: pass$' out
expect 2 '--verify: the bundle has the inputs, and what comes of them' "$run" good.bundle --verify --random 1
expect 0 '"pass": true' "$run" good.bundle --verify --device cpu --json
expect 0 'structure  ok' "$teenyc" verify good.bundle

# The inputs are those of --random, by the generator as it is documented.
"$edit" good.bundle good2.bundle '
def values(seed, name, count):
  mask, h = 2**64 - 1, 0xcbf29ce484222325
  for c in name.encode(): h = ((h ^ c) * 0x100000001b3) & mask
  state = (seed + h) & mask
  for _ in range(count):
    state = (state + 0x9e3779b97f4a7c15) & mask
    z = state
    z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & mask
    z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & mask
    yield ((z ^ (z >> 31)) >> 40) / 2**23 - 1
name = m["inputs"][0]["name"]
for number in (0, 1):
  data = t[m["golden"][number]["inputs"][0]]
  found = struct.unpack("<%df" % (len(data) // 4), data)
  assert list(found) == list(values(number + 1, name, len(found))), number
  assert len(found) == (1, 3)[number] * (len(t[m["golden"][0]["inputs"][0]]) // 4)'

# How far results may be off depends on the types, and on how dots of f32 multiply. Of both dims the least sizes are tried.
product() { # TYPE PRECISION RELATIVE
  cat >product.json <<END
{ "teeny": 1, "name": "product", "dims": {"M": {"min": 0, "max": 512}, "N": {"min": 5, "max": 100, "multiple_of": 16}},
  "inputs": [ {"name": "a", "dtype": "$1", "shape": ["M", 48]}, {"name": "b", "dtype": "$1", "shape": [48, "N"]} ],
  "nodes": [ {"name": "y", "op": "linear.matmul", "inputs": ["a", "b"], "attrs": {"PRECISION": "$2"}} ], "outputs": [ "y" ] }
END
  "$teenyc" compile product.json --golden --target=x86-64 -o product.bundle
  expect 0 '2 of 2 outputs agree' verify product.bundle
  grep -qx 'at M = 1, N = 16' out
  grep -qx 'at M = 3, N = 16' out
  "$edit" product.bundle edited.bundle "assert all(g['outputs'][0]['relative'] == $3 for g in m['golden']), m['golden']"
}
product f32 ieee 1e-5
product f32 tf32 1e-2
product f16 ieee 1e-2
product bf16 ieee 5e-2

# What has changed shows: a result, a weight, a NaN.
after() {
  "$edit" good.bundle edited.bundle "$1"
  expect 1 "$2" verify edited.bundle
  grep -qE ': FAIL$' out
}
after 'data = t[m["golden"][1]["outputs"][0]["tensor"]]
data[8:12] = struct.pack("<f", struct.unpack("<f", data[8:12])[0] + 1e-4)' 'teeny-run: 1 of 2 outputs differ from the reference'
after 'data = t[m["golden"][0]["outputs"][0]["tensor"]]
data[0:4] = struct.pack("<f", float("nan"))' 'largest error inf'
after 'weight = max((b["tensor"] for b in m["buffers"] if b["kind"] == "param"), key=lambda name: len(t[name]))
t[weight][3::4] = bytes(b ^ 128 for b in t[weight][3::4])' 'teeny-run: 2 of 2 outputs differ from the reference'

# Without golden runs there is nothing to compare with; without references they cannot be made.
"$teenyc" compile "$model" --target=x86-64 -o plain.bundle
expect 1 "'plain.bundle' has no golden runs to compare with: compile it with --golden" verify plain.bundle
expect 1 "error: op 'test.scale' has no reference, which golden runs need for every op" \
  "$teenyc" compile "$root/test/Driver/models/scale/model.json" --golden -o none.bundle
[ ! -e none.bundle ]
expect 2 '--golden: this is for a graph' "$teenyc" compile "$root/kernels/nn/softmax.py::softmax_forward" \
  --signature '*fp32, *fp32, i32, 1024' --golden -o none.bundle
