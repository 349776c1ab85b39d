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
import statistics
import struct
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAUNCHES = 32  # in one graph
REPLAYS = 30
L2_BYTES = 60 << 20

#===-- Cases ---------------------------------------------------------------------------------===#


class Case:
    """An op at one size; `reference` computes its outputs with PyTorch in the dtype that it is given."""

    def __init__(self, name, op, reference, dims, dtype="f32", attrs=None, tolerance=1e-5):
        self.name, self.op, self.reference, self.dims = name, op, reference, dims
        self.dtype, self.attrs, self.tolerance = dtype, attrs or {}, tolerance

    def declaration(self):
        path = ROOT / "kernels" / self.op
        return path, json.loads(path.read_text())

    def element(self, tensor):
        return self.dtype if tensor["dtype"] == "T" else tensor["dtype"]

    def names(self):
        """Values of the names that expressions of the declaration use."""
        attrs = {n: a["default"] for n, a in self.declaration()[1].get("attrs", {}).items() if "default" in a}
        return {**attrs, **self.attrs, **self.dims}

    def shape(self, tensor):
        return [evaluate(d, self.names()) for d in tensor["shape"]]


def softmax(x):
    return x.softmax(1)


def layer_norm(x, weight, bias):
    mean = x.mean(1, keepdim=True)
    rstd = ((x - mean).square().mean(1, keepdim=True) + 1e-5).rsqrt()
    return (x - mean) * rstd * weight + bias, mean[:, 0], rstd[:, 0]


def rms_norm(x, weight):
    rstd = (x.square().mean(1, keepdim=True) + 1e-5).rsqrt()
    return x * rstd * weight, rstd[:, 0]


def attention(causal):
    def reference(q, k, v):
        score = q @ k.transpose(1, 2) * 0.125
        if causal:
            score = score.masked_fill(score.new_ones(score.shape[1:]).triu(1) > 0, -math.inf)
        return score.softmax(2) @ v, score.logsumexp(2)

    return reference


def attention_dq(q, k, v, out, lse, d_out):
    weight = (q @ k.transpose(1, 2) * 0.125 - lse[:, :, None]).exp()
    return weight * (d_out @ v.transpose(1, 2) - (out * d_out).sum(2, keepdim=True)) @ k * 0.125


def softmax_backward(out, d_out):
    return out * (d_out - (out * d_out).sum(1, keepdim=True))


def bce(x, t):
    return (x.clamp(min=0) - x * t + x.abs().neg().exp().log1p()).sum(0)


def bce_backward(x, t, d_loss):
    return d_loss * (x.sigmoid() - t)


def decode(ltrb, anchor_x, anchor_y, strides):
    x1, y1, x2, y2 = anchor_x - ltrb[:, 0], anchor_y - ltrb[:, 1], anchor_x + ltrb[:, 2], anchor_y + ltrb[:, 3]
    import torch

    return torch.stack(((x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1), 1) * strides


def product(a, b):
    return a @ b


ROWS = {"M": 8192, "N": 4096}
CLASSES = {"C": 80, "N": 16 * 8400}
LARGE = {"M": 4096, "N": 4096, "K": 4096}
HEADS = {"BH": 32, "Nq": 4096, "Nk": 4096, "D": 64, "DV": 64}
MATMUL = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 32}
FLASH = {"scale": 0.125, "BLOCK_M": 128, "BLOCK_N": 64}
CASES = [
    Case("add", "basic/add.json", lambda x, y: x + y, {"n": 1 << 25}),
    Case("softmax", "nn/softmax.json", softmax, ROWS),
    Case("softmax_f16", "nn/softmax.json", softmax, ROWS, "f16", tolerance=1e-3),
    Case("softmax_odd", "nn/softmax.json", softmax, {"M": 8192, "N": 4095}),
    Case("layer_norm", "nn/layer_norm.json", layer_norm, ROWS),
    Case("rms_norm", "nn/rms_norm.json", rms_norm, ROWS),
    Case("softmax_backward", "nn/softmax_backward.json", softmax_backward, ROWS),
    Case("bce", "yolo/bce_cls_loss.json", bce, CLASSES),
    Case("bce_backward", "yolo/bce_cls_loss_backward.json", bce_backward, CLASSES),
    Case("bce_backward_f16", "yolo/bce_cls_loss_backward.json", bce_backward, CLASSES, "f16", tolerance=1e-3),
    Case("argmax", "basic/argmax.json", lambda x: x.argmax(1), ROWS),
    Case("cumsum", "basic/cumsum.json", lambda x: x.cumsum(1), ROWS),
    Case("column_sum", "basic/column_sum.json", lambda x: x.sum(0), ROWS),
    Case("detect_decode", "yolo/detect_decode.json", decode, {"B": 32, "A": 8400}, attrs={"BLOCK_A": 256}),
    Case("matmul_f16", "linear/matmul.json", product, LARGE, "f16", MATMUL, tolerance=1e-3),
    Case("matmul_f16_k64", "linear/matmul.json", product, LARGE, "f16", {**MATMUL, "BLOCK_K": 64}, tolerance=1e-3),
    Case("matmul_bf16", "linear/matmul.json", product, LARGE, "bf16", MATMUL, tolerance=1e-2),
    Case("matmul_tf32", "linear/matmul.json", product, LARGE, "f32", {**MATMUL, "PRECISION": "tf32"}, tolerance=1e-3),
    Case("flash", "attn/flash2.json", attention(False), HEADS, "f16", {**FLASH, "CAUSAL": False}, tolerance=2e-3),
    Case("flash_causal", "attn/flash2.json", attention(True), HEADS, "f16", {**FLASH, "CAUSAL": True}, tolerance=2e-3),
    Case("flash_dq", "attn/flash2_dq.json", attention_dq, HEADS, "f16", {"scale": 0.125, "CAUSAL": False}, tolerance=4e-3),
]  # fmt: skip


def operations(case):
    """Floating-point operations of the dots of a call."""
    d = case.dims
    if case.op.startswith("linear"):
        return 2 * d["M"] * d["N"] * d["K"]
    if case.op.startswith("attn"):
        products = 3 if case.op.endswith("dq.json") else 2
        return 2 * products * d["BH"] * d["Nq"] * d["Nk"] * d["D"] // (2 if case.attrs["CAUSAL"] else 1)
    return 0


SIZES = {"f64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2}


def evaluate(expression, names):
    """The expressions of declarations and manifests, as far as Python writes them the same way."""
    functions = {"cdiv": lambda a, b: -(-a // b), "align": lambda x, n: -(-x // n) * n, "min": min, "max": max}
    return int(eval(str(expression), {"__builtins__": {}}, {**functions, **names}))


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
    # Dims stay symbolic, but for those that a kernel takes as constants.
    used = {d for t in declaration["inputs"] for d in t["shape"] if isinstance(d, str)}
    fixed = {d for d in used if d in ("D", "DV")} | ({"A"} if declaration.get("params") else set())
    dims = {d: {"min": 0, "max": max(2 * names[d], 8192)} for d in sorted(used - fixed)}
    shape = lambda tensor: [names[d] if d in fixed else d for d in tensor["shape"]]
    graph = {
        "teeny": 1,
        "name": case.name,
        "dims": dims,
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
    command = [teenyc, "compile", file, "-o", folder / f"{case.name}.bundle", f"--target={target}", "--ops", ROOT / "kernels"]
    return subprocess.run(command).returncode == 0


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


class Bundle:
    """The launches of a bundle whose nodes need no temporaries, over tensors given by buffer name."""

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

    def report(self, dims):
        """Registers and spilled bytes of the kernel that these sizes choose."""
        launch = self.manifest["launches"][-1]
        variant = next(v for v in launch["variants"] if evaluate(v.get("guard", 1), dims))
        code = self.functions[variant["kernel"]][1]
        return f"{code['registers']} regs" + (f", {code['spill_bytes']} B spilled" if code["spill_bytes"] else "")

    def run(self, dims, buffers):
        for launch in self.manifest["launches"]:
            variant = next(v for v in launch["variants"] if evaluate(v.get("guard", 1), dims))
            function, code = self.functions[variant["kernel"]]
            values = []
            params = self.kernels[variant["kernel"]]["params"]
            for param, arg in zip(params, variant["args"]):
                if "buffer" in arg:
                    offset = evaluate(arg.get("offset", 0), dims)
                    values.append(ctypes.c_uint64(buffers[arg["buffer"]].data_ptr() + offset))
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
        for launch in chosen["launches"]:
            file, function = launch["kernel"].split("::")
            spec = importlib.util.spec_from_file_location(f"kernel_{Path(file).stem}", path.parent / file)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            kernel = getattr(module, function)
            grid = tuple(evaluate(g, case.names()) for g in launch["grid"])
            options = {key: launch[key] for key in ("num_warps", "num_stages") if key in launch}
            self.launches.append((kernel, grid, launch.get("args", {}), options))

    def run(self, tensors):
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

    types = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i32": torch.int32}
    torch.manual_seed(len(case.name))
    _, declaration = case.declaration()
    bundle, kernels = Bundle(folder / f"{case.name}.bundle"), TritonKernels(case)
    weights = {}
    for buffer in bundle.manifest["buffers"]:
        if buffer["kind"] == "param":
            raw = bytearray(bundle.tensors[buffer["tensor"]])
            weights[buffer["name"]] = torch.frombuffer(raw, dtype=torch.float32).cuda()
    count = lambda tensors: sum(SIZES[case.element(t)] * math.prod(case.shape(t)) for t in tensors)
    moved = count(declaration["inputs"]) + count(declaration["outputs"])
    sets = min(16, max(1, -(-2 * L2_BYTES // moved)))
    make = lambda tensor: torch.randn(case.shape(tensor), device="cuda").to(types[case.element(tensor)])
    inputs = [[make(t) for t in declaration["inputs"]] for _ in range(sets)]
    outputs = [
        [torch.empty(case.shape(t), device="cuda", dtype=types[case.element(t)]) for t in declaration["outputs"]]
        for _ in range(sets)
    ]
    input_names = [t["buffer"] for t in bundle.manifest["inputs"]]
    output_names = [t["buffer"] for t in bundle.manifest["outputs"]]

    def run_teenyc(i):
        bundle.run(case.dims, {**weights, **dict(zip(input_names, inputs[i])), **dict(zip(output_names, outputs[i]))})

    def run_triton(i):
        tensors = dict(weights)
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
            difference = ((have.double() - expected.double()).norm() / expected.double().norm()).item()
            error = difference if not difference <= error else error
        figures.append((error, time_graph(run, sets)))
    (error, ours), (_, theirs) = figures
    flops = operations(case)
    rate = f"{flops / ours / 1e6:7.0f} TFLOP/s" if flops else f"{moved / ours / 1e6:7.2f} TB/s"
    line = f"{case.name:16} {ours:9.2f} {theirs:9.2f} {theirs / ours:7.2f}x {rate:>15} {error:9.1e}  {bundle.report(case.dims)}"
    if with_torch:
        compiled = torch.compile(case.reference)
        line += f", torch.compile {time_graph(lambda i: compiled(*inputs[i], *weights.values()), sets):.2f} us"
    if not error <= case.tolerance:
        line += f"  WRONG: more than {case.tolerance}"
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
    import torch
    import triton

    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}; microseconds, and the relative error")
    print(f"{'':16} {'teenyc':>9} {'Triton':>9} {'speed':>8} {'rate':>15} {'error':>9}")
    good = True
    for case in cases:
        try:
            good = run_case(case, args.folder, args.torch) and good
        except Exception as trouble:  # of one case: the others still count
            print(f"{case.name:16} failed: {type(trouble).__name__}: {trouble}", flush=True)
            good = False
        torch.cuda.empty_cache()
    sys.exit(not good)


if __name__ == "__main__":
    main()
