#!/usr/bin/env python3
"""Writes typed_ops.json and typed_ops.safetensors: a graph with a node of every kind, inputs, and the outputs that NumPy and
SciPy compute from them in double. Not run by tests: it needs both. Usage: make_fixtures.py FOLDER"""
import json
import struct
import sys

import numpy as np
from scipy import special

rng = np.random.default_rng(7)
inputs, params, nodes, expected = {}, {}, [], {}
DTYPES = {"float32": "f32", "int32": "i32", "bool": "bool", "int64": "i64", "float16": "f16"}


def tensor(name, shape, kind="f32"):
    if kind == "i32":
        value = rng.integers(-9, 9, shape).astype(np.int32)
    elif kind == "bool":
        value = rng.random(shape) < 0.5
    else:
        value = rng.standard_normal(shape).astype(np.float32)
    inputs[name] = value
    return value.astype(np.float64) if kind == "f32" else value


def node(name, op, ins, result, dtype=np.float32, **attrs):
    extra = {"params": attrs.pop("params")} if "params" in attrs else {}
    entry = {"name": name, "op": op, "inputs": ins, **extra}
    if attrs:
        entry["attrs"] = attrs
    nodes.append(entry)
    expected[name] = np.asarray(result, order="C").astype(dtype)


def windows(x, kernel, stride, pads, dilation, fill):
    """[B, C, H, W] -> [B, C, OH, OW, KH, KW]"""
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])), constant_values=fill)
    oh = (x.shape[2] - dilation[0] * (kernel[0] - 1) - 1) // stride[0] + 1
    ow = (x.shape[3] - dilation[1] * (kernel[1] - 1) - 1) // stride[1] + 1
    out = np.empty(x.shape[:2] + (oh, ow) + tuple(kernel))
    for kh in range(kernel[0]):
        for kw in range(kernel[1]):
            rows = slice(kh * dilation[0], kh * dilation[0] + oh * stride[0] - stride[0] + 1, stride[0])
            columns = slice(kw * dilation[1], kw * dilation[1] + ow * stride[1] - stride[1] + 1, stride[1])
            out[..., kh, kw] = x[:, :, rows, columns]
    return out


def conv(x, w, stride, pads, dilation, groups):
    view = windows(x, w.shape[2:], stride, pads, dilation, 0)
    xs, ws = np.split(view, groups, axis=1), np.split(w, groups, axis=0)
    return np.concatenate([np.einsum("bchwij,ocij->bohw", a, b) for a, b in zip(xs, ws)], axis=1)


# Maps.
x = tensor("x", (3, 5))
y = tensor("y", (5,))
column = tensor("column", (3, 1))
p = np.abs(tensor("p", (3, 5))) + 0.1
inputs["p"] = p.astype(np.float32)
p = inputs["p"].astype(np.float64)
unit = np.tanh(x)
inputs["unit"] = unit.astype(np.float32)
unit = inputs["unit"].astype(np.float64)
flags = tensor("flags", (3, 5), "bool")
i, j = tensor("i", (4, 3), "i32"), tensor("j", (3,), "i32")
sigmoid = special.expit
softplus = lambda v: np.logaddexp(0, v)
for name, value in {
    "relu": np.maximum(x, 0), "relu6": np.clip(x, 0, 6), "selu": 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
    "gelu": x * special.ndtr(x), "gelu_tanh": 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "silu": x * sigmoid(x), "mish": x * np.tanh(softplus(x)), "hardsigmoid": np.clip(x / 6 + 0.5, 0, 1),
    "hardswish": x * np.clip(x + 3, 0, 6) / 6, "tanhshrink": x - np.tanh(x), "softsign": x / (1 + np.abs(x)),
    "sigmoid": sigmoid(x), "log_sigmoid": -softplus(-x), "abs": np.abs(x), "neg": -x, "sign": np.sign(x),
    "ceil": np.ceil(x), "floor": np.floor(x), "round": np.rint(x), "trunc": np.trunc(x), "reciprocal": 1 / x,
    "exp": np.exp(x), "exp2": np.exp2(x), "expm1": np.expm1(x), "erf": special.erf(x), "sin": np.sin(x), "cos": np.cos(x),
    "tan": np.tan(x), "atan": np.arctan(x), "sinh": np.sinh(x), "cosh": np.cosh(x), "tanh": np.tanh(x),
    "asinh": np.arcsinh(x),
}.items():
    node("m_" + name, name, ["x"], value)
for name, value in {"sqrt": np.sqrt(p), "rsqrt": 1 / np.sqrt(p), "log": np.log(p), "log2": np.log2(p), "log10": np.log10(p),
                    "log1p": np.log1p(p)}.items():
    node("m_" + name, name, ["p"], value)
for name, value in {"asin": np.arcsin(unit), "acos": np.arccos(unit), "atanh": np.arctanh(unit)}.items():
    node("m_" + name, name, ["unit"], value)
node("shifted", "add", ["p", 1], p + 1)
node("m_acosh", "acosh", ["shifted"], np.arccosh(p + 1))
node("m_leaky", "leaky_relu", ["x"], np.where(x > 0, x, 0.2 * x), slope=0.2)
node("m_elu", "elu", ["x"], np.where(x > 0, x, 0.7 * np.expm1(x)), alpha=0.7)
node("m_celu", "celu", ["x"], np.where(x > 0, x, 0.7 * np.expm1(x / 0.7)), alpha=0.7)
node("m_hardtanh", "hardtanh", ["x"], np.clip(x, -0.5, 0.25), min=-0.5, max=0.25)
node("m_clamp", "clamp", ["x"], np.minimum(x, 0.5), max=0.5)
node("m_hardshrink", "hardshrink", ["x"], np.where(np.abs(x) > 0.4, x, 0), **{"lambda": 0.4})
node("m_softshrink", "softshrink", ["x"], np.sign(x) * np.maximum(np.abs(x) - 0.4, 0), **{"lambda": 0.4})
node("m_softplus", "softplus", ["x"], softplus(2 * x) / 2, beta=2)
node("m_threshold", "threshold", ["x"], np.where(x > 0.1, x, -3), threshold=0.1, value=-3)
for name, value in {"add": x + y, "sub": x - y, "mul": x * y, "div": x / y, "mod": np.mod(x, y), "fmod": np.fmod(x, y),
                    "minimum": np.minimum(x, y), "maximum": np.maximum(x, y), "atan2": np.arctan2(x, y)}.items():
    node("m_" + name, name, ["x", "y"], value)
node("m_pow", "pow", ["p", "y"], p**y)
node("outer", "mul", ["column", "y"], column.astype(np.float64) * y)
node("less", "less", ["x", "y"], x < y, dtype=bool)
node("greater_equal", "greater_equal", ["x", 0.25], x >= 0.25, dtype=bool)
node("both", "logical_and", ["less", "flags"], (x < y) & flags, dtype=bool)
node("either", "logical_xor", ["less", "flags"], (x < y) ^ flags, dtype=bool)
node("none", "logical_not", ["flags"], ~flags, dtype=bool)
node("chosen", "where", ["flags", "x", -1.5], np.where(flags, x, -1.5))
node("i_sum", "add", ["i", "j"], i + j, dtype=np.int32)
node("i_mul", "mul", ["i", 7], i * 7, dtype=np.int32)
safe = np.where(j == 0, 1, j)
node("i_mod", "mod", ["i", "j"], np.where(j == 0, 0, np.mod(i, safe)), dtype=np.int32)
node("i_fmod", "fmod", ["i", "j"], np.where(j == 0, 0, np.fmod(i, safe)), dtype=np.int32)
node("i_min", "minimum", ["i", "j"], np.minimum(i, j), dtype=np.int32)
node("i_relu", "relu", ["i"], np.maximum(i, 0), dtype=np.int32)
node("i_xor", "bitwise_xor", ["i", "j"], i ^ j, dtype=np.int32)
node("i_not", "bitwise_not", ["i"], ~i, dtype=np.int32)
node("i_equal", "equal", ["i", "j"], i == j, dtype=bool)
node("to_float", "cast", ["i"], i, to="f32")
node("to_int", "cast", ["x"], np.trunc(x), dtype=np.int32, to="i32")
node("to_half", "cast", ["x"], x.astype(np.float32).astype(np.float16), dtype=np.float16, to="f16")

# Views and movement.
c = tensor("c", (2, 3, 4))
node("v_reshape", "reshape", ["c"], c.reshape(6, 4), shape=[-1, 4])
node("v_flatten", "flatten", ["c"], c.reshape(2, 12), start=1)
node("v_squeeze", "squeeze", ["column"], column[:, 0], axes=[1])
node("v_unsqueeze", "unsqueeze", ["y"], y[None, :, None], axes=[0, -1])
node("v_transpose", "transpose", ["c"], c.transpose(2, 0, 1), permutation=[2, 0, 1])
node("v_expand", "expand", ["column"], np.broadcast_to(column, (2, 3, 5)), shape=[2, -1, 5])
node("v_slice", "slice", ["c"], c[:, :, 1:4:2], axis=2, start=1, end=4, step=2)
node("v_back", "slice", ["c"], c[:, :, ::-1], axis=-1, step=-1)
node("v_last", "slice", ["c"], c[:, -2:, :], axis=1, start=-2)
for mode in ("constant", "reflect", "replicate", "circular"):
    numpy_mode = {"replicate": "edge", "circular": "wrap"}.get(mode, mode)
    attrs = {"value": 0.5} if mode == "constant" else {}
    node("pad_" + mode, "pad", ["c"], np.pad(c, ((0, 0), (2, 1), (1, 3)), mode=numpy_mode, **({"constant_values": 0.5} if attrs else {})),
         low=[0, 2, 1], high=[0, 1, 3], mode=mode, **attrs)
node("v_concat", "concat", ["c", "v_back", "v_slice"], np.concatenate([c, c[:, :, ::-1], c[:, :, 1:4:2]], axis=2), axis=2)
other = tensor("other", (3,))
node("v_read", "add", ["v_transpose", "other"], c.transpose(2, 0, 1) + other)  # read through the view
node("v_again", "mul", ["v_back", "v_back"], c[:, :, ::-1] ** 2)

# Reductions, products, norms.
for name, function in {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min, "prod": np.prod}.items():
    node("r_" + name, name, ["c"], function(c, axis=1), axes=[1])
    node("r_" + name + "_all", name, ["c"], function(c))
    node("r_" + name + "_outer", name, ["c"], function(c, axis=(0, 2), keepdims=True), axes=[0, 2], keepdims=True)
node("r_argmax", "argmax", ["c"], np.argmax(c, axis=2), dtype=np.int64, axis=2)
node("r_argmin", "argmin", ["c"], np.argmin(c, axis=0)[None], dtype=np.int64, axis=0, keepdims=True)
node("r_integers", "sum", ["i"], i.sum(axis=0), dtype=np.int32, axes=[0])
w, bias = tensor("w", (7, 4)), tensor("bias", (7,))
a, b = tensor("a", (2, 1, 3, 4)), tensor("b", (5, 4, 6))
node("linear", "linear", ["c"], c @ w.T + bias, params={"weight": "w", "bias": "bias"})
node("linear_plain", "linear", ["c"], c @ w.T, params={"weight": "w"})
node("matmul", "matmul", ["a", "b"], a @ b)
node("matmul_left", "matmul", ["c", "w"], c @ w.T, transpose_b=True)
node("matmul_turned", "matmul", ["c", "c"], np.einsum("bki,bkj->bij", c, c), transpose_a=True)
node("matmul_integers", "matmul", ["i", "i"], i @ i.T, dtype=np.int32, transpose_b=True)
node("softmax", "softmax", ["c"], special.softmax(c, axis=-1))
node("softmax_middle", "softmax", ["c"], special.softmax(c, axis=1), axis=1)
g, h = tensor("g", (4,)), tensor("h", (4,))
norm = (c - c.mean(-1, keepdims=True)) / np.sqrt(c.var(-1, keepdims=True) + 1e-3)
node("layer_norm", "layer_norm", ["c"], norm * g + h, params={"weight": "g", "bias": "h"}, eps=1e-3)
node("rms_norm", "rms_norm", ["c"], c / np.sqrt((c * c).mean(-1, keepdims=True) + 1e-5) * g, params={"weight": "g"})

# Windows.
image = tensor("image", (2, 4, 7, 6))
filters, depthwise = tensor("filters", (6, 4, 3, 2)), tensor("depthwise", (8, 1, 3, 3))
channels, scale = tensor("channels", (6,)), tensor("scale", (4,))
node("conv", "conv2d", ["image"], conv(image, filters, (1, 1), (0, 0, 0, 0), (1, 1), 1) + channels[:, None, None],
     params={"weight": "filters", "bias": "channels"})
node("conv_strided", "conv2d", ["image"], conv(image, filters, (2, 1), (1, 2, 1, 2), (2, 1), 1), params={"weight": "filters"},
     stride=[2, 1], padding=[1, 2], dilation=[2, 1])
node("conv_uneven", "conv2d", ["image"], conv(image, filters, (2, 2), (0, 1, 2, 0), (1, 1), 1), params={"weight": "filters"},
     stride=2, padding=[0, 1, 2, 0])
node("conv_depthwise", "conv2d", ["image"], conv(image, depthwise, (1, 1), (1, 1, 1, 1), (1, 1), 4), params={"weight": "depthwise"},
     padding=1, groups=4)
line = tensor("line", (2, 3, 4))
node("conv1d", "conv1d", ["c"], conv(c[:, :, None], line[:, :, None], (1, 1), (0, 2, 0, 2), (1, 1), 1)[:, :, 0],
     params={"weight": "line"}, padding=2)
node("max_pool", "max_pool2d", ["image"], windows(image, (3, 2), (2, 2), (1, 1, 1, 1), (1, 1), -np.inf).max((4, 5)), kernel=[3, 2],
     stride=2, padding=1)
ones = windows(np.ones_like(image), (2, 2), (2, 2), (1, 1, 1, 1), (1, 1), 0).sum((4, 5))
sums = windows(image, (2, 2), (2, 2), (1, 1, 1, 1), (1, 1), 0).sum((4, 5))
node("average_inside", "avg_pool2d", ["image"], sums / ones, kernel=2, padding=1)
node("average_whole", "avg_pool2d", ["image"], sums / 4, kernel=2, padding=1, count_pad=True)
node("max_pool_ceil", "max_pool2d", ["image"], windows(image, (3, 3), (2, 2), (0, 0, 0, 1), (1, 1), -np.inf).max((4, 5)), kernel=3,
     stride=2, ceil=True)
cut = windows(np.ones_like(image), (3, 3), (2, 2), (0, 0, 0, 1), (1, 1), 0).sum((4, 5))
node("average_ceil", "avg_pool2d", ["image"], windows(image, (3, 3), (2, 2), (0, 0, 0, 1), (1, 1), 0).sum((4, 5)) / cut, kernel=3,
     stride=2, ceil=True)
# A third window down would begin beyond the image.
node("max_pool_dropped", "max_pool2d", ["image"], windows(image, (2, 2), (3, 3), (1, 1, 1, 1), (1, 1), -np.inf).max((4, 5)), kernel=2,
     stride=3, padding=1, ceil=True)
node("global_average", "global_avg_pool2d", ["image"], image.mean((2, 3), keepdims=True))
mean, shift = tensor("mean", (4,)), tensor("shift", (4,))
variance = np.abs(tensor("variance", (4,))) + 0.2
inputs["variance"] = variance.astype(np.float32)
variance = inputs["variance"].astype(np.float64)
s = lambda v: v[:, None, None]
node("batch_norm", "batch_norm", ["image"], (image - s(mean)) / np.sqrt(s(variance) + 1e-5) * s(scale) + s(shift),
     params={"mean": "mean", "variance": "variance", "weight": "scale", "bias": "shift"})
node("batch_norm_plain", "batch_norm", ["image"], (image - s(mean)) / np.sqrt(s(variance) + 1e-5),
     params={"mean": "mean", "variance": "variance"})

folder = sys.argv[1]
graph = {"teeny": 1, "name": "typed_ops",
         "inputs": [{"name": n, "dtype": DTYPES[str(v.dtype)], "shape": list(v.shape)} for n, v in inputs.items()],
         "nodes": nodes, "outputs": [n["name"] for n in nodes]}


def lines(values):
    return "[\n    " + ",\n    ".join(json.dumps(v) for v in values) + "\n  ]"


with open(folder + "/typed_ops.json", "w") as file:
    file.write('{\n  "teeny": 1,\n  "name": "typed_ops",\n')
    file.write('  "inputs": ' + lines(graph["inputs"]) + ',\n  "nodes": ' + lines(nodes) + ",\n")
    file.write('  "outputs": ' + json.dumps(graph["outputs"]) + "\n}\n")
names = {"float32": "F32", "int32": "I32", "bool": "BOOL", "int64": "I64", "float16": "F16"}
header, data = {}, b""
everything = {prefix + name: value for prefix, group in (("in.", inputs), ("out.", expected)) for name, value in group.items()}
for name, value in sorted(everything.items(), key=lambda item: -item[1].itemsize):  # so that all are aligned
    raw = value.tobytes()
    header[name] = {"dtype": names[str(value.dtype)], "shape": list(value.shape), "data_offsets": [len(data), len(data) + len(raw)]}
    data += raw
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
open(folder + "/typed_ops.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + data)
