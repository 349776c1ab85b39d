# Functions called as methods of tiles, and further rules of calls.
import triton
import triton.language as tl


@triton.jit
def _add(a, b):
    return a + b


@triton.jit
def _clip(x, low: tl.constexpr, high: tl.constexpr = 3):
    return tl.clamp(x, low, high)


@triton.jit
def reductions(x, out, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    a = tl.load(x + rows[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(out + rows, a.min(axis=1))
    tl.store(out + M + rows, a.argmax(axis=1))
    tl.store(out + 2 * M + rows, a.argmin(axis=1))
    tl.store(out + 3 * M + rows, a.reduce(1, _add))


@triton.jit
def scans(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, a.associative_scan(0, _add))
    tl.store(out + BLOCK + i, a.cumsum(0))


@triton.jit
def shapes(x, out, M: tl.constexpr, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, M * N))
    b = a.reshape((M, N)).trans(1, 0)
    tl.store(out + tl.arange(0, M * N), b.reshape(M * N))
    c = tl.load(x + tl.arange(0, N)).expand_dims(0).broadcast_to(M, N)
    tl.store(out + M * N + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], c)


@triton.jit
def elementwise(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, a.abs())
    tl.store(out + BLOCK + i, a.floor())
    tl.store(out + 2 * BLOCK + i, a.cast(tl.int32).to(tl.float32))
    tl.store(out + 3 * BLOCK + i, a.sqrt())


@triton.jit
def functions_of_the_module(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, tl.add(a, 1))
    tl.store(out + BLOCK + i, tl.sub(a, 3))
    tl.store(out + 2 * BLOCK + i, tl.mul(a, a))


@triton.jit
def constexpr_with_default(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, _clip(a, -1))
    tl.store(out + BLOCK + i, _clip(a, low=-2, high=0))


@triton.jit
def atomics_of_pointers(x, out):
    pid = tl.program_id(0)
    (out + pid % 4).atomic_add(tl.load(x + pid))


@triton.jit
def counts_of_64_bits(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i).to(tl.uint64)
    product = a * a
    tl.store(out + i, product >> 32)
    tl.store(out + BLOCK + i, (product & 0xFFFFFFFF).to(tl.uint32))


@triton.jit
def assertions(x, out, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK >= 16, "too small")
    assert BLOCK % 16 == 0, "not a multiple"
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n, other=0)
    tl.device_assert(a < 1000, "too large")
    tl.store(out + i, a, mask=i < n)


@triton.jit
def assumptions(x, out, n, stride, BLOCK: tl.constexpr):
    tl.assume(n > 0)
    tl.assume(stride % 16 == 0)
    row = tl.program_id(0)
    i = tl.max_constancy(tl.multiple_of(tl.arange(0, BLOCK), 1), 1)
    tl.store(out + row * n + i, tl.load(x + row * stride + i, mask=i < n), mask=i < n)


@triton.jit
def types_compared(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    if x.dtype.element_ty == y.dtype.element_ty:
        a += tl.load(y + i)
    elif a.dtype == tl.float16:
        a = a.to(tl.float32) + tl.load(y + i)
    tl.store(out + i, a)
    if x.dtype.is_ptr():
        tl.store(out + BLOCK, a.dtype.primitive_bitwidth)


@triton.jit
def pointers_of_pointers(addresses, out, n, BLOCK: tl.constexpr):
    # An address kept as an integer becomes a pointer again.
    i = tl.arange(0, BLOCK)
    source = tl.load(addresses).to(tl.pointer_type(tl.float32))
    tl.store(out + i, i.to(tl.float32), mask=(i < n) & (source.to(tl.int64) == 0))


@triton.jit
def static_lists(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.int32)
    for k in tl.static_range(3):
        acc += tl.load(x + k * BLOCK + i) * (k + 1)
    tl.static_print("blocks", BLOCK)
    tl.store(out + i, acc)


@triton.jit
def divisions_of_floats(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, tl.floor(a / b))
    tl.store(out + BLOCK + i, tl.ceil(a / 4))


@triton.jit
def constants_on_the_left(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, 10 - a)
    tl.store(out + BLOCK + i, 100 // a)
    tl.store(out + 2 * BLOCK + i, 100 % a)
    tl.store(out + 3 * BLOCK + i, 1 << (a & 7))
    tl.store(out + 4 * BLOCK + i, 255 & a)
    tl.store(out + 5 * BLOCK + i, (3 > a).to(tl.int32))


@triton.jit
def shared_helper_names(x, out, BLOCK: tl.constexpr):
    # A parameter and a local name may be those of functions.
    sum = tl.load(x + tl.arange(0, BLOCK))
    max = tl.max(sum, axis=0)
    tl.store(out, max)
    tl.store(out + 1, tl.sum(sum, axis=0))
