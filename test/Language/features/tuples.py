# Tuples and lists: made, unpacked, indexed, passed to functions and returned.
import triton
import triton.language as tl


@triton.jit
def _swap(pair):
    return pair[1], pair[0]


@triton.jit
def _sums(a, b):
    return a + b, a - b, a * b


@triton.jit
def _apply(x, function: tl.constexpr):
    return function(x)


@triton.jit
def _double(x):
    return x * 2


@triton.jit
def _offsets(shape: tl.constexpr):
    return tl.arange(0, shape[0])[:, None] * shape[1] + tl.arange(0, shape[1])[None, :]


@triton.jit
def unpacking(x, out):
    a, b = tl.load(x), tl.load(x + 1)
    a, b = b, a + b
    c, d, e = a, b, a * b
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c - d)
    tl.store(out + 3, e)


@triton.jit
def indexing(x, out):
    values = (tl.load(x), tl.load(x + 1), tl.load(x + 2))
    tl.store(out, values[0] + values[2])
    tl.store(out + 1, values[-2])
    tl.store(out + 2, len(values))


@triton.jit
def returned(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    s, d, p = _sums(tl.load(x + i), tl.load(y + i))
    tl.store(out + i, s)
    tl.store(out + BLOCK + i, d)
    tl.store(out + 2 * BLOCK + i, p)


@triton.jit
def passed(x, out):
    first, second = _swap((tl.load(x), tl.load(x + 1) * 2))
    tl.store(out, first)
    tl.store(out + 1, second)


@triton.jit
def function_as_value(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, _apply(tl.load(x + i), _double))


@triton.jit
def shape_in_variable(x, out, M: tl.constexpr, N: tl.constexpr):
    shape: tl.constexpr = (M, N)
    at = _offsets(shape)
    a = tl.load(x + at) + tl.zeros(shape, dtype=tl.float32)
    tl.store(out + at, a)
    tl.store(out + M * N + at, tl.full(shape, 2.0, tl.float32))


@triton.jit
def list_literals(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    a = tl.zeros([M, N], tl.float32)
    for k in tl.static_range(len([3, 5, 7])):
        a += tl.load(x + at) * k
    tl.store(out + at, a)


@triton.jit
def carried_by_loop(x, out, n):
    state = (tl.load(x), tl.load(x + 1))
    for k in range(n):
        state = (state[1], state[0] + state[1] * k)
    tl.store(out, state[0])
    tl.store(out + 1, state[1])


@triton.jit
def merged_by_branch(x, out):
    pid = tl.program_id(0)
    a = tl.load(x + pid)
    if a > 0:
        pair = (a, 1)
    else:
        pair = (-a, 2)
    tl.store(out + pid, pair[0] * 10 + pair[1])
