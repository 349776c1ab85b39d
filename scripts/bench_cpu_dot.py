#!/usr/bin/env python3
"""Speed of dots on this CPU, one thread: teenyc's at many tile shapes beside linalg's best, in one run.

    scripts/bench_cpu_dot.py [--size 512] [--target x86-64-v3]

teenyc compiles kernels/linear/matmul.py for a product of size x size matrices with each tile shape. The yardstick is
upstream's linalg.matmul, tiled for registers and cache in several ways by mlir-opt's transform dialect, vectorised and
compiled by llc: the fastest of those. Prints GFLOP/s. Needs LLVM 22's tools and a C compiler to link.
"""
import argparse
import ctypes
import json
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LLVM = Path("/usr/lib/llvm-22/bin")
TILES = [(16, 16, 16), (32, 32, 32), (64, 64, 32), (64, 64, 64), (16, 128, 32), (128, 16, 32), (128, 64, 32),
         (32, 128, 64), (128, 128, 32), (128, 128, 64)]  # fmt: skip
# Of registers, then of the blocks around them.
LINALG = [((4, 16), None), ((4, 16), (64, 64, 64)), ((8, 16), (64, 64, 64)), ((8, 32), (64, 128, 128)), ((4, 32), (64, 128, 64))]

MODULE = """
module attributes {{transform.with_named_sequence}} {{
  func.func @product(%a: memref<{n}x{n}xf32>, %b: memref<{n}x{n}xf32>, %c: memref<{n}x{n}xf32>)
      attributes {{llvm.emit_c_interface}} {{
    linalg.matmul ins(%a, %b : memref<{n}x{n}xf32>, memref<{n}x{n}xf32>) outs(%c : memref<{n}x{n}xf32>)
    return
  }}
  transform.named_sequence @__transform_main(%module: !transform.any_op) {{
    %whole = transform.structured.match ops{{["linalg.matmul"]}} in %module : (!transform.any_op) -> !transform.any_op
    {block}
    %tile, %loops:3 = transform.structured.tile_using_for %{outer} tile_sizes [{rows}, {columns}, 1]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %function = transform.structured.match ops{{["func.func"]}} in %module : (!transform.any_op) -> !transform.any_op
    %vectors = transform.structured.vectorize_children_and_apply_patterns %function : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %vectors {{
      transform.apply_patterns.vector.lower_contraction lowering_strategy = "outerproduct"
      transform.apply_patterns.vector.transfer_permutation_patterns
    }} : !transform.any_op
    %hoisted = transform.structured.hoist_redundant_vector_transfers %vectors : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %hoisted {{
      transform.apply_patterns.vector.lower_outerproduct
      transform.apply_patterns.vector.split_transfer_full_partial split_transfer_strategy = "linalg-copy"
      transform.apply_patterns.vector.transfer_to_scf max_transfer_rank = 1 full_unroll = true
      transform.apply_patterns.vector.lower_transfer max_transfer_rank = 1
      transform.apply_patterns.vector.lower_shape_cast
      transform.apply_patterns.vector.lower_broadcast
    }} : !transform.any_op
    transform.yield
  }}
}}
"""
BLOCK = """%block, %outer:3 = transform.structured.tile_using_for %whole tile_sizes [{}, {}, {}]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)"""
LOWER = ("--pass-pipeline=builtin.module(transform-interpreter,canonicalize,cse,convert-linalg-to-loops,lower-affine,"
         "convert-vector-to-scf,convert-scf-to-cf,expand-strided-metadata,lower-affine,convert-vector-to-llvm,"
         "finalize-memref-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,"
         "reconcile-unrealized-casts)")  # fmt: skip


def run(command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {done.stderr.strip()[:2000]}")
    return done.stdout


def best_time(call):
    times = []
    for _ in range(40):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def linalg_gflops(size, registers, block, cpu, folder):
    text = MODULE.format(
        n=size, rows=registers[0], columns=registers[1],
        block=BLOCK.format(*block) if block else "", outer="block" if block else "whole",
    )  # fmt: skip
    lowered = run([LLVM / "mlir-opt", LOWER, "--mlir-disable-threading"], input=text)
    # The schedule stays in the module.
    lowered = run([LLVM / "mlir-opt", "--test-transform-dialect-erase-schedule"], input=lowered)
    ir = run([LLVM / "mlir-translate", "--mlir-to-llvmir"], input=lowered)
    optimised = run([LLVM / "opt", "-O3", f"-mcpu={cpu}", "-S"], input=ir)
    (folder / "product.ll").write_text(optimised)
    run([LLVM / "llc", "-O3", f"-mcpu={cpu}", "--fp-contract=fast", "-relocation-model=pic", "-filetype=obj",
         folder / "product.ll", "-o", folder / "product.o"])  # fmt: skip
    library = folder / f"product{registers}{block}.so".replace(" ", "")
    run(["cc", "-shared", "-o", library, folder / "product.o"])
    function = ctypes.CDLL(str(library)).product
    count = size * size

    class Alignment(ctypes.Structure):
        _fields_ = [("data", ctypes.c_float * (count + 16))]

    arrays = [Alignment() for _ in range(3)]
    arguments = []
    for array in arrays[:2]:
        array.data[:] = [((i * 7) % 11 - 5) / 8 for i in range(count + 16)]
    for array in arrays:
        at = ctypes.c_void_p(-(-ctypes.addressof(array) // 64) * 64)
        i64 = ctypes.c_int64
        arguments += [at, at, i64(0), i64(size), i64(size), i64(size), i64(1)]
    return 2 * size**3 / best_time(lambda: function(*arguments)) / 1e9


def teenyc_gflops(size, tile, element, target, folder):
    attrs = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), tile))
    graph = {
        "teeny": 1, "name": "product", "ops": ["linear/matmul.json"],
        "inputs": [{"name": n, "dtype": element, "shape": [size, size]} for n in "ab"],
        "nodes": [{"name": "c", "op": "linear.matmul", "inputs": ["a", "b"], "attrs": attrs}],
        "outputs": ["c"],
    }  # fmt: skip
    (folder / "graph.json").write_text(json.dumps(graph))
    binaries = ROOT / "build" / "bin"
    run([binaries / "teenyc", "compile", folder / "graph.json", "-o", folder / "graph.bundle", f"--target={target}",
         "--ops", ROOT / "kernels"])  # fmt: skip
    text = run([binaries / "teeny-run", folder / "graph.bundle", "--device", "cpu", "--threads", "1", "--random", "1",
                "--repeat", "40", "--json"])  # fmt: skip
    return 2 * size**3 / seconds(json.loads(text)) / 1e9


def seconds(report):
    return next(row["min_us"] for row in report["timings"]["rows"] if row["name"] == "device") / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--target", default="x86-64-v4")
    parser.add_argument("--dtypes", nargs="+", default=["f32", "f16"])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        best = 0
        for registers, block in LINALG:
            speed = linalg_gflops(args.size, registers, block, args.target, folder)
            print(f"linalg {registers} in {block or 'the whole'}: {speed:.1f}", flush=True)
            best = max(best, speed)
        for element in args.dtypes:
            for tile in TILES:
                speed = teenyc_gflops(args.size, tile, element, args.target, folder)
                print(f"teenyc {element} {'x'.join(map(str, tile)):12} {speed:6.1f}  {speed / best:4.0%}", flush=True)


if __name__ == "__main__":
    main()
