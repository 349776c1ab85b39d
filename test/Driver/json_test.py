#!/usr/bin/env python3
"""json_test.py TEENYC ROOT: what the tool prints with --json is JSON, and says what the text says."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

TEENYC, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
MLP = os.path.join(ROOT, "graphs", "mlp", "mlp.json")
BOXES = os.path.join(ROOT, "graphs", "detect_decode", "detect_decode.json")
ADD = os.path.join(ROOT, "kernels", "basic", "add.py") + "::add_forward"
SIGNATURE = "--signature=*fp32, *fp32, *fp32, i32, 256"


def run(*args):
    done = subprocess.run([TEENYC, *args], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def parsed(*args, code=0):
    found, out, err = run(*args)
    assert (found, err) == (code, ""), (found, err)
    return json.loads(out)


class Json(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def same_as_text(self, report, text):
        """Each diagnostic of the report is one that the text has, in order, and there are no others."""
        heads = [line for line in text.splitlines() if re.search(r"^(\S+: )?(error|warning|note): ", line)]
        for entry in report["diagnostics"]:
            for part in [entry, *entry["notes"]]:
                place = "".join(f"{part[key]}:" for key in ("file", "line", "column") if key in part)
                head = f"{place} {part.get('severity', 'note')}: {part['message']}".strip()
                self.assertEqual(heads.pop(0), head)
            if "path" in entry:
                self.assertIn(f"  at {entry['path']}\n", text)
            if "hint" in entry:
                self.assertIn(f"  hint: {entry['hint']}\n", text)
        self.assertEqual(heads, [])

    def test_check_of_a_graph_without_errors(self):
        report = parsed("check", "--json", MLP)
        self.assertEqual((report["ok"], report["diagnostics"]), (True, []))
        with open(MLP, encoding="utf-8") as file:
            nodes = [node["name"] for node in json.load(file)["nodes"]]
        self.assertLessEqual(set(nodes), {node["node"] for node in report["nodes"]})
        _, text, _ = run("check", MLP)
        for node in report["nodes"]:
            self.assertRegex(text, r"\s+(\?\s+)?".join(re.escape(node[key]) for key in ("node", "op", "result", "parameters", "flops", "bytes") if key in node))

    def test_check_of_a_graph_with_errors(self):
        path = self.write("model.json", """{
  "teeny": 1, "name": "caf\u00e9",
  "inputs": [{"name": "x", "dtype": "f23", "shape": [4]}, {"name": "x", "dtype": "f32", "shape": [4]}],
  "nodes": [{"name": "y", "op": "reluu", "inputs": ["x"]}],
  "outputs": ["y"]
}""")
        report = parsed("check", "--json", path, code=1)
        self.assertEqual((report["ok"], report["nodes"]), (False, []))
        first = report["diagnostics"][0]
        self.assertEqual(first, {"severity": "error", "message": "unknown type 'f23'", "file": path, "line": 3, "column": 37,
                                 "length": 5, "path": "inputs[0].dtype", "hint": "did you mean 'f32'?", "notes": []})
        self.assertEqual(report["diagnostics"][1]["notes"][0]["line"], 3)
        self.same_as_text(report, run("check", path)[2])

    def test_decorators_that_are_skipped(self):
        path = self.write("k.py", """import triton
from runtime import libentry

@libentry()
@triton.jit
def first(x):
    pass

@libentry()
@triton.jit
def second(x):
    pass
""")
        note = {"severity": "note", "file": path, "line": 4, "column": 2, "length": 8, "notes": [],
                "message": "the decorator 'libentry' is not Triton's, and is skipped, here and on 1 other function"}
        report = parsed("check", "--json", path)
        self.assertEqual(report, {"diagnostics": [note], "ok": True, "nodes": []})
        shown = f"{path}:4:2: note: {note['message']}\n  4 | @libentry()\n    |  ^~~~~~~~\n"
        self.assertEqual(run("check", path), (0, f"{path}: no errors\n", shown))
        kernels = [f"{path}::first", "--signature=*fp32", f"{path}::second", "--signature=*fp32"]
        code, _, err = run("compile", *kernels, "--target=x86-64", "-o", os.path.join(self.folder, "k.bundle"))
        self.assertEqual((code, err), (0, shown))

    def test_check_of_kernel_files(self):
        good = self.write("good.py", "import triton.language as tl\n@triton.jit\ndef f(x):\n    tl.store(x, 1)\n")
        bad = self.write("bad.py", "import triton.language as tl\n@triton.jit\ndef f(x):\n    tl.stor(x, 1)\n    y = unknown\n")
        report = parsed("check", "--json", good, bad, os.path.join(self.folder, "missing.py"), code=1)
        self.assertEqual([entry.get("line") for entry in report["diagnostics"]], [4, 5, None])
        self.assertIn("cannot read", report["diagnostics"][2]["message"])
        self.same_as_text(report, run("check", good, bad)[2] + f"error: {report['diagnostics'][2]['message']}\n")
        self.assertEqual(parsed("check", "--json", good), {"diagnostics": [], "ok": True, "nodes": []})
        self.assertTrue(parsed("check", "--json", ADD, SIGNATURE)["ok"])
        report = parsed("check", "--json", ADD, "--signature=*fp31", code=1)
        self.assertEqual(report["diagnostics"][0]["file"], "--signature")

    def test_a_file_that_is_no_text(self):
        path = os.path.join(self.folder, "bytes.json")
        with open(path, "wb") as file:
            file.write(b'{"teeny": 1, "n\xff\x00me": "\xfe"}')
        report = parsed("check", "--json", path, code=1)
        self.assertFalse(report["ok"])

    def test_launches_of_a_graph(self):
        shown = parsed("dump", "--launches", "--json", BOXES)
        manifest = json.loads(run("dump", "--manifest", BOXES)[1])
        for key in "name", "dims", "inputs", "outputs", "buffers", "launches":
            self.assertEqual(shown[key], manifest[key], key)
        self.assertNotIn("provenance", shown)
        self.assertEqual([kernel["name"] for kernel in shown["kernels"]], [kernel["name"] for kernel in manifest["kernels"]])
        shown = parsed("dump", "--launches", "--json", MLP)
        name = shown["kernels"][-1]["name"]
        one = parsed("dump", "--launches", "--json", f"--kernel={name}", MLP)
        self.assertEqual([kernel["name"] for kernel in one["kernels"]], [name])
        self.assertGreaterEqual(len(one["launches"]), 1)
        self.assertEqual(one["launches"], [launch for launch in shown["launches"] if name in [v["kernel"] for v in launch["variants"]]])
        code, _, err = run("dump", "--ptx", "--json", MLP)
        self.assertEqual((code, "--json: goes with --launches" in err), (2, True))

    def test_launches_of_a_kernel(self):
        bundle = os.path.join(self.folder, "add.bundle")
        self.assertEqual(run("compile", ADD, SIGNATURE, "-o", bundle, "--target=x86-64,compute_80")[0], 0)
        shown = parsed("dump", "--launches", "--json", bundle)
        kernel = shown["kernels"][0]
        self.assertEqual([param.get("type") for param in kernel["params"]], ["*fp32", "*fp32", "*fp32", "i32"])
        self.assertEqual([code["target"] for code in kernel["code"]], ["x86-64", "compute_80"])

    def test_kernels(self):
        functions = parsed("kernels", "--json", ADD.split("::")[0])
        self.assertIn("add_forward", [function["name"] for function in functions])
        for function in functions:
            self.assertGreater(function["line"], 0)


unittest.main(argv=sys.argv[:1])
