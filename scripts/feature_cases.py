"""The case tables of test/Language/features, and the inputs that they name.

test/Language/FeatureCases.h says what a table holds; FeatureCases.cpp makes the same inputs in C++.
"""
import importlib.util
import json
import re
import struct
import sys
from dataclasses import dataclass, field
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit("NumPy is missing (Debian: python3-numpy)")

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "test/Language/features"
MASK = (1 << 64) - 1

# Name in a signature -> NumPy type of the bits, and (bits of exponent, of mantissa) of a float.
TYPES = {
    "fp64": (np.float64, (11, 52)), "fp32": (np.float32, (8, 23)), "fp16": (np.float16, (5, 10)),
    "bf16": (np.uint16, (8, 7)), "fp8e4nv": (np.uint8, (4, 3)), "fp8e5": (np.uint8, (5, 2)),
    "i64": (np.int64, None), "i32": (np.int32, None), "i16": (np.int16, None), "i8": (np.int8, None),
    "u64": (np.uint64, None), "u32": (np.uint32, None), "u16": (np.uint16, None), "u8": (np.uint8, None),
    "i1": (np.uint8, None),
}  # fmt: skip
# Their names in PyTorch and in a safetensors file.
TORCH = {
    "fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16", "fp8e4nv": "float8_e4m3fn",
    "fp8e5": "float8_e5m2", "i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8", "u64": "uint64",
    "u32": "uint32", "u16": "uint16", "u8": "uint8", "i1": "bool",
}  # fmt: skip
SAFETENSORS = {
    "fp64": "F64", "fp32": "F32", "fp16": "F16", "bf16": "BF16", "fp8e4nv": "F8_E4M3", "fp8e5": "F8_E5M2",
    "i64": "I64", "i32": "I32", "i16": "I16", "i8": "I8", "u64": "U64", "u32": "U32", "u16": "U16", "u8": "U8",
    "i1": "BOOL",
}  # fmt: skip


def bits_of(type):
    return 1 if type == "i1" else np.dtype(TYPES[type][0]).itemsize * 8


def splitmix(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def seed_of(text):
    seed = 0xCBF29CE484222325
    for byte in text.encode():
        seed = ((seed ^ byte) * 0x100000001B3) & MASK
    return seed


def normal(h):
    return (sum((h >> s) & 0xFFFF for s in (0, 16, 32, 48)) - 131070) / 32768


def float_limits(exponent, mantissa):
    """Largest finite, smallest normal and smallest subnormal value of a format."""
    bias = (1 << (exponent - 1)) - 1
    if (exponent, mantissa) == (4, 3):  # no infinities: only the last code is NaN
        return 448.0, 2.0**-6, 2.0**-9
    return (2 - 2.0**-mantissa) * 2.0**bias, 2.0 ** (1 - bias), 2.0 ** (1 - bias - mantissa)


def special(type, h, subnormal):
    """One of the values at the edges of a type, subnormal ones included or not."""
    if TYPES[type][1]:
        largest, small, tiny = float_limits(*TYPES[type][1])
        inf = largest if type == "fp8e4nv" else float("inf")
        tiny, negative = (tiny, -3 * tiny) if subnormal else (3.0, -0.5)
        values = [float("nan"), inf, -inf, -0.0, 0.0, tiny, negative, largest, -largest, small, 1.0, -1.0,
                  0.5, 2.5, -3.5, normal(splitmix(h))]  # fmt: skip
    else:
        bits = bits_of(type)
        signed = type[0] == "i" and bits > 1
        low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
        values = [0, 1, -1 if signed else high, low, high, low + 1, high - 1, 2, 3, 7, splitmix(h) & 63]
        values = [min(max(v, low), high) for v in values]
    return values[h % len(values)]


def to_bits(type, values):
    """Numbers rounded to a type, ties to even, as an array of TYPES' NumPy type."""
    dtype, shape = TYPES[type]
    if type == "bf16":
        bits = np.array(values, np.float32).view(np.uint32).astype(np.uint64)
        rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
        return np.where(np.isnan(np.array(values, np.float64)), np.uint16(0x7FC0), rounded).astype(np.uint16)
    if type.startswith("fp8"):
        codes = np.arange(128, dtype=np.uint8)
        table = to_real(type, codes)
        table[np.isnan(table)] = np.inf
        result = []
        for value in values:
            if value != value:
                result.append(0x7F)
                continue
            distance = np.abs(table - abs(value)) if np.isfinite(value) else np.where(np.isinf(table), 0, 1)
            distance[np.isnan(distance)] = np.inf
            near = np.flatnonzero(distance == distance.min())
            code = next((c for c in near if c % 2 == 0), near[0])
            result.append(int(code) | (0x80 if np.signbit(value) else 0))
        return np.array(result, np.uint8)
    return np.array([dtype(v) for v in values] if shape else values, dtype)


def to_real(type, bits):
    """The exact values as float64, of any type but 64-bit integers."""
    if type == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if type.startswith("fp8"):
        exponent, mantissa = TYPES[type][1]
        code = bits.astype(np.int64)
        e, m = (code >> mantissa) & ((1 << exponent) - 1), code & ((1 << mantissa) - 1)
        bias = (1 << (exponent - 1)) - 1
        value = np.where(e == 0, m * 2.0 ** (1 - bias - mantissa), (1 + m / 2.0**mantissa) * 2.0 ** (e - bias))
        if type == "fp8e5":
            value = np.where(e == 31, np.where(m == 0, np.inf, np.nan), value)
        else:
            value = np.where((code & 0x7F) == 0x7F, np.nan, value)
        return np.where(code >> 7, -value, value)
    return bits.astype(np.float64)


@dataclass
class Argument:
    name: str
    kind: str  # "pointer", "scalar" or "constexpr"
    type: str = ""  # "fp32"
    elements: int = 0
    output: bool = False
    fill: str = ""
    value: object = None  # of a scalar or constexpr

    def initial(self, case):
        """What the buffer holds before the launch."""
        dtype = TYPES[self.type][0]
        if self.fill == "":
            return np.full(self.elements * np.dtype(dtype).itemsize, 0xA5, np.uint8).view(dtype)
        seed = seed_of(f"{case.name}.{self.name}")
        kind, _, rest = self.fill.partition(":")
        hashes = [splitmix((seed + i) & MASK) for i in range(self.elements)]
        if kind == "bits":
            mask = (1 << bits_of(self.type)) - 1
            wide = np.array([h & mask for h in hashes], np.uint64)
            return wide.astype(f"u{np.dtype(dtype).itemsize}").view(dtype)
        if kind == "ints":
            low, high = (int(x) for x in rest.split(".."))
            values = [low + h % (high - low + 1) for h in hashes]
        elif kind == "iota":
            values = range(self.elements)
        elif kind == "permutation":  # of all indices: a step that has no common divisor with their number
            values = [i * int(rest) % self.elements for i in range(self.elements)]
        elif kind == "value":
            values = [float(rest) if TYPES[self.type][1] else int(rest)] * self.elements
        else:
            make = {
                "normal": normal,
                "unit": lambda h: (h >> 40) / (1 << 24),
                "positive": lambda h: (1 + (h >> 42)) / (1 << 20),
                "special": lambda h: special(self.type, h, True),
                "edges": lambda h: special(self.type, h, False),
            }[kind]
            values = [make(h) for h in hashes]
        with np.errstate(over="ignore"):
            return to_bits(self.type, list(values))


@dataclass
class Case:
    name: str  # "memory.copy", "memory.copy.2"
    file: Path
    kernel: str
    arguments: list
    grid: tuple
    warps: int
    relative: float  # bound of an element's error, as a share of its magnitude
    tolerance: float  # as a share of the largest magnitude of the output
    zero_signs: str  # why zeros of both signs are equal; empty where they are not
    without_triton: str  # why Triton has no result for it, so that the fixture is by other means; empty where it has

    def outputs(self):
        return [a for a in self.arguments if a.output]

    def signature(self):
        """The launch as Triton's ahead-of-time signature spells it: values of constexprs in place."""
        parts = []
        for a in self.arguments:
            if a.kind == "pointer":
                parts.append(f"*{a.type}:16")
            elif a.kind == "scalar":
                parts.append(a.type)
            elif isinstance(a.value, str) and not a.value.startswith("tl."):
                parts.append(f"'{a.value}'")
            else:
                parts.append(str(a.value))
        return ", ".join(parts)


def parse_argument(name, spec):
    if not isinstance(spec, str):
        return Argument(name, "constexpr", value=spec)
    if match := re.fullmatch(r"\*(\w+)\[(\d+)\]( out)?(?: (\S+))?", spec):
        type, elements, output, fill = match.groups()
        return Argument(name, "pointer", type, int(elements), bool(output), fill or "")
    if match := re.fullmatch(r"(\w+) (\S+)", spec):
        type, text = match.groups()
        if type == "constexpr":
            return Argument(name, "constexpr", value=text)
        if type not in TYPES:
            sys.exit(f"argument {name}: unknown type in '{spec}'")
        value = float(text) if TYPES[type][1] else int(text, 0)
        return Argument(name, "scalar", type, value=value)
    sys.exit(f"argument {name}: cannot read '{spec}'")


def load_cases(pattern=""):
    cases = []
    for path in sorted(FOLDER.glob("*.json")):
        counts = {}
        for entry in json.loads(path.read_text()):
            kernel = entry["kernel"]
            counts[kernel] = counts.get(kernel, 0) + 1
            name = f"{path.stem}.{kernel}" + (f".{counts[kernel]}" if counts[kernel] > 1 else "")
            arguments = [parse_argument(n, s) for n, s in entry["args"].items()]
            case = Case(
                name, ROOT / entry["file"] if "file" in entry else path.with_suffix(".py"), kernel, arguments, tuple(entry.get("grid", [1])),
                entry.get("warps", 4), entry.get("relative", 0.0), entry.get("tolerance", 0.0),
                entry.get("zero_signs", ""), entry.get("without_triton", ""),
            )  # fmt: skip
            if re.search(pattern, name):
                cases.append(case)
    return cases


def fixture(case):
    """The outputs of a case that the fixtures have, by name."""
    data = (FOLDER / "fixtures" / f"{case.name.split('.')[0]}.safetensors").read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header, outputs = json.loads(data[8 : 8 + length]), {}
    for a in case.outputs():
        begin, end = header[f"{case.name}/{a.name}"]["data_offsets"]
        outputs[a.name] = np.frombuffer(data[8 + length + begin : 8 + length + end], TYPES[a.type][0])
    return outputs


def load_kernels(path):
    spec = importlib.util.spec_from_file_location(f"features_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def mismatch(case, argument, got, want):
    """None, or (how many elements differ, the first of them, by how much the worst does)."""
    assert got.dtype == want.dtype and got.shape == want.shape
    width = f"u{got.dtype.itemsize}"
    equal = got.view(width) == want.view(width)
    worst = 0.0
    if TYPES[argument.type][1]:
        a, b = to_real(argument.type, got), to_real(argument.type, want)
        equal |= np.isnan(a) & np.isnan(b)
        if case.zero_signs:
            equal |= (a == 0) & (b == 0)
        if case.relative or case.tolerance:
            with np.errstate(invalid="ignore"):
                finite = np.isfinite(b)
                scale = np.max(np.abs(b[finite]), initial=0.0)
                error = np.where(finite, np.abs(a - b), np.inf)
                bound = case.relative * np.abs(b) + case.tolerance * scale
                equal |= np.where(finite & np.isfinite(a), error <= bound, False)
        with np.errstate(invalid="ignore"):
            worst = float(np.max(np.where(equal, 0, np.abs(a - b)), initial=0.0))
    if equal.all():
        return None
    return int((~equal).sum()), int(np.flatnonzero(~equal)[0]), worst
