#!/usr/bin/env python3
"""hostile.py TEENYC TEENY_RUN BYTES: files as nobody means them, through the programs, each within these bytes of memory (0: any).

Whatever a file says, it compiles and computes what it says, or there is an error: exit code 1, a message, and no more.
"""
import json
import os
import re
import resource
import struct
import subprocess
import sys
import tempfile

teenyc, teeny_run, memory = sys.argv[1:]
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


def limit_memory():
    if int(memory):
        resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))


def run(*command):
    # The time is to end a hang; nothing here comes near it.
    result = subprocess.run(command, capture_output=True, preexec_fn=limit_memory, timeout=300)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def on_cpu(bundle):
    return teeny_run, bundle, "--device", "cpu", "--threads", "1"


def write(name, content):
    with open(name, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def succeed(what, *command):
    code, output, errors = run(*command)
    check(code == 0, f"{what}: exit code {code}: {errors[:1000]}")
    return output if code == 0 else None


def refuse(what, expected, *command):
    code, _, errors = run(*command)
    check(code == 1 and re.search(expected, errors) and len(errors) < 20000,
          f"{what}: exit code {code}, no '{expected}' in: {errors[:1000]}")


def write_npy(name, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}".encode()
    write(name, b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(values)}f", *values))


def read_npy(name):
    content = open(name, "rb").read()
    data = content[10 + struct.unpack_from("<H", content, 8)[0] :]
    return list(struct.unpack(f"<{len(data) // 4}f", data))


VALUES = [0.0, 1.0, -2.5, 3.25, 2.0**30, -7.0, 0.125, 9.0]


def doubling(name, parameters=("x", "y", "n")):
    """A kernel that writes the double of each element."""
    x, y, n = parameters
    return f"""import triton
import triton.language as tl
@triton.jit
def {name}({x}, {y}, {n}, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store({y} + i, 2 * tl.load({x} + i, mask=i < {n}), mask=i < {n})
"""


def graph_of(names, op="t.double", dim="N", given="x", title="g"):
    """Nodes of these names, each doubling what the one before it gives."""
    declaration = {"op": op, "inputs": [{"name": "x", "dtype": "f32", "shape": ["n"]}],
                   "outputs": [{"name": "y", "dtype": "f32", "shape": ["n"]}], "attrs": {"BLOCK": {"type": "int", "default": 64}},
                   "launches": [{"kernel": "k.py::double", "grid": ["cdiv(n, BLOCK)"]}]}
    nodes = [{"name": name, "op": op, "inputs": [before]} for name, before in zip(names, [given, *names])]
    return {"teeny": 1, "name": title, "dims": {dim: {"min": 0, "max": 1000}},
            "inputs": [{"name": given, "dtype": "f32", "shape": [dim]}], "ops": [declaration], "nodes": nodes, "outputs": [names[-1]]}


def check_graph(what, graph):
    """It compiles, for a GPU too, and computes."""
    write("g.json", json.dumps(graph))
    if succeed(what, teenyc, "compile", "g.json", "-o", "g.bundle", "--target=x86-64,compute_80") is None:
        return
    given = graph["inputs"][0]["name"]
    if succeed(what, *on_cpu("g.bundle"), "--target", "x86-64", "--input", f"{given}=x.npy",
               "--output", f"{graph['outputs'][0]}=y.npy") is not None:
        check(read_npy("y.npy") == [value * 2 ** len(graph["nodes"]) for value in VALUES], f"{what}: other numbers")


def check_kernel(name, parameters=("x", "y", "n")):
    write("one.py", doubling(name, parameters))
    if succeed(name, teenyc, "compile", f"one.py::{name}", "--signature", "*fp32,*fp32,i32,64", "-o", "k.bundle",
               "--target=x86-64,compute_80") is None:
        return
    x, y, n = parameters
    output = succeed(name, *on_cpu("k.bundle"), "--target", "x86-64", "--grid", "1", "--arg", f"{x}=x.npy",
                     "--arg", f"{y}=zeros:8", "--arg", f"{n}=8", "--output", f"{y}=y.npy")
    if output is not None:
        check(read_npy("y.npy") == [2 * value for value in VALUES], f"{name}: other numbers")
    entry = re.search(r"\.entry (.*)\(", succeed(name, teenyc, "dump", "--ptx", "k.bundle") or "")
    check(entry and re.fullmatch(r"[A-Za-z][A-Za-z0-9_$]*|[_$%][A-Za-z0-9_$]+", entry[1]) and entry[1] != "WARP_SZ",
          f"{name}: no name in PTX: {entry and entry[1]}")


def names():
    write("k.py", doubling("double", ("x", "y", "n")))
    for what, graph in {
        "names that differ in what files and symbols cannot have": graph_of(["a.b", "a_b", "a/b", "a b", "a-b", "A_b"]),
        "names of other scripts": graph_of(["\u00e4", "a\u0308", "\u6f22\u5b57", "\U0001f600"]),
        "names that are paths": graph_of(["../../x", "/etc/passwd", "..", "."], title="../x"),
        "names with signs": graph_of(['a"b', "a\\b", "a'b", "a#b", "%x", "@x", "${x}", "<&>", "a;b", "a,b"]),
        "names of 200 bytes": graph_of(["n" * 200, "m" * 200], op="t." + "o" * 198, given="x" * 200, title="g" * 200),
        "names of builtin things": graph_of(["relu", "f32", "teeny", "main", "None"], dim="double", given="graph"),
        "a dim of 300 characters": graph_of(["a"], dim="N" * 300),
        "names like those that the compiler makes": graph_of(["double", "double_2", "a.copy", "arena"]),
    }.items():
        check_graph(what, graph)
    for what, expected, graph in [
        ("an empty name", r"g\.json:1:\d+: error: a name must not be empty", graph_of([""])),
        ("300 characters", r"g\.json:1:\d+: error: a name has at most 200 bytes, found 300", graph_of(["n" * 300])),
        ("a reserved name", r"g\.json:1:\d+: error: the name 'teeny/pad/0' is reserved", graph_of(["teeny/pad/0"])),
        ("an equal name", r"the name 'a' of a node is already that of a node(.|\n)*the first is here", graph_of(["a", "a"])),
        ("an input's name", r"the name 'x' of a node is already that of an input", graph_of(["x", "b"])),
        ("an op's name", r"'a\.b c' is not a name for an op", graph_of(["a"], op="a.b c")),
        ("a dim's name", r"'\u00e4' is not a name for a dim", graph_of(["a"], dim="\u00e4")),
    ]:
        write("g.json", json.dumps(graph))
        refuse(what, expected, teenyc, "check", "g.json")

    # Linker, loader, assembler and C library have a meaning for these, or cannot take them.
    for name in ["_init", "_fini", "_DYNAMIC", "_GLOBAL_OFFSET_TABLE_", "memcpy", "main", "WARP_SZ", "_", "__", "_start", "reg",
                 "\u00e4\u6f22", "n" * 300]:
        check_kernel(name)
    check_kernel("f", ("memcpy", "\u00e4", "f_param_0"))
    check_kernel("f", ("a" * 300, "b" * 300, "c" * 300))


def many_parameters():
    def kernel(count):
        parameters = ", ".join(f"p{i}" for i in range(count))
        lines = "".join(f"    v += p{i}\n" for i in range(count))
        return f"import triton\nimport triton.language as tl\n@triton.jit\ndef f(out, {parameters}):\n    v = 0\n{lines}    tl.store(out, v)\n"

    write("many.py", kernel(400))
    signature = ",".join(["*i64"] + ["i64"] * 400)
    for target in ["compute_75", "compute_90", "x86-64"]:
        succeed(target, teenyc, "compile", "many.py::f", "--signature", signature, "-o", "many.bundle", f"--target={target}")
    arguments = [word for i in range(400) for word in ("--arg", f"p{i}={i * i}")]
    output = succeed("400 parameters", *on_cpu("many.bundle"), "--grid", "1", "--arg", "out=zeros:1", *arguments)
    total = sum(i * i for i in range(400))
    check(output and re.search(rf"\b{total}\b", output), f"400 parameters: no {total} in {output}")

    write("many.py", kernel(600))
    signature = ",".join(["*i64"] + ["i64"] * 600)
    refuse("600 parameters", r"many\.py:4:5: error: kernel 'f' cannot be compiled for compute_80: its 601 parameters take 4808 bytes, "
           r"and PTX 7\.0 has room for 4096", teenyc, "compile", "many.py::f", "--signature", signature, "-o", "m.bundle",
           "--target=compute_80")
    succeed("600 parameters", teenyc, "compile", "many.py::f", "--signature", signature, "-o", "m.bundle", "--target=compute_100")


def expressions():
    """Numbers that no launch can have, in a declaration: errors at their place in it."""
    def declared(**changes):
        graph = graph_of(["a"])
        graph["inputs"][0]["shape"] = [4]
        del graph["dims"]
        graph["ops"][0].update(scratch=[{"name": "s", "bytes": "n"}])
        for key, value in changes.items():
            if key in graph["ops"][0]:
                graph["ops"][0][key] = value
            else:
                graph["ops"][0]["launches"][0][key] = value
        return graph

    write("k.py", doubling("double", ("x", "y", "n")))
    write("g.json", json.dumps(declared()))
    succeed("the declaration itself", teenyc, "check", "g.json")
    large, nothing = "n*4611686018427387904", "1 // (n - 4)"
    for what, expected, changes in [
        ("grid", "an expression of the grid is too large", {"grid": [large]}),
        ("grid", r"axis x of the grid has no value: division by zero in '1 // 0'", {"grid": [nothing]}),
        ("grid", "axis x of the grid is negative", {"grid": ["-n"]}),
        ("grid", "axis y of the grid may need 65536 programs, but devices launch at most 65535", {"grid": [1, "n*16384"]}),
        ("an argument", "what 'n' gets is too large an expression", {"args": {"n": large}}),
        ("a condition", "the conditions of this launch are too large",
         {"variants": [{"when": large, "launches": [{"kernel": "k.py::double", "grid": [1]}]}]}),
        ("scratch", "the size of 's' is too large an expression", {"scratch": [{"name": "s", "bytes": large}]}),
        ("scratch", r"the size of 's' has no value: division by zero in '1 // 0'",
         {"scratch": [{"name": "s", "bytes": nothing}]}),
        ("scratch", "the size of 's' is negative: -4", {"scratch": [{"name": "s", "bytes": "-n"}]}),
        ("an output", r"size 0 of output 'y' has no value: division by zero in '1 // 0'",
         {"outputs": [{"name": "y", "dtype": "f32", "shape": [nothing]}]}),
        ("an output", "'a' has more than 2\\^63 bytes", {"outputs": [{"name": "y", "dtype": "f32", "shape": ["n*1152921504606846976"]}]}),
    ]:
        graph = declared()
        if "variants" in changes:
            graph["ops"][0]["variants"] = changes["variants"]
        else:
            graph = declared(**changes)
        write("g.json", json.dumps(graph))
        refuse(f"{what}: {changes}", r"g\.json:1:\d\d+: error: (node 'a': )?" + expected, teenyc, "check", "g.json")


def sizes():
    """Large, deep, many."""
    deep, large = 10**6, 10**8
    write("g.json", b" " * large)
    refuse("a graph of 100 MB", r"larger than 33554432 bytes", teenyc, "check", "g.json")
    write("g.json", "[" * deep)
    refuse("a deep graph", r"g\.json:1:65: error: nested deeper than 64 levels", teenyc, "check", "g.json")
    write("g.json", json.dumps(graph_of(["a"], dim="N")).replace('"N"]', '"' + "(" * deep + '"]', 1))
    refuse("a deep size", r"expression of 1000000 bytes, at most 65536 are read", teenyc, "check", "g.json")
    write("g.json", '{"teeny": 1,' + "\n" * (16 * 10**6) + '"name": ""}')
    refuse("many lines", r"g\.json:16000001:9: error: a name must not be empty", teenyc, "check", "g.json")
    head = "import triton\n@triton.jit\ndef f(x):\n    y = "
    write("k.py", b"x" * large)
    refuse("a kernel file of 100 MB", r"at most 16777216 are read", teenyc, "check", "k.py")
    for one in ["(", "-", "1 if x else ", "x["]:
        write("k.py", head + one * deep)
        refuse(f"deep '{one}'", r"k\.py:4:\d+: error: ", teenyc, "check", "k.py")
    write("k.py", "import triton\n" + "@a\n" * deep + "@triton.jit\ndef f(x):\n    y = ^\n")
    refuse("a million decorators", r"k\.py:1000004:9: error: ", teenyc, "check", "k.py")
    write("k.py", "import triton\n" + "".join(f"@triton.jit\ndef f{i}(x):\n    pass\n" for i in range(40000)))
    succeed("many kernels", teenyc, "check", "k.py")

    entries = ",".join(f'"{i}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}' for i in range(300000))
    header = b"{" + entries.encode() + b"}"
    write("large.bundle", struct.pack("<Q", len(header)) + header)
    refuse("a header of many tensors", r"not a bundle", teeny_run, "large.bundle")
    write("one.py", doubling("f"))
    succeed("a kernel", teenyc, "compile", "one.py::f", "--signature", "*fp32,*fp32,i32,64", "-o", "k.bundle", "--target=x86-64")
    arguments = ("--arg", f"x=zeros:{large}x1000", "--arg", "y=zeros:8", "--arg", "n=8")
    if int(memory):
        code, _, errors = run(*on_cpu("k.bundle"), "--grid", "1", *arguments)
        check(code == 3 and errors == "teeny-run: not enough memory\n", f"400 GB: exit code {code}: {errors}")
    manifest = b"[" * large
    header = json.dumps({"__metadata__": {"format": "teeny", "version": "1"},
                         "teeny/manifest.json": {"dtype": "U8", "shape": [large], "data_offsets": [0, large]}}).encode()
    write("large.bundle", struct.pack("<Q", len(header)) + header + manifest)
    refuse("a manifest of 100 MB", r"JSON of 100000000 bytes, at most 33554432 are read", teeny_run, "large.bundle")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    write_npy("x.npy", VALUES)
    names()
    many_parameters()
    expressions()
    sizes()
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
