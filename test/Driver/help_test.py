#!/usr/bin/env python3
"""help_test.py TEENYC ROOT: the examples that --help shows work, and --version tells what is there."""
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

TEENYC, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def run(*args, **environment):
    done = subprocess.run([TEENYC, *args], capture_output=True, text=True, env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


COMMANDS = re.findall(r"(?m)^  ([a-z]+) ", run("--help")[1].split("Subcommands:")[1])


class Help(unittest.TestCase):
    def test_examples_work(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in "graphs", "kernels":
                shutil.copytree(os.path.join(ROOT, name), os.path.join(folder, name))
            os.makedirs(os.path.join(folder, "bin"))
            os.symlink(TEENYC, os.path.join(folder, "bin", "teenyc"))
            path = os.path.join(folder, "bin") + ":" + os.environ["PATH"]
            for command in COMMANDS:
                shown = run(command, "--help")[1]
                self.assertIn("Examples:\n", shown, command)
                examples = re.findall(r"(?m)^  (.*\bteenyc .*)$", shown.split("Examples:\n")[1])
                self.assertGreaterEqual(len(examples), 1, command)
                for example in examples:
                    if "zsh" in example:
                        continue
                    done = subprocess.run(["bash", "-c", example], cwd=folder, capture_output=True, text=True,
                                          env={**os.environ, "PATH": path})
                    differs = command == "diff"  # which says so by its exit code
                    self.assertEqual(done.returncode, 1 if differs else 0, (example, done.stderr))
                    if "completion" not in example and " -o " not in example and ">" not in example:
                        self.assertNotEqual(done.stdout, "", example)

    def test_hints_of_usage(self):
        for args, text in {
            ("compile", "m.json", "--tagret=cpu"): "unknown option '--tagret'; did you mean '--target'?",
            ("dump", "--lanches", "m.json"): "unknown option '--lanches'; did you mean '--launches'?",
            ("dump", "m.json", "--ptx", "--stop"): "unknown option '--stop'",
            ("chekc", "m.json"): "unknown command 'chekc'; did you mean 'check'?",
            ("--versoin",): "unknown option '--versoin'; did you mean '--version'?",
        }.items():
            command = args[0] + " " if args[0] in ("compile", "dump") else ""
            self.assertEqual(run(*args), (2, "", f"teenyc: error: {text}\nsee 'teenyc {command}--help'\n"))
        self.assertEqual(run(), (2, "", run("--help")[1]))
        code, _, err = run("compile", "--ops=nowhere", "m.json", "-o", "x")
        self.assertEqual((code, "nowhere" in err), (2, True))

    def test_version(self):
        with tempfile.TemporaryDirectory() as folder:
            tools = {"ptxas": "13.0.88", "nvdisasm": "13.0.85", "nvcc": "12.4.131"}
            for name, version in tools.items():
                path = os.path.join(folder, name)
                with open(path, "w") as file:
                    file.write(f"#!/bin/sh\necho '{name}: NVIDIA'\necho 'Cuda compilation tools, release {version[:4]}, V{version}'\n")
                os.chmod(path, stat.S_IRWXU)
            clean = {"TEENY_PTXAS": "", "TEENY_NVDISASM": "", "CUDA_HOME": ""}
            code, out, _ = run("--version", **clean, PATH=f"{folder}:/usr/bin:/bin")
            lines = out.splitlines()
            self.assertEqual(code, 0)
            self.assertRegex(lines[0], r"^teenyc \d+\.\d+\.\d+$")
            self.assertRegex(lines[1], r"^LLVM 22\.")
            self.assertEqual(lines[2:5], [f"{name} {version} ({folder}/{name})" for name, version in tools.items()])
            self.assertRegex(lines[5], r"^CUDA driver (\d+\.\d+ \(libcuda\.so\.1\)|not found: bundles run on the CPU here)$")
            self.assertEqual(len(lines), 6)
            if not os.path.exists("/usr/local/cuda/bin"):
                lines = run("--version", **clean, PATH="/nonexistent")[1].splitlines()
                self.assertEqual(lines[2:5], ["ptxas not found: no cubins (sm_NN), but PTX (compute_NN)",
                                              "nvdisasm not found: no machine code as text (dump --sass)",
                                              "nvcc not found: nothing needs it"])


unittest.main(argv=sys.argv[:1])
