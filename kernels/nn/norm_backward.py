# Gradients of layer norm and RMS norm. With n = (x - mean) * rstd and g = d_out * weight:
#   d_x = (g - mean(g) - n * mean(g * n)) * rstd    d_weight = sum of d_out * n    d_bias = sum of d_out
# RMS norm has no mean, and neither the term mean(g). The sums over rows are made without atomics, so they are the same in
# every run: program p adds up rows p, p + count, ... in its own row of `parts`, a second kernel adds up the parts.
import triton
import triton.language as tl


@triton.jit
def _backward(x, weight, mean, rstd, d_out, d_x, parts, M, N, count, BLOCK: tl.constexpr):
    """For rows that fit into BLOCK: everything is read once."""
    part = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < N
    w = tl.load(weight + i, mask=inside, other=0.0).to(tl.float32)
    by_weight = tl.zeros((BLOCK,), tl.float32)
    by_bias = tl.zeros((BLOCK,), tl.float32)
    for row in range(part, M, count):
        scale = tl.load(rstd + row)
        n = tl.load(x + row * N + i, mask=inside, other=0.0).to(tl.float32)
        if mean is not None:
            n = n - tl.load(mean + row)
        n = n * scale
        d = tl.load(d_out + row * N + i, mask=inside, other=0.0).to(tl.float32)
        by_weight += d * n
        g = d * w
        change = g - n * (tl.sum(g * n, axis=0) / N)
        if mean is not None:
            by_bias += d
            change = change - tl.sum(g, axis=0) / N
        tl.store(d_x + row * N + i, change * scale, mask=inside)
    sums = parts.to(tl.pointer_type(tl.float32))
    tl.store(sums + part * N + i, by_weight, mask=inside)
    if mean is not None:
        tl.store(sums + (count + part) * N + i, by_bias, mask=inside)


@triton.jit
def _backward_wide(x, weight, mean, rstd, d_out, d_x, parts, M, N, count, BLOCK: tl.constexpr):
    """For rows of any length."""
    part = tl.program_id(0)
    for row in range(part, M, count):
        scale = tl.load(rstd + row)
        center = 0.0
        if mean is not None:
            center = tl.load(mean + row)
        products = tl.zeros((BLOCK,), tl.float32)
        sums = tl.zeros((BLOCK,), tl.float32)
        for start in range(0, N, BLOCK):
            i = start + tl.arange(0, BLOCK)
            n = (tl.load(x + row * N + i, mask=i < N, other=0.0).to(tl.float32) - center) * scale
            d = tl.load(d_out + row * N + i, mask=i < N, other=0.0).to(tl.float32)
            g = d * tl.load(weight + i, mask=i < N, other=0.0).to(tl.float32)
            products += g * n
            sums += g
        slope = tl.sum(products, axis=0) / N
        offset = 0.0
        if mean is not None:
            offset = tl.sum(sums, axis=0) / N
        for start in range(0, N, BLOCK):
            i = start + tl.arange(0, BLOCK)
            n = (tl.load(x + row * N + i, mask=i < N, other=0.0).to(tl.float32) - center) * scale
            d = tl.load(d_out + row * N + i, mask=i < N, other=0.0).to(tl.float32)
            g = d * tl.load(weight + i, mask=i < N, other=0.0).to(tl.float32)
            tl.store(d_x + row * N + i, (g - n * slope - offset) * scale, mask=i < N)
    totals = parts.to(tl.pointer_type(tl.float32))
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        by_weight = tl.zeros((BLOCK,), tl.float32)
        by_bias = tl.zeros((BLOCK,), tl.float32)
        for row in range(part, M, count):
            n = tl.load(x + row * N + i, mask=i < N, other=0.0).to(tl.float32)
            if mean is not None:
                n = n - tl.load(mean + row)
            d = tl.load(d_out + row * N + i, mask=i < N, other=0.0).to(tl.float32)
            by_weight += d * (n * tl.load(rstd + row))
            by_bias += d
        tl.store(totals + part * N + i, by_weight, mask=i < N)
        if mean is not None:
            tl.store(totals + (count + part) * N + i, by_bias, mask=i < N)


@triton.jit
def _sum(parts, first, out, N, count, BLOCK_P: tl.constexpr, BLOCK_N: tl.constexpr):
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    p = tl.arange(0, BLOCK_P)
    total = tl.zeros((BLOCK_P, BLOCK_N), tl.float32)
    rows = parts.to(tl.pointer_type(tl.float32)) + (first + p)[:, None] * N + n[None, :]
    for start in range(0, count, BLOCK_P):
        total += tl.load(rows + start * N, mask=(start + p[:, None] < count) & (n[None, :] < N), other=0.0)
    tl.store(out + n, tl.sum(total, axis=0), mask=n < N)


@triton.jit(do_not_specialize_on_alignment=["M", "count"])
def layer_norm_backward(
    x, weight, mean, rstd, d_out, d_x, parts, M, N, count, BLOCK: tl.constexpr, WIDE: tl.constexpr
):  # fmt: skip
    if WIDE:
        _backward_wide(x, weight, mean, rstd, d_out, d_x, parts, M, N, count, BLOCK)
    else:
        _backward(x, weight, mean, rstd, d_out, d_x, parts, M, N, count, BLOCK)


@triton.jit(do_not_specialize_on_alignment=["count"])
def layer_norm_sum(parts, d_weight, d_bias, N, count, BLOCK_P: tl.constexpr, BLOCK_N: tl.constexpr):
    _sum(parts, 0, d_weight, N, count, BLOCK_P, BLOCK_N)
    _sum(parts, count, d_bias, N, count, BLOCK_P, BLOCK_N)


@triton.jit(do_not_specialize_on_alignment=["M", "count"])
def rms_norm_backward(x, weight, rstd, d_out, d_x, parts, M, N, count, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        _backward_wide(x, weight, None, rstd, d_out, d_x, parts, M, N, count, BLOCK)
    else:
        _backward(x, weight, None, rstd, d_out, d_x, parts, M, N, count, BLOCK)


@triton.jit(do_not_specialize_on_alignment=["count"])
def rms_norm_sum(parts, d_weight, N, count, BLOCK_P: tl.constexpr, BLOCK_N: tl.constexpr):
    _sum(parts, 0, d_weight, N, count, BLOCK_P, BLOCK_N)
