# Conversions between element types, by .to, tl.cast and by what operations ask for.
import triton
import triton.language as tl


@triton.jit
def to_type_of_output(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask).to(out.dtype.element_ty), mask=mask)


@triton.jit
def cast_function(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, tl.cast(a, tl.float16))
    tl.store(out + BLOCK + i, tl.cast(a, dtype=tl.int32))
    tl.store(out + 2 * BLOCK + i, a.cast(tl.bfloat16))


@triton.jit
def through_narrow_types(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, a.to(tl.float16).to(tl.float32))
    tl.store(out + BLOCK + i, a.to(tl.bfloat16).to(tl.float32))
    tl.store(out + 2 * BLOCK + i, a.to(tl.float64).to(tl.float16).to(tl.float32))


@triton.jit
def through_eight_bits(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, a.to(tl.float8e4nv).to(tl.float32))
    tl.store(out + BLOCK + i, a.to(tl.float8e5).to(tl.float32))


@triton.jit
def eight_bits_in_memory(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(tl.float32) * 2)


@triton.jit
def bits_as_other_type(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty, bitcast=True))


@triton.jit
def bits_by_cast(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    bits = tl.cast(tl.load(x + i), tl.int32, bitcast=True)
    tl.store(out + i, (bits >> 23) & 0xFF)


@triton.jit
def rounds_toward_zero(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, a.to(tl.float16, fp_downcast_rounding="rtz").to(tl.float32))
    tl.store(out + BLOCK + i, a.to(tl.float16, fp_downcast_rounding="rtne").to(tl.float32))


@triton.jit
def integers_narrow(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, a.to(tl.int8))
    tl.store(out + BLOCK + i, a.to(tl.uint8))
    tl.store(out + 2 * BLOCK + i, a.to(tl.int16))
    tl.store(out + 3 * BLOCK + i, a.to(tl.uint16))
    tl.store(out + 4 * BLOCK + i, a.to(tl.int64))
    tl.store(out + 5 * BLOCK + i, a.to(tl.uint32))


@triton.jit
def to_boolean(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    # Whether it is not zero, rather than its lowest bit.
    tl.store(out + i, a.to(tl.int1).to(tl.int32))


@triton.jit
def from_boolean(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    flag = tl.load(x + i) > 0
    tl.store(out + i, flag.to(tl.float32))
    tl.store(out + BLOCK + i, flag.to(tl.int32))
    tl.store(out + 2 * BLOCK + i, flag * 2.5)


@triton.jit
def float_to_integers(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i) * 100
    tl.store(out + i, a.to(tl.int32))
    tl.store(out + BLOCK + i, a.to(tl.int64))
    tl.store(out + 2 * BLOCK + i, tl.abs(a).to(tl.uint32))


@triton.jit
def promotion_of_floats(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    # Computed in the wider of the two types, and fp16 with bf16 in fp16.
    tl.store(out + i, tl.load(x + i) * tl.load(y + i) + 1)


@triton.jit
def scalar_does_not_widen(x, out, s, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, a * s)
    tl.store(out + BLOCK + i, a * 0.1)
    tl.store(out + 2 * BLOCK + i, 1 - a)


@triton.jit
def integer_with_float(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) + tl.load(y + i))


@triton.jit
def dtype_in_variable(x, out, WIDE: tl.constexpr, BLOCK: tl.constexpr):
    dtype = tl.float64 if WIDE else tl.float16
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i).to(dtype)
    tl.store(out + i, (a * a).to(tl.float32))


@triton.jit
def dtype_parameter(x, out, DTYPE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i).to(DTYPE)
    if DTYPE == tl.float16:
        tl.store(out + i, a * 2)
    else:
        tl.store(out + i, a * 3)


@triton.jit
def kinds_of_types(x, out):
    dtype: tl.constexpr = x.dtype.element_ty
    if dtype.is_floating():
        tl.store(out, 1)
    elif dtype.is_int_signed():
        tl.store(out, 2)
    elif dtype.is_int_unsigned():
        tl.store(out, 3)
    tl.store(out + 1, dtype.primitive_bitwidth)
    if dtype.is_fp8():
        tl.store(out + 2, 8)
    if dtype.is_fp64():
        tl.store(out + 2, 64)
    if dtype == tl.bfloat16:
        tl.store(out + 2, 16)


@triton.jit
def scalar_casts(out, s, n):
    tl.store(out, s.to(tl.int32))
    tl.store(out + 1, n.to(tl.float32) / 4)
    tl.store(out + 2, tl.cast(n, tl.float32) * s)
    tl.store(out + 3, (n.to(tl.int8)).to(tl.float32))
