"""Exponentials, logarithms and hyperbolic functions beside those of math.py and math_f64.py.

One source serves both widths: what differs are constants and fits. All divisions and square roots are correctly rounded
ones, and no exp2 instruction is used, so every target gives the same bits.
"""

import triton
import triton.language as tl


@triton.jit
def _expm1_fit(r):
    """(e**r - 1 - r) / r**2 for |r| <= log(2) / 2."""
    if r.dtype == tl.float32:
        p = tl.fma(r, 0.0001984593937, 0.001394063092)
        p = tl.fma(p, r, 0.008333389236)
        p = tl.fma(p, r, 0.04166636085)
        p = tl.fma(p, r, 0.1666666637)
        p = tl.fma(p, r, 0.5000000044)
    else:
        p = tl.fma(r, 2.087520760790702e-09, 2.5108976228661354e-08)
        p = tl.fma(p, r, 2.7557403030391747e-07)
        p = tl.fma(p, r, 2.755724438136513e-06)
        p = tl.fma(p, r, 2.4801587172095988e-05)
        p = tl.fma(p, r, 0.00019841269885959058)
        p = tl.fma(p, r, 0.001388888888896259)
        p = tl.fma(p, r, 0.008333333333321695)
        p = tl.fma(p, r, 0.04166666666666651)
        p = tl.fma(p, r, 0.16666666666666677)
        p = tl.fma(p, r, 0.5)
    return p


@triton.jit
def _power_of_two(n, like):
    """2**n in the type of `like`, for a whole number n within the exponents of its normal numbers."""
    if like.dtype == tl.float32:
        return ((n.to(tl.int32) + 127) << 23).to(tl.float32, bitcast=True)
    else:
        return ((n.to(tl.int64) + 1023) << 52).to(tl.float64, bitcast=True)


@triton.jit
def _scale(y, n):
    """y * 2**n for a whole number n up to twice the exponents' range, in two steps."""
    half = tl.floor(n * 0.5)
    return y * _power_of_two(half, y) * _power_of_two(n - half, y)


@triton.jit
def _exp_parts(hi, lo):
    """e**(hi + lo) = 2**n * (1 + e + rest), for |lo| far below |hi|: n, e, rest. n is kept within the exponents."""
    n = tl.floor(hi * 1.4426950408889634 + 0.5)
    if hi.dtype == tl.float32:
        n = tl.where(n > 131.0, 131.0, tl.where(n < -155.0, -155.0, n))
        r = tl.fma(n, -0.6931471824645996, hi)
        w = n * -1.904654299957768e-09
    else:
        n = tl.where(n > 1030.0, 1030.0, tl.where(n < -1080.0, -1080.0, n))
        r = tl.fma(n, -0.6931471805599453, hi)
        w = n * 2.3190468138462996e-17
    w = w - lo
    s = r - w
    rest = (r - s) - w
    q = tl.fma(s * s, _expm1_fit(s), rest)
    e = s + q
    return n, e, (s - e) + q


@triton.jit
def _expm1(x):
    """e**x - 1, 1 ulp."""
    n, e, rest = _exp_parts(x, x * 0.0)
    # 2**n * (1 - 2**-n + e); beyond 2**60 the middle term is nothing.
    m = tl.where(n > 60.0, 60.0, tl.where(n < -60.0, -60.0, n))
    t = 1.0 - tl.where(n > 60.0, 0.0, _power_of_two(-m, x))
    a = t + e
    y = _scale(a + (((t - a) + e) + rest), n)
    limit: tl.constexpr = 88.8 if x.dtype == tl.float32 else 709.8
    y = tl.where(x > limit, float("inf"), tl.where(x < -40.0, -1.0, y))
    return tl.where((x == 0.0) | (x != x), x, y)


@triton.jit
def _exp10(x):
    """10**x, 1 ulp."""
    if x.dtype == tl.float32:
        a = tl.where(x > 39.0, 39.0, tl.where(x < -46.0, -46.0, x))
        hi = a * 2.3025851249694824
        lo = tl.fma(a, 2.3025851249694824, -hi) + a * -3.197543673785701e-08
    else:
        a = tl.where(x > 310.0, 310.0, tl.where(x < -325.0, -325.0, x))
        hi = a * 2.302585092994046
        lo = tl.fma(a, 2.302585092994046, -hi) + a * -2.1707562233822494e-16
    n, e, rest = _exp_parts(hi, lo)
    y = 1.0 + e
    return tl.where(x != x, x, _scale(y + (((1.0 - y) + e) + rest), n))


@triton.jit
def _sinh(x):
    """Hyperbolic sine, 1 ulp."""
    z = x * x
    if x.dtype == tl.float32:
        p = tl.fma(z, 2.816952734e-06, 0.0001983615945)
        p = tl.fma(p, z, 0.008333350061)
        p = tl.fma(p, z, 0.166666665)
    else:
        p = tl.fma(z, 7.758749663978037e-13, 1.6057259737477513e-10)
        p = tl.fma(p, z, 2.5052123137161502e-08)
        p = tl.fma(p, z, 2.7557319157068905e-06)
        p = tl.fma(p, z, 0.00019841269841431883)
        p = tl.fma(p, z, 0.008333333333333148)
        p = tl.fma(p, z, 0.16666666666666669)
    near = tl.fma(x * z, p, x)
    a = tl.abs(x)
    n, e, rest = _exp_parts(a, a * 0.0)
    h = 1.0 + e
    v = tl.div_rn(_power_of_two(tl.maximum(-2.0 * n, -120.0), x), h)
    y = h - v
    far = _scale(y + ((((h - y) - v) + ((1.0 - h) + e)) + rest), n - 1.0)
    limit: tl.constexpr = 89.5 if x.dtype == tl.float32 else 710.5
    far = tl.where(a > limit, float("inf"), far)
    y = tl.where(a < 1.0, near, tl.math.copysign(far, x))
    return tl.where(x != x, x, y)


@triton.jit
def _cosh(x):
    """Hyperbolic cosine, 1 ulp."""
    a = tl.abs(x)
    n, e, rest = _exp_parts(a, a * 0.0)
    h = 1.0 + e
    v = tl.div_rn(_power_of_two(tl.maximum(-2.0 * n, -120.0), x), h)
    y = h + v
    far = _scale(y + ((((h - y) + v) + ((1.0 - h) + e)) + rest), n - 1.0)
    limit: tl.constexpr = 89.5 if x.dtype == tl.float32 else 710.5
    far = tl.where(a > limit, float("inf"), far)
    return tl.where(x != x, x, far)


@triton.jit
def _log_sum(x):
    """log(x) as an unrounded sum hi + lo, for positive finite x."""
    if x.dtype == tl.float32:
        hi, lo = _atanh_log_f32(x)
    else:
        hi, lo = _log_sum_f64(x)
    return hi, lo


@triton.jit
def _log1p_sum(u, du):
    """log(1 + u + du), for |du| far below |u| and a positive sum."""
    s = 1.0 + u
    v = s - u
    d = (u - (s - v)) + (1.0 - v)
    hi, lo = _log_sum(s)
    return hi + (lo + tl.div_rn(d + du, s))


@triton.jit
def _log1p(x):
    """log(1 + x), 1 ulp."""
    y = _log1p_sum(x, x * 0.0)
    y = tl.where(x == -1.0, float("-inf"), tl.where(x < -1.0, float("nan"), y))
    return tl.where((x == 0.0) | (x != x) | (x == float("inf")), x, y)


@triton.jit
def _log10(x):
    """Logarithm to base 10, 1 ulp."""
    hi, lo = _log_sum(x)
    if x.dtype == tl.float32:
        y = hi * 0.4342944920063019
        rest = tl.fma(hi, 0.4342944920063019, -y)
        rest = tl.fma(lo, 0.4342944920063019, tl.fma(hi, -1.0103050052231683e-08, rest))
        return _log_domain_f32(x, y + rest)
    else:
        y = hi * 0.4342944819032518
        rest = tl.fma(hi, 0.4342944819032518, -y)
        rest = tl.fma(lo, 0.4342944819032518, tl.fma(hi, 1.098319650216765e-17, rest))
        return _log_domain_f64(x, y + rest)


@triton.jit
def _log_of_twice(x, large):
    """log(2 x) of large finite x."""
    hi, lo = _log_sum(tl.where(large, x, 1.0))
    return hi + (lo + 0.6931471805599453)


@triton.jit
def _asinh(x):
    """Inverse hyperbolic sine, 2 ulp."""
    a = tl.abs(x)
    large = (a > 1e9) & (a < float("inf"))
    b = tl.where(a > 1e9, 1.0, a)
    # log(a + sqrt(a**2 + 1)) = log1p(a + a**2 / (1 + sqrt(a**2 + 1)))
    s = 1.0 + tl.sqrt_rn(tl.fma(b, b, 1.0))
    t = tl.div_rn(b * b, s)
    u = b + t
    y = _log1p_sum(u, (b - u) + t)
    y = tl.where(large, _log_of_twice(a, large), tl.where(a == float("inf"), a, y))
    return tl.where((x == 0.0) | (x != x), x, tl.math.copysign(y, x))


@triton.jit
def _acosh(x):
    """Inverse hyperbolic cosine, 1 ulp."""
    large = (x > 1e9) & (x < float("inf"))
    # log1p(t + s), t = x - 1, s = sqrt(2 t + t**2)
    t = tl.where(x > 1e9, 1.0, x) - 1.0
    v = tl.fma(t, t, 2.0 * t)
    dv = tl.fma(t, t, 2.0 * t - v)
    s = tl.sqrt_rn(v)
    ds = tl.where(s > 0.0, tl.div_rn(tl.fma(-s, s, v) + dv, 2.0 * s), 0.0)
    u = s + t
    y = _log1p_sum(u, ((s - u) + t) + ds)
    y = tl.where(large, _log_of_twice(x, large), tl.where(x == float("inf"), x, y))
    return tl.where(x < 1.0, float("nan"), tl.where(x != x, x, y))


@triton.jit
def _atanh(x):
    """Inverse hyperbolic tangent, 1 ulp."""
    a = tl.abs(x)
    # log1p(2 a / (1 - a)) / 2, the quotient in two parts.
    g = 1.0 - a
    dg = (1.0 - g) - a
    q = tl.div_rn(2.0 * a, g)
    dq = tl.div_rn(tl.fma(-q, g, 2.0 * a) - q * dg, g)
    y = 0.5 * _log1p_sum(q, dq)
    y = tl.where(a == 1.0, float("inf"), tl.where(a > 1.0, float("nan"), y))
    return tl.where((x == 0.0) | (x != x), x, tl.math.copysign(y, x))
