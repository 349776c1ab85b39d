#!/usr/bin/env python3
"""cache_test.py TEENYC ROOT: code from the cache is the code that would have been made, or is made again."""
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

TEENYC, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
KERNELS = """import triton
import triton.language as tl
from helper import twice

@triton.jit
def first(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, twice(tl.load(x + at, mask=at < n)), mask=at < n)

@triton.jit
def second(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)
"""
HELPER = "import triton\n\n@triton.jit\ndef twice(x):\n    return x * 2\n"
SIGNATURE = "*fp32:16, *fp32:16, i32, 256"


class Cache(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.cache = os.path.join(folder.name, "cache")
        self.write("kernels.py", KERNELS)
        self.write("helper.py", HELPER)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def run_it(self, *args, teenyc=TEENYC, **environment):
        done = subprocess.run([teenyc, *args], capture_output=True, text=True, cwd=self.folder,
                              env={**{key: value for key, value in os.environ.items() if key != "TEENY_CACHE"}, **environment})
        return done.returncode, done.stdout, done.stderr

    def compile(self, *args, kernels=("first",), target="compute_80", signature=SIGNATURE, cache=True, output="out.bundle", **more):
        """Compiles; gives how many code objects came from the cache, and how many there are."""
        words = [f"kernels.py::{name}" for name in kernels] + [f"--signature={signature}"] * len(kernels)
        code, _, err = self.run_it("compile", *words, "-o", output, f"--target={target}", "--time", *args,
                                   *([f"--cache={self.cache}"] if cache else []), **more)
        self.assertEqual(code, 0, err)
        counts = re.search(r"(?m)^from the cache +(\d+) of (\d+) code objects$", err)
        return (int(counts[1]), int(counts[2])) if counts else None

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def entries(self):
        return sorted(os.path.join(self.cache, name) for name in os.listdir(self.cache))

    def test_a_hit_gives_the_same_bytes(self):
        both = {"kernels": ("first", "second"), "target": "x86-64,x86-64-v3,compute_80,compute_90"}
        self.assertIsNone(self.compile(**both, cache=False, output="cold.bundle"))
        self.assertEqual(self.compile(**both), (0, 8))
        self.assertEqual(self.bytes_of("out.bundle"), self.bytes_of("cold.bundle"))
        self.assertEqual(self.compile(**both, output="hit.bundle"), (8, 8))
        self.assertEqual(self.bytes_of("hit.bundle"), self.bytes_of("cold.bundle"))
        self.assertEqual(stat.S_IMODE(os.stat(self.cache).st_mode), 0o700)
        # By the environment's name of the folder too, but not where a whole look at the code is asked for.
        self.assertEqual(self.compile(cache=False, TEENY_CACHE=self.cache), (1, 1))
        self.assertEqual(self.compile("--emit-ir=ir"), (0, 0))

    def test_graphs(self):
        for name in "graphs", "kernels":
            shutil.copytree(os.path.join(ROOT, name), self.path(name))
        graph = ["compile", "graphs/detect_decode/detect_decode.json", "--target=x86-64,compute_80"]
        self.assertEqual(self.run_it(*graph, "-o", "cold.bundle")[0], 0)
        for output in "warm.bundle", "hit.bundle":
            self.assertEqual(self.run_it(*graph, "-o", output, f"--cache={self.cache}")[0], 0)
            self.assertEqual(self.bytes_of(output), self.bytes_of("cold.bundle"))
        # Other weights are no other code, but another bundle.
        weights = bytearray(self.bytes_of("graphs/detect_decode/anchors.safetensors"))
        weights[-1] ^= 1
        with open(self.path("graphs/detect_decode/anchors.safetensors"), "wb") as file:
            file.write(weights)
        code, _, err = self.run_it(*graph, "-o", "other.bundle", f"--cache={self.cache}", "--time")
        self.assertEqual(code, 0)
        found, asked = re.search(r"from the cache +(\d+) of (\d+)", err).groups()
        self.assertEqual(found, asked)
        self.assertEqual(self.run_it(*graph, "-o", "cold.bundle")[0], 0)
        self.assertEqual(self.bytes_of("other.bundle"), self.bytes_of("cold.bundle"))

    def test_each_input_is_in_the_key(self):
        self.assertEqual(self.compile(), (0, 1))
        missed = {
            "target": {"target": "compute_90"},
            "processor": {"target": "x86-64"},
            "type": {"signature": "*fp16:16, *fp16:16, i32, 256"},
            "constant": {"signature": "*fp32:16, *fp32:16, i32, 128"},
            "alignment": {"signature": "*fp32, *fp32:16, i32, 256"},
        }
        for name, change in missed.items():
            self.assertEqual(self.compile(**change), (0, 1), name)
            self.assertEqual(self.compile(**change), (1, 1), name)
        self.assertEqual(self.compile("--num-warps=8"), (0, 1))
        self.assertEqual(self.compile(), (1, 1))
        # What a range leads to: wider offsets.
        self.assertEqual(self.compile("--range=n=1:1000", signature="*fp32:16, *fp32:16, i64, 256"), (0, 1))
        self.assertEqual(self.compile("--range=n=1:100000000000", signature="*fp32:16, *fp32:16, i64, 256"), (0, 1))

    def test_an_edit_is_seen_by_what_it_changes(self):
        both = {"kernels": ("first", "second")}
        self.assertEqual(self.compile(**both), (0, 2))
        self.write("helper.py", HELPER.replace("x * 2", "x * 3"))
        self.assertEqual(self.compile(**both), (1, 2))
        self.write("helper.py", HELPER)
        # Lines that move are no change; an edit of one kernel is none of the other.
        self.write("kernels.py", "# A line more.\n" + KERNELS)
        self.assertEqual(self.compile(**both), (2, 2))
        self.write("kernels.py", KERNELS.replace("+ 1", "+ 2"))
        self.assertEqual(self.compile(**both), (1, 2))
        self.compile(**both, cache=False, output="cold.bundle")
        self.assertEqual(self.bytes_of("out.bundle"), self.bytes_of("cold.bundle"))
        # The same file elsewhere is the same code.
        os.mkdir(self.path("elsewhere"))
        for name in "kernels.py", "helper.py":
            shutil.copy(self.path(name), self.path("elsewhere"))
        code, _, err = self.run_it("compile", self.path("elsewhere/kernels.py") + "::first", f"--signature={SIGNATURE}",
                                   "-o", "out.bundle", "--target=compute_80", "--time", f"--cache={self.cache}")
        self.assertEqual((code, "from the cache   1 of 1" in err), (0, True))

    def test_another_program_is_another_key(self):
        """The same program with another build id, which is what a linker gives one of other contents."""
        self.assertEqual(self.compile(), (0, 1))
        with open(TEENYC, "rb") as file:
            program = file.read()
        note = program.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0") + 16
        other = self.path("teenyc")
        with open(other, "wb") as file:
            file.write(program[:note] + bytes(b ^ 255 for b in program[note:note + 20]) + program[note + 20:])
        os.chmod(other, 0o700)
        self.assertEqual(self.compile(teenyc=other), (0, 1))
        self.assertEqual(self.compile(), (1, 1))

    def fake_assembler(self, version, cubin):
        """Stands for ptxas: states a version, and makes the same of all PTX."""
        self.write("ptxas", f"""#!/bin/sh
case "$*" in *--version*) echo 'Cuda compilation tools, release 13.0, V{version}'; exit ;; esac
while [ $# -gt 0 ]; do case $1 in -o) shift; printf '{cubin}' > "$1" ;; esac; shift; done
""")
        os.chmod(self.path("ptxas"), 0o700)
        return {"TEENY_PTXAS": self.path("ptxas")}

    def test_the_assembler_is_in_the_key(self):
        environment = self.fake_assembler("13.0.88", "one")
        self.assertEqual(self.compile(target="sm_80", **environment), (0, 1))
        self.assertEqual(self.compile(target="sm_80", **environment), (1, 1))
        self.assertEqual(self.compile(target="compute_80", **environment), (0, 1))
        environment = self.fake_assembler("13.0.99", "two")
        self.assertEqual(self.compile(target="sm_80", **environment), (0, 1))
        self.assertIn(b"two", self.bytes_of("out.bundle"))
        self.assertEqual(self.compile(target="compute_80", **environment), (1, 1))

    def test_what_is_not_whole_is_made_again(self):
        self.compile(output="cold.bundle")
        self.assertEqual(self.compile(), (1, 1))
        entry, = self.entries()
        whole = self.bytes_of(entry)
        spoilt = [b"", whole[:100], whole[:-1], whole + b"0", whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:],
                  whole[:20] + b"?" + whole[21:], whole[-64:]]
        for text in spoilt:
            with open(entry, "wb") as file:
                file.write(text)
            self.assertEqual(self.compile(), (0, 1))
            self.assertEqual(self.bytes_of("out.bundle"), self.bytes_of("cold.bundle"))
            self.assertEqual(self.bytes_of(entry), whole)
        # Under another's name it is not that one's.
        self.compile(kernels=("second",), output="second.bundle")
        other, = set(self.entries()) - {entry}
        shutil.copy(entry, other)
        self.assertEqual(self.compile(kernels=("second",)), (0, 1))
        self.assertEqual(self.bytes_of("out.bundle"), self.bytes_of("second.bundle"))

    def test_the_limit_removes_what_was_not_used(self):
        # 1 MiB: entries of more than a third of that, by three targets.
        names = {}
        for target in "compute_80", "compute_86", "compute_89":
            self.compile(target=target)
            name, = set(self.entries()) - set(names.values())
            names[target] = name
        for age, target in enumerate(("compute_86", "compute_80", "compute_89")):
            os.truncate(names[target], 400 * 1024)
            os.utime(names[target], (1000 + age, 1000 + age))
        # A stranger's file is not ours to remove; a half-written entry is.
        self.write("cache/notes.txt", "x" * 2000000)
        left = os.path.join(self.cache, "0" * 64 + ".code.new-1")
        self.write(left, "x")
        os.utime(left, (1, 1))
        self.compile("--cache-limit=1", target="compute_90")
        kept = set(self.entries())
        self.assertNotIn(left, kept)
        self.assertNotIn(names["compute_86"], kept)
        self.assertLessEqual({names["compute_80"], names["compute_89"], self.path("cache/notes.txt")}, kept)
        self.assertEqual(len(kept), 4)

    def test_a_use_makes_an_entry_young(self):
        self.compile()
        entry, = self.entries()
        os.utime(entry, (1000, 1000))
        self.assertEqual(self.compile(), (1, 1))
        self.assertGreater(os.stat(entry).st_mtime, 1000)

    def test_many_at_once(self):
        words = ["compile", "kernels.py::first", "kernels.py::second", f"--signature={SIGNATURE}", f"--signature={SIGNATURE}",
                 "--target=x86-64,compute_80", f"--cache={self.cache}"]
        self.assertEqual(self.run_it(*words[:-1], "-o", "cold.bundle")[0], 0)
        for _ in range(2):
            running = [subprocess.Popen([TEENYC, *words, "-o", f"{i}.bundle"], cwd=self.folder) for i in range(6)]
            self.assertEqual([child.wait() for child in running], [0] * 6)
            for i in range(6):
                self.assertEqual(self.bytes_of(f"{i}.bundle"), self.bytes_of("cold.bundle"))
            self.assertEqual(len(self.entries()), 4)
        self.assertEqual(self.compile(kernels=("first", "second"), target="x86-64,compute_80"), (4, 4))

    def test_the_command(self):
        self.compile(kernels=("first", "second"))
        size = sum(os.path.getsize(entry) for entry in self.entries())
        self.assertEqual(self.run_it("cache", f"--cache={self.cache}"), (0, f"{self.cache}: 2 code objects, {size} bytes\n", ""))
        self.write("cache/notes.txt", "mine")
        self.assertEqual(self.run_it("cache", "--clear", TEENY_CACHE=self.cache),
                         (0, f"{self.cache}: removed 2 code objects, {size} bytes\n", ""))
        self.assertEqual(self.entries(), [self.path("cache/notes.txt")])
        self.assertEqual(self.run_it("cache", f"--cache={self.cache}")[1], f"{self.cache}: 0 code objects, 0 bytes\n")
        self.assertEqual(self.run_it("cache")[0], 2)

    def test_what_cannot_be_kept_is_told(self):
        self.compile(output="cold.bundle")
        self.compile()
        entry, = self.entries()
        os.remove(entry)
        os.mkdir(entry)
        code, _, err = self.run_it("compile", "kernels.py::first", f"--signature={SIGNATURE}", "-o", "out.bundle",
                                   "--target=compute_80", f"--cache={self.cache}")
        self.assertEqual(code, 0)
        self.assertIn("teenyc: warning: the cache does not keep all code: ", err)
        self.assertEqual(self.bytes_of("out.bundle"), self.bytes_of("cold.bundle"))
        self.assertEqual(self.entries(), [entry])  # nothing half-written is left

    def test_no_folder(self):
        self.write("file", "")
        code, _, err = self.run_it("compile", "kernels.py::first", f"--signature={SIGNATURE}", "-o", "out.bundle", "--cache=file/cache")
        self.assertEqual(code, 3)
        self.assertIn("cannot make the folder of the cache, 'file/cache'", err)
        self.assertFalse(os.path.exists(self.path("out.bundle")))


unittest.main(argv=sys.argv[:1])
