#!/usr/bin/env python3
"""colour_test.py TEENYC ROOT: errors are coloured on a terminal, and nowhere else."""
import os
import pty
import re
import subprocess
import sys
import tempfile
import unittest

TEENYC = os.path.abspath(sys.argv[1])
CODES = re.compile("\x1b\\[[0-9;]*m")


def on_terminal(*args, **environment):
    """What the command writes to a terminal that is its error stream."""
    terminal, side = pty.openpty()
    base = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    child = subprocess.Popen([TEENYC, *args], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=side,
                             env={**base, "TERM": "xterm", **environment})
    os.close(side)
    text = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # Linux: the other side is closed
            break
        if not piece:
            break
        text += piece
    os.close(terminal)
    child.wait()
    return text.decode().replace("\r\n", "\n")


class Colours(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.model = os.path.join(folder.name, "model.json")
        with open(self.model, "w") as file:
            file.write('{"teeny": 1, "name": "m",\n "inputs": [{"name": "x", "dtype": "f32", "shape": [1]},'
                       ' {"name": "x", "dtype": "f32", "shape": [1]}],\n "outputs": ["x"]}')
        self.args = ["check", self.model]
        self.plain = subprocess.run([TEENYC, *self.args], capture_output=True, text=True).stderr

    def test_parts(self):
        shown = on_terminal(*self.args)
        self.assertEqual(CODES.sub("", shown), self.plain)
        self.assertIn("\x1b[1;31merror:\x1b[0m", shown)
        self.assertIn("\x1b[1;36mnote:\x1b[0m", shown)
        self.assertIn("\x1b[1;32m^~~\x1b[0m", shown)
        self.assertIn(f"\x1b[1m{self.model}:2:", shown)

    def test_errors_without_a_place(self):
        shown = on_terminal("dump", "--ptx", self.model + ".bundle")
        self.assertIn("teenyc: \x1b[1;31merror:\x1b[0m ", shown)

    def test_nowhere_else(self):
        self.assertNotIn("\x1b", self.plain)
        self.assertEqual(on_terminal(*self.args, NO_COLOR="1"), self.plain)
        self.assertEqual(on_terminal(*self.args, TERM="dumb"), self.plain)
        self.assertEqual(on_terminal(*self.args, TERM=""), self.plain)
        # Set and empty is as if not set.
        self.assertIn("\x1b[1;31m", on_terminal(*self.args, NO_COLOR=""))


unittest.main(argv=sys.argv[:1])
