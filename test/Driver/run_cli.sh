#!/bin/bash
# run_cli.sh TEENYC GRAPH.json: what the command line promises beside error texts.
set -euo pipefail
teenyc=$1 graph=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# expect CODE COMMAND...: its exit code; output goes to the file `out`.
expect() {
  local wanted=$1 code=0
  shift
  "$@" >out 2>&1 </dev/null || code=$?
  if [ "$code" != "$wanted" ]; then
    echo "exit code $code, expected $wanted: $*"
    cat out
    exit 1
  fi
}
# holds TEXT: the last output has it.
holds() {
  grep -qF -- "$1" out || { echo "no '$1' in:"; cat out; exit 1; }
}

expect 0 "$teenyc" --version
holds "teenyc 0."
holds "LLVM 22."
holds "ptxas"
expect 0 "$teenyc" --help
holds "compile"
expect 0 "$teenyc" compile --help
holds "bind-kernels"
expect 2 "$teenyc"
expect 2 "$teenyc" build
expect 2 "$teenyc" compile
expect 2 "$teenyc" compile "$graph" -o x.bundle --no-such-flag
expect 2 "$teenyc" compile "$graph" -o x.bundle --target=sm_20
expect 2 "$teenyc" dump "$graph"
expect 1 "$teenyc" dump --tile --kernel=nothing "$graph"
expect 1 "$teenyc" dump --manifest "$teenyc"
# check prints a table of the nodes.
expect 0 "$teenyc" check "$graph"
holds "no errors"
holds "parameters  flops"
holds "yolo.detect_decode  f32[B, 4, 8400]"

# --stop-after prints what the phase made, to a file with -o; nothing else is written.
expect 0 "$teenyc" compile "$graph" --stop-after=import
holds "graph.call"
expect 0 "$teenyc" compile "$graph" --stop-after=bind-kernels
holds "graph.launch"
holds "tile.kernel"
expect 0 "$teenyc" compile "$(dirname "$graph")/../mlp/mlp.json" --stop-after=fuse
holds "is fused into the stores of"
expect 0 "$teenyc" compile "$graph" --stop-after=tile -o tile.mlir
grep -q "tile.store" tile.mlir
[ ! -s out ]

# --emit-ir writes one entry for each phase.
expect 0 "$teenyc" compile "$graph" -o x.bundle --target=x86-64,compute_80 --emit-ir=ir
ls ir | diff - <(printf '%s\n' 1-import.mlir 2-infer-shapes.mlir 3-simplify.mlir 4-legalize-ops.mlir 5-fuse.mlir 6-bind-kernels.mlir 7-tile.mlir 8-generate-code 9-write-bundle)
for file in ir/8-generate-code/*.{ll,so,ptx,gpu.mlir} ir/9-write-bundle/{manifest.json,launches.txt}; do
  [ -s "$file" ] || { echo "missing or empty: $file"; exit 1; }
done

# --time says how long each phase took, to the error stream, in order; the bundle is the same.
expect 0 "$teenyc" compile "$graph" -o y.bundle --target=x86-64,compute_80 --time
grep -oE '^[a-z-]+ +[0-9]+\.[0-9] ms$' out | cut -d' ' -f1 |
  diff - <(echo start; ls ir | sed 's/^[0-9]*-//; s/[.]mlir$//'; echo teenyc)
cmp x.bundle y.bundle

# On a terminal a line says what is being made, and is gone in the end; elsewhere there is nothing.
script -qec "'$teenyc' compile '$graph' -o y.bundle --target=x86-64,compute_80" /dev/null </dev/null >shown
grep -q '\[1/[0-9]*\] .* for x86-64' shown
[ "$(tail -c 4 shown)" = $'\r\e[K' ]
expect 0 "$teenyc" compile "$graph" -o y.bundle --target=x86-64,compute_80
[ ! -s out ]

# A graph is shown as it is after any phase.
expect 0 "$teenyc" dump --graph "$graph" --stop-after=import
cmp out ir/1-import.mlir
expect 0 "$teenyc" dump --graph "$graph" --stop-after=fuse
cmp out ir/5-fuse.mlir
expect 2 "$teenyc" dump --tile "$graph" --stop-after=fuse
holds "--stop-after: goes with --graph and --dot"

# A bundle shows what it holds, and says what it does not.
for what in ptx launches source manifest; do
  expect 0 "$teenyc" dump --$what x.bundle
  [ -s out ]
done
expect 1 "$teenyc" dump --graph x.bundle
expect 1 "$teenyc" dump --sass x.bundle
holds "no cubin"
expect 1 "$teenyc" dump --ptx --target=compute_90 x.bundle
holds "compute_90"

# A kernel with an autotuner is compiled for its first config, or the one that is named; a heuristic follows.
cat > tuned.py <<'KERNEL'
import triton
import triton.language as tl

@triton.autotune([triton.Config({"A": a}, num_warps=w) for a in [16, 64] for w in [2, 8]], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["A"] % 32 == 0})
@triton.jit
def tuned(x, n, A: tl.constexpr, EVEN: tl.constexpr):
    i = tl.arange(0, A)
    tl.device_assert(i < n, "inside")
    tl.device_print("i", i)
    tl.store(x + i, EVEN, mask=i < n)
KERNEL
expect 0 "$teenyc" kernels tuned.py
holds "A=64, num_warps=8"
tuned() { expect "$1" "$teenyc" compile tuned.py::tuned --signature '*fp32, i32' --target=x86-64,compute_80 -o tuned.bundle "${@:2}"; }
tuned 0
expect 0 "$teenyc" dump --launches tuned.bundle
holds "tuned.py:7, 2 warps"
expect 0 "$teenyc" dump --ptx tuned.bundle
holds "vprintf"
for config in 3 A=64,num_warps=8; do
  tuned 0 --config $config
  holds "assertions are not checked"
  expect 0 "$teenyc" dump --launches tuned.bundle
  holds "tuned.py:7, 8 warps"
done
tuned 0 --config 3 --num-warps 4 --debug
holds "on CPUs this is not checked"
holds "on CPUs nothing is printed"
expect 0 "$teenyc" dump --launches tuned.bundle
holds "tuned.py:7, 4 warps"
expect 0 "$teenyc" dump --ptx tuned.bundle
holds "__assertfail"
tuned 1 --config A=3
holds "no config 'A=3' among the 4"

# Without an assembler, a cubin is an error of the environment, and the bundle that was there stays.
cp x.bundle before
expect 3 env PATH=/nonexistent CUDA_HOME=/nonexistent TEENY_PTXAS=/nonexistent/ptxas "$teenyc" compile "$graph" -o x.bundle --target=sm_80
holds "ptxas"
cmp x.bundle before
# So is a disassembler that is not there.
expect 3 env PATH=/nonexistent CUDA_HOME=/nonexistent TEENY_NVDISASM=/nonexistent/nvdisasm "$teenyc" dump --sass "$graph" --target=sm_80

# What no output depends on is named, and is not in the bundle.
cp "$(dirname "$graph")/anchors.safetensors" .
cat >unused.json <<END
{ "teeny": 1, "name": "unused",
  "inputs": [ {"name": "x", "dtype": "f32", "shape": [4]} ],
  "params": [ {"name": "nobodys", "dtype": "f32", "shape": [8400], "data": "anchors.safetensors#anchor_x"},
              {"name": "of_lost", "dtype": "f32", "shape": [8400], "data": "anchors.safetensors#anchor_y"} ],
  "nodes": [ {"name": "y", "op": "relu", "inputs": ["x"]}, {"name": "lost", "op": "relu", "inputs": ["of_lost"]} ],
  "outputs": [ "y" ] }
END
expect 0 "$teenyc" compile unused.json -o unused.bundle --target=x86-64
holds "no node reads param 'nobodys'"
holds "what 'lost' computes"
expect 0 "$teenyc" dump --launches unused.bundle
holds "buffer x: input"
if grep "param\|lost" out; then exit 1; fi
[ "$(stat -c %s unused.bundle)" -lt 33600 ]
