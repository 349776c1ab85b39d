"""Error functions and gamma functions.

f32 gamma functions are computed in f64 and rounded; the others have one source for both widths, as in
math_exponential.py.
"""

import triton
import triton.language as tl


@triton.jit
def _erfc(x):
    """Complementary error function, 2 ulp: 1 - erf near 0, else exp(-x**2) / (1 + 2 x) times a fit in (x-3) / (x+3)."""
    if x.dtype == tl.float32:
        most: tl.constexpr = 10.1
        near = 1.0 - _erf_near_f32(x)
        k: tl.constexpr = 3.0
    else:
        most: tl.constexpr = 27.3
        near = 1.0 - _erf_near_f64(x)
        k: tl.constexpr = 3.0
    a = tl.minimum(tl.abs(x), most)
    t = tl.div_rn(a - k, a + k)
    if x.dtype == tl.float32:
        p = tl.fma(t, -0.0001940223431, -0.0006983999892)
        p = tl.fma(p, t, 0.001959837906)
        p = tl.fma(p, t, 0.002509947133)
        p = tl.fma(p, t, -0.02379033259)
        p = tl.fma(p, t, 0.06831001718)
        p = tl.fma(p, t, -0.119271394)
        p = tl.fma(p, t, 0.1296450726)
        p = tl.fma(p, t, -0.04756238589)
        p = tl.fma(p, t, -0.1356211048)
        p = tl.fma(p, t, 0.003008058858)
    else:
        p = tl.fma(t, 2.167991046589906e-09, -6.384906260519395e-09)
        p = tl.fma(p, t, -1.6986365063607176e-08)
        p = tl.fma(p, t, 4.0231389982141075e-08)
        p = tl.fma(p, t, 1.0683397948427827e-07)
        p = tl.fma(p, t, -1.4188104203998537e-07)
        p = tl.fma(p, t, -6.205218261923093e-07)
        p = tl.fma(p, t, 3.580839610376835e-07)
        p = tl.fma(p, t, 3.4743397123344425e-06)
        p = tl.fma(p, t, -7.324461930482556e-07)
        p = tl.fma(p, t, -2.0101206755335003e-05)
        p = tl.fma(p, t, 4.949853615650286e-06)
        p = tl.fma(p, t, 0.00012509949617930317)
        p = tl.fma(p, t, -0.00010515988518522429)
        p = tl.fma(p, t, -0.0007798322938814647)
        p = tl.fma(p, t, 0.0018886903707068681)
        p = tl.fma(p, t, 0.002529391818192423)
        p = tl.fma(p, t, -0.023770514919490622)
        p = tl.fma(p, t, 0.06830802734385658)
        p = tl.fma(p, t, -0.11927366341527917)
        p = tl.fma(p, t, 0.129645158702764)
        p = tl.fma(p, t, -0.04756229435345113)
        p = tl.fma(p, t, -0.1356211061245812)
        p = tl.fma(p, t, 0.0030080582697296077)
    # The fit p + dp is 1.25 + s; over 1 + 2 a it is q + dq.
    s = p
    p = 1.25 + s
    dp = (1.25 - p) + s
    g = 1.0 + 2.0 * a
    dg = tl.where(a < 0.5, (1.0 - g) + 2.0 * a, (2.0 * a - g) + 1.0)
    q = tl.div_rn(p, g)
    dq = tl.div_rn(tl.fma(-q, g, p) + (dp - q * dg), g)
    square = a * a
    n, e, rest = _exp_parts(-square, -tl.fma(a, a, -square))
    h = 1.0 + e
    rest = ((1.0 - h) + e) + rest
    y = h * q
    dy = tl.fma(h, q, -y) + tl.fma(h, dq, rest * q)
    far = _scale(y + dy, n)
    far = tl.where(x < 0.0, 2.0 - far, far)
    y = tl.where(tl.abs(x) < 0.47, near, far)
    return tl.where(x != x, x, y)


@triton.jit
def _erfinv_guess(x, w):
    """erfinv(x) for w = -log(1 - x**2), about 2**-26; constant terms are in two parts."""
    z = x * x
    p = tl.fma(z, 0.1184889939, -0.006173438215)
    p = tl.fma(p, z, 0.06540194925)
    p = tl.fma(p, z, 0.06294575892)
    p = tl.fma(p, z, 0.08670777724)
    p = tl.fma(p, z, 0.1275505293)
    p = tl.fma(p, z, 0.2320137354)
    near = tl.fma(x, 0.8862269520759583, x * tl.fma(p, z, -2.6622454e-08))
    u = w - 2.625
    p = tl.fma(u, -8.369190746e-09, 1.322135381e-08)
    p = tl.fma(p, u, 4.794494141e-07)
    p = tl.fma(p, u, -3.044703439e-06)
    p = tl.fma(p, u, -7.385625716e-06)
    p = tl.fma(p, u, 0.0002144582575)
    p = tl.fma(p, u, -0.001144504002)
    p = tl.fma(p, u, -0.004626799498)
    p = tl.fma(p, u, 0.2455389265)
    p = tl.fma(p, u, 0.03217172898)
    s = tl.sqrt_rn(tl.where(w > 5.0, w, 5.0))
    v = s - 3.0
    q = tl.fma(v, 0.0001136560073, -0.0003077812094)
    q = tl.fma(q, v, -5.376967645e-05)
    q = tl.fma(q, v, 0.001482898405)
    q = tl.fma(q, v, -0.003598995338)
    q = tl.fma(q, v, 0.005687789095)
    q = tl.fma(q, v, -0.007636950696)
    q = tl.fma(q, v, 0.00944519569)
    q = tl.fma(q, v, 1.001674946)
    q = tl.fma(q, v, -0.04202319745)
    first = tl.where(w > 5.0, 2.875, 1.5)
    p = tl.where(w > 5.0, q, p)
    if x.dtype == tl.float64:
        v = s - 5.0
        r = tl.fma(v, 3.275086778487937e-07, -1.2376445932369995e-06)
        r = tl.fma(r, v, 4.434350732676801e-06)
        r = tl.fma(r, v, -1.945867186867086e-05)
        r = tl.fma(r, v, 7.603188400657861e-05)
        r = tl.fma(r, v, -0.00021510137556058392)
        r = tl.fma(r, v, -0.0001387253260843663)
        r = tl.fma(r, v, 1.0103004708771675)
        r = tl.fma(r, v, 0.09990640160142839)
        first = tl.where(s > 4.05, 4.75, first)
        p = tl.where(s > 4.05, r, p)
    return tl.where(z < 0.3, near, tl.fma(x, first, x * p))


@triton.jit
def _erfinv(x):
    """Inverse error function, 3 ulp."""
    a = tl.abs(x)
    b = tl.where(a < 1.0, a, 0.0)
    # (1 - b) (1 + b) in two parts.
    f = 1.0 - b
    df = (1.0 - f) - b
    g = 1.0 + b
    dg = (1.0 - g) + b
    square = f * g
    hi, lo = _log_sum(square)
    w = -(hi + (lo + tl.div_rn(tl.fma(f, g, -square) + (f * dg + df * g), square)))
    y = _erfinv_guess(b, w)
    if x.dtype == tl.float64:
        # One step of Halley's method for erf(y) = x.
        miss = tl.where(b < 0.5, _erf_near_f64(y) - b, f - _erfc(y))
        step = miss / (1.1283791670955126 * exp_f64(-y * y))
        y = y - step / (1.0 + y * step)
    y = tl.where(a == 1.0, float("inf"), tl.where(a < 1.0, y, float("nan")))
    return tl.where((x == 0.0) | (x != x), x, tl.math.copysign(y, x))


# sin(pi x), cos(pi x) and the gamma functions.

@triton.jit
def _pi_parts(x):
    """x = q / 2 + t with |t| <= 1/4: q modulo 4 as a float, sin(pi t) and cos(pi t)."""
    a = tl.abs(x)
    a = a - 2.0 * tl.floor(a * 0.5)
    q = tl.floor(a * 2.0 + 0.5)
    t = a - q * 0.5
    z = t * t
    if x.dtype == tl.float32:
        s = tl.fma(z, 0.08103043851, -0.5992060896)
        s = tl.fma(s, z, 2.550162832)
        s = tl.fma(s, z, -5.167712772)
        c = tl.fma(z, -0.02545364051, 0.2353064713)
        c = tl.fma(c, z, -1.335262018)
        c = tl.fma(c, z, 4.058712116)
        c = tl.fma(c, z, -4.9348022)
        sine = tl.fma(t, 3.1415927410125732, t * tl.fma(z, s, -8.742277657347586e-08))
    else:
        s = tl.fma(z, -2.171932405244025e-05, 0.0004662831781899509)
        s = tl.fma(s, z, -0.007370429926537574)
        s = tl.fma(s, z, 0.08214588658203756)
        s = tl.fma(s, z, -0.5992645293203479)
        s = tl.fma(s, z, 2.5501640398773424)
        s = tl.fma(s, z, -5.16771278004997)
        c = tl.fma(z, 4.2644986209867435e-06, -0.00010463363519951603)
        c = tl.fma(c, z, 0.0019295740307409635)
        c = tl.fma(c, z, -0.025806891379934114)
        c = tl.fma(c, z, 0.2353306303586807)
        c = tl.fma(c, z, -1.335262768854587)
        c = tl.fma(c, z, 4.0587121264167685)
        c = tl.fma(c, z, -4.934802200544679)
        sine = tl.fma(t, 3.141592653589793, t * tl.fma(z, s, 1.2246467991473532e-16))
    return q, sine, tl.fma(z, c, 1.0)


@triton.jit
def _sinpi(x):
    """sin(pi x), 1 ulp."""
    q, s, c = _pi_parts(x)
    y = tl.where((q == 1.0) | (q == 3.0), c, s)
    y = tl.where((q == 2.0) | (q == 3.0), -y, y)
    y = tl.where(x < 0.0, -y, y)
    y = tl.where(x == tl.floor(x), tl.math.copysign(0.0, x), y)
    return tl.where(tl.abs(x) == float("inf"), float("nan"), y)


@triton.jit
def _cospi(x):
    """cos(pi x), 1 ulp."""
    q, s, c = _pi_parts(x)
    y = tl.where((q == 1.0) | (q == 3.0), s, c)
    y = tl.where((q == 1.0) | (q == 2.0), -y, y)
    y = tl.where(x + 0.5 == tl.floor(x + 0.5), tl.where((q == 1.0) | (q == 3.0), 0.0, y), y)
    return tl.where(tl.abs(x) == float("inf"), float("nan"), y)


@triton.jit
def _stirling(x):
    """log(gamma(x)) for x >= 8 as a sum hi + lo: (x - 1/2) log(x) - x + log(2 pi) / 2 + a fit in 1 / x**2."""
    log_hi, log_lo = _log_sum_f64(x)
    r = 1.0 / x
    z = r * r
    p = tl.fma(z, 0.005069349500693645, -0.0018905445225052104)
    p = tl.fma(p, z, 0.0008414729261991149)
    p = tl.fma(p, z, -0.0005952366075364753)
    p = tl.fma(p, z, 0.0007936507898368273)
    p = tl.fma(p, z, -0.002777777777774102)
    p = tl.fma(p, z, 0.08333333333333333)
    f = x - 0.5
    product = f * log_hi
    lost = tl.fma(f, log_hi, -product) + f * log_lo
    a = product - x
    lost = lost + ((product - a) - x)
    hi = a + 0.9189385332046728
    lost = lost + ((a - hi) + 0.9189385332046728)
    return hi, lost + tl.fma(r, p, -3.878294158067242e-17)


@triton.jit
def _log_gamma_positive(x):
    """log(gamma(x)) for x > 0, 3 ulp."""
    # Below 2 from fits that are 0 where it is; below 1/2 by gamma(x) = gamma(x + 1) / x.
    y = tl.where(x < 0.5, x + 1.0, x)
    u = y - 1.5
    p = tl.fma(u, 1.2169200617027173e-05, -1.854228344171164e-05)
    p = tl.fma(p, u, 1.3149624891874769e-05)
    p = tl.fma(p, u, -2.1470534390576447e-05)
    p = tl.fma(p, u, 4.3046963326917525e-05)
    p = tl.fma(p, u, -6.794589995334408e-05)
    p = tl.fma(p, u, 0.00010534946937682802)
    p = tl.fma(p, u, -0.00016856945553109725)
    p = tl.fma(p, u, 0.00027131474100876865)
    p = tl.fma(p, u, -0.00043803554064936195)
    p = tl.fma(p, u, 0.0007115189575503329)
    p = tl.fma(p, u, -0.0011644113400452612)
    p = tl.fma(p, u, 0.001922916320135179)
    p = tl.fma(p, u, -0.00321207422274696)
    p = tl.fma(p, u, 0.005446457838844257)
    p = tl.fma(p, u, -0.009425622444762952)
    p = tl.fma(p, u, 0.016797098631279653)
    p = tl.fma(p, u, -0.031308487501054215)
    p = tl.fma(p, u, 0.06291140107456435)
    p = tl.fma(p, u, -0.14595989591430594)
    p = tl.fma(p, u, 0.4831289505409809)
    low = (y - 1.0) * (y - 2.0) * p - log_f64(tl.where(x < 0.5, x, 1.0))
    u = x - 0.75
    p = tl.fma(u, -26.424106893509965, 20.811961181203856)
    p = tl.fma(p, u, -7.715672971491057)
    p = tl.fma(p, u, 6.114981242515232)
    p = tl.fma(p, u, -6.095953702650882)
    p = tl.fma(p, u, 4.8615279579327435)
    p = tl.fma(p, u, -3.7947521432508955)
    p = tl.fma(p, u, 3.052712686056498)
    p = tl.fma(p, u, -2.4735535361555114)
    p = tl.fma(p, u, 2.0127177351259276)
    p = tl.fma(p, u, -1.6495063500894203)
    p = tl.fma(p, u, 1.3637670831566353)
    p = tl.fma(p, u, -1.1396029958963763)
    p = tl.fma(p, u, 0.9651525389633067)
    p = tl.fma(p, u, -0.8319115778603138)
    p = tl.fma(p, u, 0.7347350814258675)
    p = tl.fma(p, u, -0.6729879447098224)
    p = tl.fma(p, u, 0.655224369442245)
    p = tl.fma(p, u, -0.7199661103625615)
    p = tl.fma(p, u, 1.0909482962451622)
    p = tl.fma(p, u, -0.8131238057251815)
    low = tl.where((x >= 0.5) & (x < 1.0), (x - 1.0) * p, low)
    # From 3 to 8 log((x - 1) (x - 2) ...) of what is above 3 is added.
    rest = x
    factor = x * 0.0 + 1.0
    for _ in tl.static_range(5):
        down = (rest >= 3.0) & (x < 8.0)
        rest = tl.where(down, rest - 1.0, rest)
        factor = tl.where(down, factor * rest, factor)
    u = rest - 2.5
    p = tl.fma(u, -1.520968026943785e-08, 3.871385412124404e-08)
    p = tl.fma(p, u, -8.709992786775794e-08)
    p = tl.fma(p, u, 2.3537889785008005e-07)
    p = tl.fma(p, u, -6.423950940420258e-07)
    p = tl.fma(p, u, 1.74563883402029e-06)
    p = tl.fma(p, u, -4.786326397270345e-06)
    p = tl.fma(p, u, 1.3275711596634291e-05)
    p = tl.fma(p, u, -3.7353375680147343e-05)
    p = tl.fma(p, u, 0.00010710021005464264)
    p = tl.fma(p, u, -0.00031505924995275616)
    p = tl.fma(p, u, 0.0009610979285545507)
    p = tl.fma(p, u, -0.0030951822936299005)
    p = tl.fma(p, u, 0.010877001514197541)
    p = tl.fma(p, u, -0.04480584269738445)
    p = tl.fma(p, u, 0.2675817993988097)
    p = tl.fma(p, u, 0.5693657409458384)
    middle = tl.fma(rest - 2.0, p, log_f64(tl.where(x < 8.0, factor, 1.0)))
    hi, lo = _stirling(tl.where((x >= 8.0) & (x < float("inf")), x, 8.0))
    y = tl.where(x < 2.0, low, tl.where(x < 8.0, middle, hi + lo))
    return tl.where(x == float("inf"), x, tl.where(x > 2.6e305, float("inf"), y))


@triton.jit
def lgamma_f64(x):
    """log(abs(gamma(x))), 4 ulp for x > 0; for x < 0 within 4 ulp of the larger of it and 1."""
    a = tl.abs(x)
    y = _log_gamma_positive(a)
    # gamma(-a) gamma(a) = -pi / (a sin(pi a))
    s = tl.abs(_sinpi(a)) * a
    tiny = a < 1e-20
    mirrored = log_f64(3.141592653589793 / tl.where(tiny, 1.0, s)) - y
    y = tl.where(x < 0.0, tl.where(tiny, -log_f64(a), mirrored), y)
    whole = (x <= 0.0) & (tl.floor(x) == x)
    return tl.where(whole | (a == float("inf")), float("inf"), tl.where(x != x, x, y + 0.0))


@triton.jit
def lgamma_f32(x):
    """log(abs(gamma(x))), 1 ulp; near its zeros at negative x within 2**-50 of it."""
    return lgamma_f64(x.to(tl.float64)).to(tl.float32)


@triton.jit
def tgamma_f64(x):
    """Gamma function, 6 ulp."""
    a = tl.abs(x)
    # gamma(a) for a below 8 from that in [2, 3): times (a - 1) (a - 2) ..., or over a (a + 1).
    rest = a
    factor = a * 0.0 + 1.0
    for _ in tl.static_range(6):
        down = (rest >= 3.0) & (a < 8.0)
        rest = tl.where(down, rest - 1.0, rest)
        factor = tl.where(down, factor * rest, factor)
    below = a * 0.0 + 1.0
    for _ in tl.static_range(2):
        up = rest < 2.0
        below = tl.where(up, below * rest, below)
        rest = tl.where(up, rest + 1.0, rest)
    u = rest - 2.5
    p = tl.fma(u, -1.4221127304335587e-08, 3.359004931025731e-08)
    p = tl.fma(p, u, -6.624770585350671e-08)
    p = tl.fma(p, u, 1.681764760452219e-07)
    p = tl.fma(p, u, -4.26203896505886e-07)
    p = tl.fma(p, u, 1.0831489181088304e-06)
    p = tl.fma(p, u, -2.5600474592099985e-06)
    p = tl.fma(p, u, 7.25371042742081e-06)
    p = tl.fma(p, u, -1.2801682043922479e-05)
    p = tl.fma(p, u, 6.132999467411997e-05)
    p = tl.fma(p, u, 3.941788056791091e-06)
    p = tl.fma(p, u, 0.0007544741274699289)
    p = tl.fma(p, u, 0.0016074004847455462)
    p = tl.fma(p, u, 0.010392403425959673)
    p = tl.fma(p, u, 0.028360780594844127)
    p = tl.fma(p, u, 0.10967323400215916)
    p = tl.fma(p, u, 0.2538712468411428)
    p = tl.fma(p, u, 0.6545585779813368)
    p = tl.fma(p, u, 0.9347345216260855)
    p = tl.fma(p, u, 1.329340388179137)
    near = p * factor / below
    large = (a >= 8.0) & (a < 190.0)
    hi, lo = _stirling(tl.where(large, a, 8.0))
    # For x < 0 the reciprocal, which is not 0 as early as gamma(-a) overflows.
    sign = tl.where(x < 0.0, -1.0, 1.0)
    far = _exp_sum_f64(sign * hi, sign * lo)
    y = tl.where(a < 8.0, near, tl.where(large, far, tl.where(x < 0.0, 0.0, float("inf"))))
    # gamma(-a) = -pi / (a sin(pi a) gamma(a))
    s = 3.141592653589793 / (_sinpi(a) * a)
    mirrored = -1.0 * tl.where(a < 8.0, s / y, s * y)
    y = tl.where((x < 0.0) & (a > 1e-20), mirrored, tl.where(a < 1e-20, 1.0 / x, y))
    whole = (x < 0.0) & (tl.floor(x) == x)
    return tl.where(whole, float("nan"), tl.where(x != x, x, y))


@triton.jit
def tgamma_f32(x):
    """Gamma function, 1 ulp."""
    return tgamma_f64(x.to(tl.float64)).to(tl.float32)
