"""Inverse trigonometric functions, and the powers and roots that have no instruction.

One source serves both widths, as in math_exponential.py.
"""

import triton
import triton.language as tl


@triton.jit
def _arctan_ratio(n, d, obtuse):
    """atan(n / d), or pi minus that where `obtuse`, 1 ulp; for n, d >= 0, infinite ones and zeros included."""
    inf = float("inf")
    unbounded = (n == inf) | (d == inf)
    n = tl.where(unbounded, tl.where(n == inf, 1.0, 0.0), n)
    d = tl.where(unbounded, tl.where(d == inf, 1.0, 0.0), tl.where((n == 0.0) & (d == 0.0), 1.0, d))
    # A ratio of at most 1, of numbers whose sum is finite.
    large = (n > 1e30) | (d > 1e30)
    n = tl.where(large, n * 0.25, n)
    d = tl.where(large, d * 0.25, d)
    steep = n > d
    lo = tl.where(steep, d, n)
    hi = tl.where(steep, n, d)
    # From tan(pi/8) on, atan(q) = pi/4 + atan((q - 1) / (q + 1)). The quotient is t + dt.
    middle = lo > hi * 0.41421356
    f = lo - hi
    g = lo + hi
    df = tl.where(middle, lo - (f + hi), 0.0)
    dg = tl.where(middle, lo - (g - hi), 0.0)
    f = tl.where(middle, f, lo)
    g = tl.where(middle, g, hi)
    t = tl.div_rn(f, g)
    dt = tl.div_rn(tl.fma(-t, g, f) + (df - t * dg), g)
    z = t * t
    if t.dtype == tl.float32:
        p = tl.fma(z, -0.06076513667, 0.1059317044)
        p = tl.fma(p, z, -0.1424345079)
        p = tl.fma(p, z, 0.1999846741)
        p = tl.fma(p, z, -0.3333331513)
        quarter: tl.constexpr = 0.7853981852531433
        rest: tl.constexpr = -2.1855694143368964e-08
    else:
        p = tl.fma(z, 0.015184393349702261, -0.033463281226959574)
        p = tl.fma(p, z, 0.045030419769815276)
        p = tl.fma(p, z, -0.05218272158154678)
        p = tl.fma(p, z, 0.05876999977732602)
        p = tl.fma(p, z, -0.06666224383891016)
        p = tl.fma(p, z, 0.07692282586957468)
        p = tl.fma(p, z, -0.09090908136390792)
        p = tl.fma(p, z, 0.1111111108793529)
        p = tl.fma(p, z, -0.1428571428538381)
        p = tl.fma(p, z, 0.19999999999997634)
        p = tl.fma(p, z, -0.33333333333333326)
        quarter: tl.constexpr = 0.7853981633974483
        rest: tl.constexpr = 3.061616997868383e-17
    tail = tl.fma(t * z, p, dt)
    # k * pi/4 plus or minus that.
    k = tl.where(middle, 1.0, tl.where(steep, 2.0, 0.0)) + t * 0.0
    k = tl.where(obtuse, 4.0 - k, k)
    minus = steep != obtuse
    t = tl.where(minus, -t, t)
    tail = tl.where(minus, -tail, tail)
    base = k * quarter
    lost = tl.fma(k, quarter, -base) + k * rest
    sum = base + t
    return sum + (((base - sum) + t) + (tail + lost))


@triton.jit
def _is_negative(x):
    """Whether the sign bit is set."""
    if x.dtype == tl.float32:
        return x.to(tl.int32, bitcast=True) < 0
    else:
        return x.to(tl.int64, bitcast=True) < 0


@triton.jit
def _atan(x):
    """Inverse tangent, 1 ulp."""
    a = tl.abs(x)
    y = _arctan_ratio(a, a * 0.0 + 1.0, a < 0.0)
    y = tl.where(a == float("inf"), 1.5707963267948966, y)
    return tl.where((x == 0.0) | (x != x), x, tl.math.copysign(y, x))


@triton.jit
def _atan2(y, x):
    """Angle of the point (x, y), 1 ulp, with C's special cases."""
    r = _arctan_ratio(tl.abs(y), tl.abs(x), _is_negative(x))
    return tl.where((x != x) | (y != y), float("nan"), tl.math.copysign(r, y))


@triton.jit
def _asin(x):
    """Inverse sine, 2 ulp."""
    a = tl.abs(x)
    y = _arctan_ratio(a, tl.sqrt_rn(tl.fma(-a, a, 1.0)), a < 0.0)
    y = tl.where(a > 1.0, float("nan"), y)
    return tl.where((x == 0.0) | (x != x), x, tl.math.copysign(y, x))


@triton.jit
def _acos(x):
    """Inverse cosine, 2 ulp."""
    a = tl.abs(x)
    y = _arctan_ratio(tl.sqrt_rn(tl.fma(-a, a, 1.0)), a, x < 0.0)
    return tl.where(a <= 1.0, y, float("nan"))


@triton.jit
def _rescaled(x, large, small, down, up):
    return tl.where(large, x * down, tl.where(small, x * up, x))


@triton.jit
def _cbrt(x):
    """Cube root, 1 ulp."""
    a = tl.abs(x)
    if x.dtype == tl.float32:
        small = a < 1.1754943508222875e-38
        large = a > 1e37
        a = _rescaled(a, large, small, 5.960464477539063e-08, 16777216.0)  # 2**-24, 2**24
        y = (a.to(tl.int32, bitcast=True) // 3 + 709958130).to(tl.float32, bitcast=True)
        up: tl.constexpr = 256.0
    else:
        small = a < 2.2250738585072014e-308
        large = a > 1e300
        a = _rescaled(a, large, small, 5.551115123125783e-17, 18014398509481984.0)  # 2**-54, 2**54
        y = (a.to(tl.int64, bitcast=True) // 3 + 3071306043645493248).to(tl.float64, bitcast=True)
        up: tl.constexpr = 262144.0
    # The division of the exponent by 3 is within 6 %; Halley's iteration triples the digits.
    for _ in tl.static_range(2 if x.dtype == tl.float32 else 3):
        cube = y * y * y
        y = y * tl.div_rn(cube + 2.0 * a, 2.0 * cube + a)
    square = y * y
    lost = tl.fma(y, y, -square)
    cube = square * y
    lost = tl.fma(square, y, -cube) + lost * y
    y = y - tl.div_rn((cube - a) + lost, 3.0 * square)
    y = _rescaled(y, large, small, up, 1.0 / up)
    return tl.where((x == 0.0) | (x != x) | (tl.abs(x) == float("inf")), x, tl.math.copysign(y, x))


@triton.jit
def _rcbrt(x):
    """1 / cbrt(x), 1 ulp."""
    return tl.div_rn(1.0, _cbrt(x))


@triton.jit
def _norm(a, b, c, d, inverse: tl.constexpr):
    """sqrt(a**2 + b**2 + c**2 + d**2), 2 ulp, or 1 over it; infinite, or 0, where one of them is infinite."""
    inf = float("inf")
    most = tl.maximum(tl.maximum(a, b), tl.maximum(c, d))
    if a.dtype == tl.float32:
        large = most > 1e18
        small = most < 1e-10
        down: tl.constexpr = 8.271806125530277e-25  # 2**-80
        up: tl.constexpr = 1.2089258196146292e24
    else:
        large = most > 1e150
        small = most < 1e-140
        down: tl.constexpr = 2.409919865102884e-181  # 2**-600
        up: tl.constexpr = 4.149515568880993e180
    a = _rescaled(a, large, small, down, up)
    b = _rescaled(b, large, small, down, up)
    c = _rescaled(c, large, small, down, up)
    d = _rescaled(d, large, small, down, up)
    y = tl.sqrt_rn(tl.fma(a, a, tl.fma(b, b, tl.fma(c, c, d * d))))
    if inverse:
        return tl.where(most == inf, 0.0, _rescaled(tl.div_rn(1.0, y), large, small, down, up))
    else:
        return tl.where(most == inf, inf, _rescaled(y, large, small, up, down))


@triton.jit
def _norm2d(x, y, inverse: tl.constexpr):
    a = tl.abs(x)
    b = tl.abs(y)
    zero = tl.where(a == a, 0.0, a)
    # The larger square is the one that is rounded once.
    return _norm(tl.where(a > b, a, b), tl.where(a > b, b, a), zero, zero, inverse)


@triton.jit
def _hypot(x, y):
    """sqrt(x**2 + y**2), 1 ulp."""
    return _norm2d(x, y, False)


@triton.jit
def _rhypot(x, y):
    """1 / hypot(x, y), 2 ulp."""
    return _norm2d(x, y, True)


@triton.jit
def _norm3d(x, y, z):
    """Length of a vector of three, 2 ulp."""
    return _norm(tl.abs(x), tl.abs(y), tl.abs(z), x * 0.0, False)


@triton.jit
def _rnorm3d(x, y, z):
    """1 / norm3d(x, y, z), 2 ulp."""
    return _norm(tl.abs(x), tl.abs(y), tl.abs(z), x * 0.0, True)


@triton.jit
def _norm4d(x, y, z, w):
    """Length of a vector of four, 2 ulp."""
    return _norm(tl.abs(x), tl.abs(y), tl.abs(z), tl.abs(w), False)


@triton.jit
def _rnorm4d(x, y, z, w):
    """1 / norm4d(x, y, z, w), 2 ulp."""
    return _norm(tl.abs(x), tl.abs(y), tl.abs(z), tl.abs(w), True)
