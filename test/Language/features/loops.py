# Loops: bounds known and not, steps, nesting, what they carry, unrolling.
import triton
import triton.language as tl


@triton.jit
def one_bound(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK, ), dtype=tl.float32)
    for k in range(n):
        acc += tl.load(x + k * BLOCK + i) * (k + 1)
    tl.store(out + i, acc)


@triton.jit
def two_bounds(x, out, low, high):
    total = 0
    for k in range(low, high):
        total += tl.load(x + k)
    tl.store(out, total)


@triton.jit
def three_bounds(x, out, n, step):
    total = 0
    count = 0
    for k in range(1, n, step):
        total += tl.load(x + k) * k
        count += 1
    tl.store(out, total)
    tl.store(out + 1, count)


@triton.jit
def static_bounds(x, out, N: tl.constexpr):
    total = 0.0
    for k in range(0, N, 2):
        total = total * 0.5 + tl.load(x + k)
    tl.store(out, total)


@triton.jit
def counts_down(x, out, n):
    value = 0
    for k in range(n - 1, -1, -1):
        value = value * 3 + tl.load(x + k)
    tl.store(out, value)


@triton.jit
def counts_down_by_three(x, out, n):
    value = 0
    last = -1
    for k in range(n, 0, -3):
        value = value * 3 + tl.load(x + k)
        last = k
    tl.store(out, value)
    tl.store(out + 1, last)


@triton.jit
def no_iterations(x, out, n):
    value = tl.load(x)
    for k in range(5, n):
        value += tl.load(x + k)
    tl.store(out, value)


@triton.jit
def nested(x, out, m, n):
    total = 0
    for r in range(m):
        row = 0
        for c in range(n):
            row += tl.load(x + r * n + c)
        tl.store(out + r, row)
        total = total * 7 + row
    tl.store(out + m, total)


@triton.jit
def inner_bound_depends(x, out, n):
    total = 0
    for r in range(0, n):
        for c in range(r + 1):
            total += tl.load(x + c) * (r - c)
    tl.store(out, total)


@triton.jit
def carries_several(x, out, n):
    a = 0
    b = 1
    for k in range(n):
        a, b = b, a + b + tl.load(x + k)
    tl.store(out, a)
    tl.store(out + 1, b)


@triton.jit
def carries_tiles_of_types(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    largest = tl.full([BLOCK], float("-inf"), tl.float32)
    at = tl.zeros([BLOCK], dtype=tl.int32)
    for k in range(0, n):
        a = tl.load(x + k * BLOCK + i)
        at = tl.where(a > largest, k, at)
        largest = tl.maximum(largest, a)
    tl.store(out + i, largest)
    tl.store(out + BLOCK + i, at)


@triton.jit
def unrolled(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    acc = tl.load(x + i)
    for k in tl.static_range(4):
        acc = acc * 2 + k
    for k in tl.static_range(6, 0, -2):
        acc -= k * k
    for k in tl.static_range(1, 3):
        acc += tl.load(x + k * BLOCK + i)
    tl.store(out + i, acc)


@triton.jit
def unrolled_chooses_at_compile_time(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    for k in tl.static_range(0, 3):
        if k == 0:
            tl.store(out + i, a)
        elif k == 1:
            tl.store(out + BLOCK + i, a + 1)
        else:
            tl.store(out + 2 * BLOCK + i, a.to(tl.float32) * 0.5)


@triton.jit
def pipelined(x, out, n, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    i = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    for k in tl.range(0, n, num_stages=STAGES):
        acc += tl.load(x + k * BLOCK + i)
    tl.store(out + i, acc)


@triton.jit
def range_with_hints(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.int32)
    for k in tl.range(0, n, 1, loop_unroll_factor=2):
        acc = acc * 2 + tl.load(x + k * BLOCK + i)
    for k in tl.range(n, flatten=True):
        acc += k
    tl.store(out + i, acc)


@triton.jit
def while_loop(x, out, n):
    k = 0
    total = 0
    while k < n:
        total += tl.load(x + k)
        k += 1
    tl.store(out, total)
    tl.store(out + 1, k)


@triton.jit
def while_with_two_conditions(x, out, n, limit):
    k = 0
    total = 0
    while (k < n) & (total < limit):
        total += tl.load(x + k)
        k = k + 1
    tl.store(out, k)
    tl.store(out + 1, total)


@triton.jit
def collatz(x, out):
    value = tl.load(x + tl.program_id(0))
    steps = 0
    while value != 1:
        if value % 2 == 0:
            value = value // 2
        else:
            value = 3 * value + 1
        steps += 1
    tl.store(out + tl.program_id(0), steps)


@triton.jit
def branch_inside(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    for k in range(n):
        a = tl.load(x + k * BLOCK + i)
        if k % 2 == 0:
            acc += a
        else:
            acc -= a * 0.5
        if k > 2:
            acc = tl.maximum(acc, -1.0)
    tl.store(out + i, acc)


@triton.jit
def index_after_loop_of_64_bits(x, out, n: tl.int64):
    total = n * 0
    for k in range(0, n):
        total += tl.load(x + k) * k
    tl.store(out, total)


@triton.jit
def bounds_from_memory(starts, x, out):
    row = tl.program_id(0)
    total = 0.0
    for k in range(tl.load(starts + row), tl.load(starts + row + 1)):
        total += tl.load(x + k)
    tl.store(out + row, total)


@triton.jit
def stores_inside(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    previous = tl.load(x + i)
    for k in range(1, n):
        previous = previous * 2 + tl.load(x + k * BLOCK + i)
        tl.store(out + k * BLOCK + i, previous)
    tl.store(out + i, previous)
