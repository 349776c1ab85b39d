# Layer norm and RMS norm of each row, with weight and bias per column; statistics in f32.
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
