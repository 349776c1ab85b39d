"""Products of operands in microscaling formats (OCP microscaling formats specification, 1.0; 2023).

Elements of few bits share a scale with their neighbours along the dim that is summed over. Targets without instructions
for that convert the elements to fp16 or bf16, multiply by the scales, which rounds, and add the products up in fp32.
"""

import triton
import triton.language as tl


@triton.jit
def _elements_of_4_bits(packed, dim: tl.constexpr, type: tl.constexpr):
    """Elements of e2m1, two in a byte along a dim, the first in the lower half."""
    rank: tl.constexpr = len(packed.shape)
    order: tl.constexpr = (0, 1, 2)[:dim + 1] + (rank,) + (0, 1, 2)[dim + 1:rank]
    pairs = tl.permute(tl.join(packed & 15, packed >> 4), order)
    codes = tl.reshape(pairs, packed.shape[:dim] + [2 * packed.shape[dim]] + packed.shape[dim + 1:]).to(tl.uint16)
    # 0 and 0.5, then floats whose exponent and mantissa have the place of the type's own, but for the bias.
    half: tl.constexpr = 0x3800 if type == tl.float16 else 0x3F00
    place: tl.constexpr = 9 if type == tl.float16 else 6
    size = codes & 7
    bits = tl.where(size < 2, size * half, (size << place) + half)
    return (bits | ((codes & 8) << 12)).to(type, bitcast=True)


@triton.jit
def _elements(x, name: tl.constexpr, format: tl.constexpr, dim: tl.constexpr, type: tl.constexpr):
    if format == "e2m1":
        tl.static_assert(x.dtype == tl.uint8, f"takes uint8 as {name} of format e2m1, found {x.dtype}")
        return _elements_of_4_bits(x, dim, type)
    else:
        stored: tl.constexpr = (tl.float8e4nv if format == "e4m3" else tl.float8e5 if format == "e5m2" else
                                tl.float16 if format == "fp16" else tl.bfloat16)
        bits: tl.constexpr = tl.get_int_dtype(stored.primitive_bitwidth, False)
        fits: tl.constexpr = x.dtype == stored or x.dtype == bits
        tl.static_assert(fits, f"takes {stored} or {bits} as {name} of format {format}, found {x.dtype}")
        return x.to(stored, bitcast=True).to(type)


@triton.jit
def _scale_factors(scale, type: tl.constexpr, fast_math: tl.constexpr):
    """Scales as floats: those of uint8 are exponents, of which 255 stands for NaN."""
    if scale.dtype == tl.float8e4nv:
        return scale.to(type)
    else:
        if type == tl.bfloat16:
            factor = (scale.to(tl.uint16) << 7).to(tl.bfloat16, bitcast=True)
        else:
            factor = (scale.to(tl.uint32) << 23).to(tl.float32, bitcast=True).to(type)
        if fast_math:
            return factor
        else:
            return tl.where(scale == 255, float("nan"), factor)


@triton.jit
def _check_scale(scale, name: tl.constexpr, shape: tl.constexpr):
    """`shape` is that of the elements, the dim that is summed over last."""
    tl.static_assert(isinstance(scale, tl.tensor), f"takes a tile as {name}, found {scale}")
    known: tl.constexpr = scale.dtype == tl.uint8 or scale.dtype == tl.float8e4nv
    tl.static_assert(known, f"takes uint8 (e8m0) or fp8e4nv as {name}, found {scale.dtype}")
    groups: tl.constexpr = shape[-1] // (16 if scale.dtype == tl.float8e4nv else 32)
    expected: tl.constexpr = shape[:-1] + [groups]
    tl.static_assert(scale.shape == expected, f"takes {name} of shape {expected}, found {scale.shape}")


@triton.jit
def _repeated(scale, dim: tl.constexpr, times: tl.constexpr):
    """Each scale for all elements that have it."""
    before: tl.constexpr = scale.shape[:dim + 1]
    after: tl.constexpr = scale.shape[dim + 1:]
    groups = tl.broadcast_to(tl.reshape(scale, before + [1] + after), before + [times] + after)
    return tl.reshape(groups, scale.shape[:dim] + [times * scale.shape[dim]] + after)


@triton.jit
def _check_format(name: tl.constexpr, format: tl.constexpr, k_pack: tl.constexpr):
    known: tl.constexpr = (format == "e2m1" or format == "e4m3" or format == "e5m2" or format == "bf16" or
                           format == "fp16")
    tl.static_assert(known, f"takes e2m1, e4m3, e5m2, bf16 or fp16 as {name}_format, found {format}")
    tl.static_assert(k_pack or format == "e2m1", f"takes {name}_k_pack=False for e2m1 alone, found {format}")


@triton.jit
def dot_scaled(lhs: "tile", lhs_scale, lhs_format: tl.constexpr, rhs: "tile", rhs_scale, rhs_format: tl.constexpr,
               acc=None, fast_math: tl.constexpr = False, lhs_k_pack: tl.constexpr = True,
               rhs_k_pack: tl.constexpr = True, out_dtype: tl.constexpr = tl.float32):
    rank: tl.constexpr = len(lhs.shape)
    tl.static_assert((rank == 2 or rank == 3) and len(rhs.shape) == rank,
                     f"takes two tiles of 2 dims or two of 3, found {rank} and {len(rhs.shape)} dims")
    _check_format("lhs", lhs_format, lhs_k_pack)
    _check_format("rhs", rhs_format, rhs_k_pack)
    tl.static_assert(out_dtype == tl.float32, f"takes tl.float32 as out_dtype, found {out_dtype}")
    type: tl.constexpr = tl.float16 if lhs_format == "fp16" or rhs_format == "fp16" else tl.bfloat16
    a = _elements(lhs, "lhs", lhs_format, rank - 1 if lhs_k_pack else rank - 2, type)
    b = _elements(rhs, "rhs", rhs_format, rank - 2 if rhs_k_pack else rank - 1, type)
    m: tl.constexpr = a.shape[-2]
    k: tl.constexpr = a.shape[-1]
    n: tl.constexpr = b.shape[-1]
    tl.static_assert(b.shape[-2] == k, f"multiplies along one size, found {k} in lhs and {b.shape[-2]} in rhs")
    if lhs_scale is not None:
        _check_scale(lhs_scale, "lhs_scale", lhs.shape[:-2] + [m, k])
        size: tl.constexpr = k // lhs_scale.shape[-1]  # elements that have one scale
        a = a * _repeated(_scale_factors(lhs_scale, type, fast_math), rank - 1, size)
    if rhs_scale is not None:
        _check_scale(rhs_scale, "rhs_scale", rhs.shape[:-2] + [n, k])
        size: tl.constexpr = k // rhs_scale.shape[-1]  # elements that have one scale
        b = b * _repeated(_scale_factors(tl.trans(rhs_scale), type, fast_math), rank - 2, size)
    return tl.dot(a, b, acc, out_dtype=out_dtype)
