# The K largest elements of each row, in falling order, with their columns. Of equals the first comes first; NaN is larger
# than all numbers. The row is read once; elements that beat the least of the best so far replace it, the largest of a block
# first, so that few are tried. For K of up to about a hundred.
import triton
import triton.language as tl

LEAST = tl.constexpr(-0x7FFFFFFFFFFFFFFF)
MOST = tl.constexpr(0x7FFFFFFFFFFFFFFF)


@triton.jit
def _keys(x, i, N):
    """Integers in the order of the elements i of a row: the value above, the column, counted from the end, below."""
    value = tl.load(x + i, mask=i < N, other=0.0).to(tl.float32) + 0.0  # no -0.0, which equals 0.0
    bits = value.to(tl.int32, bitcast=True)
    # Negative floats are ordered against their bits.
    order = tl.where(value != value, 0x7FFFFFFF, bits ^ ((bits >> 31) & 0x7FFFFFFF))
    key = (order.to(tl.int64) << 32) + (0x7FFFFFFF - i).to(tl.int64)
    return tl.where(i < N, key, LEAST)


@triton.jit
def topk_forward(x, values, indices, N, K: tl.constexpr, KEPT: tl.constexpr, BLOCK: tl.constexpr):
    # KEPT is a power of two from K on; lanes behind K never hold the least. All keys are different.
    row = tl.program_id(0)
    x += row * N
    j = tl.arange(0, KEPT)
    best = tl.where(j < K, LEAST + j.to(tl.int64), MOST)
    for start in range(0, N, BLOCK):
        keys = _keys(x, start + tl.arange(0, BLOCK), N)
        top = tl.max(keys, axis=0)
        least = tl.min(best, axis=0)
        while top > least:
            best = tl.where(best == least, top, best)
            keys = tl.where(keys == top, LEAST, keys)
            top = tl.max(keys, axis=0)
            least = tl.min(best, axis=0)
    best = tl.where(j < K, best, LEAST)
    sorted = best
    for rank in range(0, K):
        top = tl.max(best, axis=0)
        best = tl.where(best == top, LEAST, best)
        sorted = tl.where(j == rank, top, sorted)
    column = 0x7FFFFFFF - (sorted & 0xFFFFFFFF).to(tl.int32)
    tl.store(indices + row * K + j, column, mask=j < K)
    tl.store(values + row * K + j, tl.load(x + column, mask=j < K), mask=j < K)
