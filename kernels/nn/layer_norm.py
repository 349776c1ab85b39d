# Layer norm and RMS norm of each row, with weight and bias per column; statistics in f32. Whole rows are read once, those
# that are too long for that in passes.
import triton
import triton.language as tl


@triton.jit
def layer_norm_forward(x, weight, bias, out, mean, rstd, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * N
    out += row * N
    sums = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        sums += tl.load(x + i, mask=i < N, other=0.0).to(tl.float32)
    center = tl.sum(sums, axis=0) / N
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        value = tl.load(x + i, mask=i < N, other=0.0).to(tl.float32)
        deviation = tl.where(i < N, value - center, 0.0)
        squares += deviation * deviation
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)
    tl.store(mean + row, center)
    tl.store(rstd + row, scale)
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        inside = i < N
        value = tl.load(x + i, mask=inside, other=0.0).to(tl.float32)
        w = tl.load(weight + i, mask=inside).to(tl.float32)
        b = tl.load(bias + i, mask=inside).to(tl.float32)
        tl.store(out + i, (value - center) * scale * w + b, mask=inside)


@triton.jit
def rms_norm_forward(x, weight, out, rstd, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * N
    out += row * N
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        value = tl.load(x + i, mask=i < N, other=0.0).to(tl.float32)
        squares += value * value
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)
    tl.store(rstd + row, scale)
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        inside = i < N
        value = tl.load(x + i, mask=inside, other=0.0).to(tl.float32)
        tl.store(out + i, value * scale * tl.load(weight + i, mask=inside).to(tl.float32), mask=inside)


@triton.jit(do_not_specialize_on_alignment=["M"])
def layer_norm_rows(x, weight, bias, out, mean, rstd, M, N, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    m = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    n = tl.arange(0, BLOCK)[None, :]
    inside = (m[:, None] < M) & (n < N)
    value = tl.load(x + m[:, None] * N + n, mask=inside, other=0.0).to(tl.float32)
    w = tl.load(weight + n, mask=n < N, other=0.0).to(tl.float32)
    b = tl.load(bias + n, mask=n < N, other=0.0).to(tl.float32)
    center = tl.sum(value, axis=1) / N
    deviation = tl.where(n < N, value - center[:, None], 0.0)
    scale = 1 / tl.sqrt(tl.sum(deviation * deviation, axis=1) / N + eps)
    tl.store(mean + m, center, mask=m < M)
    tl.store(rstd + m, scale, mask=m < M)
    tl.store(out + m[:, None] * N + n, deviation * scale[:, None] * w + b, mask=inside)


@triton.jit(do_not_specialize_on_alignment=["M"])
def rms_norm_rows(x, weight, out, rstd, M, N, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    m = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    n = tl.arange(0, BLOCK)[None, :]
    inside = (m[:, None] < M) & (n < N)
    value = tl.load(x + m[:, None] * N + n, mask=inside, other=0.0).to(tl.float32)
    w = tl.load(weight + n, mask=n < N, other=0.0).to(tl.float32)
    scale = 1 / tl.sqrt(tl.sum(value * value, axis=1) / N + eps)
    tl.store(rstd + m, scale, mask=m < M)
    tl.store(out + m[:, None] * N + n, value * scale[:, None] * w, mask=inside)
