#!/usr/bin/env python3
"""Kernel times of the shipped ops beside Triton, which compiles the same kernel files, on one GPU in one run.

    scripts/bench_gpu.py compile DIR [--target sm_90a] [--only softmax ...]   needs teenyc, no GPU
    scripts/bench_gpu.py run DIR [--only softmax ...] [--torch]               needs a GPU, PyTorch and Triton

`compile` writes a graph and a bundle per case into DIR; `run` prints one line per case. A bundle's cubin is launched
through the driver as any foreign launcher would (lib/Bundle/README.md has the ABI). Each contender is captured as a
CUDA graph of many launches that rotate over sets of inputs, more than the L2 cache holds; the figure is the median over
replays of time per launch. Inputs are random, outputs are poisoned first and compared with a float64 evaluation.
With --torch the evaluation is also timed as torch.compile makes it.
"""
import argparse
import ctypes
import importlib.util
import json
import math
import random
import re
import statistics
import struct
import subprocess
import sys
from pathlib import Path

from bench_cases import CASES, ROOT, SIZES, evaluate

LAUNCHES = 32  # in one graph
REPLAYS = 30
L2_BYTES = 60 << 20

#===-- compile -------------------------------------------------------------------------------===#


def write_params(path, tensors):
    header, offset = {}, 0
    for name, shape in tensors.items():
        end = offset + 4 * math.prod(shape)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    values = struct.pack(f"<{offset // 4}f", *(random.uniform(1, 2) for _ in range(offset // 4)))
    path.write_bytes(struct.pack("<Q", len(text)) + text + values)


def compile_case(case, folder, teenyc, target):
    path, declaration = case.declaration()
    names = case.names()
    # Dims stay symbolic, but for those that a case fixes and those in expressions, which inputs of graphs have not.
    entries = [str(d).lstrip("*") for t in declaration["inputs"] for d in t["shape"]]
    in_expressions = {name for e in entries if not e.isidentifier() for name in re.findall(r"[A-Za-z_]\w*", e)}
    dims = {e for e in entries if e.isidentifier()} - in_expressions - set(case.fixed)
    shape = lambda tensor: [
        d.lstrip("*") if str(d).lstrip("*") in dims else evaluate(d, names) for d in tensor["shape"]
    ]
    graph = {
        "teeny": 1,
        "name": case.name,
        "dims": {d: {"min": 0, "max": 2 * names[d]} for d in sorted(dims)},
        "inputs": [
            {"name": t["name"], "dtype": case.element(t), "shape": shape(t)} for t in declaration["inputs"]
        ],
        "ops": [case.op],
        "nodes": [
            {
                "name": "result",
                "op": declaration["op"],
                "inputs": [t["name"] for t in declaration["inputs"]],
                "attrs": case.attrs,
            }
        ],
        "outputs": [f"result.{t['name']}" for t in declaration["outputs"]]
        if len(declaration["outputs"]) > 1
        else ["result"],
    }
    if declaration.get("params"):
        file = folder / f"{case.name}.safetensors"
        write_params(file, {t["name"]: case.shape(t) for t in declaration["params"]})
        graph["params"] = [
            {"name": t["name"], "dtype": "f32", "shape": case.shape(t), "data": f"{file.name}#{t['name']}"}
            for t in declaration["params"]
        ]
        graph["nodes"][0]["params"] = {t["name"]: t["name"] for t in declaration["params"]}
    file = folder / f"{case.name}.json"
    file.write_text(json.dumps(graph, indent=1))
    bundle = folder / f"{case.name}.bundle"
    command = [teenyc, "compile", file, "-o", bundle, f"--target={target}", "--ops", ROOT / "kernels"]
    code = subprocess.run(command).returncode
    if code == 3:  # the machine's trouble, which all cases would meet
        sys.exit(code)
    return code == 0


#===-- run -----------------------------------------------------------------------------------===#


def read_bundle(path):
    data = Path(path).read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    body = memoryview(data)[8 + length :]
    tensors = {
        name: bytes(body[slice(*entry["data_offsets"])])
        for name, entry in header.items()
        if name != "__metadata__"
    }
    return json.loads(tensors["teeny/manifest.json"]), tensors


class Driver:
    def __init__(self):
        import torch

        torch.zeros(1, device="cuda")  # makes the context that modules are loaded into
        self.lib, self.torch = ctypes.CDLL("libcuda.so.1"), torch

    def call(self, name, *args):
        code = getattr(self.lib, name)(*args)
        if code:
            raise RuntimeError(f"{name} failed with {code}")

    def function(self, code, symbol):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), code)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, symbol.encode())
        return function

    def allow_shared(self, function, count):
        MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
        self.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED_SIZE_BYTES, count)

    def launch(self, function, grid, threads, shared, values):
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
        stream = ctypes.c_void_p(self.torch.cuda.current_stream().cuda_stream)
        self.call("cuLaunchKernel", function, *grid, threads, 1, 1, shared, stream, pointers, None)


SCALARS = {
    "i1": ctypes.c_uint8, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32,
    "i64": ctypes.c_int64, "f32": ctypes.c_float, "f64": ctypes.c_double,
}  # fmt: skip


def allocate(buffers, names):
    import torch

    return {
        b["name"]: torch.empty(max(1, evaluate(b["bytes"], names)), device="cuda", dtype=torch.uint8) for b in buffers
    }


class Bundle:
    """The launches of a bundle over tensors given by buffer name."""

    def __init__(self, path):
        self.manifest, self.tensors = read_bundle(path)
        self.driver = Driver()
        self.kernels = {k["name"]: k for k in self.manifest["kernels"]}
        self.functions = {}
        for kernel in self.manifest["kernels"]:
            code = kernel["code"][0]
            function = self.driver.function(self.tensors[code["tensor"]], code["symbol"])
            if code["shared_bytes"] > 0:
                self.driver.allow_shared(function, code["shared_bytes"])
            self.functions[kernel["name"]] = (function, code)

    def variants(self, dims):
        """The variant of each launch that these sizes choose."""
        for launch in self.manifest["launches"]:
            yield next(v for v in launch["variants"] if evaluate(v.get("guard", 1), dims))

    def report(self, dims):
        """Registers and spilled bytes of the kernel that has most."""
        codes = [self.functions[v["kernel"]][1] for v in self.variants(dims)]
        registers, spilled = (max(code[key] for code in codes) for key in ("registers", "spill_bytes"))
        return f"{registers} regs" + (f", {spilled} B spilled" if spilled else "")

    def temporaries(self, dims):
        """New tensors of bytes for the temporaries that are parts of nothing."""
        whole = [b for b in self.manifest["buffers"] if b["kind"] == "temporary" and "alias_of" not in b]
        return allocate(whole, dims)

    def address(self, name, dims, buffers):
        offset, parts = 0, {b["name"]: b for b in self.manifest["buffers"] if "alias_of" in b}
        while name in parts:
            offset += evaluate(parts[name]["alias_offset"], dims)
            name = parts[name]["alias_of"]
        return buffers[name].data_ptr() + offset

    def run(self, dims, buffers):
        for buffer in self.manifest["buffers"]:
            if buffer.get("zeroed"):
                buffers[buffer["name"]].zero_()
        for variant in self.variants(dims):
            function, code = self.functions[variant["kernel"]]
            values = []
            params = self.kernels[variant["kernel"]]["params"]
            for param, arg in zip(params, variant["args"]):
                if "buffer" in arg:
                    offset = evaluate(arg.get("offset", 0), dims)
                    values.append(ctypes.c_uint64(self.address(arg["buffer"], dims, buffers) + offset))
                elif "int" in arg:
                    values.append(SCALARS[param["kind"]](evaluate(arg["int"], dims)))
                else:
                    values.append(SCALARS[param["kind"]](arg["float"]))
            grid = [evaluate(g, dims) for g in variant["grid"]]
            self.driver.launch(function, grid, code["threads"], code["shared_bytes"], values)


class TritonKernels:
    """The launches of a declaration, compiled by Triton, over tensors given by name."""

    def __init__(self, case):
        path, declaration = case.declaration()
        self.case, self.launches = case, []
        types = {name: name for name in SIZES} | {"T": case.dtype}
        holds = lambda variant: evaluate(variant["when"], {**types, **case.names()})
        chosen = next(filter(holds, declaration.get("variants", [])), declaration)
        self.scratch = declaration.get("scratch", [])
        for launch in chosen["launches"]:
            file, function = launch["kernel"].split("::")
            spec = importlib.util.spec_from_file_location(f"kernel_{Path(file).stem}", path.parent / file)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            kernel = getattr(module, function)
            grid = tuple(evaluate(g, case.names()) for g in launch["grid"])
            options = {key: launch[key] for key in ("num_warps", "num_stages") if key in launch}
            self.launches.append((kernel, grid, launch.get("args", {}), options))

    def temporaries(self):
        return allocate(self.scratch, self.case.names())

    def run(self, tensors):
        for buffer in self.scratch:
            if buffer.get("zeroed"):
                tensors[buffer["name"]].zero_()
        names = {**self.case.names(), **tensors}
        for kernel, grid, args, options in self.launches:
            given = {}
            for name in kernel.arg_names:
                value = args.get(name, name)
                given[name] = names[value] if value in names else evaluate(value, self.case.names())
            kernel[grid](**given, **options)


def time_graph(launch, sets):
    """Median microseconds per launch of `launch(i)`, i over `sets` input sets."""
    import torch

    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for i in range(sets):
            launch(i)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for i in range(LAUNCHES):
                launch(i % sets)
        times = []
        for _ in range(REPLAYS + 3):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1000 / LAUNCHES)
    return statistics.median(times[3:])


def run_case(case, folder, with_torch):
    import torch

    types = {
        "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i32": torch.int32, "i64": torch.int64,
    }  # fmt: skip
    torch.manual_seed(len(case.name))
    _, declaration = case.declaration()
    bundle, kernels = Bundle(folder / f"{case.name}.bundle"), TritonKernels(case)
    weights = {}
    for buffer in bundle.manifest["buffers"]:
        if buffer["kind"] == "param":
            raw = bytearray(bundle.tensors[buffer["tensor"]])
            weights[buffer["name"]] = torch.frombuffer(raw, dtype=torch.float32).cuda()
    moved = case.bytes(declaration["inputs"]) + case.bytes(declaration["outputs"])
    sets = min(16, max(1, -(-2 * L2_BYTES // moved)))

    def make_inputs():
        made = {}
        for tensor in declaration["inputs"]:
            made[tensor["name"]] = torch.randn(case.shape(tensor), device="cuda").to(types[case.element(tensor)])
        if case.prepare:
            case.prepare(made)
        return list(made.values())

    inputs = [make_inputs() for _ in range(sets)]
    outputs = [
        [torch.empty(case.shape(t), device="cuda", dtype=types[case.element(t)]) for t in declaration["outputs"]]
        for _ in range(sets)
    ]
    input_names = [t["buffer"] for t in bundle.manifest["inputs"]]
    output_names = [t["buffer"] for t in bundle.manifest["outputs"]]
    temporaries, scratch = bundle.temporaries(case.dims), kernels.temporaries()

    def run_teenyc(i):
        tensors = zip(input_names + output_names, inputs[i] + outputs[i])
        bundle.run(case.dims, {**weights, **temporaries, **dict(tensors)})

    def run_triton(i):
        tensors = {**weights, **scratch}
        for names, values in ((declaration["inputs"], inputs[i]), (declaration["outputs"], outputs[i])):
            tensors.update(zip((t["name"] for t in names), values))
        kernels.run(tensors)

    want = case.reference(*(t.double() for t in inputs[-1]), *(w.double() for w in weights.values()))
    want = want if isinstance(want, tuple) else (want,)
    figures = []
    for run in (run_teenyc, run_triton):
        for out in outputs[-1]:
            out.view(torch.uint8).fill_(0xFF)  # NaN, or -1
        run(sets - 1)
        torch.cuda.synchronize()
        error = 0.0
        for have, expected in zip(outputs[-1], want):
            expected = expected.reshape(have.shape).double()
            difference = ((have.double() - expected).norm() / expected.norm()).item()
            error = difference if not difference <= error else error
        figures.append((error, time_graph(run, sets)))
    (error, ours), (their_error, theirs) = figures
    flops = case.operations()
    rate = f"{flops / ours / 1e6:7.0f} TFLOP/s" if flops else f"{moved / ours / 1e6:7.2f} TB/s"
    line = f"{case.name:20} {ours:9.2f} {theirs:9.2f} {theirs / ours:7.2f}x {rate:>15} {error:9.1e}  {bundle.report(case.dims)}"
    if with_torch:
        compiled = torch.compile(case.reference)
        line += f", torch.compile {time_graph(lambda i: compiled(*inputs[i], *weights.values()), sets):.2f} us"
    if not error <= case.tolerance:
        line += f"  WRONG: more than {case.tolerance}; Triton {their_error:.1e}"
    print(line, flush=True)
    return error <= case.tolerance


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["compile", "run"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", metavar="CASE", help="of: " + " ".join(c.name for c in CASES))
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--teenyc", default=ROOT / "build/bin/teenyc")
    parser.add_argument("--torch", action="store_true")
    args = parser.parse_args()
    unknown = set(args.only or ()) - {c.name for c in CASES}
    if unknown:
        parser.error(f"no case {', '.join(sorted(unknown))}")
    cases = [c for c in CASES if not args.only or c.name in args.only]
    if args.action == "compile":
        args.folder.mkdir(parents=True, exist_ok=True)
        sys.exit(not all([compile_case(c, args.folder, args.teenyc, args.target) for c in cases]))
    try:
        import torch
        import triton
    except ImportError as missing:
        sys.exit(f"bench_gpu.py: to run needs PyTorch and Triton: {missing}")

    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}; microseconds, and the relative error")
    print(f"{'':20} {'teenyc':>9} {'Triton':>9} {'speed':>8} {'rate':>15} {'error':>9}")
    good = True
    for case in cases:
        try:
            good = run_case(case, args.folder, args.torch) and good
        except Exception as trouble:  # of one case: the others still count
            print(f"{case.name:20} failed: {type(trouble).__name__}: {trouble}", flush=True)
            good = False
        torch.cuda.empty_cache()
    sys.exit(not good)


if __name__ == "__main__":
    main()
