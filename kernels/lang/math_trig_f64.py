"""Sine and cosine of f64; math.py says what holds for all functions here."""

import triton
import triton.language as tl


@triton.jit
def _two_over_pi(i: tl.constexpr):
    """Word i of the binary fraction 2/pi, 32 bits each, after one word of zeros."""
    words: tl.constexpr = (
        0x00000000, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB,
        0xDEBBC561, 0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5,
        0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B, 0x1FF897FF,
        0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D, 0x7527BAC7,
        0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB,
    )  # fmt: skip
    return words[i]


@triton.jit
def _reduce_large_f64(a):
    """_reduce_f64 for a > 2**22: the product of the mantissa and the 192 bits of 2/pi that matter for the exponent.

    Bits of 2/pi before those give multiples of 4 and are left out; later ones change the result by less than 2**-137.
    """
    bits = a.to(tl.int64, bitcast=True)
    first = tl.maximum((bits >> 52) - 1045, 0)
    word = first >> 5
    shift = first & 31
    back = 32 - shift
    mask: tl.constexpr = 0xFFFFFFFF
    m1 = ((bits & 0xFFFFFFFFFFFFF) | 0x10000000000000) >> 32
    m0 = bits & mask
    zero = bits * 0
    # Limbs of mantissa * window modulo 2**192, from the least significant: each adds the lower half of m0 * h, and from
    # the limb before the upper half of m0 * h and the lower of m1 * h, and from the one before that the upper of m1 * h.
    carry = zero
    high_a = zero
    low_b = zero
    high_b = zero
    next_b = zero
    low = zero
    top = zero
    for limb in tl.static_range(6):
        u = zero
        v = zero
        for i in tl.static_range(32):
            u = tl.where(word == i, _two_over_pi(i + 5 - limb), u)
            v = tl.where(word == i, _two_over_pi(i + 6 - limb), v)
        h = ((u << shift) | (v >> back)) & mask
        a0 = m0 * h
        b0 = m1 * h
        sum = (a0 & mask) + high_a + low_b + high_b + carry
        carry = sum >> 32
        high_a = (a0 >> 32) & mask
        low_b = b0 & mask
        high_b = next_b
        next_b = b0 >> 32
        if limb == 2:
            low = sum & mask
        if limb == 3:
            low = ((sum & mask) << 32) | low
        if limb == 4:
            top = sum & mask
        if limb == 5:
            top = ((sum & mask) << 32) | top
    quarter = (top + (1 << 61)) >> 62
    fraction = top - (quarter << 62)
    hi = fraction.to(tl.float64)
    lo = (fraction - hi.to(tl.int64)).to(tl.float64)
    lo = lo + ((low >> 11) & 0x1FFFFFFFFFFFFF).to(tl.float64) * 1.1102230246251565e-16
    # (hi + lo) * pi/2 * 2**-62
    scale: tl.constexpr = 3.4061215800865545e-19
    rest = tl.fma(lo, scale, hi * 1.3277647201629795e-35)
    r = tl.fma(hi, scale, rest)
    return quarter, r, tl.fma(hi, scale, -r) + rest


@triton.jit
def _reduce_f64(x):
    """x = q * pi/2 + r + dr with |r| <= pi/4: q modulo 4 (i64), r, dr. NaN and infinities give NaN."""
    a = tl.abs(x)
    large = a > 4194304.0
    n = tl.floor(tl.fma(tl.where(large, 0.0, a), 0.6366197723675814, 0.5))
    first = tl.fma(n, -1.5707963267948966, a)
    part = n * 6.123233995736766e-17
    r = first - part
    dr = ((first - r) - part) - tl.fma(n, 6.123233995736766e-17, -part) + n * 1.4973849048591698e-33
    large_q, large_r, large_dr = _reduce_large_f64(a)
    q = tl.where(large, large_q, n.to(tl.int64))
    r = tl.where(large, large_r, r)
    dr = tl.where(large, large_dr, dr)
    negative = x < 0.0
    r = tl.where(negative, -r, r)
    dr = tl.where(negative, -dr, dr)
    q = tl.where(negative, -q, q)
    return q & 3, tl.where(a < float("inf"), r, float("nan")), dr


@triton.jit
def _sin_fit_f64(z):
    """(sin(r) - r) / r**3 for z = r**2."""
    p = tl.fma(z, -7.578081214446779e-13, 1.6058354355974067e-10)
    p = tl.fma(p, z, -2.5052104816667916e-08)
    p = tl.fma(p, z, 2.7557319213831767e-06)
    p = tl.fma(p, z, -0.0001984126984125439)
    p = tl.fma(p, z, 0.008333333333333323)
    return tl.fma(p, z, -0.16666666666666666)


@triton.jit
def _cos_fit_f64(z):
    """(cos(r) - 1 + r**2 / 2) / r**4 for z = r**2."""
    p = tl.fma(z, 4.7377188663531983e-14, -1.147028468669374e-11)
    p = tl.fma(p, z, 2.087675429121083e-09)
    p = tl.fma(p, z, -2.755731921504618e-07)
    p = tl.fma(p, z, 2.4801587301570737e-05)
    p = tl.fma(p, z, -0.0013888888888888874)
    return tl.fma(p, z, 0.041666666666666664)


@triton.jit
def _sin_kernel_f64(r, dr, z):
    return r + tl.fma(r * z, _sin_fit_f64(z), dr)


@triton.jit
def _cos_kernel_f64(z):
    # 1 - z/2 with the bits that it loses.
    half = 0.5 * z
    w = 1.0 - half
    return w + (((1.0 - w) - half) + z * z * _cos_fit_f64(z))


@triton.jit
def sin_f64(x):
    """Sine, 2 ulp for every finite argument."""
    q, r, dr = _reduce_f64(x)
    z = r * r
    y = tl.where((q & 1) == 0, _sin_kernel_f64(r, dr, z), _cos_kernel_f64(z))
    y = tl.where((q & 2) == 0, y, -y)
    return tl.where(x == 0.0, x, y)


@triton.jit
def cos_f64(x):
    """Cosine, 2 ulp for every finite argument."""
    q, r, dr = _reduce_f64(x)
    z = r * r
    y = tl.where((q & 1) == 0, _cos_kernel_f64(z), _sin_kernel_f64(r, dr, z))
    return tl.where(((q + 1) & 2) == 0, y, -y)


@triton.jit
def tan_f64(x):
    """Tangent, 1 ulp for every finite argument."""
    q, r, dr = _reduce_f64(x)
    z = r * r
    return tl.where(x == 0.0, x, _tan_of(q, r, dr, _sin_fit_f64(z), _cos_fit_f64(z)))
