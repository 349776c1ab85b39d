# Random numbers: Philox, by counter and seed.
import triton
import triton.language as tl


@triton.jit
def uniform(out, seed, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.rand(seed, i), mask=i < n)


@triton.jit
def uniform_of_fewer_rounds(out, seed, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.rand(seed, i, n_rounds=7))


@triton.jit
def integers(out, seed, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.randint(seed, i))


@triton.jit
def four_at_once(out, seed, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b, c, d = tl.rand4x(seed, i)
    tl.store(out + i, a)
    tl.store(out + BLOCK + i, b)
    tl.store(out + 2 * BLOCK + i, c)
    tl.store(out + 3 * BLOCK + i, d)


@triton.jit
def four_integers(out, seed, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b, c, d = tl.randint4x(seed, i)
    tl.store(out + i, a ^ b)
    tl.store(out + BLOCK + i, c + d)


@triton.jit
def philox(out, seed, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK).to(tl.uint32)
    zero = i * 0
    a, b, c, d = tl.philox(seed, i, zero, zero + 3, zero)
    tl.store(out + i, a)
    tl.store(out + BLOCK + i, b)
    tl.store(out + 2 * BLOCK + i, c)
    tl.store(out + 3 * BLOCK + i, d)


@triton.jit
def normally_distributed(out, seed, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.randn(seed, i))


@triton.jit
def dropout(x, out, seed, p, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, tl.load(x + i, mask=mask) / (1 - p), 0.0), mask=mask)
