"""Functions of libdevice on bits and exact arithmetic: members of `libdevice` and `tl.math`.

Integers are those that libdevice names: where it has int32 only, so do these.
"""

import triton
import triton.language as tl


@triton.jit
def _typed(x, a: tl.constexpr, b: tl.constexpr = None):
    """x as a scalar or tile of type a or b."""
    x = tl.to_tensor(x)
    if b is None:
        tl.static_assert(x.dtype == a, f"takes {a}, found {x.dtype}")
    else:
        tl.static_assert(x.dtype == a or x.dtype == b, f"takes {a} or {b}, found {x.dtype}")
    return x


# Bits.

@triton.jit
def ffs(x):
    """1 + the position of the lowest bit that is set, 0 if there is none."""
    x = _typed(x, tl.int32, tl.int64)
    bits: tl.constexpr = x.dtype.primitive_bitwidth
    return tl.where(x == 0, 0, bits - tl.math.clz(x & -x)).to(tl.int32)


@triton.jit
def _swap_bits(x, distance: tl.constexpr, mask: tl.constexpr):
    return ((x >> distance) & mask) | ((x & mask) << distance)


@triton.jit
def brev(x):
    """The bits in reverse order."""
    x = _typed(x, tl.int32, tl.int64)
    if x.dtype == tl.int32:
        y = x.to(tl.uint32, bitcast=True)
        y = _swap_bits(y, 1, 0x55555555)
        y = _swap_bits(y, 2, 0x33333333)
        y = _swap_bits(y, 4, 0x0F0F0F0F)
        y = _swap_bits(y, 8, 0x00FF00FF)
        y = (y >> 16) | (y << 16)
    else:
        y = x.to(tl.uint64, bitcast=True)
        y = _swap_bits(y, 1, 0x5555555555555555)
        y = _swap_bits(y, 2, 0x3333333333333333)
        y = _swap_bits(y, 4, 0x0F0F0F0F0F0F0F0F)
        y = _swap_bits(y, 8, 0x00FF00FF00FF00FF)
        y = _swap_bits(y, 16, 0x0000FFFF0000FFFF)
        y = (y >> 32) | (y << 32)
    return y.to(x.dtype, bitcast=True)


@triton.jit
def byte_perm(x, y, s):
    """Four of the eight bytes of y:x, byte i by the three lowest bits of nibble i of s."""
    x = _typed(x, tl.int32, tl.uint32).to(tl.uint32, bitcast=True)
    y = _typed(y, tl.int32, tl.uint32).to(tl.uint32, bitcast=True)
    s = _typed(s, tl.int32, tl.uint32).to(tl.uint32, bitcast=True)
    both = (y.to(tl.uint64) << 32) | x.to(tl.uint64)
    result = (both * 0).to(tl.uint32)
    for i in tl.static_range(4):
        shift = ((s >> (4 * i)) & 7) * 8
        result = result | (((both >> shift.to(tl.uint64)) & 255).to(tl.uint32) << (8 * i))
    return result.to(tl.int32, bitcast=True)


@triton.jit
def mul24(x, y):
    """The lower half of the product of the 24 lowest bits of each, with their sign where they are signed."""
    x = _typed(x, tl.int32, tl.uint32)
    y = _typed(y, tl.int32, tl.uint32)
    return ((x << 8) >> 8) * ((y << 8) >> 8)


@triton.jit
def sad(x, y, z):
    """abs(x - y) + z."""
    x = _typed(x, tl.int32, tl.uint32)
    y = _typed(y, tl.int32, tl.uint32)
    larger = tl.maximum(x, y)
    distance = larger - tl.minimum(x, y)
    return (distance.to(tl.uint32, bitcast=True) + tl.to_tensor(z).to(tl.uint32)).to(x.dtype, bitcast=True)


@triton.jit
def hadd(x, y):
    """(x + y) / 2 rounded down, without overflow."""
    x = _typed(x, tl.int32, tl.uint32)
    y = _typed(y, tl.int32, tl.uint32)
    return (x & y) + ((x ^ y) >> 1)


@triton.jit
def rhadd(x, y):
    """(x + y) / 2 rounded up, without overflow."""
    x = _typed(x, tl.int32, tl.uint32)
    y = _typed(y, tl.int32, tl.uint32)
    return (x | y) - ((x ^ y) >> 1)


# The same bits as another type.

@triton.jit
def int_as_float(x):
    return _typed(x, tl.int32).to(tl.float32, bitcast=True)


@triton.jit
def uint_as_float(x):
    return _typed(x, tl.uint32).to(tl.float32, bitcast=True)


@triton.jit
def float_as_int(x):
    return _typed(x, tl.float32).to(tl.int32, bitcast=True)


@triton.jit
def float_as_uint(x):
    return _typed(x, tl.float32).to(tl.int32, bitcast=True)


@triton.jit
def longlong_as_double(x):
    return _typed(x, tl.int64).to(tl.float64, bitcast=True)


@triton.jit
def double_as_longlong(x):
    return _typed(x, tl.float64).to(tl.int64, bitcast=True)


@triton.jit
def hiloint2double(hi, lo):
    hi = _typed(hi, tl.int32).to(tl.int64)
    lo = _typed(lo, tl.int32).to(tl.uint32, bitcast=True).to(tl.int64)
    return ((hi << 32) | lo).to(tl.float64, bitcast=True)


@triton.jit
def double2loint(x):
    return double_as_longlong(x).to(tl.int32)


@triton.jit
def double2hiint(x):
    return (double_as_longlong(x) >> 32).to(tl.int32)


# Powers of two.

@triton.jit
def _exponent(x):
    """The exponent of a float that is not 0 and finite, as an integer of its width."""
    if x.dtype == tl.float32:
        bits = x.to(tl.int32, bitcast=True) & 0x7FFFFFFF
        # A denormal's leading bit tells.
        return tl.where(bits < 0x800000, -118 - tl.math.clz(bits), (bits >> 23) - 127)
    else:
        bits = x.to(tl.int64, bitcast=True) & 0x7FFFFFFFFFFFFFFF
        return tl.where(bits < 0x10000000000000, -1011 - tl.math.clz(bits), (bits >> 52) - 1023)


@triton.jit
def _ilogb(x):
    """The exponent as int32; C's values for 0, infinities and NaN."""
    e = _exponent(x).to(tl.int32)
    e = tl.where(x == 0.0, -2147483648, tl.where(tl.abs(x) == float("inf"), 2147483647, e))
    return tl.where(x != x, -2147483648, e)


@triton.jit
def _logb(x):
    """The exponent as a float."""
    e = tl.where(x == 0.0, float("-inf"), _exponent(x).to(x.dtype))
    return tl.where(tl.abs(x) < float("inf"), e, tl.abs(x))


@triton.jit
def ldexp(x, n):
    """x * 2**n, rounded once."""
    x = _typed(x, tl.float32, tl.float64)
    n = _typed(n, tl.int32)
    # In three steps within the exponents; those down leave a fraction's length for the last one to round at.
    most: tl.constexpr = 126 if x.dtype == tl.float32 else 1022
    down: tl.constexpr = 102 if x.dtype == tl.float32 else 969
    for _ in tl.static_range(2):
        step = tl.where(n > most, most, tl.where(n < -most, -down, 0))
        x = x * _power_of_two(step, x)
        n = n - step
    return x * _power_of_two(tl.minimum(tl.maximum(n, -most), most), x)


@triton.jit
def scalbn(x, n):
    return ldexp(x, n)


# Arithmetic.

@triton.jit
def _signbit(x):
    return _is_negative(x).to(tl.int32)


@triton.jit
def _fdim(x, y):
    """The positive difference, 0 where there is none."""
    return tl.where(x <= y, 0.0, x - y)


@triton.jit
def _saturatef(x):
    """x between 0 and 1; NaN gives 0."""
    return tl.where(x > 0.0, tl.where(x < 1.0, x, 1.0), 0.0)


@triton.jit
def _rcp_rn(x):
    return tl.div_rn(1.0, x)


@triton.jit
def _rsqrt_rn(x):
    if x.dtype == tl.float32:
        return (1.0 / tl.sqrt_rn(x.to(tl.float64))).to(tl.float32)
    else:
        return 1.0 / tl.sqrt_rn(x)


@triton.jit
def _nextafter(x, y):
    """The next float after x toward y."""
    dtype: tl.constexpr = tl.int32 if x.dtype == tl.float32 else tl.int64
    bits = x.to(dtype, bitcast=True)
    away = (x < y) == (x > 0.0)
    moved = tl.where(away, bits + 1, bits - 1).to(x.dtype, bitcast=True)
    least = tl.math.copysign((bits * 0 + 1).to(x.dtype, bitcast=True), y)
    moved = tl.where(x == 0.0, least, moved)
    return tl.where((x != x) | (y != y), float("nan"), tl.where(x == y, y, moved))


@triton.jit
def _remainder_steps(a, b):
    """a modulo b, exact, for a, b >= 0. Each step takes as much off as a quotient can say exactly."""
    digits: tl.constexpr = 22 if a.dtype == tl.float32 else 51
    below = _exponent(b) + digits
    for _ in range(14 if a.dtype == tl.float32 else 43):
        up = tl.maximum(_exponent(a) - below, 0)
        c = _scale(b, up.to(a.dtype))
        q = tl.floor(tl.div_rn(a, c))
        r = tl.fma(-q, c, a)
        r = tl.where(r < 0.0, r + c, r)
        a = tl.where(a >= b, r, a)
    return a


@triton.jit
def _fmod(x, y):
    """x - trunc(x / y) * y, exact."""
    a = tl.abs(x)
    b = tl.abs(y)
    valid = (a < float("inf")) & (b > 0.0)
    simple = b == float("inf")
    r = _remainder_steps(tl.where(valid, a, 0.0), tl.where(valid & (simple == 0), b, 1.0))
    r = tl.where(simple, a, r)
    return tl.where(valid, tl.math.copysign(r, x), float("nan"))


@triton.jit
def _remainder(x, y):
    """x - rint(x / y) * y, exact."""
    a = tl.abs(x)
    b = tl.abs(y)
    valid = (a < float("inf")) & (b > 0.0)
    simple = b == float("inf")
    c = tl.where(valid & (simple == 0), b, 1.0)
    half: tl.constexpr = 1.7014117331926443e38 if x.dtype == tl.float32 else 8.98846567431158e307
    r = tl.where(valid, a, 0.0)
    r = tl.where(c > half, r, _remainder_steps(r, tl.where(c > half, c, 2.0 * c)))
    over = r - c > -r
    s = tl.where(over, r - c, r)
    s = tl.where(over & (s - c >= -s), s - c, s)
    s = tl.where(simple, a, s)
    s = tl.where(x < 0.0, -s, s)
    s = tl.where(s == 0.0, tl.math.copysign(0.0, x), s)
    return tl.where(valid, s, float("nan"))
