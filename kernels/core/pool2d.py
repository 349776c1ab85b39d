# The largest element or the average of windows of images [B * C, H, W].
import triton
import triton.language as tl


# How many of `size` elements, `dilation` apart from `first`, lie at 0 to limit - 1.
@triton.jit
def elements_between(first, size, dilation, limit):
    below = tl.minimum(tl.cdiv(tl.maximum(-first, 0), dilation), size)
    return tl.maximum(tl.minimum(tl.cdiv(tl.maximum(limit - first, 0), dilation), size) - below, 0)


@triton.jit
def pool2d(
    x, out, H, W, OH, OW, STRIDE_H, STRIDE_W, PAD_TOP, PAD_LEFT, PAD_BOTTOM, PAD_RIGHT, DILATION_H, DILATION_W,
    KERNEL_H, KERNEL_W, KIND: tl.constexpr, COUNT_PAD: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr,
):  # fmt: skip
    across = tl.cdiv(OW, BLOCK_W)
    block = tl.program_id(0) % (across * tl.cdiv(OH, BLOCK_H))
    plane = tl.program_id(0) // (across * tl.cdiv(OH, BLOCK_H))
    y = block // across * BLOCK_H + tl.arange(0, BLOCK_H)
    z = block % across * BLOCK_W + tl.arange(0, BLOCK_W)
    x += plane * H * W
    top = y * STRIDE_H - PAD_TOP
    left = z * STRIDE_W - PAD_LEFT
    element: tl.constexpr = x.dtype.element_ty
    computed: tl.constexpr = tl.float64 if element == tl.float64 else tl.float32
    tl.static_assert(KIND == "max" or KIND == "average", "KIND is max or average")
    padding: tl.constexpr = float("-inf") if KIND == "max" else 0.0
    acc = tl.full((BLOCK_H, BLOCK_W), padding, computed)
    for k in range(KERNEL_H * KERNEL_W):
        row = top + k // KERNEL_W * DILATION_H
        column = left + k % KERNEL_W * DILATION_W
        rows_known = (row >= 0) & (row < H) & (y < OH)
        columns_known = (column >= 0) & (column < W) & (z < OW)
        known = rows_known[:, None] & columns_known[None, :]
        value = tl.load(x + row[:, None] * W + column[None, :], mask=known, other=padding).to(computed)
        if KIND == "max":
            acc = tl.maximum(acc, value, propagate_nan=tl.PropagateNan.ALL)
        else:
            acc += value
    if KIND == "average":
        if COUNT_PAD:
            rows = elements_between(top + PAD_TOP, KERNEL_H, DILATION_H, H + PAD_TOP + PAD_BOTTOM)
            columns = elements_between(left + PAD_LEFT, KERNEL_W, DILATION_W, W + PAD_LEFT + PAD_RIGHT)
        else:
            rows = elements_between(top, KERNEL_H, DILATION_H, H)
            columns = elements_between(left, KERNEL_W, DILATION_W, W)
        acc /= tl.maximum(rows[:, None] * columns[None, :], 1).to(computed)
    place = (plane * OH + y)[:, None] * OW + z[None, :]
    tl.store(out + place, acc.to(element), mask=(y < OH)[:, None] & (z < OW)[None, :])
