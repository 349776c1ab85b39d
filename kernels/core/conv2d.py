# Convolution of images [B, C, H, W] with filters [O, C / GROUPS, KH, KW] as products of matrices: for each group, FILTERS
# [O, K] by patches [K, P], where K runs over the filter's elements and P over the pixels of all images' results.
import triton
import triton.language as tl


@triton.jit(do_not_specialize_on_alignment=["B"])
def conv2d(
    x, w, out, B, C, H, W, O, CG, KH, KW, OH, OW, STRIDE_H, STRIDE_W, PAD_TOP, PAD_LEFT, DILATION_H, DILATION_W, GROUPS, FILTERS,
    BLOCK_O: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    blocks = tl.cdiv(FILTERS, BLOCK_O)
    group = tl.program_id(0) // blocks % GROUPS
    o = tl.program_id(0) % blocks * BLOCK_O + tl.arange(0, BLOCK_O)
    p = tl.program_id(0) // (blocks * GROUPS) * BLOCK_P + tl.arange(0, BLOCK_P)
    image = p // (OH * OW)
    pixel = p % (OH * OW)
    top = pixel // OW * STRIDE_H - PAD_TOP
    left = pixel % OW * STRIDE_W - PAD_LEFT
    corner = ((image * C + group * CG) * H + top) * W + left
    inside = p < B * OH * OW
    size = CG * KH * KW
    w += group * FILTERS * size
    element: tl.constexpr = x.dtype.element_ty
    sums: tl.constexpr = tl.float64 if element == tl.float64 else tl.float32
    acc = tl.zeros((BLOCK_O, BLOCK_P), sums)
    for start in range(0, size, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        channel = k // (KH * KW)
        kh = k // KW % KH * DILATION_H
        kw = k % KW * DILATION_W
        row = top[None, :] + kh[:, None]
        column = left[None, :] + kw[:, None]
        known = (row >= 0) & (row < H) & (column >= 0) & (column < W) & (k < size)[:, None] & inside[None, :]
        patch = tl.load(x + (corner[None, :] + ((channel * H + kh) * W + kw)[:, None]), mask=known, other=0.0)
        filter = tl.load(w + o[:, None] * size + k[None, :], mask=(o < FILTERS)[:, None] & (k < size)[None, :], other=0.0)
        acc = tl.dot(filter, patch, acc, input_precision=PRECISION, out_dtype=sums)
    place = ((image * O + group * FILTERS) * OH * OW + pixel)[None, :] + o[:, None] * (OH * OW)
    tl.store(out + place, acc.to(element), mask=(o < FILTERS)[:, None] & inside[None, :])


# For groups of few channels: one image and filter per program, a block of pixels, no matrix product.
@triton.jit(do_not_specialize_on_alignment=["B"])
def conv2d_direct(
    x, w, out, B, C, H, W, O, CG, KH, KW, OH, OW, STRIDE_H, STRIDE_W, PAD_TOP, PAD_LEFT, DILATION_H, DILATION_W, FILTERS,
    BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr,
):  # fmt: skip
    across = tl.cdiv(OW, BLOCK_W)
    block = tl.program_id(0) % (across * tl.cdiv(OH, BLOCK_H))
    plane = tl.program_id(0) // (across * tl.cdiv(OH, BLOCK_H))  # of the result
    o = plane % O
    y = block // across * BLOCK_H + tl.arange(0, BLOCK_H)
    z = block % across * BLOCK_W + tl.arange(0, BLOCK_W)
    x += (plane // O * C + o // FILTERS * CG) * H * W
    w += o * CG * KH * KW
    element: tl.constexpr = x.dtype.element_ty
    sums: tl.constexpr = tl.float64 if element == tl.float64 else tl.float32
    acc = tl.zeros((BLOCK_H, BLOCK_W), sums)
    for k in range(CG * KH * KW):
        row = y * STRIDE_H + (k // KW % KH * DILATION_H - PAD_TOP)
        column = z * STRIDE_W + (k % KW * DILATION_W - PAD_LEFT)
        rows_known = (row >= 0) & (row < H) & (y < OH)
        columns_known = (column >= 0) & (column < W) & (z < OW)
        place = (k // (KH * KW) * H + row)[:, None] * W + column[None, :]
        value = tl.load(x + place, mask=rows_known[:, None] & columns_known[None, :], other=0.0)
        acc += value.to(sums) * tl.load(w + k).to(sums)
    place = (plane * OH + y)[:, None] * OW + z[None, :]
    tl.store(out + place, acc.to(element), mask=(y < OH)[:, None] & (z < OW)[None, :])
