#!/usr/bin/env python3
"""Kernel times of a bundle beside Triton and torch.compile, on one GPU, in one run.

    scripts/bench_gpu.py detect_decode.bundle [--batch 32]

Needs a GPU with PyTorch and Triton. The bundle's cubin is launched through the driver as any foreign
launcher would (lib/Bundle/README.md has the ABI); Triton compiles the same kernel file. Each contender is
captured as a CUDA graph of many launches that rotate over input sets; the figure is the median over replays
of time per launch. "hot" uses one set that stays in the L2 cache, "rotated" more than the cache holds.
Outputs are poisoned first and compared with a float64 evaluation.
"""
import argparse
import ctypes
import importlib.util
import json
import statistics
import struct
import sys
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parent.parent
LAUNCHES = 64  # in one graph
REPLAYS = 50


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


def evaluate(expression, dims):
    """The expressions of a manifest, as far as Python writes them the same way."""
    names = {
        "cdiv": lambda a, b: -(-a // b),
        "align": lambda x, n: -(-x // n) * n,
        "min": min,
        "max": max,
        **dims,
    }
    return int(eval(str(expression), {"__builtins__": {}}, names))


class Driver:
    def __init__(self):
        torch.zeros(1, device="cuda")  # makes the context that modules are loaded into
        self.lib = ctypes.CDLL("libcuda.so.1")

    def call(self, name, *args):
        code = getattr(self.lib, name)(*args)
        if code:
            sys.exit(f"{name} failed with {code}")

    def function(self, code, symbol):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), code)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, symbol.encode())
        return function

    def launch(self, function, grid, threads, shared, values):
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.call("cuLaunchKernel", function, *grid, threads, 1, 1, shared, stream, pointers, None)


SCALARS = {
    "i1": ctypes.c_uint8, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32,
    "i64": ctypes.c_int64, "f32": ctypes.c_float, "f64": ctypes.c_double,
}  # fmt: skip


class Bundle:
    """The launches of a bundle whose nodes need no temporaries, over tensors given by buffer name."""

    def __init__(self, path, target):
        self.manifest, self.tensors = read_bundle(path)
        self.driver = Driver()
        self.kernels = {k["name"]: k for k in self.manifest["kernels"]}
        self.functions = {}
        for kernel in self.manifest["kernels"]:
            code = next(c for c in kernel["code"] if c["target"] == target)
            function = self.driver.function(self.tensors[code["tensor"]], code["symbol"])
            self.functions[kernel["name"]] = (function, code)

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


def time_graph(launch, sets):
    """Median microseconds per launch of `launch(i)`, i over `sets` input sets."""
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
        for _ in range(REPLAYS + 5):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1000 / LAUNCHES)
    return statistics.median(times[5:])


def detect_decode(bundle_path, batch, target):
    anchors, sets = 8400, 12
    device = torch.device("cuda")
    torch.manual_seed(batch)
    bundle = Bundle(bundle_path, target)
    weights = {}
    for buffer in bundle.manifest["buffers"]:
        if buffer["kind"] == "param":
            raw = bytearray(bundle.tensors[buffer["tensor"]])
            weights[buffer["name"]] = torch.frombuffer(raw, dtype=torch.float32).to(device)
    ax, ay, stride = (weights[n] for n in ("anchor_x", "anchor_y", "strides"))
    inputs = [torch.rand(batch, 4, anchors, device=device) * 16 for _ in range(sets)]
    output_name = bundle.manifest["outputs"][0]["buffer"]
    input_name = bundle.manifest["inputs"][0]["buffer"]

    def reference(x, ax, ay, stride):
        x1, y1, x2, y2 = ax - x[:, 0], ay - x[:, 1], ax + x[:, 2], ay + x[:, 3]
        return torch.stack(((x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1), 1) * stride

    spec = importlib.util.spec_from_file_location("kernel", ROOT / "kernels/yolo/detect_decode.py")
    kernel = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernel)
    block = 256
    compiled = torch.compile(reference)
    compiled(inputs[0], ax, ay, stride)
    outputs = [torch.empty_like(x) for x in inputs]

    def run_teenyc(i):
        bundle.run({"B": batch}, {input_name: inputs[i], output_name: outputs[i], **weights})

    def run_triton(i):
        grid = (batch * -(-anchors // block),)
        kernel.detect_decode_forward[grid](
            ltrb=inputs[i], anchor_x=ax, anchor_y=ay, strides=stride, out=outputs[i], A=anchors, BLOCK_A=block
        )

    results = {}
    for name, run in (("teenyc", run_teenyc), ("triton", run_triton)):
        for out in outputs:
            out.fill_(float("nan"))
        for i in range(sets):
            run(i)
        torch.cuda.synchronize()
        worst = 0.0
        for x, out in zip(inputs, outputs):
            want = reference(*(t.double() for t in (x, ax, ay, stride)))
            worst = max(worst, ((out.double() - want).abs().max() / want.abs().max()).item())
        results[name] = (worst, time_graph(run, 1), time_graph(run, sets))
    results["torch.compile"] = (
        0.0,
        time_graph(lambda i: compiled(inputs[i], ax, ay, stride), 1),
        time_graph(lambda i: compiled(inputs[i], ax, ay, stride), sets),
    )
    print(f"detect_decode, batch {batch}, {torch.cuda.get_device_name()}, target {target}")
    print(f"{'':14} {'hot us':>8} {'rotated us':>11} {'max error':>10}")
    for name, (error, hot, rotated) in results.items():
        print(f"{name:14} {hot:8.2f} {rotated:11.2f} {error:10.1e}")
    for name in ("triton", "torch.compile"):
        hot, rotated = results[name][1] / results["teenyc"][1], results[name][2] / results["teenyc"][2]
        print(f"{name} / teenyc: {hot:.2f}x hot, {rotated:.2f}x rotated")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--target", default="sm_90a")
    args = parser.parse_args()
    detect_decode(args.bundle, args.batch, args.target)


if __name__ == "__main__":
    main()
