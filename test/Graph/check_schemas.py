#!/usr/bin/env python3
"""check_schemas.py TEENYC SOURCE_DIR: the JSON Schemas of graphs and declarations against the importer.

Both accept every shipped file. Both refuse what has not the structure: each case below is a good file with one change. What only
the importer can know, it alone refuses: those cases say what the schemas leave out.
"""
import copy
import glob
import json
import os
import subprocess
import sys
import tempfile
import warnings

try:
    warnings.simplefilter("ignore")  # newer versions advise another way to resolve references
    from jsonschema import Draft202012Validator, RefResolver
except ImportError:
    print("skipped: no module 'jsonschema' in python3 (Debian: python3-jsonschema)")
    sys.exit(0)

teenyc, root = sys.argv[1:]
folder = os.path.join(root, "lib/Graph/Import/schema")
schemas = {name: json.load(open(f"{folder}/{name}.json")) for name in ("graph", "declaration")}


def validator(name):
    Draft202012Validator.check_schema(schemas[name])
    store = {"declaration.json": schemas["declaration"]}
    return Draft202012Validator(schemas[name], resolver=RefResolver("", schemas[name], store=store))


validators = {name: validator(name) for name in schemas}
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


def structure(kind, text):
    """What the schema says of a text that is JSON: None, or what is wrong."""
    error = next(validators[kind].iter_errors(json.loads(text)), None)
    return error and f"{error.json_path}: {error.message[:200]}"


def imported(path):
    """The importer's errors in a graph file and what it names: lines."""
    result = subprocess.run([teenyc, "compile", path, "--stop-after=import"], capture_output=True, text=True)
    if result.returncode != 0 and (result.returncode != 1 or "error: " not in result.stderr):
        sys.exit(f"{path}: exit code {result.returncode}\n{result.stderr}")
    return [line for line in result.stderr.splitlines() if "error: " in line]


def user_of(declarations):
    """A graph that has these declarations, by paths, and does not call them."""
    return {"teeny": 1, "name": "g", "inputs": [{"name": "x", "dtype": "f32", "shape": [1]}], "ops": declarations,
            "nodes": [{"name": "y", "op": "relu", "inputs": ["x"]}], "outputs": ["y"]}


DECLARATION = {
    "$schema": "declaration.json", "op": "demo.scale", "doc": "x * factor + y", "dtypes": {"T": ["f32", "f16"]},
    "inputs": [{"name": "x", "dtype": "T", "shape": ["*L", "N"]}, {"name": "y", "dtype": "T", "shape": ["*L", "2*K + 1", 4]}],
    "params": [{"name": "w", "dtype": "f32", "shape": ["N"]}],
    "outputs": [{"name": "out", "dtype": "T", "shape": ["*L", "N"]}, {"name": "rows", "dtype": "TO", "shape": ["cdiv(N, BLOCK)"]}],
    "attrs": {"BLOCK": {"type": "int", "default": 64, "min": 1, "max": 4096, "tune": [64, 128]},
              "factor": {"type": "float", "default": 1, "min": 0.5, "tune": [1, 0.5]}, "causal": {"type": "bool", "default": True},
              "mode": {"type": "string", "default": "a", "tune": ["a", "b"]}, "TO": {"type": "dtype", "default": "i32"}},
    "sizes": {"HALF": "N // 2", "four": 4},
    "requires": [{"condition": "N % 2 == 0", "message": "N is even"}],
    "scratch": [{"name": "part", "bytes": "4*N", "zeroed": True}],
    "aliases": {"out": "x"},
    "variants": [{"when": "T == f16", "launches": [{"kernel": "k.py::fast", "grid": [1, "N", 1], "num_warps": 8, "num_stages": 2}]}],
    "launches": [{"kernel": "k.py::slow", "grid": ["cdiv(N, BLOCK)"], "args": {"a": "x", "b": 0.5, "c": True, "d": "N*2", "e": 3}}],
}
GRAPH = {
    "$schema": "graph.json", "teeny": 1, "name": "g", "doc": "text",
    "dims": {"B": {"min": 1, "max": 64, "multiple_of": 1}, "K": {}},
    "inputs": [{"name": "x", "dtype": "f32", "shape": ["B", 4, "2*B + 1"]}, {"name": "open", "dtype": "f32", "shape": [None, "K"]}],
    "params": [{"name": "w", "dtype": "f32", "shape": [8], "data": "data.safetensors#x8"}],
    "ops": [{"op": "demo.one", "outputs": [{"name": "y", "dtype": "f32", "shape": [1]}],
             "launches": [{"kernel": "k.py::one", "grid": [1]}]}],
    "nodes": [{"name": "a", "op": "add", "inputs": ["x", 1]}, {"name": "b", "op": "sum", "inputs": ["a"], "attrs": {"axes": [0, -1]}},
              {"name": "c", "op": "reshape", "inputs": ["w"], "params": {}, "attrs": {"shape": [2, -1]}},
              {"name": "d", "op": "demo.one"}, {"name": "e", "op": "gelu", "inputs": ["open"]}],
    "outputs": ["b", "c", "d", "e"],
}
GONE = object()

# Kind of file, place, what stands there instead.
STRUCTURAL = [
    ("graph", [], []), ("graph", [], 1), ("graph", [], None),
    ("graph", ["teeny"], GONE), ("graph", ["teeny"], 2), ("graph", ["teeny"], "1"), ("graph", ["name"], GONE), ("graph", ["name"], 1),
    ("graph", ["name"], ""), ("graph", ["name"], "a\nb"), ("graph", ["name"], "n" * 201), ("graph", ["outputs"], GONE),
    ("graph", ["outputs"], []), ("graph", ["outputs"], "b"), ("graph", ["outputs", 0], 1), ("graph", ["outputs", 1], "b"),
    ("graph", ["nodez"], []), ("graph", ["gradients"], {}), ("graph", ["precision"], "tf32"), ("graph", ["$schema"], 1),
    ("graph", ["doc"], 1), ("graph", ["dims"], []), ("graph", ["dims", "B"], 4), ("graph", ["dims", "B", "min"], -1),
    ("graph", ["dims", "B", "min"], "1"), ("graph", ["dims", "B", "min"], 1.5), ("graph", ["dims", "B", "max"], 2**63),
    ("graph", ["dims", "B", "multiple_of"], 0), ("graph", ["dims", "B", "step"], 1), ("graph", ["dims", "1B"], {}),
    ("graph", ["dims", "min"], {}), ("graph", ["dims", ""], {}), ("graph", ["dims", "a b"], {}), ("graph", ["inputs"], {}),
    ("graph", ["inputs", 0], "x"), ("graph", ["inputs", 0, "name"], GONE), ("graph", ["inputs", 0, "dtype"], GONE),
    ("graph", ["inputs", 0, "dtype"], "f31"), ("graph", ["inputs", 0, "dtype"], 32), ("graph", ["inputs", 0, "shape"], GONE),
    ("graph", ["inputs", 0, "shape"], "B"), ("graph", ["inputs", 0, "shape", 1], -4), ("graph", ["inputs", 0, "shape", 1], 4.5),
    ("graph", ["inputs", 0, "shape", 1], [4]), ("graph", ["inputs", 0, "data"], "data.safetensors#x8"),
    ("graph", ["params", 0, "data"], GONE), ("graph", ["params", 0, "data"], "data.safetensors"), ("graph", ["params", 0, "data"], 1),
    ("graph", ["params", 0, "data"], "#x8"), ("graph", ["params", 0, "data"], "/data.safetensors#x8"),
    ("graph", ["params", 0, "shape", 0], None), ("graph", ["ops"], "demo.json"), ("graph", ["ops", 0], 1),
    ("graph", ["ops", 0, "launches"], GONE), ("graph", ["ops", 0, "launches", 0, "grid"], []), ("graph", ["nodes"], {}),
    ("graph", ["nodes", 0], "a"), ("graph", ["nodes", 0, "op"], GONE), ("graph", ["nodes", 0, "op"], 1),
    ("graph", ["nodes", 0, "name"], "teeny/a"), ("graph", ["params", 0, "name"], "__metadata__"), ("graph", ["nodes", 0, "name"], GONE), ("graph", ["nodes", 0, "name"], ""), ("graph", ["nodes", 0, "inputs"], "x"),
    ("graph", ["nodes", 0, "inputs", 0], ["x"]), ("graph", ["nodes", 0, "inputs", 0], None), ("graph", ["nodes", 0, "input"], ["x"]),
    ("graph", ["nodes", 2, "params"], []), ("graph", ["nodes", 2, "params"], {"w": 1}), ("graph", ["nodes", 1, "attrs"], [0]),
    ("graph", ["nodes", 1, "attrs", "axes"], {}), ("graph", ["nodes", 1, "attrs", "axes"], None),
    ("declaration", [], []), ("declaration", ["op"], GONE), ("declaration", ["op"], 1), ("declaration", ["op"], ""),
    ("declaration", ["op"], "a..b"), ("declaration", ["op"], "1a"), ("declaration", ["op"], "a/b"), ("declaration", ["outputs"], GONE),
    ("declaration", ["outputs"], []), ("declaration", ["launches"], GONE), ("declaration", ["launches"], []),
    ("declaration", ["launches"], {}), ("declaration", ["input"], []), ("declaration", ["doc"], []), ("declaration", ["$schema"], {}),
    ("declaration", ["backward"], {}), ("declaration", ["backward"], "demo.back"), ("declaration", ["backward"], [{"op": 1}]),
    ("declaration", ["backward"], {"op": "demo.back", "saves": "out"}), ("declaration", ["backward"], {"op": "demo.back", "saves": [1]}),
    ("declaration", ["backward"], {"op": "demo.back", "save": []}), ("declaration", ["repeat"], 1), ("declaration", ["fusible"], False),
    ("declaration", ["dtypes"], ["T"]), ("declaration", ["dtypes", "T"], "f32"), ("declaration", ["dtypes", "T"], []),
    ("declaration", ["dtypes", "T"], ["f32", "f32"]), ("declaration", ["dtypes", "T", 0], "float"),
    ("declaration", ["dtypes", "f32"], ["f32"]), ("declaration", ["inputs"], {}), ("declaration", ["inputs", 0, "name"], "x y"),
    ("declaration", ["inputs", 0, "name"], "if"), ("declaration", ["inputs", 0, "name"], GONE), ("declaration", ["inputs", 0, "dtype"], 1),
    ("declaration", ["inputs", 0, "shape"], "N"), ("declaration", ["inputs", 0, "shape", 1], None),
    ("declaration", ["inputs", 0, "shape", 1], -1), ("declaration", ["inputs", 0, "align"], 16),
    ("declaration", ["attrs", "BLOCK"], 64), ("declaration", ["attrs", "BLOCK", "type"], GONE),
    ("declaration", ["attrs", "BLOCK", "type"], "integer"), ("declaration", ["attrs", "BLOCK", "default"], "64"),
    ("declaration", ["attrs", "BLOCK", "default"], 64.5), ("declaration", ["attrs", "BLOCK", "min"], "1"),
    ("declaration", ["attrs", "BLOCK", "tune"], 64), ("declaration", ["attrs", "BLOCK", "tune"], ["64"]),
    ("declaration", ["attrs", "BLOCK", "step"], 1), ("declaration", ["attrs", "causal", "default"], 1),
    ("declaration", ["attrs", "causal", "min"], 0), ("declaration", ["attrs", "mode", "default"], 1),
    ("declaration", ["attrs", "TO", "default"], "int"), ("declaration", ["attrs", "f16"], {"type": "int"}),
    ("declaration", ["attrs", "a b"], {"type": "int"}), ("declaration", ["sizes"], []), ("declaration", ["sizes", "HALF"], 0.5),
    ("declaration", ["sizes", "a-b"], 1), ("declaration", ["requires"], {}), ("declaration", ["requires", 0, "message"], GONE),
    ("declaration", ["requires", 0, "condition"], GONE), ("declaration", ["requires", 0, "condition"], True),
    ("declaration", ["scratch", 0, "zeroed"], 1), ("declaration", ["scratch", 0, "bytes"], GONE), ("declaration", ["aliases"], ["x"]),
    ("declaration", ["aliases", "out"], 1), ("declaration", ["variants"], {}), ("declaration", ["variants", 0, "when"], GONE),
    ("declaration", ["variants", 0, "launches"], GONE), ("declaration", ["variants", 0, "launches"], []),
    ("declaration", ["launches", 0, "kernel"], GONE), ("declaration", ["launches", 0, "kernel"], "k.py"),
    ("declaration", ["launches", 0, "kernel"], "k.cu::slow"), ("declaration", ["launches", 0, "kernel"], "k.py::a b"),
    ("declaration", ["launches", 0, "kernel"], "/k.py::slow"), ("declaration", ["launches", 0, "grid"], GONE),
    ("declaration", ["launches", 0, "grid"], [1, 1, 1, 1]), ("declaration", ["launches", 0, "grid", 0], 1.5),
    ("declaration", ["launches", 0, "args"], ["x"]), ("declaration", ["launches", 0, "args", "a"], None),
    ("declaration", ["launches", 0, "args", "a"], ["x"]), ("declaration", ["launches", 0, "args", "1a"], 1),
    ("declaration", ["launches", 0, "num_warps"], 3), ("declaration", ["launches", 0, "num_warps"], 64),
    ("declaration", ["launches", 0, "num_warps"], "4"), ("declaration", ["launches", 0, "num_stages"], 0),
    ("declaration", ["launches", 0, "num_stages"], 17), ("declaration", ["launches", 0, "warps"], 4),
]

# What a schema cannot say: the importer alone refuses these.
SEMANTIC = [
    ("graph", ["teeny"], 1.0),  # to a schema, 1.0 is an integer
    ("graph", ["name"], "\u00e4" * 150),  # names have at most 200 bytes, which are no characters
    ("graph", ["inputs", 0, "shape", 1], "4 +"), ("graph", ["inputs", 0, "shape", 1], "M"),  # expressions and what they name
    ("graph", ["dims", "B", "min"], 65), ("graph", ["inputs", 0, "name"], "w"), ("graph", ["nodes", 0, "op"], "ad"),
    ("graph", ["nodes", 0, "inputs"], ["x"]), ("graph", ["nodes", 0, "inputs", 0], "y"), ("graph", ["nodes", 1, "attrs", "axis"], 0),
    ("graph", ["nodes", 1, "attrs", "axes"], "x"), ("graph", ["outputs", 0], "x"), ("graph", ["ops", 0], "missing.json"),
    ("graph", ["params", 0, "data"], "data.safetensors#y8"), ("graph", ["params", 0, "shape", 0], 9),
    ("declaration", ["inputs", 0, "shape", 1], "*M"), ("declaration", ["inputs", 0, "dtype"], "U"),
    ("declaration", ["outputs", 0, "shape", 1], "M"), ("declaration", ["attrs", "BLOCK", "default"], 0),
    ("declaration", ["attrs", "BLOCK", "max"], 0), ("declaration", ["attrs", "x"], {"type": "int"}),
    ("declaration", ["aliases", "out"], "y"), ("declaration", ["aliases", "y"], "x"),
    ("declaration", ["backward"], {"op": "demo.missing"}), ("declaration", ["launches", 0, "kernel"], "missing.py::slow"), ("declaration", ["launches", 0, "args", "d"], "M"),
]


def changed(kind, place, value):
    file = copy.deepcopy({"graph": GRAPH, "declaration": DECLARATION}[kind])
    if not place:
        return value
    at = file
    for key in place[:-1]:
        at = at[key]
    if value is GONE:
        del at[place[-1]]
    else:
        at[place[-1]] = value
    return file


def verdicts(cases, scratch):
    """What schema and importer say of each case: an error or nothing."""
    declarations = []
    for i, (kind, place, value) in enumerate(cases):
        file = changed(kind, place, value)
        if kind == "declaration" and place != ["op"] and place:
            file["op"] += str(i)  # many are in one graph
        text = json.dumps(file)
        with open(f"{scratch}/case{i}.json", "w") as out:
            out.write(text)
        if kind == "declaration":
            declarations.append(f"case{i}.json")
    found = []
    for begin in range(0, len(declarations), 20):  # fewer than errors are kept
        with open(f"{scratch}/graph.json", "w") as out:
            json.dump(user_of(declarations[begin : begin + 20]), out)
        found += imported(f"{scratch}/graph.json")
    for i, (kind, place, value) in enumerate(cases):
        path = f"{scratch}/case{i}.json"
        errors = imported(path) if kind == "graph" else [line for line in found if line.startswith(path + ":")]
        what = f"{kind} {place} {'gone' if value is GONE else repr(value)[:40]}"
        yield what, structure(kind, open(path).read()), errors and errors[0]


with tempfile.TemporaryDirectory() as scratch:
    open(f"{scratch}/k.py", "w").close()
    os.symlink(f"{root}/test/Graph/files/data.safetensors", f"{scratch}/data.safetensors")
    for what, schema, importer in verdicts([("graph", [], GRAPH), ("declaration", [], DECLARATION)], scratch):
        check(not schema and not importer, f"{what}: {schema}, {importer}")
    for what, schema, importer in verdicts(STRUCTURAL, scratch):
        check(schema, f"{what}: the schema accepts it")
        check(importer, f"{what}: the importer accepts it")
    for what, schema, importer in verdicts(SEMANTIC, scratch):
        check(not schema, f"{what}: the schema refuses it: {schema}")
        check(importer, f"{what}: the importer accepts it")

    # Shipped files, and those of other tests: what the importer accepts has the structure.
    shipped = sorted(glob.glob(f"{root}/graphs/*/*.json"))
    for path in shipped + sorted(glob.glob(f"{root}/test/Graph/files/*.json")):
        text = open(path).read()
        try:
            json.loads(text)
        except ValueError:
            continue
        schema = structure("graph", text)
        if path in shipped:
            check(not schema and not imported(path), f"{path}: {schema}, {imported(path)}")
        elif schema:
            check(imported(path), f"{path}: the schema refuses what the importer accepts: {schema}")
    declarations = sorted(glob.glob(f"{root}/kernels/*/*.json"))
    check(len(shipped) > 4 and len(declarations) > 8, "there are shipped files")
    for path in declarations:
        schema = structure("declaration", open(path).read())
        check(not schema, f"{path}: {schema}")

for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
