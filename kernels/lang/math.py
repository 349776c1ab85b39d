"""The math functions of the kernel language, for CPU and GPU alike.

Every function here is written in the kernel language itself and inlined where a kernel calls `tl.exp`,
`tl.sin`, `libdevice.tanh` and so on; `NAME_f32` serves f32 (and f16 and bf16, which are computed in f32). They build
on what each target has as an instruction: tl.exp2, tl.sqrt, tl.floor, tl.fma, division, and integer operations.

Bounds are in units in the last place (ulp) of the result, over all finite arguments. They hold where exp2, division and
sqrt are correctly rounded or within 1 ulp; on a GPU exp2.approx adds up to 2 ulp to exp, tanh, erf and pow. Polynomials
are minimax fits (Remez) of the functions named beside them. NaN gives NaN; infinities and zeros as in C's Annex F.
"""

import triton
import triton.language as tl


@triton.jit
def exp_f32(x):
    """e**x, 1 ulp. exp2 of t = x * log2(e), rounded, times e**(x - t * log(2)), which is nearly 1."""
    # Where the result is 0, and the first float where it is inf: between them nothing below is infinite but y.
    x = tl.clamp(x, -104.0, 88.72283935546875, propagate_nan=tl.PropagateNan.ALL)
    t = x * 1.4426950408889634
    rest = tl.fma(t, -0.6931471824645996, x)
    rest = tl.fma(t, 1.904654212126e-09, rest)  # f32(log(2)) - log(2)
    y = tl.exp2(t)
    return tl.fma(y, rest, y)


@triton.jit
def _normalize_f32(x):
    """x = m * 2**k with m in [2/3, 4/3), for positive finite x: m, k (as f32)."""
    small = x < 1.1754943508222875e-38
    scaled = tl.where(small, x * 8388608.0, x)
    bits = scaled.to(tl.int32, bitcast=True)
    k = (bits - 0x3F2AAAAB) >> 23
    m = (bits - (k << 23)).to(tl.float32, bitcast=True)
    return m, k.to(tl.float32) - tl.where(small, 23.0, 0.0)


@triton.jit
def _log_domain_f32(x, y):
    """y for positive finite x, else what every logarithm gives."""
    y = tl.where(x == 0.0, float("-inf"), y)
    y = tl.where(x < 0.0, float("nan"), y)
    return tl.where((x == float("inf")) | (x != x), x, y)


@triton.jit
def _log1p_kernel_f32(f):
    """log(1 + f) - f for f in [-1/3, 1/3]: f**2 times a fit of degree 8."""
    p = tl.fma(f, -0.12948866883506668, 0.14004649374512443)
    p = tl.fma(p, f, -0.12167174585326006)
    p = tl.fma(p, f, 0.14001183080988322)
    p = tl.fma(p, f, -0.1668230446060166)
    p = tl.fma(p, f, 0.2001074622952465)
    p = tl.fma(p, f, -0.24999717483251704)
    p = tl.fma(p, f, 0.333332084401695)
    p = tl.fma(p, f, -0.5000000120749046)
    return f * f * p


@triton.jit
def log_f32(x):
    """Natural logarithm, 1 ulp."""
    m, k = _normalize_f32(x)
    f = m - 1.0
    tail = tl.fma(k, -1.904654299957768e-09, _log1p_kernel_f32(f))  # log(2) - f32(log(2))
    # k * log(2) + f, with the rounding of the larger term given back.
    head = k * 0.6931471824645996
    sum = head + f
    lost = tl.fma(k, 0.6931471824645996, -head) + ((head - sum) + f)
    return _log_domain_f32(x, sum + (tail + lost))


@triton.jit
def log2_f32(x):
    """Logarithm to base 2, 2 ulp."""
    m, k = _normalize_f32(x)
    f = m - 1.0
    tail = _log1p_kernel_f32(f)
    # (f + tail) * log2(e), the product of f in two parts.
    head = f * 1.4426950216293335
    rest = tl.fma(f, 1.4426950216293335, -head)
    rest = tl.fma(f, 1.925963033500e-08, rest)
    rest = tl.fma(tail, 1.4426950408889634, rest)
    sum = k + head
    lost = tl.where(k == 0.0, 0.0, (k - sum) + head)
    return _log_domain_f32(x, sum + (rest + lost))


@triton.jit
def _atanh_log_f32(x):
    """log(x) as an unrounded sum hi + lo with about 2**-40 relative error, for positive finite x."""
    m, k = _normalize_f32(x)
    # log(m) = 2 atanh(s), s = (m - 1) / (m + 1), here as s + ds.
    f = m - 1.0
    g = m + 1.0
    s = f / g
    dg = m - (g - 1.0)
    ds = (tl.fma(-s, g, f) - s * dg) / g
    z = s * s
    p = tl.fma(z, 0.2376682690865868, 0.2853173128082997)
    p = tl.fma(p, z, 0.4000032409610401)
    p = tl.fma(p, z, 0.6666666625395148)
    # s**3 * p with the bits that z and the product lost: 2/3 s**3 is what counts.
    tail = tl.fma(z * s, p, 2.0 * ds)
    head = k * 0.6931471824645996
    head_lost = tl.fma(k, 0.6931471824645996, -head)
    a = 2.0 * s
    hi = head + a
    b = hi - head
    lo = (head - (hi - b)) + (a - b)
    lo = lo + tl.fma(k, -1.904654299957768e-09, head_lost) + tail
    sum = hi + lo
    return sum, (hi - sum) + lo


@triton.jit
def _exp_sum_f32(hi, lo):
    """e**(hi + lo), 1 ulp, for |lo| far below |hi|; finite up to the largest float."""
    t = hi * 1.4426950408889634
    rest = tl.fma(hi, 1.4426950408889634, -t)
    rest = tl.fma(hi, 1.925963033500e-08, rest)
    rest = tl.fma(lo, 1.4426950408889634, rest)
    # exp2(t) may overflow where the sum does not: a factor of 4 is kept out of it.
    big = t > 126.0
    y = tl.exp2(tl.where(big, t - 2.0, t))
    y = tl.where((y > 0.0) & (y < float("inf")), tl.fma(y, rest * 0.6931471805599453, y), y)
    return tl.where(big, y * 4.0, y)


@triton.jit
def pow_f32(x, y):
    """x**y, 2 ulp, with C's special cases."""
    a = tl.abs(x)
    hi, lo = _atanh_log_f32(a)
    # exp(y * (hi + lo)), the product in two parts.
    p = y * hi
    rest = tl.fma(y, hi, -p)
    rest = tl.fma(y, lo, rest)
    r = _exp_sum_f32(p, rest)
    # Zero and infinite bases and exponents.
    inf = float("inf")
    zero_or_inf = (a == 0.0) | (a == inf)
    grows = (a == inf) == (y > 0.0)
    r = tl.where(zero_or_inf, tl.where(grows, inf, 0.0), r)
    r = tl.where(tl.abs(y) == inf, tl.where((a > 1.0) == (y > 0.0), inf, 0.0), r)
    # Negative bases: the sign is that of an odd integer exponent, NaN for one that is no integer.
    whole = tl.floor(y) == y
    half = y * 0.5
    odd = whole & (tl.floor(half) != half)
    negative = x.to(tl.int32, bitcast=True) < 0
    r = tl.where(negative & odd, r * -1.0, r)  # -r would be 0 - r
    r = tl.where((x < 0.0) & (x != -inf) & (whole == 0), float("nan"), r)
    r = tl.where((x != x) | (y != y), float("nan"), r)
    r = tl.where((x == -1.0) & (tl.abs(y) == inf), 1.0, r)
    return tl.where((y == 0.0) | (x == 1.0), 1.0, r)


@triton.jit
def tanh_f32(x):
    """Hyperbolic tangent, 2 ulp."""
    a = tl.abs(x)
    # Near 0, x + x**3 times a fit; elsewhere 1 - 2 / (e**2a + 1).
    z = x * x
    p = tl.fma(z, -0.005905866206576662, 0.02080538267227345)
    p = tl.fma(p, z, -0.05378668300088999)
    p = tl.fma(p, z, 0.13331958236091315)
    p = tl.fma(p, z, -0.33333299271835337)
    near = tl.fma(x * z, p, x)
    far = 1.0 - 2.0 / (exp_f32(2.0 * a) + 1.0)
    return tl.where(x == 0.0, x, tl.where(a < 0.6, near, tl.where(x < 0.0, -far, far)))


@triton.jit
def _erf_near_f32(x):
    """erf(x) for |x| < 0.92."""
    z = x * x
    p = tl.fma(z, 8.362281035195971e-05, -0.0008141473214697235)
    p = tl.fma(p, z, 0.0052009892443906774)
    p = tl.fma(p, z, -0.02685941312936143)
    p = tl.fma(p, z, 0.11283696488301899)
    p = tl.fma(p, z, -0.3761263386090347)
    p = tl.fma(p, z, 0.12837916665913518)
    return tl.fma(x, p, x)


@triton.jit
def erf_f32(x):
    """Error function, 2 ulp."""
    a = tl.minimum(tl.abs(x), 4.0)  # erf(4) rounds to 1
    # 1 - erfc, with a fit of log(erfc(a)) on [0.92, 4].
    q = tl.fma(a, -2.1096258087840686e-05, 0.00043447645620518403)
    q = tl.fma(q, a, -0.004171129393045288)
    q = tl.fma(q, a, 0.025119600078358242)
    q = tl.fma(q, a, -0.10828035289452162)
    q = tl.fma(q, a, -0.6333466705140591)
    q = tl.fma(q, a, -1.1295150451800118)
    q = tl.fma(q, a, 0.00017470785399694629)
    far = 1.0 - exp_f32(q)
    r = tl.where(tl.abs(x) < 0.92, _erf_near_f32(x), tl.where(x < 0.0, -far, far))
    return tl.where(x != x, x, r)


@triton.jit
def _two_over_pi_f32(i: tl.constexpr):
    """Word i of the binary fraction 2/pi, 32 bits each, the first after one word of zeros."""
    words: tl.constexpr = (
        0x00000000, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB,
    )  # fmt: skip
    return words[i]


@triton.jit
def _reduce_f32(x):
    """x = q * pi/2 + r + dr with |r| <= pi/4: q modulo 4 (i32), r, dr. NaN and infinities give NaN."""
    a = tl.abs(x)
    # Up to 2**16: three parts of pi/2, fused; the first difference is exact.
    n = tl.floor(tl.fma(a, 0.6366197723675814, 0.5))
    first = tl.fma(n, -1.5707963705062866, a)
    part = n * -4.371138828673793e-08
    r = first - part
    dr = ((first - r) - part) - tl.fma(n, -4.371138828673793e-08, -part) + n * 1.7151245100058819e-15
    # Beyond: the product of the 24-bit mantissa and the 96 bits of 2/pi that matter for this exponent.
    bits = a.to(tl.int32, bitcast=True)
    exponent = tl.maximum((bits >> 23) - 120, 0)  # bits of 2/pi before it give multiples of 4
    word = exponent >> 5
    shift = (exponent & 31).to(tl.int64)
    mantissa = ((bits & 0x7FFFFF) | 0x800000).to(tl.int64)
    w0 = bits.to(tl.int64) * 0
    w1 = w0
    w2 = w0
    w3 = w0
    for i in tl.static_range(5):
        w0 = tl.where(word == i, _two_over_pi_f32(i), w0)
        w1 = tl.where(word == i, _two_over_pi_f32(i + 1), w1)
        w2 = tl.where(word == i, _two_over_pi_f32(i + 2), w2)
        w3 = tl.where(word == i, _two_over_pi_f32(i + 3), w3)
    back = 32 - shift
    h0 = ((w0 << shift) | (w1 >> back)) & 0xFFFFFFFF
    h1 = ((w1 << shift) | (w2 >> back)) & 0xFFFFFFFF
    h2 = ((w2 << shift) | (w3 >> back)) & 0xFFFFFFFF
    # mantissa * h modulo 4, as a fixed-point number with 62 bits after the point.
    product = (mantissa * h0 << 32) + mantissa * h1 + ((mantissa * h2) >> 32)
    quarter = (product + (1 << 61)) >> 62
    fraction = product - (quarter << 62)
    # fraction * pi/2 * 2**-62, fraction in two floats.
    high = fraction.to(tl.float32)
    low = (fraction - high.to(tl.int64)).to(tl.float32)
    # pi/2 * 2**-62 as c + dc
    rest = tl.fma(low, 3.4061215800865545e-19, high * -9.47839680047608e-27)
    big_r = tl.fma(high, 3.4061215800865545e-19, rest)
    big_dr = tl.fma(high, 3.4061215800865545e-19, -big_r) + rest
    large = a > 65536.0
    q = tl.where(large, quarter.to(tl.int32), n.to(tl.int32))
    r = tl.where(large, big_r, r)
    dr = tl.where(large, big_dr, dr)
    negative = x < 0.0
    r = tl.where(negative, -r, r)
    dr = tl.where(negative, -dr, dr)
    q = tl.where(negative, -q, q)
    return q & 3, tl.where(a < float("inf"), r, float("nan")), dr


@triton.jit
def _sin_fit_f32(z):
    """(sin(r) - r) / r**3 for z = r**2."""
    p = tl.fma(z, 2.7179401027578017e-06, -0.0001983929615547359)
    p = tl.fma(p, z, 0.008333329266816064)
    return tl.fma(p, z, -0.16666666640613836)


@triton.jit
def _cos_fit_f32(z):
    """(cos(r) - 1 + r**2 / 2) / r**4 for z = r**2."""
    p = tl.fma(z, -2.7206789411231674e-07, 2.479947864322605e-05)
    p = tl.fma(p, z, -0.001388888359834683)
    return tl.fma(p, z, 0.041666666621053214)


@triton.jit
def _sin_kernel_f32(r, dr, z):
    return r + tl.fma(r * z, _sin_fit_f32(z), dr)


@triton.jit
def _cos_kernel_f32(z):
    return tl.fma(z * z, _cos_fit_f32(z), tl.fma(z, -0.5, 1.0))


@triton.jit
def sin_f32(x):
    """Sine, 2 ulp for every finite argument."""
    q, r, dr = _reduce_f32(x)
    z = r * r
    y = tl.where((q & 1) == 0, _sin_kernel_f32(r, dr, z), _cos_kernel_f32(z))
    y = tl.where((q & 2) == 0, y, -y)
    return tl.where(x == 0.0, x, y)


@triton.jit
def cos_f32(x):
    """Cosine, 2 ulp for every finite argument."""
    q, r, dr = _reduce_f32(x)
    z = r * r
    y = tl.where((q & 1) == 0, _cos_kernel_f32(z), _sin_kernel_f32(r, dr, z))
    return tl.where(((q + 1) & 2) == 0, y, -y)


@triton.jit
def _tan_of(q, r, dr, sin_fit, cos_fit):
    """tan(q * pi/2 + r + dr) from the fits of sine and cosine, with both and their quotient in two parts."""
    z = r * r
    s = tl.fma(r * z, sin_fit, dr)
    sine = r + s
    dsine = (r - sine) + s
    half = 0.5 * z
    w = 1.0 - half
    c = tl.fma(z * z, cos_fit, (1.0 - w) - half) - (0.5 * tl.fma(r, r, -z) + r * dr)
    cosine = w + c
    dcosine = (w - cosine) + c
    odd = (q & 1) != 0
    n = tl.where(odd, -cosine, sine)
    dn = tl.where(odd, -dcosine, dsine)
    d = tl.where(odd, sine, cosine)
    dd = tl.where(odd, dsine, dcosine)
    t = tl.div_rn(n, d)
    return t + tl.div_rn(tl.fma(-t, d, n) + (dn - t * dd), d)


@triton.jit
def tan_f32(x):
    """Tangent, 1 ulp for every finite argument."""
    q, r, dr = _reduce_f32(x)
    z = r * r
    return tl.where(x == 0.0, x, _tan_of(q, r, dr, _sin_fit_f32(z), _cos_fit_f32(z)))
