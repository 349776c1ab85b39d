"""The f64 functions of the kernel language; math.py has the f32 ones and says what holds for both.

f64 has no exp2 instruction anywhere, so exp2 is here too; everything builds on fma, division, floor and integer operations.
"""

import triton
import triton.language as tl


@triton.jit
def _scale_f64(y, n):
    """y * 2**n for |n| <= 2100, n a whole f64; in two steps, so that it rounds once even to a denormal."""
    i = n.to(tl.int64)
    half = i >> 1
    rest = i - half
    y = y * ((half + 1023) << 52).to(tl.float64, bitcast=True)
    return y * ((rest + 1023) << 52).to(tl.float64, bitcast=True)


@triton.jit
def _exp_sum_f64(hi, lo):
    """e**(hi + lo), 1 ulp, for |lo| far below |hi|."""
    n = tl.floor(hi * 1.4426950408889634 + 0.5)
    n = tl.where(n > 1030.0, 1030.0, tl.where(n < -1080.0, -1080.0, n))
    r = tl.fma(n, -0.6931471805599453, hi)
    r = r + tl.fma(n, -2.3190468138462996e-17, lo)
    p = tl.fma(r, 2.0826580748412224e-09, 2.511206602878828e-08)
    p = tl.fma(p, r, 2.755758217876728e-07)
    p = tl.fma(p, r, 2.7557234780072286e-06)
    p = tl.fma(p, r, 2.48015869259931e-05)
    p = tl.fma(p, r, 0.0001984126989646375)
    p = tl.fma(p, r, 0.001388888888911612)
    p = tl.fma(p, r, 0.008333333333317003)
    p = tl.fma(p, r, 0.041666666666666095)
    p = tl.fma(p, r, 0.16666666666666682)
    p = tl.fma(p, r, 0.5)
    y = 1.0 + tl.fma(r * r, p, r)
    y = _scale_f64(y, n)
    y = tl.where(hi > 709.8, float("inf"), tl.where(hi < -745.2, 0.0, y))
    return tl.where(hi != hi, hi, y)


@triton.jit
def exp_f64(x):
    """e**x, 1 ulp."""
    return _exp_sum_f64(x, x * 0.0)


@triton.jit
def exp2_f64(x):
    """2**x, 1 ulp."""
    n = tl.floor(x + 0.5)
    n = tl.where(n > 1030.0, 1030.0, tl.where(n < -1080.0, -1080.0, n))
    r = x - n
    p = tl.fma(r, 2.5623443985091138e-11, 4.45662761599138e-10)
    p = tl.fma(p, r, 7.0549768481988814e-09)
    p = tl.fma(p, r, 1.0178051520776199e-07)
    p = tl.fma(p, r, 1.321548658452838e-06)
    p = tl.fma(p, r, 1.5252733855474858e-05)
    p = tl.fma(p, r, 0.00015403530393662078)
    p = tl.fma(p, r, 0.0013333558146391246)
    p = tl.fma(p, r, 0.009618129107628309)
    p = tl.fma(p, r, 0.055504108664821694)
    p = tl.fma(p, r, 0.24022650695910072)
    p = tl.fma(p, r, 0.6931471805599453)
    y = _scale_f64(tl.fma(r, p, 1.0), n)
    y = tl.where(x >= 1024.0, float("inf"), tl.where(x < -1075.0, 0.0, y))
    return tl.where(x != x, x, y)


@triton.jit
def _log_sum_f64(x):
    """log(x) for positive finite x as an unrounded sum hi + lo, about 2**-64 relative error."""
    small = x < 2.2250738585072014e-308
    scaled = tl.where(small, x * 18014398509481984.0, x)
    bits = scaled.to(tl.int64, bitcast=True)
    k = (bits - 0x3FE5555555555555) >> 52
    m = (bits - (k << 52)).to(tl.float64, bitcast=True)
    n = k.to(tl.float64) - tl.where(small, 54.0, 0.0)
    # log(m) = 2 atanh(s), s = (m - 1) / (m + 1), here as s + ds.
    f = m - 1.0
    g = m + 1.0
    dg = m - (g - 1.0)
    s = f / g
    ds = (tl.fma(-s, g, f) - s * dg) / g
    # 2/3 s**3 in two parts; the rest of the series needs one.
    z = s * s
    dz = tl.fma(s, s, -z) + 2.0 * s * ds
    t = z * s
    dt = tl.fma(z, s, -t) + tl.fma(dz, s, z * ds)
    a = t * 0.6666666666666666
    da = tl.fma(t, 0.6666666666666666, -a) + tl.fma(dt, 0.6666666666666666, t * 3.700743415417188e-17)
    p = tl.fma(z, 0.1221213974923563, 0.11650648579625818)
    p = tl.fma(p, z, 0.1333729320493856)
    p = tl.fma(p, z, 0.15384539657918353)
    p = tl.fma(p, z, 0.18181818966060456)
    p = tl.fma(p, z, 0.22222222218239532)
    p = tl.fma(p, z, 0.2857142857143627)
    p = tl.fma(p, z, 0.39999999999999997)
    rest = tl.fma(t * z, p, da + 2.0 * ds)
    # n log(2) + 2 s + a, largest first.
    head = n * 0.6931471805599453
    dhead = tl.fma(n, 0.6931471805599453, -head) + n * 2.3190468138462996e-17
    b = 2.0 * s
    u = head + b
    v = u - head
    du = (head - (u - v)) + (b - v)
    w = u + a
    v = w - u
    dw = (u - (w - v)) + (a - v)
    lo = (dw + du) + (dhead + rest)
    sum = w + lo
    return sum, (w - sum) + lo


@triton.jit
def _log_domain_f64(x, y):
    y = tl.where(x == 0.0, float("-inf"), y)
    y = tl.where(x < 0.0, float("nan"), y)
    return tl.where((x == float("inf")) | (x != x), x, y)


@triton.jit
def log_f64(x):
    """Natural logarithm, 1 ulp."""
    hi, lo = _log_sum_f64(x)
    return _log_domain_f64(x, hi)


@triton.jit
def log2_f64(x):
    """Logarithm to base 2, 1 ulp."""
    hi, lo = _log_sum_f64(x)
    y = hi * 1.4426950408889634
    rest = tl.fma(hi, 1.4426950408889634, -y)
    rest = tl.fma(lo, 1.4426950408889634, tl.fma(hi, 2.0355273740931033e-17, rest))
    return _log_domain_f64(x, y + rest)


@triton.jit
def pow_f64(x, y):
    """x**y, 1 ulp, with C's special cases."""
    a = tl.abs(x)
    hi, lo = _log_sum_f64(a)
    p = y * hi
    rest = tl.fma(y, lo, tl.fma(y, hi, -p))
    r = _exp_sum_f64(p, tl.where(tl.abs(p) < 800.0, rest, 0.0))
    inf = float("inf")
    grows = (a == inf) == (y > 0.0)
    r = tl.where((a == 0.0) | (a == inf), tl.where(grows, inf, 0.0), r)
    r = tl.where(tl.abs(y) == inf, tl.where((a > 1.0) == (y > 0.0), inf, 0.0), r)
    whole = tl.floor(y) == y
    half = y * 0.5
    odd = whole & (tl.floor(half) != half)
    negative = x.to(tl.int64, bitcast=True) < 0
    r = tl.where(negative & odd, r * -1.0, r)  # -r would be 0 - r
    r = tl.where((x < 0.0) & (x != -inf) & (whole == 0), float("nan"), r)
    r = tl.where((x != x) | (y != y), float("nan"), r)
    r = tl.where((x == -1.0) & (tl.abs(y) == inf), 1.0, r)
    return tl.where((y == 0.0) | (x == 1.0), 1.0, r)


@triton.jit
def tanh_f64(x):
    """Hyperbolic tangent, 3 ulp."""
    a = tl.abs(x)
    z = x * x
    p = tl.fma(z, 7.971882172908798e-05, -0.00023564392855158326)
    p = tl.fma(p, z, 0.0005896221237960006)
    p = tl.fma(p, z, -0.0014558050403166748)
    p = tl.fma(p, z, 0.0035921266762809893)
    p = tl.fma(p, z, -0.00886323548976968)
    p = tl.fma(p, z, 0.02186948853542954)
    p = tl.fma(p, z, -0.05396825396824656)
    p = tl.fma(p, z, 0.1333333333333333)
    p = tl.fma(p, z, -0.3333333333333333)
    near = tl.fma(x * z, p, x)
    far = 1.0 - 2.0 / (exp_f64(2.0 * a) + 1.0)
    return tl.where(x == 0.0, x, tl.where(a < 0.3, near, tl.where(x < 0.0, -far, far)))


@triton.jit
def _erf_near_f64(x):
    """erf(x) for |x| < 0.85."""
    z = x * x
    p = tl.fma(z, -8.840359929754712e-10, 1.4190836952085114e-08)
    p = tl.fma(p, z, -1.6300710929152e-07)
    p = tl.fma(p, z, 1.6457697335824332e-06)
    p = tl.fma(p, z, -1.4925451345534596e-05)
    p = tl.fma(p, z, 0.0001205532698057341)
    p = tl.fma(p, z, -0.0008548326904091381)
    p = tl.fma(p, z, 0.005223977623935442)
    p = tl.fma(p, z, -0.026866170645018946)
    p = tl.fma(p, z, 0.11283791670954693)
    p = tl.fma(p, z, -0.3761263890318375)
    p = tl.fma(p, z, 0.1283791670955126)
    return tl.fma(x, p, x)


@triton.jit
def erf_f64(x):
    """Error function, 2 ulp: a fit in x**2 near 0, elsewhere 1 - exp of fits of log(erfc) on three ranges."""
    a = tl.minimum(tl.abs(x), 5.95)  # erf(5.95) rounds to 1
    u = a - 1.425
    q = tl.fma(u, -1.5579266080115364e-09, 4.041810872900672e-09)
    q = tl.fma(q, u, -4.0067431746929956e-09)
    q = tl.fma(q, u, -2.5539258846733505e-08)
    q = tl.fma(q, u, 2.1670180546022335e-07)
    q = tl.fma(q, u, -9.877627560811586e-07)
    q = tl.fma(q, u, 3.0470654320856774e-06)
    q = tl.fma(q, u, -4.468239458641785e-06)
    q = tl.fma(q, u, -2.036198205688929e-05)
    q = tl.fma(q, u, 0.00022725544189578287)
    q = tl.fma(q, u, -0.0013569823891813376)
    q = tl.fma(q, u, 0.006496749783245109)
    q = tl.fma(q, u, -0.027698729677928205)
    q = tl.fma(q, u, -0.8866217637952316)
    q = tl.fma(q, u, -3.3753508729432413)
    q = tl.fma(q, u, -3.12634204363909)
    u = a - 2.8
    r = tl.fma(u, 5.736526552139233e-10, -1.2841954241717785e-09)
    r = tl.fma(r, u, 2.5525986230381303e-09)
    r = tl.fma(r, u, 7.802256503733281e-09)
    r = tl.fma(r, u, -1.5626101827570264e-07)
    r = tl.fma(r, u, 1.3338237079212444e-06)
    r = tl.fma(r, u, -9.033084234406102e-06)
    r = tl.fma(r, u, 5.43363623881773e-05)
    r = tl.fma(r, u, -0.00030387471429647785)
    r = tl.fma(r, u, 0.001626969391448955)
    r = tl.fma(r, u, -0.00860012846457968)
    r = tl.fma(r, u, -0.9526015500887983)
    r = tl.fma(r, u, -5.92173078598677)
    r = tl.fma(r, u, -9.497846531028847)
    u = a - 4.775
    s = tl.fma(u, -1.914047673955243e-12, 3.056897214120922e-11)
    s = tl.fma(s, u, -2.362713913545551e-10)
    s = tl.fma(s, u, 2.0521472885444606e-09)
    s = tl.fma(s, u, -1.611172916187777e-08)
    s = tl.fma(s, u, 1.2172697511010293e-07)
    s = tl.fma(s, u, -8.930181265656344e-07)
    s = tl.fma(s, u, 6.424422838350649e-06)
    s = tl.fma(s, u, -4.581018837829256e-05)
    s = tl.fma(s, u, 0.0003284549867984083)
    s = tl.fma(s, u, -0.0024264541622050838)
    s = tl.fma(s, u, -0.9805238600545915)
    s = tl.fma(s, u, -9.751110199755347)
    s = tl.fma(s, u, -24.95722390753377)
    far = 1.0 - exp_f64(tl.where(a < 2.0, q, tl.where(a < 3.6, r, s)))
    y = tl.where(a < 0.85, _erf_near_f64(x), tl.where(x < 0.0, -far, far))
    return tl.where(x != x, x, y)
