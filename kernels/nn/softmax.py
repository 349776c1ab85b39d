# Softmax of each row, for any number of columns. Exponentials are to base 2, the machine's: exp(x) = exp2(x * log2(e)).
import triton
import triton.language as tl


@triton.jit
def softmax_forward(x, out, N, BLOCK: tl.constexpr):
    # One pass for the maximum and the sum, one for the quotients.
    row = tl.program_id(0)
    x += row * N
    out += row * N
    # Per lane, the largest value seen and the sum of exponentials relative to it. It begins at the lowest number, so that no
    # difference is inf - inf, except in rows that are NaN in any case.
    largest = tl.full((BLOCK,), -3.4028234663852886e38, tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        value = tl.load(x + i, mask=i < N, other=float("-inf")).to(tl.float32)
        # Of the sum and the new term, 1 at its own size, the smaller is scaled, either by the same factor.
        rises = value > largest
        factor = tl.exp2(-tl.abs(value - largest) * 1.4426950408889634)
        total = tl.fma(tl.where(rises, total, 1.0), factor, tl.where(rises, 1.0, total))
        largest = tl.where(rises, value, largest)
    peak = tl.max(largest, axis=0)
    inverse = 1.0 / tl.sum(total * tl.exp2((largest - peak) * 1.4426950408889634), axis=0)
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        value = tl.load(x + i, mask=i < N, other=float("-inf")).to(tl.float32)
        tl.store(out + i, tl.exp2((value - peak) * 1.4426950408889634) * inverse, mask=i < N)
