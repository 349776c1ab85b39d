# Dropout: each element is 0 with probability p, otherwise multiplied by 1 / (1 - p). The random numbers are Philox-4x32-10 of
# the seed and of counters from an offset on, four elements for each, so the gradient finds the same mask again.
import triton
import triton.language as tl


@triton.jit
def dropout(x, rng, out, L, p, BLOCK: tl.constexpr):
    # rng holds the seed and the offset.
    counter = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b, c, d = tl.rand4x(tl.load(rng), tl.load(rng + 1) + counter)
    uniform = tl.reshape(tl.join(tl.join(a, c), tl.join(b, d)), [4 * BLOCK])
    i = tl.program_id(0) * (4 * BLOCK) + tl.arange(0, 4 * BLOCK)
    value = tl.load(x + i, mask=i < L, other=0.0).to(tl.float32)
    tl.store(out + i, tl.where(uniform >= p, value * (1 / (1 - p)), 0.0), mask=i < L)
