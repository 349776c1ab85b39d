# Branches, early returns, conditional expressions, functions.
import triton
import triton.language as tl


@triton.jit
def _square(x):
    return x * x


@triton.jit
def _scaled(x, factor=2.0, bias: tl.constexpr = 1):
    return x * factor + bias


@triton.jit
def _divide(a, b):
    quotient = a // b
    return quotient, a - quotient * b


@triton.jit
def _sign(x):
    if x > 0:
        return 1
    elif x < 0:
        return -1
    else:
        return 0


@triton.jit
def _activation(x, KIND: tl.constexpr):
    if KIND == "relu":
        return tl.maximum(x, 0.0)
    elif KIND == "square":
        return _square(x)
    else:
        return x


@triton.jit
def _store_if(out, value, flag):
    if flag:
        tl.store(out, value)
        return
    tl.store(out, -value)


@triton.jit
def _sum_to(n):
    total = 0
    for k in range(n):
        total += k
    return total


@triton.jit
def branch_on_program(x, out):
    pid = tl.program_id(0)
    value = tl.load(x + pid)
    if pid % 2 == 0:
        value = value * 10
    tl.store(out + pid, value)


@triton.jit
def branch_defines(x, out):
    pid = tl.program_id(0)
    a = tl.load(x + pid)
    if a > 0:
        b = a * 2
        c = 1
    else:
        b = -a
        c = 2
    tl.store(out + pid, b * 10 + c)


@triton.jit
def chain_of_branches(x, out):
    pid = tl.program_id(0)
    a = tl.load(x + pid)
    if a < -5:
        r = 1
    elif a < 0:
        r = 2
    elif a == 0:
        r = 3
    else:
        r = 4
        if a > 5:
            r = 5
    tl.store(out + pid, r)


@triton.jit
def branch_changes_tile(x, out, flag, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    if flag > 0:
        a = a * 3
    else:
        a = a - 3
    tl.store(out + i, a)


@triton.jit
def early_return(x, out, n):
    pid = tl.program_id(0)
    if pid >= n:
        return
    tl.store(out + pid, tl.load(x + pid) + 1)


@triton.jit
def several_returns(x, out):
    pid = tl.program_id(0)
    a = tl.load(x + pid)
    if a > 3:
        tl.store(out + pid, 1)
        return
    if a < -3:
        tl.store(out + pid, -1)
        return
    tl.store(out + pid, 0)


@triton.jit
def conditional_expression(x, out, n):
    pid = tl.program_id(0)
    a = tl.load(x + pid)
    b = a if pid < n else -a
    tl.store(out + pid, b)


@triton.jit
def conditional_expression_static(x, out, FLAG: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    a = a * 2 if FLAG else a
    tl.store(out + i, a)


@triton.jit
def branch_static(x, y, out, HAS_Y: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    if HAS_Y:
        a += tl.load(y + i)
    tl.store(out + i, a)


@triton.jit
def branch_not_taken_may_be_wrong(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    if N > 1000:
        a = tl.load(undefined_name + i) + "text"
    else:
        a = tl.load(x + i)
    tl.store(out + i, a)


@triton.jit
def conditions_with_and_or(x, out, n, m):
    pid = tl.program_id(0)
    r = 0
    if pid > 1 and pid < n:
        r += 1
    if pid == 0 or pid >= m:
        r += 2
    if not pid == 3:
        r += 4
    tl.store(out + pid, r + tl.load(x + pid))


@triton.jit
def nested_branches(x, out):
    pid = tl.program_id(0)
    a = tl.load(x + pid)
    r = 0
    if a > 0:
        if a > 5:
            r = 100 + a
        else:
            r = 50 - a
    else:
        if a < -5:
            r = -100
    tl.store(out + pid, r)


@triton.jit
def branch_pass(x, out):
    pid = tl.program_id(0)
    a = tl.load(x + pid)
    if a > 0:
        pass
    else:
        a = 0
    tl.store(out + pid, a)


@triton.jit
def calls(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, _square(a) + _square(a + 1))


@triton.jit
def call_with_defaults(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, _scaled(a))
    tl.store(out + BLOCK + i, _scaled(a, 3.0))
    tl.store(out + 2 * BLOCK + i, _scaled(a, bias=5, factor=0.5))


@triton.jit
def call_returns_tuple(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    quotient, rest = _divide(tl.load(x + i), tl.load(y + i))
    tl.store(out + i, quotient)
    tl.store(out + BLOCK + i, rest)


@triton.jit
def call_returns_from_branches(x, out):
    pid = tl.program_id(0)
    tl.store(out + pid, _sign(tl.load(x + pid)))


@triton.jit
def call_chosen_by_string(x, out, KIND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, _activation(tl.load(x + i), KIND))


@triton.jit
def call_stores(x, out):
    pid = tl.program_id(0)
    a = tl.load(x + pid)
    _store_if(out + pid, a, a > 0)


@triton.jit
def call_with_loop(x, out):
    pid = tl.program_id(0)
    tl.store(out + pid, _sum_to(tl.load(x + pid)))


@triton.jit
def call_in_loop_in_branch(x, out, n):
    total = 0
    for k in range(n):
        a = tl.load(x + k)
        if a > 0:
            total += _square(a)
        else:
            total -= _sign(a) * k
    tl.store(out, total)


@triton.jit
def store_in_branch(x, low, high):
    pid = tl.program_id(0)
    a = tl.load(x + pid)
    if a < 0:
        tl.store(low + pid, a)
    else:
        tl.store(high + pid, a)


@triton.jit
def branch_on_reduction(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    a = tl.load(x + row * BLOCK + i)
    if tl.sum(a, axis=0) > 0:
        tl.store(out + row * BLOCK + i, a)
    else:
        tl.store(out + row * BLOCK + i, -a)


@triton.jit
def where_chooses(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, tl.where(a > b, a, tl.where(b > 2, 2, b)))


@triton.jit
def pointers_chosen(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    source = x if tl.program_id(0) == 0 else y
    tl.store(out + tl.program_id(0) * BLOCK + i, tl.load(source + i))


@triton.jit
def update_operators(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    a += 1
    a -= 3
    a *= 5
    b = a.to(tl.float32)
    b /= 4
    a //= 3
    a %= 7
    tl.store(out + i, a + b)
