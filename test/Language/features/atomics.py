# Atomic operations: what they store, and what they give back where that is determined.
import triton
import triton.language as tl


@triton.jit
def counts(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.atomic_add(out + tl.load(x + i, mask=mask, other=0), 1, mask=mask)


@triton.jit
def adds(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(out + i, tl.load(x + tl.program_id(0) * BLOCK + i))


@triton.jit
def adds_with_order(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + tl.program_id(0) * BLOCK + i)
    tl.atomic_add(out + i, a, mask=i % 2 == 0, sem="relaxed")
    tl.atomic_add(out + i, a * 2, i % 2 == 1, sem="acq_rel", scope="gpu")


@triton.jit
def adds_scalar(x, out):
    tl.atomic_add(out, tl.sum(tl.load(x + tl.program_id(0) * 64 + tl.arange(0, 64)), axis=0))
    tl.atomic_add(out + 1, 1.0)


@triton.jit
def gives_old_value(x, out, old, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(old + i, tl.atomic_add(out + i, tl.load(x + i)))


@triton.jit
def largest_smallest(x, low, high, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.atomic_max(high + i % 8, a)
    tl.atomic_min(low + i % 8, a)


@triton.jit
def bits(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.atomic_and(out + i % 4, a)
    tl.atomic_or(out + 4 + i % 4, a & 0x0F0F0F0F)
    tl.atomic_xor(out + 8 + i % 4, a)


@triton.jit
def exchanges(x, out, old, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(old + i, tl.atomic_xchg(out + i, tl.load(x + i)))


@triton.jit
def compares_and_swaps(x, out, old):
    pid = tl.program_id(0)
    tl.store(old + pid, tl.atomic_cas(out + pid, tl.load(x + pid), 100 + pid))


@triton.jit
def lock(counter, total):
    # One program at a time between taking the lock and giving it back.
    while tl.atomic_cas(counter, 0, 1, sem="acquire") == 1:
        pass
    tl.store(total, tl.load(total) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(counter, 0, sem="release")


@triton.jit
def tickets(counter, out):
    tl.store(out + tl.atomic_add(counter, 1), 7)
