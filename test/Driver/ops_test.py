#!/usr/bin/env python3
"""ops_test.py TEENYC ROOT: what `teenyc ops` tells is true of the declarations and of what the compiler does."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

TEENYC, ROOT = sys.argv[1:3]


def run(*args):
    done = subprocess.run([TEENYC, *args], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def described(*args):
    code, out, err = run("ops", "--json", *args)
    assert code == 0, err
    return {op["name"]: op for op in json.loads(out)}


# A graph in which a node of the kind means something: shapes of the inputs, params and required attrs.
SAMPLES = {
    "conv1d": ([[2, 4, 9]], {"weight": [6, 4, 3]}, {}),
    "conv2d": ([[2, 4, 9, 9]], {"weight": [6, 4, 3, 3]}, {}),
    "max_pool2d": ([[2, 4, 9, 9]], {}, {"kernel": 3}),
    "avg_pool2d": ([[2, 4, 9, 9]], {}, {"kernel": 3}),
    "flatten": ([[2, 4, 9]], {}, {}),
    "slice": ([[2, 4, 9]], {}, {"axis": 2, "start": 1}),
    "pad": ([[2, 4, 9]], {}, {"low": 1, "high": 2}),
    "sum": ([[2, 4, 9]], {}, {}),
    "mean": ([[2, 4, 9]], {}, {}),
    "max": ([[2, 4, 9]], {}, {}),
    "min": ([[2, 4, 9]], {}, {}),
    "prod": ([[2, 4, 9]], {}, {}),
    "argmax": ([[2, 4, 9]], {}, {"axis": 1}),
    "argmin": ([[2, 4, 9]], {}, {"axis": 1}),
    "matmul": ([[2, 4, 9], [2, 9, 5]], {}, {}),
    "batch_norm": ([[2, 4, 9]], {"mean": [4], "variance": [4]}, {}),
    "layer_norm": ([[2, 4, 9]], {"weight": [9], "bias": [9]}, {}),
    "rms_norm": ([[2, 4, 9]], {"weight": [9]}, {}),
    "softmax": ([[2, 4, 9]], {}, {}),
}


def graph(op, attrs):
    inputs, params, required = SAMPLES.get(op["name"], ([[2, 9]] * len(op["inputs"]), {}, {}))
    tensors = [{"name": f"in{i}", "dtype": "f32", "shape": shape} for i, shape in enumerate(inputs)]
    tensors += [{"name": name, "dtype": "f32", "shape": shape} for name, shape in params.items()]
    node = {"name": "y", "op": op["name"], "inputs": [f"in{i}" for i in range(len(inputs))],
            "params": {name: name for name in params}, "attrs": {**required, **attrs}}
    return {"teeny": 1, "name": "g", "inputs": tensors, "nodes": [node], "outputs": ["y"]}


class Ops(unittest.TestCase):
    def test_shipped_declarations_are_told_as_they_are(self):
        ops = described()
        count = 0
        for folder, _, files in os.walk(os.path.join(ROOT, "kernels")):
            for file in files:
                if not file.endswith(".json"):
                    continue
                count += 1
                with open(os.path.join(folder, file), encoding="utf-8") as text:
                    declared = json.load(text)
                op = ops[declared["op"]]
                self.assertEqual(op["kind"], "declared")
                self.assertEqual(op["doc"], declared["doc"])
                self.assertEqual(op["dtypes"], declared["dtypes"])
                self.assertEqual(op["file"], "<shipped>/" + declared["op"].replace(".", "/") + ".json")
                for role in "inputs", "params", "outputs":
                    self.assertEqual([(t["name"], t["dtype"], t["shape"].count(",")) for t in op[role]],
                                     [(t["name"], t["dtype"], len(t["shape"]) - 1) for t in declared.get(role, [])])
                self.assertEqual([a["name"] for a in op["attrs"]], list(declared.get("attrs", {})))
                for attr in op["attrs"]:
                    given = declared["attrs"][attr["name"]]
                    for key in "type", "default", "min", "max", "tune":
                        self.assertEqual(attr.get(key), given.get(key), (op["name"], attr["name"], key))
                self.assertEqual([r["message"] for r in op["requires"]], [r["message"] for r in declared.get("requires", [])])
                variants = declared.get("variants", []) + [{"launches": declared["launches"]}]
                self.assertEqual([[launch["kernel"] for launch in v["launches"]] for v in op["variants"]],
                                 [[launch["kernel"] for launch in v["launches"]] for v in variants])
        self.assertEqual(count, sum(op["kind"] == "declared" for op in ops.values()))

    def test_a_folder_of_declarations_comes_first(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "my"))
            with open(os.path.join(folder, "my", "k.py"), "w") as kernel:
                kernel.write("@triton.jit\ndef k(x, out):\n    tl.store(out, tl.load(x))\n")
            declaration = {"op": "my.copy", "doc": "One element. And no more.",
                           "inputs": [{"name": "x", "dtype": "f32", "shape": [1]}],
                           "outputs": [{"name": "out", "dtype": "f32", "shape": [1]}],
                           "launches": [{"kernel": "k.py::k", "grid": [1]}]}
            path = os.path.join(folder, "my", "copy.json")
            with open(path, "w") as file:
                json.dump(declaration, file)
            with open(os.path.join(folder, "my", "add.json"), "w") as file:
                json.dump({**declaration, "op": "basic.add", "doc": "Another."}, file)
            with open(os.path.join(folder, "graph.json"), "w") as file:
                json.dump({"teeny": 1}, file)
            ops = described("--ops", folder)
            self.assertEqual(ops["my.copy"]["file"], path)
            self.assertEqual(ops["basic.add"]["doc"], "Another.")
            self.assertEqual(set(ops) - set(described()), {"my.copy"})
            _, out, _ = run("ops", "--ops", folder)
            self.assertRegex(out, r"(?m)^  my\.copy +One element$")
            code, _, err = run("ops", "--ops", folder, "my.coppy")
            self.assertEqual((code, err), (1, "teenyc: error: no op 'my.coppy'; did you mean 'my.copy'?\n"))
            # What is wrong with one is told, and the others all the same.
            with open(path, "w") as file:
                json.dump({**declaration, "inputz": []}, file)
            code, out, err = run("ops", "--ops", folder)
            self.assertEqual(code, 1)
            self.assertIn("unknown key 'inputz'", err)
            self.assertIn("core.matmul", out)

    def test_one_op(self):
        code, out, _ = run("ops", "max_pool2d")
        self.assertEqual(code, 0)
        self.assertEqual(out, """max_pool2d, built in
  Largest element of each window
  of floats
  shapes: x [B, C, H, W] -> [B, C, H', W'], where a dim of N elements gives (N + before + after - dilation*(K - 1) - 1)//stride + 1
  inputs
    x
  attrs
    kernel: int or [int], required
    stride: int or [int], default that of the kernel
    padding: int or [int], default 0
    dilation: int or [int], default 1
    ceil: bool, default false
  carried out by core.pool2d
""")
        code, _, err = run("ops", "conv3d")
        self.assertEqual((code, err), (1, "teenyc: error: no op 'conv3d'; did you mean 'conv1d'?\n"))

    def test_defaults_of_built_in_ops_are_those_of_the_compiler(self):
        seen = set()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "g.json")

            def ir(op, attrs):
                with open(path, "w") as file:
                    json.dump(graph(op, attrs), file)
                code, out, err = run("dump", "--graph", path)
                self.assertEqual(code, 0, (op["name"], attrs, err))
                return out

            for op in described().values():
                if op["kind"] != "built in":
                    continue
                # An infinite bound is none, and no JSON.
                defaults = {a["name"]: a["default"] for a in op["attrs"] if not a["required"] and a["default"] not in ("infinity", "-infinity")}
                if op["name"] in ("max_pool2d", "avg_pool2d"):
                    self.assertEqual(defaults.pop("stride"), "that of the kernel")
                    defaults["stride"] = 3
                if op["name"] in ("sum", "mean", "max", "min", "prod"):
                    self.assertEqual(defaults.pop("axes"), "all")
                    defaults["axes"] = [0, 1, 2]
                if op["name"] == "slice":
                    self.assertIn("last", defaults.pop("end"))
                    self.assertIn("first", defaults.pop("start"))
                    defaults["end"] = 9
                if defaults:
                    seen.add(op["name"])
                    self.assertEqual(ir(op, {}), ir(op, defaults), op["name"])
                    for name, value in defaults.items():  # Each attribute counts.
                        if type(value) in (int, float) and name not in ("groups", "axis", "start") and (op["name"], name) != ("slice", "end"):
                            self.assertNotEqual(ir(op, {}), ir(op, {name: value + 1 if op["name"] != "flatten" else -2}), (op["name"], name))
        self.assertGreaterEqual(seen, set(SAMPLES))


unittest.main(argv=sys.argv[:1])
