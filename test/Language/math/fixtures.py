#!/usr/bin/env python3
"""Writes math_f64.safetensors: arguments, and function values to about 80 bits as the sum of an f64 and an f32.

Needs mpmath and NumPy; the tests do not. Tensors NAME.x, NAME.y (of functions of two), NAME.value, NAME.rest.
"""

import json
import struct
import sys

import mpmath as mp
import numpy as np

mp.mp.dps = 60
POINTS = 600
rng = np.random.default_rng(2026)
# mpmath has no -0.
special = [0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.0, -2.0, 3.0, 10.0, 5e-324, -5e-324, 2.2250738585072014e-308,
           1.7976931348623157e308, -1.7976931348623157e308, 1e-20, -1e-20, 1e20, 709.78, -745.13, 171.6]


def bits(n):
    x = rng.integers(0, 2**64, n, dtype=np.uint64).view(np.float64)
    return x[np.isfinite(x)]


def signed_cbrt(x):
    return mp.sign(x) * mp.cbrt(abs(x))


# Name: function, ranges, largest size of an argument (else the reference takes too long or overflows for certain).
UNARY = {
    "exp": (mp.exp, [(-745, 709), (-1, 1)], 1e5),
    "exp2": (lambda x: mp.power(2, x), [(-1074, 1023), (-1, 1)], 1e5),
    "exp10": (lambda x: mp.power(10, x), [(-324, 308), (-1, 1)], 1e5),
    "expm1": (mp.expm1, [(-40, 709), (-1, 1)], 1e5),
    "log": (mp.log, [(0, 2), (0, 1e9)], 1e308),
    "log2": (lambda x: mp.log(x, 2), [(0, 2), (0, 1e9)], 1e308),
    "log10": (mp.log10, [(0, 2), (0, 1e9)], 1e308),
    "log1p": (mp.log1p, [(-1, 1), (-1e-3, 1e-3), (0, 1e9)], 1e308),
    "sin": (mp.sin, [(-10, 10), (-1e7, 1e7)], 1e308),
    "cos": (mp.cos, [(-10, 10), (-1e7, 1e7)], 1e308),
    "tan": (mp.tan, [(-10, 10), (-1e7, 1e7)], 1e308),
    "asin": (mp.asin, [(-1, 1), (0.999, 1)], 1),
    "acos": (mp.acos, [(-1, 1), (0.999, 1)], 1),
    "atan": (mp.atan, [(-3, 3), (-100, 100)], 1e308),
    "sinh": (mp.sinh, [(-710, 710), (-2, 2)], 1e5),
    "cosh": (mp.cosh, [(-710, 710), (-2, 2)], 1e5),
    "tanh": (mp.tanh, [(-20, 20), (-1, 1)], 1e5),
    "asinh": (mp.asinh, [(-2, 2), (-1e9, 1e9)], 1e308),
    "acosh": (mp.acosh, [(1, 2), (1, 1e9), (1, 1.0001)], 1e308),
    "atanh": (mp.atanh, [(-1, 1), (-0.01, 0.01)], 1),
    "sinpi": (mp.sinpi, [(-4, 4), (-1e4, 1e4)], 1e15),
    "cospi": (mp.cospi, [(-4, 4), (-1e4, 1e4)], 1e15),
    "erf": (mp.erf, [(-6, 6), (-1, 1)], 1e5),
    "erfc": (mp.erfc, [(-6, 27), (0, 1)], 1e5),
    "erfinv": (mp.erfinv, [(-1, 1), (0.99999, 1)], 0.9999999999999999),
    "lgamma": (lambda x: mp.loggamma(x) if x > 0 else mp.log(abs(mp.gamma(x))), [(0, 40), (0.5, 3.1), (-10, 0)], 1e20),
    "tgamma": (mp.gamma, [(-170, 171), (0, 9), (-9, 0)], 1e5),
    "cbrt": (signed_cbrt, [(-10, 10)], 1e308),
    "rcbrt": (lambda x: 1 / signed_cbrt(x), [(-10, 10)], 1e308),
    "rsqrt": (lambda x: 1 / mp.sqrt(x), [(0, 10)], 1e308),
}
BINARY = {
    "pow": (lambda x, y: mp.power(x, y), [(0, 10, -300, 300), (0.9, 1.1, -7000, 7000)]),
    "atan2": (mp.atan2, [(-3, 3, -3, 3), (-1e9, 1e9, -1, 1)]),
    "hypot": (lambda x, y: mp.sqrt(x * x + y * y), [(-3, 3, -3, 3), (-1, 1, -1e300, 1e300)]),
    "rhypot": (lambda x, y: 1 / mp.sqrt(x * x + y * y), [(-3, 3, -3, 3), (-1, 1, -1e300, 1e300)]),
    "fmod": (lambda x, y: mp.fmod(x, y) if x >= 0 else -mp.fmod(-x, y), [(-10, 10, 0, 1), (-1e300, 1e300, 0, 1)]),
}


def in_domain(name, x):
    """Whether C defines a finite or infinite value that mpmath can compute."""
    if name in ("log", "log2", "log10", "rsqrt", "rcbrt", "tgamma") and x == 0:
        return False
    if name in ("log", "log2", "log10", "rsqrt"):
        return x > 0
    if name == "log1p":
        return x > -1
    if name in ("asin", "acos", "erfinv"):
        return abs(x) <= 1
    if name == "atanh":
        return abs(x) < 1
    if name == "acosh":
        return x >= 1
    if name in ("lgamma", "tgamma"):
        return x > 0 or x != np.floor(x)
    if name == "sinpi":
        return x >= 0 or x != np.floor(x)  # -0, which mpmath lacks
    return True


def evaluate(name, function, *arguments):
    kept, values, rests = [], [], []
    for point in zip(*arguments):
        value = function(*[mp.mpf(float(v)) for v in point])
        if not isinstance(value, mp.mpf):
            continue
        try:
            rounded = float(value)
        except OverflowError:
            rounded = float("inf") if value > 0 else float("-inf")
        kept.append(point)
        values.append(rounded)
        rests.append(float(value - mp.mpf(rounded)) if np.isfinite(rounded) else 0.0)
    columns = list(zip(*kept))
    tensors = {f"{name}.{'xy'[i]}": np.array(column, np.float64) for i, column in enumerate(columns)}
    tensors[f"{name}.value"] = np.array(values, np.float64)
    # A rest is below 2**-53 of the value: as f32 scaled by 2**53 of the value's exponent it never underflows.
    exponents = np.frexp(np.array(values))[1]
    tensors[f"{name}.rest"] = np.array(
        [float(mp.ldexp(mp.mpf(rest), int(53 - exponent))) for rest, exponent in zip(rests, exponents)], np.float32)
    return tensors


tensors = {}
for name, (function, ranges, most) in UNARY.items():
    x = np.concatenate([special, bits(POINTS)] + [rng.uniform(a, b, POINTS) for a, b in ranges])
    x = np.array([v for v in x if abs(v) <= most and in_domain(name, v)])
    tensors.update(evaluate(name, function, x))
for name, (function, ranges) in BINARY.items():
    x = np.concatenate([rng.uniform(a, b, POINTS) for a, b, _, _ in ranges])
    y = np.concatenate([rng.uniform(c, d, POINTS) for _, _, c, d in ranges])
    tensors.update(evaluate(name, function, x, y))

header, data = {}, b""
for name in sorted(tensors, key=lambda name: (-tensors[name].itemsize, name)):
    tensor = tensors[name]
    header[name] = {"dtype": f"F{tensor.itemsize * 8}", "shape": list(tensor.shape),
                    "data_offsets": [len(data), len(data) + tensor.nbytes]}
    data += tensor.tobytes()
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
