# Features that fewer kernels need: shapes of four dims, further keywords, assertions, old names.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _max(a, b):
    return tl.maximum(a, b)


@triton.jit
def _apply(function: tl.constexpr, a, b):
    return function(a, b)


@triton.jit
def four_dims(x, out, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr):
    a = tl.arange(0, A)[:, None, None, None]
    b = tl.arange(0, B)[None, :, None, None]
    c = tl.arange(0, C)[None, None, :, None]
    d = tl.arange(0, D)[None, None, None, :]
    at = ((a * B + b) * C + c) * D + d
    value = tl.load(x + at)
    tl.store(out + at, value - tl.sum(value, axis=2, keep_dims=True))


@triton.jit
def axes_of_three_dims(x, out, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    at = (tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C + tl.arange(0, C)[None, None, :]
    value = tl.load(x + at)
    pair = value[:, :, :, None] + tl.arange(0, 2)[None, None, None, :]
    tl.store(out + at[:, :, :, None] * 2 + tl.arange(0, 2)[None, None, None, :], pair)


@triton.jit
def whole_slices(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    value = tl.load(x + at)
    tl.store(out + at, value[:, :] * 2)
    tl.store(out + M * N + tl.arange(0, N)[:], tl.sum(value, axis=0)[:])


@triton.jit
def reduce_keeps_dims(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    value = tl.load(x + at)
    tl.store(out + at, value - tl.reduce(value, axis=1, combine_fn=_max, keep_dims=True))


@triton.jit
def function_parameter(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, _apply(_max, tl.load(x + i), tl.load(y + i)))


@triton.jit
def orders_of_atomics(x, low, high, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.atomic_max(high + i % 4, a, mask=i < 50, sem="relaxed")
    tl.atomic_min(low + i % 4, a, mask=i < 50, sem="acq_rel")


@triton.jit
def exchange_masked(x, out, old, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    before = tl.atomic_xchg(out + i, tl.load(x + i), mask=i < 17)
    tl.store(old + i, before, mask=i < 17)


@triton.jit
def add_by_keyword(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(pointer=out + i, val=tl.load(x + i), mask=i < 17, sem="relaxed", scope="cta")


@triton.jit
def keywords_of_casts(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, a.to(dtype=tl.float16))
    tl.store(out + BLOCK + i, tl.cast(a, tl.float16, fp_downcast_rounding="rtz"))
    tl.store(out + 2 * BLOCK + i, tl.cast(a, tl.int32, bitcast=True).to(tl.float32, bitcast=True))


@triton.jit
def keywords_of_memory(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(pointer=x + i, mask=i < n, other=0)
    tl.store(pointer=out + i, value=value * 3, mask=i < n)


@triton.jit
def types_asked(x, y, out):
    if x.dtype.element_ty.is_int():
        tl.store(out, 1)
    if y.dtype.element_ty.is_fp16():
        tl.store(out + 1, 2)
    if x.dtype.element_ty.is_int64() or x.dtype.element_ty.is_uint64():
        tl.store(out + 2, 3)
    tl.store(out + 3, y.dtype.element_ty.primitive_bitwidth)
    wide: tl.constexpr = tl.dtype("int64")
    tl.store(out + 4, tl.load(x).to(wide) >> 3)


@triton.jit
def types_made(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    bits: tl.constexpr = tl.core.get_int_dtype(bitwidth=a.dtype.primitive_bitwidth, signed=False)
    tl.store(out + i, a.to(bits, bitcast=True) >> 10)


@triton.jit
def checks(x, out, BLOCK: tl.constexpr, KIND: tl.constexpr):
    if KIND != "copy" and KIND != "double":
        tl.static_assert(False, f"unknown kind {KIND}")
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.device_assert(i < BLOCK, "inside")
    if KIND == "double":
        a *= 2
    tl.store(out + i, a)


@triton.jit
def instances(x, out, extra, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    if isinstance(extra, tl.constexpr):
        tl.store(out + i, a)
    else:
        tl.store(out + i, a + extra)


@triton.jit
def rounds_to_integers(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i) * 10
    tl.store(out + i, libdevice.llrint(a))


@triton.jit
def divisions_of_libdevice(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, libdevice.div_rn(a, b))
    tl.store(out + BLOCK + i, libdevice.fast_dividef(a, b))
    tl.store(out + 2 * BLOCK + i, tl.math.div_rn(a, b))
    tl.store(out + 3 * BLOCK + i, libdevice.erf(a))


@triton.jit
def softmax_of_dim(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.softmax(tl.load(x + at), dim=1, keep_dims=True))


@triton.jit
def sums_of_types(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, tl.cumsum(a, axis=0, dtype=tl.int64))
    tl.store(out + BLOCK, tl.sum(a, dtype=tl.int64))
    tl.store(out + BLOCK + 1, tl.argmax(a, axis=0, tie_break_left=False))


@triton.jit
def ranges_by_keyword(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.int32)
    for k in tl.range(0, n, step=2, disallow_acc_multi_buffer=True):
        acc += tl.load(x + k * BLOCK + i)
    tl.store(out + i, acc)


@triton.jit
def reshape_reorders(x, out, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, N)).reshape(4, N // 4, can_reorder=True)
    tl.store(out, tl.sum(tl.sum(a, axis=0), axis=0))


@triton.jit
def blocks_by_keyword(x, out, n, BLOCK: tl.constexpr):
    source = tl.make_block_ptr(x, (n, ), (1, ), (0, ), (BLOCK, ), (0, ))
    source = tl.advance(source, offsets=(BLOCK, ))
    tl.store(out + tl.arange(0, BLOCK), tl.load(source, boundary_check=(0, ), padding_option="zero"))


@triton.jit
def bits_of_dtype(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    size: tl.constexpr = x.dtype.element_ty.primitive_bitwidth // 8
    tl.store(out + i, a * size)
    tl.store(out + BLOCK, a.numel + tl.constexpr(5))


@triton.jit
def annotated(x, out, BLOCK: tl.constexpr):
    i: tl.tensor = tl.arange(0, BLOCK)
    scale: tl.float32 = 2.0
    tl.store(out + i, tl.load(x + i) * scale)
