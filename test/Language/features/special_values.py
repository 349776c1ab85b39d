# Floats at their edges: NaN, infinities, zeros with a sign, subnormal numbers.
import triton
import triton.language as tl


@triton.jit
def comparisons(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    r = (a < b).to(tl.int32)
    r += (a <= b).to(tl.int32) * 2
    r += (a > b).to(tl.int32) * 4
    r += (a >= b).to(tl.int32) * 8
    r += (a == b).to(tl.int32) * 16
    r += (a != b).to(tl.int32) * 32
    tl.store(out + i, r)


@triton.jit
def arithmetic(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, a + b)
    tl.store(out + BLOCK + i, a - b)
    tl.store(out + 2 * BLOCK + i, a * b)
    tl.store(out + 3 * BLOCK + i, -a)
    tl.store(out + 4 * BLOCK + i, 0.0 + b)


@triton.jit
def quotients(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) / tl.load(y + i))


@triton.jit
def minimum_maximum(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, tl.maximum(a, b))
    tl.store(out + BLOCK + i, tl.minimum(a, b))


@triton.jit
def minimum_maximum_keep_nan(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out + BLOCK + i, tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL))


@triton.jit
def python_min_max(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, max(a, b))
    tl.store(out + BLOCK + i, min(a, b))


@triton.jit
def absolute_and_sign(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, tl.abs(a))
    tl.store(out + BLOCK + i, -tl.abs(a))
    tl.store(out + 2 * BLOCK + i, 0.0 - a)


@triton.jit
def nan_is_not_itself(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, tl.where(a != a, 1.0, a))


@triton.jit
def infinity_literals(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, tl.where(a == float("inf"), 1.0, 0.0) + tl.where(a == float("-inf"), 2.0, 0.0))
    tl.store(out + BLOCK + i, tl.where(a > 0, float("nan"), a))
    tl.store(out + 2 * BLOCK + i, tl.full([BLOCK], -float("inf"), tl.float32))


@triton.jit
def clamped(x, out, low, high, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.clamp(tl.load(x + i), low, high))


@triton.jit
def clamped_keeps_nan(x, out, low, high, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.clamp(tl.load(x + i), min=low, max=high, propagate_nan=tl.PropagateNan.ALL))


@triton.jit
def masks_hide_nan(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    a = tl.where(i < n, a, 0)
    tl.store(out + i, a)


@triton.jit
def rounding_functions(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, tl.floor(a))
    tl.store(out + BLOCK + i, tl.ceil(a))


@triton.jit
def square_roots(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, tl.sqrt(a))
    tl.store(out + BLOCK + i, tl.sqrt_rn(a))
    tl.store(out + 2 * BLOCK + i, tl.rsqrt(a))


@triton.jit
def exponentials(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, tl.exp(a))
    tl.store(out + BLOCK + i, tl.exp2(a))
    tl.store(out + 2 * BLOCK + i, tl.math.exp2(a))


@triton.jit
def logarithms(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, tl.log(a))
    tl.store(out + BLOCK + i, tl.log2(a))
    tl.store(out + 2 * BLOCK + i, tl.math.log2(a))


@triton.jit
def fused_multiply_add(x, y, z, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.fma(tl.load(x + i), tl.load(y + i), tl.load(z + i)))


@triton.jit
def divisions_by_name(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, tl.div_rn(a, b))
    tl.store(out + BLOCK + i, tl.fdiv(a, b))


@triton.jit
def float_remainder(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) % tl.load(y + i))
