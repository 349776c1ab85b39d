# Boxes of a detection head: from distances to the left, top, right and bottom edge, in grid units around each
# anchor, to centre, width and height in input pixels.
import triton
import triton.language as tl


@triton.jit
def detect_decode_forward(ltrb, anchor_x, anchor_y, strides, out, A, BLOCK_A: tl.constexpr):
    # One program for BLOCK_A anchors of one image; programs of an image are neighbours.
    blocks = tl.cdiv(A, BLOCK_A)
    program = tl.program_id(0)
    image = program // blocks
    a = (program % blocks) * BLOCK_A + tl.arange(0, BLOCK_A)
    inside = a < A
    row = image * 4 * A + a

    left = tl.load(ltrb + row, mask=inside, other=0.0).to(tl.float32)
    top = tl.load(ltrb + row + A, mask=inside, other=0.0).to(tl.float32)
    right = tl.load(ltrb + row + 2 * A, mask=inside, other=0.0).to(tl.float32)
    bottom = tl.load(ltrb + row + 3 * A, mask=inside, other=0.0).to(tl.float32)
    x = tl.load(anchor_x + a, mask=inside, other=0.0).to(tl.float32)
    y = tl.load(anchor_y + a, mask=inside, other=0.0).to(tl.float32)
    stride = tl.load(strides + a, mask=inside, other=0.0).to(tl.float32)

    x1 = x - left
    y1 = y - top
    x2 = x + right
    y2 = y + bottom
    tl.store(out + row, (x1 + x2) * 0.5 * stride, mask=inside)
    tl.store(out + row + A, (y1 + y2) * 0.5 * stride, mask=inside)
    tl.store(out + row + 2 * A, (x2 - x1) * stride, mask=inside)
    tl.store(out + row + 3 * A, (y2 - y1) * stride, mask=inside)


@triton.jit
def detect_decode_backward(strides, d_out, d_ltrb, A, BLOCK_A: tl.constexpr):
    blocks = tl.cdiv(A, BLOCK_A)
    program = tl.program_id(0)
    image = program // blocks
    a = (program % blocks) * BLOCK_A + tl.arange(0, BLOCK_A)
    inside = a < A
    row = image * 4 * A + a
    stride = tl.load(strides + a, mask=inside, other=0.0).to(tl.float32)
    x = tl.load(d_out + row, mask=inside, other=0.0).to(tl.float32) * 0.5
    y = tl.load(d_out + row + A, mask=inside, other=0.0).to(tl.float32) * 0.5
    width = tl.load(d_out + row + 2 * A, mask=inside, other=0.0).to(tl.float32)
    height = tl.load(d_out + row + 3 * A, mask=inside, other=0.0).to(tl.float32)
    tl.store(d_ltrb + row, (width - x) * stride, mask=inside)
    tl.store(d_ltrb + row + A, (height - y) * stride, mask=inside)
    tl.store(d_ltrb + row + 2 * A, (width + x) * stride, mask=inside)
    tl.store(d_ltrb + row + 3 * A, (height + y) * stride, mask=inside)
