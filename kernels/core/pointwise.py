# The functions of maps, one for each name of lib/Graph/IR/Pointwise.cpp. Kernels that maps become begin with those that they
# use. Operands are of the type that is computed in: float32 for smaller floats. None calls another.
import triton
import triton.language as tl
from triton.language.extra import libdevice


# Activations.

@triton.jit
def relu(x):
    return tl.where(x < 0, 0, x)  # NaN stays


@triton.jit
def relu6(x):
    return tl.where(x < 0, 0, tl.where(x > 6, 6, x))


@triton.jit
def leaky_relu(x, slope):
    return tl.where(x >= 0, x, x * slope)


@triton.jit
def elu(x, alpha):
    return tl.where(x > 0, x, alpha * libdevice.expm1(x))


@triton.jit
def selu(x):
    return tl.where(x > 0, x, 1.6732632423543772 * libdevice.expm1(x)) * 1.0507009873554805


@triton.jit
def celu(x, alpha):
    return tl.where(x > 0, x, alpha * libdevice.expm1(x / alpha))


@triton.jit
def gelu(x):
    return 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))


@triton.jit
def gelu_tanh(x):
    return 0.5 * x * (1 + libdevice.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


@triton.jit
def silu(x):
    return x / (1 + tl.exp(-x))


@triton.jit
def mish(x):
    return x * libdevice.tanh(tl.where(x > 20, x, libdevice.log1p(tl.exp(x))))


@triton.jit
def hardtanh(x, low, high):
    return tl.where(x < low, low, tl.where(x > high, high, x))


@triton.jit
def hardsigmoid(x):
    y = x + 3
    return tl.where(y < 0, 0, tl.where(y > 6, 6, y)) / 6


@triton.jit
def hardswish(x):
    y = x + 3
    return x * tl.where(y < 0, 0, tl.where(y > 6, 6, y)) / 6


@triton.jit
def hardshrink(x, bound):
    return tl.where((x >= -bound) & (x <= bound), 0, x)


@triton.jit
def softshrink(x, bound):
    return tl.where(x > bound, x - bound, tl.where(x < -bound, x + bound, x * 0))


@triton.jit
def tanhshrink(x):
    return x - libdevice.tanh(x)


@triton.jit
def softplus(x, beta, bound):
    return tl.where(x * beta > bound, x, libdevice.log1p(tl.exp(x * beta)) / beta)


@triton.jit
def softsign(x):
    return x / (1 + tl.abs(x))


@triton.jit
def threshold(x, bound, value):
    return tl.where(x <= bound, value, x)


@triton.jit
def sigmoid(x):
    return 1 / (1 + tl.exp(-x))


@triton.jit
def log_sigmoid(x):
    return tl.where(x > 0, 0, x) - libdevice.log1p(tl.exp(-tl.abs(x)))


# Arithmetic.

@triton.jit
def abs(x):
    return tl.abs(x)


@triton.jit
def neg(x):
    return -x


@triton.jit
def sign(x):
    return tl.where(x > 0, 1, tl.where(x < 0, -1, tl.zeros_like(x)))  # of NaN: 0


@triton.jit
def ceil(x):
    return tl.ceil(x)


@triton.jit
def floor(x):
    return tl.floor(x)


@triton.jit
def round(x):
    return libdevice.rint(x)  # half to even


@triton.jit
def trunc(x):
    return libdevice.trunc(x)


@triton.jit
def reciprocal(x):
    return 1 / x


@triton.jit
def add(x, y):
    return x + y


@triton.jit
def sub(x, y):
    return x - y


@triton.jit
def mul(x, y):
    return x * y


@triton.jit
def div(x, y):
    return x / y


# Remainders of integers by 0 are 0: some processors would stop.

@triton.jit
def mod(x, y):
    if x.dtype.is_floating():
        r = libdevice.fmod(x, y)
    elif x.dtype.is_int_signed():
        r = x % tl.where((y == 0) | (y == -1), 1, y)
    else:
        r = x % tl.where(y == 0, 1, y)
    return tl.where((r != 0) & ((r < 0) != (y < 0)), r + y, r)  # has the sign of y


@triton.jit
def fmod(x, y):
    if x.dtype.is_floating():
        r = libdevice.fmod(x, y)
    elif x.dtype.is_int_signed():
        r = x % tl.where((y == 0) | (y == -1), 1, y)
    else:
        r = x % tl.where(y == 0, 1, y)
    return r


@triton.jit
def minimum(x, y):
    return tl.where((x < y) | (x != x), x, y)  # NaN wins


@triton.jit
def maximum(x, y):
    return tl.where((x > y) | (x != x), x, y)  # NaN wins


@triton.jit
def clamp(x, low, high):
    return tl.where(x < low, low, tl.where(x > high, high, x))


# Transcendental functions.

@triton.jit
def sqrt(x):
    return tl.sqrt(x)


@triton.jit
def rsqrt(x):
    return tl.rsqrt(x)


@triton.jit
def exp(x):
    return tl.exp(x)


@triton.jit
def exp2(x):
    return tl.exp2(x)


@triton.jit
def expm1(x):
    return libdevice.expm1(x)


@triton.jit
def log(x):
    return tl.log(x)


@triton.jit
def log2(x):
    return tl.log2(x)


@triton.jit
def log10(x):
    return libdevice.log10(x)


@triton.jit
def log1p(x):
    return libdevice.log1p(x)


@triton.jit
def pow(x, y):
    return libdevice.pow(x, y)


@triton.jit
def erf(x):
    return tl.erf(x)


@triton.jit
def sin(x):
    return tl.sin(x)


@triton.jit
def cos(x):
    return tl.cos(x)


@triton.jit
def tan(x):
    return libdevice.tan(x)


@triton.jit
def asin(x):
    return libdevice.asin(x)


@triton.jit
def acos(x):
    return libdevice.acos(x)


@triton.jit
def atan(x):
    return libdevice.atan(x)


@triton.jit
def atan2(x, y):
    return libdevice.atan2(x, y)


@triton.jit
def sinh(x):
    return libdevice.sinh(x)


@triton.jit
def cosh(x):
    return libdevice.cosh(x)


@triton.jit
def tanh(x):
    return libdevice.tanh(x)


@triton.jit
def asinh(x):
    return libdevice.asinh(x)


@triton.jit
def acosh(x):
    return libdevice.acosh(x)


@triton.jit
def atanh(x):
    return libdevice.atanh(x)


# Comparisons, logic, choice.

@triton.jit
def equal(x, y):
    return x == y


@triton.jit
def not_equal(x, y):
    return x != y


@triton.jit
def less(x, y):
    return x < y


@triton.jit
def less_equal(x, y):
    return x <= y


@triton.jit
def greater(x, y):
    return x > y


@triton.jit
def greater_equal(x, y):
    return x >= y


@triton.jit
def isnan(x):
    return x != x


@triton.jit
def isinf(x):
    return tl.abs(x) == float("inf")


@triton.jit
def logical_not(x):
    return x == 0


@triton.jit
def logical_and(x, y):
    return x & y


@triton.jit
def logical_or(x, y):
    return x | y


@triton.jit
def logical_xor(x, y):
    return x ^ y


@triton.jit
def bitwise_not(x):
    return ~x


@triton.jit
def bitwise_and(x, y):
    return x & y


@triton.jit
def bitwise_or(x, y):
    return x | y


@triton.jit
def bitwise_xor(x, y):
    return x ^ y


@triton.jit
def where(condition, x, y):
    return tl.where(condition, x, y)
