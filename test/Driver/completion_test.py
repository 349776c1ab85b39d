#!/usr/bin/env python3
"""completion_test.py TEENYC ROOT: what bash, and zsh where it is, would offer; and the manual."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TEENYC, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def output(*args):
    return subprocess.run([TEENYC, *args], capture_output=True, text=True, check=True).stdout


def words_of(line):
    """The words as bash hands them to a function: '=' is one by itself, and an empty one ends a line that ends in space."""
    words = [word for part in line.split(" ") for word in re.findall(r"=|[^=]+", part) or [""]]
    return words


def complete(*lines, folder="."):
    """For each line, what bash would offer at its end."""
    script = output("completion", "bash")
    for line in lines:
        words = " ".join("'" + word + "'" for word in words_of(line))
        script += f"""
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMPREPLY=()
_teenyc teenyc
printf '%s\\n' "${{COMPREPLY[@]}}" --
"""
    done = subprocess.run(["bash", "--norc", "-u", "-c", script], capture_output=True, text=True, cwd=folder)
    assert done.stderr == "" and done.returncode == 0, done.stderr
    # Offered flags begin like the separator, but are longer.
    return [set(filter(None, reply.split("\n"))) for reply in re.split(r"(?m)^--\n", done.stdout)[:-1]]


def helped(*command):
    """Flags that --help names."""
    return set(re.findall(r"(?m)^ +(?:-\w,)?(--[a-z0-9-]+)", output(*command, "--help")))


COMMANDS = set(re.findall(r"(?m)^  ([a-z]+) ", output("--help").split("Subcommands:")[1]))


class Bash(unittest.TestCase):
    def test_commands(self):
        self.assertGreaterEqual(COMMANDS, {"compile", "dump", "check", "kernels", "ops", "cache", "man", "completion"})
        all_, some, none, flag = complete("teenyc ", "teenyc co", "teenyc xyz", "teenyc --v")
        self.assertGreaterEqual(all_, COMMANDS)
        self.assertEqual(some, {"compile", "completion"})
        self.assertEqual(none, set())
        self.assertEqual(flag, {"--version"})

    def test_flags_of_every_command(self):
        commands = sorted(COMMANDS)
        for command, offered in zip(commands, complete(*[f"teenyc {command} --" for command in commands])):
            self.assertEqual({flag for flag in offered if flag.startswith("--")}, helped(command), command)

    def test_values(self):
        phases = set(re.findall(r"(?m)^  ([a-z-]+)  +\w.*$", output("compile", "--help").split("Phases:")[1].split("Examples:")[0]))
        self.assertIn("bind-kernels", phases)
        ops = {op["name"] for op in json.loads(output("ops", "--json"))}
        lines = {
            "teenyc compile --stop-after ": phases,
            "teenyc compile m.json --stop-after=": phases,
            "teenyc dump --graph --stop-after=si": {"simplify"},
            "teenyc compile --fp32-dot=": {"ieee", "tf32"},
            "teenyc compile --num-warps ": {"1", "2", "4", "8", "16", "32"},
            "teenyc compile --target=x86-64-v": {"x86-64-v3", "x86-64-v4"},
            "teenyc compile --target=cpu,sm_9": {"cpu,sm_90", "cpu,sm_90a"},
            "teenyc compile --target cpu,compute_8": {"cpu,compute_80", "cpu,compute_86", "cpu,compute_87", "cpu,compute_89"},
            "teenyc dump --target=compute_9": {"compute_90"},
            "teenyc ops ": ops,
            "teenyc ops core.m": {"core.matmul"},
            "teenyc completion ": {"bash", "zsh"},
            "teenyc compile --signature=": set(),
        }
        for (line, expected), offered in zip(lines.items(), complete(*lines)):
            self.assertEqual(offered, expected, line)

    def test_every_target_and_phase_is_accepted(self):
        targets, = complete("teenyc compile --target=")
        model = os.path.join(ROOT, "graphs", "mlp", "mlp.json")
        code = subprocess.run([TEENYC, "compile", model, "--stop-after=import", "--target=" + ",".join(targets)],
                              capture_output=True, check=False).returncode
        self.assertEqual(code, 0)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in "model.json", "a file.json", "kernel.py":
                open(os.path.join(folder, name), "w").close()
            os.mkdir(os.path.join(folder, "more"))
            lines = {
                "teenyc check ": {"model.json", "a file.json", "kernel.py", "more"},
                "teenyc compile mo": {"model.json", "more"},
                "teenyc compile model.json -o ": {"model.json", "a file.json", "kernel.py", "more"},
                "teenyc compile --ops=": {"more"},
                "teenyc compile --cache=m": {"more"},
                "teenyc dump --launches a": {"a file.json"},
            }
            for (line, expected), offered in zip(lines.items(), complete(*lines, folder=folder)):
                self.assertEqual(offered, expected, line)

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh(self):
        """What the function hands to zsh's own, in place of which others print it."""
        script = "compdef() { print -r -- compdef $@ }\n" + output("completion", "zsh") + """
_arguments() { print -rl -- "$words[1] $CURRENT" "$@" }
_describe() { print -rl -- "${(@P)2}" }
words=(teenyc ''); CURRENT=2; _teenyc; print -- --
"""
        for command in sorted(COMMANDS):
            script += f"words=(teenyc {command} ''); CURRENT=3; _teenyc; print -- --\n"
        done = subprocess.run(["zsh", "-f", "-c", script], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        first, *others = done.stdout.split("\n--\n")[:-1]
        self.assertTrue(first.startswith("compdef _teenyc teenyc\n"))
        self.assertEqual(set(re.findall(r"(?m)^([a-z]+):.", first)), COMMANDS)
        for command, shown in zip(sorted(COMMANDS), others):
            lines = shown.split("\n")
            self.assertEqual(lines[0], f"{command} 2")
            flags = {match[1] for match in (re.match(r"(?:\([^)]*\)|\*)(--[a-z0-9-]+)=?\[", line) for line in lines) if match}
            self.assertEqual(flags, helped(command))
        self.assertIn("--fp32-dot=[Precision of dots of fp32, whatever the source says]:value:(ieee tf32)", done.stdout)


class Manual(unittest.TestCase):
    def test_it_has_every_command_and_flag(self):
        page = output("man").replace("\\-", "-")
        for command in COMMANDS:
            self.assertIn(f".SS teenyc {command}\n", page)
            part = page.split(f".SS teenyc {command}\n")[1].split("\n.S")[0]
            for flag in helped(command):
                self.assertRegex(part, rf"(?m)^\\fB(-\w, )?{flag}\b")

    def test_it_has_every_variable(self):
        page = output("man")
        used = set()
        for folder in "lib/Driver", "lib/Target", "lib/Support", "tools/teenyc":
            for path, _, files in os.walk(os.path.join(ROOT, folder)):
                for name in files:
                    if name.endswith(".cpp") and name != "ManPage.cpp":
                        with open(os.path.join(path, name), encoding="utf-8") as file:
                            used |= set(re.findall(r'"(TEENY_[A-Z_]+|NO_COLOR|CUDA_HOME)"', file.read()))
        self.assertGreaterEqual(used, {"TEENY_PTXAS", "TEENY_CACHE", "NO_COLOR"})
        for name in used:
            self.assertIn(f".TP\n\\fB{name}\\fR\n", page)

    def test_lint(self):
        checks = [["groff", "-ww", "-man", "-Tutf8", "-z"], ["mandoc", "-T", "lint", "-W", "error"]]
        for check in checks:
            if shutil.which(check[0]):
                done = subprocess.run(check, input=output("man"), capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), check[0])


unittest.main(argv=sys.argv[:1])
