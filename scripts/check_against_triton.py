#!/usr/bin/env python3
"""Kernels compiled by teenyc and by Triton, run on the same inputs and compared.

    scripts/check_against_triton.py compile --teenyc build/bin/teenyc -o FOLDER
    scripts/check_against_triton.py run FOLDER
    scripts/check_against_triton.py fixtures -o test/Language/features/fixtures

`compile` writes one bundle for each case of test/Language/features; it needs NumPy, no GPU. `run` and `fixtures` need a GPU
with PyTorch and Triton; `fixtures` writes what Triton computes, which the tests on CPUs compare with. Outputs are
poisoned before each launch. Exit code 1 if anything differs.
"""
import argparse
import ctypes
import json
import multiprocessing
import os
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import feature_cases  # noqa: E402


def compile_cases(args):
    folder = Path(args.output)
    folder.mkdir(parents=True, exist_ok=True)

    def compile_one(case):
        command = [
            args.teenyc, "compile", f"{case.file}::{case.kernel}", "--signature", case.signature(),
            "--num-warps", str(case.warps), "--target", args.target, "-o", str(folder / f"{case.name}.bundle"),
        ]  # fmt: skip
        return case, subprocess.run(command, capture_output=True, text=True)

    failed = 0
    with ThreadPoolExecutor(args.jobs) as pool:
        for case, done in pool.map(compile_one, feature_cases.load_cases(args.cases)):
            if done.returncode:
                failed += 1
                print(f"{case.name}: teenyc refuses it\n{done.stderr}")
    print(f"{failed} cases do not compile" if failed else "every case compiles")
    return failed == 0


class Tensors:
    """The pointers of one case on the GPU."""

    def __init__(self, case):
        import torch

        self.case, self.tensors = case, {}
        for a in case.arguments:
            if a.kind == "pointer":
                bits = a.initial(case)
                signed = bits.view(f"i{bits.dtype.itemsize}")
                tensor = torch.from_numpy(signed).cuda().view(getattr(torch, feature_cases.TORCH[a.type]))
                self.tensors[a.name] = tensor

    def bits(self, argument):
        import torch

        signed = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
        tensor = self.tensors[argument.name]
        return tensor.view(signed[tensor.element_size()]).cpu().numpy().view(feature_cases.TYPES[argument.type][0])


def constant(value):
    import triton.language as tl

    return getattr(tl, value[3:]) if isinstance(value, str) and value.startswith("tl.") else value


def run_triton(case):
    import torch
    import triton

    # Memory for descriptors that kernels make.
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    tensors = Tensors(case)
    kernel = getattr(feature_cases.load_kernels(case.file), case.kernel)
    values = {
        a.name: tensors.tensors[a.name] if a.kind == "pointer" else constant(a.value) for a in case.arguments
    }
    kernel[case.grid](**values, num_warps=case.warps)
    return {a.name: tensors.bits(a) for a in case.outputs()}


class Bundle:
    """A bundle of one kernel, launched through the driver (lib/Bundle/README.md has the ABI)."""

    scalars = {
        "i1": ctypes.c_uint8, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32,
        "i64": ctypes.c_int64, "f32": ctypes.c_float, "f64": ctypes.c_double,
    }  # fmt: skip

    def __init__(self, path, target):
        import torch

        torch.zeros(1, device="cuda")  # makes the context that modules are loaded into
        self.lib = ctypes.CDLL("libcuda.so.1")
        data = path.read_bytes()
        (length,) = struct.unpack_from("<Q", data)
        header = json.loads(data[8 : 8 + length])

        def tensor(name):
            begin, end = header[name]["data_offsets"]
            return data[8 + length + begin : 8 + length + end]

        manifest = json.loads(tensor("teeny/manifest.json"))
        (self.kernel,) = manifest["kernels"]
        self.code = next(c for c in self.kernel["code"] if c["target"] == target)
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), tensor(self.code["tensor"]))
        self.call("cuModuleGetFunction", ctypes.byref(self.function), module, self.code["symbol"].encode())
        if self.code["shared_bytes"] > 48 * 1024:  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            self.call("cuFuncSetAttribute", self.function, 8, self.code["shared_bytes"])

    def call(self, name, *args):
        if code := getattr(self.lib, name)(*args):
            raise RuntimeError(f"{name} failed with {code}")

    def run(self, case):
        import torch

        tensors = Tensors(case)
        arguments = {a.name: a for a in case.arguments}
        values = []
        for param in self.kernel["params"]:
            if param["kind"] == "buffer":
                values.append(ctypes.c_uint64(tensors.tensors[param["name"]].data_ptr()))
            else:
                values.append(self.scalars[param["kind"]](arguments[param["name"]].value))
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
        grid = case.grid + (1,) * (3 - len(case.grid))
        block, shared = self.code["threads"], self.code["shared_bytes"]
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.call("cuLaunchKernel", self.function, *grid, block, 1, 1, shared, stream, pointers, None)
        torch.cuda.synchronize()
        return {a.name: tensors.bits(a) for a in case.outputs()}


def triton_outputs(case):
    try:
        return case, feature_cases.fixture(case) if case.without_triton else run_triton(case), None
    except Exception as error:
        return case, None, f"{type(error).__name__}: {str(error)[-2000:]}"


def compare_one(job):
    case, folder, target = job
    case, wanted, error = triton_outputs(case)
    if error:
        return case, wanted, None, f"Triton: {error}"
    try:
        got = Bundle(folder / f"{case.name}.bundle", target).run(case)
    except Exception as failure:
        return case, wanted, None, f"{type(failure).__name__}: {failure}"
    problems = []
    for a in case.outputs():
        if found := feature_cases.mismatch(case, a, got[a.name], wanted[a.name]):
            count, first, worst = found
            problems.append(
                f"{a.name}[{first}] is {got[a.name][first]!r}, Triton has {wanted[a.name][first]!r}; "
                f"{count} differ, by up to {worst:.3g}"
            )
    return case, wanted, got, "; ".join(problems)


def in_processes(function, jobs, count):
    """Each job in a process of some pool, so that a fault of one kernel does not spoil the next cases' context."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(count, maxtasksperchild=64) as pool:
        yield from pool.imap(function, jobs, chunksize=8)


def run_cases(args):
    folder = Path(args.folder)
    jobs = [(case, folder, args.target) for case in feature_cases.load_cases(args.cases)]
    failed = exact = 0
    for case, wanted, got, problem in in_processes(compare_one, jobs, args.jobs):
        same = got and all((got[a.name].tobytes() == wanted[a.name].tobytes()) for a in case.outputs())
        exact += bool(same)
        failed += bool(problem)
        print(f"{case.name:48} {'differs' if problem else 'equal' if same else 'within bound'} {problem}")
    print(f"{len(jobs)} cases: {len(jobs) - failed} agree with Triton ({exact} bit for bit), {failed} do not")
    return failed == 0


def write_safetensors(path, tensors, metadata):
    header, offset = {"__metadata__": metadata}, 0
    for name, (type, bits) in tensors.items():
        header[name] = {"dtype": feature_cases.SAFETENSORS[type], "shape": [bits.size],
                        "data_offsets": [offset, offset + bits.nbytes]}  # fmt: skip
        offset += bits.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(b.tobytes() for _, b in tensors.values()))


def write_fixtures(args):
    import torch
    import triton

    folder = Path(args.output)
    folder.mkdir(parents=True, exist_ok=True)
    files, failed = {}, 0
    for case, outputs, error in in_processes(triton_outputs, feature_cases.load_cases(args.cases), args.jobs):
        if error:
            failed += 1
            print(f"{case.name}: {error}")
            continue
        tensors = files.setdefault(case.name.split(".")[0], {})
        tensors.update({f"{case.name}/{a.name}": (a.type, outputs[a.name]) for a in case.outputs()})
    source = f"Triton {triton.__version__} on {torch.cuda.get_device_name()}"
    for stem, tensors in files.items():
        write_safetensors(folder / f"{stem}.safetensors", tensors, {"source": source})
    print(f"{failed} cases do not run" if failed else "every case ran")
    return failed == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    compile_parser = commands.add_parser("compile")
    compile_parser.add_argument("--teenyc", default="build/bin/teenyc")
    compile_parser.add_argument("--target", default="sm_90a,cpu")
    compile_parser.add_argument("-o", "--output", required=True)
    run_parser = commands.add_parser("run")
    run_parser.add_argument("folder")
    run_parser.add_argument("--target", default="sm_90a")
    fixtures_parser = commands.add_parser("fixtures")
    fixtures_parser.add_argument("-o", "--output", required=True)
    for one in (compile_parser, run_parser, fixtures_parser):
        one.add_argument("--cases", default="", help="a regular expression; all by default")
        one.add_argument("--jobs", type=int, default=min(os.cpu_count(), 8))
    args = parser.parse_args()
    work = {"compile": compile_cases, "run": run_cases, "fixtures": write_fixtures}[args.command]
    sys.exit(0 if work(args) else 1)


if __name__ == "__main__":
    main()
