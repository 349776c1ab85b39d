# Mathematical functions, each within a few units in the last place of Triton's.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def trigonometry(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i) * 10
    tl.store(out + i, tl.sin(a))
    tl.store(out + BLOCK + i, tl.cos(a))


@triton.jit
def error_function(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, tl.erf(a))
    tl.store(out + BLOCK + i, tl.math.erf(a * 0.125))


@triton.jit
def sigmoids(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, tl.sigmoid(a))
    tl.store(out + BLOCK + i, a * tl.sigmoid(a * 4))


@triton.jit
def hyperbolic_tangent(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, libdevice.tanh(tl.load(x + i)))


@triton.jit
def powers(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, libdevice.pow(a, tl.load(y + i)))
    tl.store(out + BLOCK + i, libdevice.pow(a, 2.5))


@triton.jit
def libdevice_roots(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, libdevice.rsqrt(a))
    tl.store(out + BLOCK + i, libdevice.sqrt(a))
    tl.store(out + 2 * BLOCK + i, libdevice.exp2(a))
    tl.store(out + 3 * BLOCK + i, libdevice.log2(a))


@triton.jit
def libdevice_rounding(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i) * 3
    tl.store(out + i, libdevice.rint(a))
    tl.store(out + BLOCK + i, libdevice.round(a))
    tl.store(out + 2 * BLOCK + i, libdevice.trunc(a))
    tl.store(out + 3 * BLOCK + i, libdevice.floor(a))


@triton.jit
def libdevice_tests(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, libdevice.isnan(a).to(tl.int32) + libdevice.isinf(a).to(tl.int32) * 2)


@triton.jit
def functions_of_fp64(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, tl.exp(a))
    tl.store(out + BLOCK + i, tl.log(a))
    tl.store(out + 2 * BLOCK + i, tl.sqrt(a))
    tl.store(out + 3 * BLOCK + i, tl.sin(a))
    tl.store(out + 4 * BLOCK + i, tl.cos(a))
    tl.store(out + 5 * BLOCK + i, tl.erf(a))


@triton.jit
def gelu(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n).to(tl.float32)
    tl.store(out + i, 0.5 * a * (1.0 + tl.erf(a * 0.7071067811865476)), mask=i < n)


@triton.jit
def gelu_by_tanh(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n).to(tl.float32)
    inner = 0.7978845608028654 * (a + 0.044715 * a * a * a)
    tl.store(out + i, 0.5 * a * (1.0 + libdevice.tanh(inner)), mask=i < n)


@triton.jit
def silu_and_gate(x, gate, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    a = tl.load(x + i, mask=mask, other=0.0).to(tl.float32)
    g = tl.load(gate + i, mask=mask, other=0.0)
    tl.store(out + i, (a * tl.sigmoid(a)).to(g.dtype) * g, mask=mask)


@triton.jit
def log_sum_exp(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=-float("inf"))
    largest = tl.max(a, axis=0)
    tl.store(out + tl.program_id(0), largest + tl.log(tl.sum(tl.exp(a - largest), axis=0)))


@triton.jit
def math_module(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, tl.math.exp(a))
    tl.store(out + BLOCK + i, tl.math.log(a))
    tl.store(out + 2 * BLOCK + i, tl.math.sqrt(a))
    tl.store(out + 3 * BLOCK + i, tl.math.rsqrt(a))
    tl.store(out + 4 * BLOCK + i, tl.math.floor(a))
    tl.store(out + 5 * BLOCK + i, tl.math.ceil(a))
    tl.store(out + 6 * BLOCK + i, tl.math.abs(-a))


@triton.jit
def rotary(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    position = tl.program_id(0)
    first = tl.load(x + position * 2 * n + i, mask=i < n, other=0.0)
    second = tl.load(x + position * 2 * n + n + i, mask=i < n, other=0.0)
    angle = position * tl.exp(i.to(tl.float32) * -0.14391157)
    c, s = tl.cos(angle), tl.sin(angle)
    tl.store(out + position * 2 * n + i, first * c - second * s, mask=i < n)
    tl.store(out + position * 2 * n + n + i, second * c + first * s, mask=i < n)


@triton.jit
def layer_norm(x, w, b, out, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / n
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        a = tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
        a = tl.where(i < n, a - mean, 0.0)
        squares += a * a
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / n + eps)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        mask = i < n
        a = (tl.load(x + i, mask=mask, other=0.0).to(tl.float32) - mean) * rstd
        tl.store(out + row * n + i, a * tl.load(w + i, mask=mask) + tl.load(b + i, mask=mask), mask=mask)


@triton.jit
def adam_step(param, grad, m, v, lr, beta1, beta2, eps, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    g = tl.load(grad + i, mask=mask).to(tl.float32)
    first = tl.load(m + i, mask=mask) * beta1 + g * (1.0 - beta1)
    second = tl.load(v + i, mask=mask) * beta2 + g * g * (1.0 - beta2)
    p = tl.load(param + i, mask=mask)
    p -= lr * first / (tl.sqrt(second) + eps)
    tl.store(m + i, first, mask=mask)
    tl.store(v + i, second, mask=mask)
    tl.store(param + i, p, mask=mask)


@triton.jit
def quantize(x, out, scales, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    a = tl.load(x + row * n + i, mask=i < n, other=0.0)
    scale = tl.max(tl.abs(a), axis=0) / 127.0
    q = libdevice.rint(a / scale).to(tl.int8)
    tl.store(out + row * n + i, q, mask=i < n)
    tl.store(scales + row, scale)


@triton.jit
def dequantize_four_bits(packed, scales, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    word = tl.load(packed + i // 8)
    nibble = (word >> (i % 8 * 4)) & 0xF
    tl.store(out + i, (nibble - 8).to(tl.float16) * tl.load(scales + i // 32))


@triton.jit
def cross_entropy(logits, labels, loss, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(labels + row)
    if label == -100:
        tl.store(loss + row, 0.0)
        return
    largest = float("-inf")
    total = 0.0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        a = tl.load(logits + row * n + i, mask=i < n, other=float("-inf")).to(tl.float32)
        new = tl.maximum(largest, tl.max(a))
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(a - new))
        largest = new
    tl.store(loss + row, largest + tl.log(total) - tl.load(logits + row * n + label).to(tl.float32))
