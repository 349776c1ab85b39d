# Cross entropy of rows of logits with a label each, and its gradient, in f32. A row whose label is `ignore` counts for
# nothing; one whose label is no column is NaN. Exponentials are to base 2, the machine's: exp(x) = exp2(x * log2(e)).
import triton
import triton.language as tl


@triton.jit(do_not_specialize_on_alignment=["ignore"])
def cross_entropy_forward(logits, labels, loss, lse, N, ignore, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    logits += row * N
    # Per lane, the sum of exponentials relative to the largest value so far of the row.
    peak = float("-inf")
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        value = tl.load(logits + i, mask=i < N, other=float("-inf")).to(tl.float32)
        higher = tl.maximum(peak, tl.max(value, axis=0))
        base = tl.where(higher == float("-inf"), 0.0, higher)
        total = total * tl.exp2((peak - base) * 1.4426950408889634) + tl.exp2((value - base) * 1.4426950408889634)
        peak = higher
    sum = peak + tl.log(tl.sum(total, axis=0))
    label = tl.load(labels + row)
    valid = (label >= 0) & (label < N)
    chosen = tl.load(logits + tl.where(valid, label, 0), mask=valid, other=float("nan")).to(tl.float32)
    tl.store(loss + row, tl.where(label == ignore, 0.0, sum - chosen))
    tl.store(lse + row, sum)


@triton.jit(do_not_specialize_on_alignment=["ignore"])
def cross_entropy_backward(logits, labels, lse, d_loss, d_logits, N, ignore, BLOCK: tl.constexpr):
    blocks = tl.cdiv(N, BLOCK)
    row = tl.program_id(0) // blocks
    i = (tl.program_id(0) % blocks) * BLOCK + tl.arange(0, BLOCK)
    label = tl.load(labels + row)
    valid = (label >= 0) & (label < N)
    scale = tl.where(valid, tl.load(d_loss + row), float("nan"))
    scale = tl.where(label == ignore, 0.0, scale)
    column = tl.where(valid, label, 0).to(tl.int32)
    value = tl.load(logits + row * N + i, mask=i < N, other=0.0).to(tl.float32)
    d = tl.exp2((value - tl.load(lse + row)) * 1.4426950408889634) - tl.where(i == column, 1.0, 0.0)
    tl.store(d_logits + row * N + i, tl.where(label == ignore, 0.0, d * scale), mask=i < N)
