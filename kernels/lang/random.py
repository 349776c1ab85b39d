"""Random numbers by Philox (Salmon, Moraes, Dror, Shaw: Parallel random numbers, as easy as 1, 2, 3; 2011).

The generator is a function of a key (the seed) and a counter (the offset), so each number is computed where it is
needed. The streams are Triton's: the same seed and offset give the same bits.
"""

import triton
import triton.language as tl


@triton.jit
def _philox_rounds(c0, c1, c2, c3, k0, k1, rounds: tl.constexpr):
    """Philox-4x32 or Philox-4x64: four counter words of uint32 or uint64, two key words of the same type."""
    wide: tl.constexpr = c0.dtype == tl.uint64
    multiplier_a: tl.constexpr = 0xD2E7470EE14C6C93 if wide else 0xD2511F53
    multiplier_b: tl.constexpr = 0xCA5A826395121157 if wide else 0xCD9E8D57
    step_a: tl.constexpr = 0x9E3779B97F4A7C15 if wide else 0x9E3779B9
    step_b: tl.constexpr = 0xBB67AE8584CAA73B if wide else 0xBB67AE85
    for _ in tl.static_range(rounds):
        high_a = tl.umulhi(c0, multiplier_a)
        high_b = tl.umulhi(c2, multiplier_b)
        low_a = c0 * multiplier_a
        low_b = c2 * multiplier_b
        c0 = high_b ^ c1 ^ k0
        c1 = low_b
        c2 = high_a ^ c3 ^ k1
        c3 = low_a
        k0 = k0 + step_a
        k1 = k1 + step_b
    return c0, c1, c2, c3


@triton.jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = 10):
    tl.static_assert(c0.dtype == tl.uint32 or c0.dtype == tl.uint64, f"takes uint32 or uint64, found {c0.dtype}")
    return _philox_rounds(c0, c1, c2, c3, k0, k1, n_rounds)


@triton.jit
def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = 10):
    seed = tl.to_tensor(seed)
    tl.static_assert(seed.dtype.is_int(), f"takes an integer as seed, found {seed.dtype}")
    seed = seed.to(tl.uint64)
    c0 = tl.to_tensor(c0)
    tl.static_assert(c0.dtype.is_int(), f"takes integers as offsets, found {c0.dtype}")
    bits: tl.constexpr = c0.dtype.primitive_bitwidth
    tl.static_assert(bits == 32 or bits == 64, f"takes counters of 32 or 64 bits, found {c0.dtype}")
    if bits == 32:
        word: tl.constexpr = tl.uint32
        low = (seed & 0xFFFFFFFF).to(tl.uint32)
        high = (seed >> 32).to(tl.uint32)
    else:
        word: tl.constexpr = tl.uint64
        low = seed
        high = seed * 0
    c0 = c0.to(word, bitcast=True)
    c1 = tl.to_tensor(c1).to(word, bitcast=True)
    c2 = tl.to_tensor(c2).to(word, bitcast=True)
    c3 = tl.to_tensor(c3).to(word, bitcast=True)
    return _philox_rounds(c0, c1, c2, c3, low, high, n_rounds)


@triton.jit
def randint4x(seed, offset, n_rounds: tl.constexpr = 10):
    """Four streams of random bits, of uint32."""
    offset = tl.to_tensor(offset)
    tl.static_assert(offset.dtype.is_int(), f"takes integers as offsets, found {offset.dtype}")
    low = offset.to(tl.uint32)
    zero = low * 0
    high = zero
    if offset.dtype.primitive_bitwidth > 32:
        high = (offset >> 32).to(tl.uint32)
    return philox(seed, low, high, zero, zero, n_rounds)


@triton.jit
def randint(seed, offset, n_rounds: tl.constexpr = 10):
    bits, _, _, _ = randint4x(seed, offset, n_rounds)
    return bits


@triton.jit
def uint_to_uniform_float(x: tl.tensor):
    """Random bits as a float in [0, 1)."""
    bits: tl.constexpr = x.dtype.primitive_bitwidth
    tl.static_assert(x.dtype.is_int() and bits >= 32, f"takes integers of 32 or 64 bits, found {x.dtype}")
    # Folded at the middle, so that every value is of a size that a signed integer has. The scale is the largest that
    # keeps the largest of them below 1.
    if bits == 32:
        x = x.to(tl.int32, bitcast=True)
        scale: tl.constexpr = 4.6566127342e-10
    else:
        x = x.to(tl.int64, bitcast=True)
        scale: tl.constexpr = 1.0842020432385337e-19
    return tl.where(x < 0, -x - 1, x) * scale


@triton.jit
def rand(seed, offset, n_rounds: tl.constexpr = 10):
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@triton.jit
def rand4x(seed, offsets, n_rounds: tl.constexpr = 10):
    a, b, c, d = randint4x(seed, offsets, n_rounds)
    return uint_to_uniform_float(a), uint_to_uniform_float(b), uint_to_uniform_float(c), uint_to_uniform_float(d)


@triton.jit
def pair_uniform_to_normal(u1: tl.tensor, u2: tl.tensor):
    """Two independent normal variables from two uniform ones (Box and Muller, 1958)."""
    angle = u2 * 6.283185307179586
    radius = tl.sqrt(tl.log(tl.maximum(u1, 1.0e-7)) * -2.0)
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit
def randn(seed, offset, n_rounds: tl.constexpr = 10):
    a, b, _, _ = randint4x(seed, offset, n_rounds)
    normal, _ = pair_uniform_to_normal(uint_to_uniform_float(a), uint_to_uniform_float(b))
    return normal


@triton.jit
def randn4x(seed, offset, n_rounds: tl.constexpr = 10):
    a, b, c, d = rand4x(seed, offset, n_rounds)
    n0, n1 = pair_uniform_to_normal(a, b)
    n2, n3 = pair_uniform_to_normal(c, d)
    return n0, n1, n2, n3
