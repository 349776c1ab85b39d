#!/usr/bin/env python3
"""Which features of the kernel language are tested by which cases: writes lib/Language/features.md.

    scripts/feature_table.py            writes it
    scripts/feature_table.py --check    says whether it is in step with the cases

The features are those of test/Language/feature_sets.json: what half, four fifths and 19 of 20 of public kernels need.
A case has the features that are found in the source of its kernel and of the functions that this calls.
"""
import argparse
import ast
import difflib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "test/Language"
PAGE = ROOT / "lib/Language/features.md"
SHARES = {"50": "What half", "80": "And what four fifths", "95": "And what 19 of 20"}
# Features without a case, and why; those that are refused, with the error, which is a case of test/Language/errors.
EARLIER = "of earlier versions of Triton"
ACCEPTED = f"{EARLIER} (LanguageTest, `names of earlier versions`)"
ASSEMBLY = "for GPUs alone: run by LanguageMathTest, `inline assembly`; on CPUs an error, test/Driver/errors/inline_assembly_on_cpu"
WITHOUT_CASE = {
    "tl.math.pow": f"accepted as `libdevice.pow`; {ACCEPTED}",
    "tl.math.tanh": f"accepted as `libdevice.tanh`; {ACCEPTED}",
    "tl.math.log1p": f"accepted as `libdevice.log1p`; {ACCEPTED}",
    "tl.math.fast_expf": f"accepted as `libdevice.fast_expf`; {ACCEPTED}",
    "tl.math.fast_dividef": f"accepted as `libdevice.fast_dividef`; {ACCEPTED}",
    "tl._log2": f"accepted, at compile time; {ACCEPTED}",
    "tl._experimental_descriptor_load": f"accepted as `desc.load`; {ACCEPTED}",
    "tl._experimental_descriptor_store": f"accepted as `desc.store`; {ACCEPTED}",
    "inline asm": ASSEMBLY,
    "tl.inline_asm_elementwise": ASSEMBLY,
} | {f"tl.inline_asm_elementwise({name}=)": ASSEMBLY for name in ("asm", "constraints", "args", "dtype", "is_pure", "pack")}
TENSORMAP = "tl.extra.cuda.experimental_device_tensormap_create2d"
REFUSED = {
    TENSORMAP: (EARLIER, f"'triton.language.extra.cuda' has no '{TENSORMAP[14:]}'"),
    "tl.extra.cuda.experimental_tensormap_fenceproxy_acquire":
        (EARLIER, "'triton.language.extra.cuda' has no 'experimental_tensormap_fenceproxy_acquire'"),
    "tl.dot(trans_a=)": (EARLIER, "tl.dot has no parameter 'trans_b'"),
    "tl.dot(trans_b=)": (EARLIER, "tl.dot has no parameter 'trans_b'"),
    ".local_ptr": ("of an extension", "has no attribute 'local_ptr'"),
    ".alloc": ("of an extension", "'tle' is of Triton's experiments, which the language does not have"),
    "with": ("of extensions, which divide the warps", "'with' is not in the language"),
}  # fmt: skip
REFUSED |= {f"{TENSORMAP}({name}=)": REFUSED[TENSORMAP]
            for name in ("desc_ptr", "global_address", "load_size", "global_size", "element_ty")}  # fmt: skip
REFUSED |= {f".alloc({name}=)": REFUSED[".alloc"] for name in ("dtype", "layout", "scope", "nv_mma_shared_layout")}

OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is",
    ast.IsNot: "is not", ast.Not: "unary not", ast.Invert: "unary ~", ast.USub: "unary -",
}  # fmt: skip
METHODS = {"shape", "value", "T", "type", "dtype", "numel", "primitive_bitwidth"}
LOADS = {"tl.load": 2, "tl.store": 3}


def dotted(node):
    """"tl.math.exp2" of an attribute chain that begins at a module; None of any other expression."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name) and node.id in ("tl", "libdevice", "triton") and parts:
        return ".".join([node.id] + parts[::-1])
    return None


def annotation(node):
    return node is not None and "constexpr" in ast.unparse(node)


class Finder(ast.NodeVisitor):
    """The features of one function; `called` are the functions of the file that it needs too."""

    def __init__(self, function, file_functions, file_constants):
        self.found, self.called = set(), set()
        self.functions, self.constants = file_functions, file_constants
        self.static = set(file_constants)
        self.parameters = {argument.arg for argument in function.args.args}
        self.loops = self.branches = self.dynamic = 0
        for argument in function.args.args:
            if annotation(argument.annotation):
                self.static.add(argument.arg)
                self.found.add("param constexpr")
        if function.args.defaults:
            self.found.add("default argument value")
        returns = [n for n in ast.walk(function) if isinstance(n, ast.Return)]
        if len(returns) > 1:
            self.found.add("return (several)")
        for statement in function.body:
            self.visit(statement)

    def is_static(self, node):
        """Whether an expression is known at compile time, as far as names tell."""
        for part in ast.walk(node):
            if isinstance(part, ast.Compare) and any(isinstance(op, (ast.Is, ast.IsNot)) for op in part.ops):
                return True
            if isinstance(part, ast.Name) and part.id not in self.static | {"tl", "triton", "min", "max", "float"}:
                if not self.describes_type(node):
                    return False
            if isinstance(part, ast.Call) and dotted(part.func) in ("tl.program_id", "tl.sum", "tl.atomic_cas", "tl.load"):
                return False
        return True

    @staticmethod
    def describes_type(node):
        return any(isinstance(n, ast.Attribute) and n.attr in ("element_ty", "dtype", "shape") for n in ast.walk(node))

    def visit_Assign(self, node):
        self.assigned(node.targets[0], node.value)
        self.generic_visit(node)

    def visit_AnnAssign(self, node):
        if annotation(node.annotation):
            self.found.add("x: tl.constexpr = ..")
            self.static.add(node.target.id)
        else:
            self.found.add("annotated assignment, other")
        self.assigned(node.target, node.value)
        self.visit(node.value)

    def assigned(self, target, value):
        if isinstance(target, ast.Tuple):
            self.found.add("tuple-unpacking assignment")
        if isinstance(value, ast.Constant) and value.value is None:
            self.found.add("variable = None")
        choices = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
        if all(isinstance(c, ast.Attribute) and (c.attr == "element_ty" or dotted(c)) for c in choices):
            self.found.add("dtype held in a variable")
            if isinstance(target, ast.Name):
                self.static.add(target.id)

    def visit_AugAssign(self, node):
        self.found |= {"augmented assign", f"augmented assign {OPERATORS[type(node.op)]}="}
        self.generic_visit(node)

    def visit_If(self, node):
        static = self.is_static(node.test)
        self.found.add("if static(constexpr)" if static else "if dynamic(runtime)")
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            self.found.add("elif")
        elif node.orelse:
            self.found.add("else")
        if not static and any(isinstance(n, (ast.Assign, ast.AugAssign)) for s in node.body for n in ast.walk(s)):
            self.found.add("dynamic if assigning variables (scf.if results)")
        self.branches += 1
        self.dynamic += not static
        self.generic_visit(node)
        self.branches -= 1
        self.dynamic -= not static

    def visit_IfExp(self, node):
        self.found.add(f"a if c else b {'static' if self.is_static(node.test) else 'dynamic'}")
        self.generic_visit(node)

    def visit_BoolOp(self, node):
        name = "and" if isinstance(node.op, ast.And) else "or"
        self.found.add(f"{name} static" if self.is_static(node) else f"{name} on runtime values")
        self.generic_visit(node)

    def visit_For(self, node):
        call = node.iter
        name = call.func.id if isinstance(call.func, ast.Name) else dotted(call.func)
        self.found.add(f"for in {name}")
        if name == "range":
            self.found |= {"range", f"for range {len(call.args)} args"}
        static = all(self.is_static(a) for a in call.args)
        self.found.add("for bounds all static" if static else "for bounds dynamic")
        if len(call.args) == 3 and isinstance(call.args[2], ast.UnaryOp):
            self.found.add("for range negative literal step")
        if name == "tl.static_range":
            self.static.add(node.target.id)
        self.in_loop(node)

    def visit_While(self, node):
        self.found.add("while")
        self.in_loop(node)

    def in_loop(self, node):
        if self.loops:
            self.found.add("nested loop")
        self.loops += 1
        self.generic_visit(node)
        self.loops -= 1

    def visit_JoinedStr(self, node):
        self.found.add("f-string")
        self.generic_visit(node)

    def visit_Assert(self, node):
        self.found.add("assert")
        self.generic_visit(node)

    def visit_Raise(self, node):
        self.found.add("raise")

    def visit_Pass(self, node):
        self.found.add("pass")

    def visit_Return(self, node):
        self.found.add("return value" if node.value else "return (bare)")
        if isinstance(node.value, ast.Tuple):
            self.found.add("return tuple")
        if self.branches or self.loops:
            self.found.add("return (early, inside control flow)")
        if self.dynamic:
            self.found.add("return inside a dynamic if")
        self.generic_visit(node)

    def visit_Tuple(self, node):
        self.found.add("tuple literal")
        self.generic_visit(node)

    def visit_List(self, node):
        self.found.add("list literal")
        self.generic_visit(node)

    def visit_BinOp(self, node):
        self.found.add(OPERATORS[type(node.op)])
        self.generic_visit(node)

    def visit_UnaryOp(self, node):
        if type(node.op) in OPERATORS:
            self.found.add(OPERATORS[type(node.op)])
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            self.found.add("negative literal")
        self.generic_visit(node)

    def visit_Compare(self, node):
        self.found |= {OPERATORS[type(op)] for op in node.ops}
        if any(isinstance(c, ast.Constant) and isinstance(c.value, str) for c in node.comparators):
            self.found.add("compare constexpr with a string")
        self.generic_visit(node)

    def visit_Subscript(self, node):
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        none = lambda n: isinstance(n, ast.Constant) and n.value is None  # noqa: E731
        if all(isinstance(n, ast.Slice) or none(n) for n in items):
            self.found.add("[" + ",".join(":" if isinstance(n, ast.Slice) else "None" for n in items) + "]")
        else:
            self.found.add("index [i] (tuple/shape)")
        if isinstance(node.slice, ast.Tuple):
            self.visit(node.value)
        else:
            self.generic_visit(node)

    def visit_Attribute(self, node):
        if name := dotted(node):
            self.found.add(name)
            return
        if node.attr in METHODS:
            self.found.add(f".{node.attr}")
        if node.attr == "element_ty" and isinstance(node.value, ast.Attribute):
            self.found.add(f"ptr.{node.value.attr}.element_ty")
        self.generic_visit(node)

    def visit_Name(self, node):
        if node.id in self.functions:
            self.called.add(node.id)
            self.found.add("jit function as a value")
        if node.id in self.constants:
            self.found.add("module-level constant read")

    def visit_Call(self, node):
        name = dotted(node.func)
        if isinstance(node.func, ast.Name):
            if node.func.id in self.functions:
                self.called.add(node.func.id)
                self.found.add("call of another jit function")
                if node.keywords:
                    self.found.add("keyword args to a jit function")
            elif node.func.id in self.parameters:
                self.found.add("call through a parameter (constexpr function)")
            else:
                self.found.add(node.func.id)  # a function of Python
                if node.func.id == "float" and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
                    self.found.add('float("inf")-style')
        elif name is None and isinstance(node.func, ast.Attribute):
            name = f".{node.func.attr}"
            self.found.add(name)
            self.visit(node.func.value)
        if name:
            self.found.add(name)
            if name == "tl.inline_asm_elementwise":
                self.found.add("inline asm")
            self.found |= {f"{name}({k.arg}=)" for k in node.keywords}
            if len(node.args) >= LOADS.get(name, 99):
                self.found.add(f"{name} positional mask")
        for argument in node.args:
            self.visit(argument)
        for keyword in node.keywords:
            self.visit(keyword.value)


def kernel_features(path):
    """Features by kernel of a file."""
    tree = ast.parse(path.read_text())
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    constants, constant_features = set(), set()
    for n in tree.body:
        if isinstance(n, (ast.Assign, ast.AnnAssign)):
            target = n.targets[0] if isinstance(n, ast.Assign) else n.target
            constants.add(target.id)
            constant_features |= {d for part in ast.walk(n) if (d := dotted(part))}
    own = {name: Finder(node, functions, constants) for name, node in functions.items()}
    result = {}
    for name in functions:
        features, todo, seen = set(), [name], set()
        while todo:
            one = todo.pop()
            if one in seen:
                continue
            seen.add(one)
            features |= own[one].found
            todo += own[one].called
        if "module-level constant read" in features:
            features |= constant_features
        result[name] = features
    return result


def cases_by_feature():
    """Names of cases by feature, those of the smallest kernels first."""
    found, sizes, files = {}, {}, {}
    for table in sorted((TESTS / "features").glob("*.json")):
        counts = {}
        for entry in json.loads(table.read_text()):
            kernel = entry["kernel"]
            path = ROOT / entry["file"] if "file" in entry else table.with_suffix(".py")
            counts[kernel] = counts.get(kernel, 0) + 1
            if path not in files:
                files[path] = kernel_features(path)
            if kernel not in files[path]:
                sys.exit(f"{table.name}: {path.name} has no kernel '{kernel}'")
            if counts[kernel] > 1:
                continue
            name = f"{table.stem}.{kernel}"
            sizes[name] = len(files[path][kernel])
            for feature in files[path][kernel]:
                found.setdefault(feature, []).append(name)
    return {f: sorted(names, key=lambda n: (sizes[n], n)) for f, names in found.items()}, len(sizes)


def page():
    found, kernels = cases_by_feature()
    sets = json.loads((TESTS / "feature_sets.json").read_text())
    lines = [
        "# Features of the kernel language, and their tests",
        "",
        f"Written by `scripts/feature_table.py` from the {kernels} kernels in the tables of `test/Language/features`; a test",
        "checks that it is in step with them. Each case runs on CPUs and gives what Triton computes on a GPU; the few for which",
        "Triton has no result (`without_triton`) give what NumPy does. The first ones named are the smallest kernels that",
        "have the feature. Features without a kernel are those of earlier versions and of extensions.",
    ]
    problems = []
    errors = "".join(path.read_text() for path in sorted((TESTS / "errors").glob("*.cases")))
    reasons = dict(WITHOUT_CASE)
    for feature, (why, error) in REFUSED.items():
        reasons[feature] = f"{why}: \"{error}\""
        if error not in errors:
            problems.append(f"no case of test/Language/errors has the error \"{error}\", of '{feature}'")
    for key, share in SHARES.items():
        total = sum(map(len, sets[key].values()))
        lines += ["", f"## {share} of public kernels need: {total} features"]
        for group, features in sets[key].items():
            lines += ["", f"| {group.split(',')[0]} | kernels | such as |", "|---|---:|---|"]
            for feature in features:
                names = found.get(feature, [])
                if not names and feature not in reasons:
                    problems.append(f"no case has the feature '{feature}'")
                if names and feature in reasons:
                    problems.append(f"'{feature}' has cases, and is said to have none")
                shown = ", ".join(names[:2]) if names else reasons.get(feature)
                lines.append(f"| `{feature.replace('|', chr(92) + '|')}` | {len(names)} | {shown} |")
    return "\n".join(lines) + "\n", problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    text, problems = page()
    for problem in problems:
        print(problem)
    if args.check:
        written = PAGE.read_text() if PAGE.exists() else ""
        if written != text:
            print("lib/Language/features.md is out of step: run scripts/feature_table.py")
            sys.stdout.writelines(difflib.unified_diff(written.splitlines(True), text.splitlines(True), n=0))
            problems.append("")
    else:
        PAGE.write_text(text)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
