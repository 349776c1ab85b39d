# What is known at compile time: constants, Python's arithmetic on them, globals, None, strings.
import triton
import triton.language as tl

WIDTH = tl.constexpr(32)
HALF: tl.constexpr = tl.constexpr(0.5)
NAMED_TYPE = tl.float16


@triton.jit
def python_arithmetic(out, N: tl.constexpr):
    # Floor division and remainder as in Python, unlike those of tiles.
    a: tl.constexpr = -7 // 2
    b: tl.constexpr = -7 % 3
    c: tl.constexpr = N * 3 - 1
    d: tl.constexpr = 2**5
    e: tl.constexpr = (N >> 1) | 1
    f: tl.constexpr = N << 2
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c)
    tl.store(out + 3, d)
    tl.store(out + 4, e)
    tl.store(out + 5, f)
    tl.store(out + 6, N & 6)
    tl.store(out + 7, N ^ 3)
    tl.store(out + 8, -N)
    tl.store(out + 9, ~N)


@triton.jit
def float_arithmetic(out, X: tl.constexpr):
    third: tl.constexpr = X / 3
    tl.store(out, third)
    tl.store(out + 1, third * 2 + 0.125)
    tl.store(out + 2, X**2)
    tl.store(out + 3, X // 2)
    tl.store(out + 4, 7 / 2)
    tl.store(out + 5, X % 1)


@triton.jit
def assigned_is_runtime(x, out, N: tl.constexpr):
    n = N * 2
    m = -7 // n
    n += tl.load(x)
    tl.store(out, n)
    tl.store(out + 1, m)


@triton.jit
def globals_read(x, out):
    i = tl.arange(0, WIDTH)
    tl.store(out + i, (tl.load(x + i) * HALF).to(NAMED_TYPE))


@triton.jit
def optional_pointer(x, bias, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    if bias is not None:
        a += tl.load(bias + i)
    tl.store(out + i, a)


@triton.jit
def none_variable(x, out, FLAG: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    extra = None
    if FLAG:
        extra = tl.load(x + i)
    if extra is None:
        tl.store(out + i, 1.0)
    else:
        tl.store(out + i, extra)


@triton.jit
def strings_compared(x, out, MODE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    if MODE == "double":
        a = a * 2
    elif MODE != "none":
        a = a * 3
    tl.store(out + i, a)


@triton.jit
def logic_at_compile_time(x, out, A: tl.constexpr, B: tl.constexpr):
    r = tl.load(x)
    if A and B > 2:
        r += 1
    if A or B > 100:
        r += 10
    if not A:
        r += 100
    if A and not B == 5:
        r += 1000
    tl.store(out, r)


@triton.jit
def choices_at_compile_time(x, out, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    step: tl.constexpr = 2 if EVEN else 3
    mask = None if EVEN else i < BLOCK - 5
    tl.store(out + i, tl.load(x + i * step, mask=mask), mask=mask)


@triton.jit
def derived_sizes(x, out, n: tl.constexpr, BLOCK: tl.constexpr):
    blocks: tl.constexpr = triton.cdiv(n, BLOCK)
    width: tl.constexpr = triton.next_power_of_2(n)
    i = tl.arange(0, width)
    a = tl.load(x + i, mask=i < n, other=0)
    tl.store(out, tl.sum(a, axis=0))
    tl.store(out + 1, blocks)
    tl.store(out + 2, width)
    tl.static_assert(blocks * BLOCK >= n)
    tl.static_assert(width >= n, "too narrow")


@triton.jit
def python_functions(out, A: tl.constexpr, B: tl.constexpr):
    low: tl.constexpr = min(A, B)
    high: tl.constexpr = max(A, B)
    tl.store(out, low)
    tl.store(out + 1, high)
    tl.store(out + 2, float(A))
    tl.store(out + 3, min(tl.program_id(0) + 5, B))


@triton.jit
def default_arguments(x, out, BLOCK: tl.constexpr = 32, FACTOR: tl.constexpr = 3):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * FACTOR)


@triton.jit
def value_of_constant(x, out, N: tl.constexpr):
    i = tl.arange(0, N.value)
    tl.store(out + i, tl.load(x + i) + N.value)


@triton.jit
def booleans(out, FLAG: tl.constexpr, n):
    tl.store(out, FLAG)
    tl.store(out + 1, FLAG + 1)
    tl.store(out + 2, 1 if FLAG else 0)
    tl.store(out + 3, n > 3)


@triton.jit
def pointer_or_constant(x, out, n, N: tl.constexpr):
    # The same expression over a run-time and a compile-time value.
    tl.store(out, (n - 9) // 2)
    tl.store(out + 1, (N - 9) // 2)
    tl.store(out + 2, (n - 9) % 4)
    tl.store(out + 3, (N - 9) % 4)
    tl.store(out + 4, tl.load(x))


@triton.jit
def types_as_strings(x: "tl.tensor", out, n: "i32", BLOCK: "tl.constexpr"):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=0))


@triton.jit
def large_constants(out):
    tl.store(out, 0xFFFFFFFF)
    tl.store(out + 1, 1 << 40)
    tl.store(out + 2, -2147483648)
    tl.store(out + 3, 2147483648)
    tl.store(out + 4, 1_000_000_007 * 3)


@triton.jit
def float_literals(out):
    tl.store(out, 1e-3)
    tl.store(out + 1, 3.0e38)
    tl.store(out + 2, 1.0e-45)
    tl.store(out + 3, 0.1)
    tl.store(out + 4, 16777217.0)
    tl.store(out + 5, -0.0)
    tl.store(out + 6, float("inf"))
    tl.store(out + 7, 1 / 3)
