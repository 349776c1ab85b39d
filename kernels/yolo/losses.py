# Losses of detection: complete intersection over union for boxes, binary cross entropy for classes, and their gradients.
# Exponentials are to base 2, the machine's: exp(x) = exp2(x * log2(e)).
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _boxes(rows, i, N):
    """Boxes i as (cx, cy, w, h), each of which has a row of N."""
    inside = i < N
    x = tl.load(rows + i, mask=inside, other=0.0).to(tl.float32)
    y = tl.load(rows + N + i, mask=inside, other=0.0).to(tl.float32)
    w = tl.load(rows + 2 * N + i, mask=inside, other=0.0).to(tl.float32)
    h = tl.load(rows + 3 * N + i, mask=inside, other=0.0).to(tl.float32)
    return x, y, w, h


@triton.jit
def _extents(d, p, t):
    """Along one axis, the sizes of the overlap and of the hull of two boxes of sizes p and t, whose centres are d apart."""
    overlap = tl.minimum(d + p * 0.5, t * 0.5) - tl.maximum(d - p * 0.5, t * -0.5)
    hull = tl.maximum(d + p * 0.5, t * 0.5) - tl.minimum(d - p * 0.5, t * -0.5)
    return overlap, hull


@triton.jit
def ciou_loss_forward(pred, target, loss, iou, v, alpha, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < N
    px, py, pw, ph = _boxes(pred, i, N)
    tx, ty, tw, th = _boxes(target, i, N)

    dx = px - tx
    dy = py - ty
    overlap_w, hull_w = _extents(dx, pw, tw)
    overlap_h, hull_h = _extents(dy, ph, th)
    inter = tl.maximum(overlap_w, 0.0) * tl.maximum(overlap_h, 0.0)
    ratio = inter / (pw * ph + tw * th - inter + 1e-7)
    distance = (dx * dx + dy * dy) / (hull_w * hull_w + hull_h * hull_h + 1e-7)
    # atan(tw / t) - atan(pw / p) as one angle between the vectors (t, tw) and (p, pw), each turned to the side where t, p > 0.
    t = tl.abs(th + 1e-7)
    p = tl.abs(ph + 1e-7)
    tv = tl.where(th + 1e-7 < 0, -tw, tw)
    pv = tl.where(ph + 1e-7 < 0, -pw, pw)
    angle = libdevice.atan2(tv * p - pv * t, t * p + tv * pv)
    shape = 0.4052847345693511 * angle * angle  # 4 / pi^2
    weight = shape / (1 - ratio + shape + 1e-7)
    tl.store(loss + i, 1 - ratio + distance + weight * shape, mask=inside)
    tl.store(iou + i, ratio, mask=inside)
    tl.store(v + i, shape, mask=inside)
    tl.store(alpha + i, weight, mask=inside)


@triton.jit
def _share(a, b):
    """How much of min(a, b) moves with a: all, nothing, or where they are equal half."""
    return tl.where(a < b, 1.0, tl.where(a == b, 0.5, 0.0))


@triton.jit
def ciou_loss_backward(pred, target, iou, v, alpha, d_loss, d_pred, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < N
    px, py, pw, ph = _boxes(pred, i, N)
    tx, ty, tw, th = _boxes(target, i, N)
    ratio = tl.load(iou + i, mask=inside, other=0.0)
    shape = tl.load(v + i, mask=inside, other=0.0)
    weight = tl.load(alpha + i, mask=inside, other=0.0)
    scale = tl.load(d_loss + i, mask=inside, other=0.0).to(tl.float32)

    dx = px - tx
    dy = py - ty
    right = _share(dx + pw * 0.5, tw * 0.5)  # of the overlap's edges, what moves with the prediction
    left = _share(tw * -0.5, dx - pw * 0.5)
    bottom = _share(dy + ph * 0.5, th * 0.5)
    top = _share(th * -0.5, dy - ph * 0.5)
    overlap_w, hull_w = _extents(dx, pw, tw)
    overlap_h, hull_h = _extents(dy, ph, th)
    # The gradients of inter by the width and by the height of the overlap; 0 where there is none.
    by_w = tl.maximum(overlap_h, 0.0) * _share(0.0, overlap_w)
    by_h = tl.maximum(overlap_w, 0.0) * _share(0.0, overlap_h)
    inter = tl.maximum(overlap_w, 0.0) * tl.maximum(overlap_h, 0.0)

    # loss = 1 - iou + d2 / c2 + v^2 / (1 - iou + v + e), so that with alpha = v / (1 - iou + v + e)
    # d loss = (alpha^2 - 1) d iou + alpha (2 - alpha) d v + d (d2 / c2).
    union = pw * ph + tw * th - inter + 1e-7
    by_inter = (weight * weight - 1) * (1 + ratio) / union
    by_area = (weight * weight - 1) * -ratio / union
    hull = hull_w * hull_w + hull_h * hull_h + 1e-7
    far = -2 * (dx * dx + dy * dy) / hull
    # v grows with the difference of the angles atan(w / h), whose size is pi / 2 * sqrt(v).
    flat = ph + 1e-7
    sign = tl.where(tw / (th + 1e-7) > pw / flat, 1.0, -1.0)
    turn = weight * (2 - weight) * -1.2732395447351628 * sign * tl.sqrt(shape) / (flat * flat + pw * pw)  # 4 / pi
    d_x = by_inter * by_w * (right - left) + (2 * dx + far * hull_w * (left - right)) / hull
    d_y = by_inter * by_h * (bottom - top) + (2 * dy + far * hull_h * (top - bottom)) / hull
    d_w = by_inter * by_w * (right + left) * 0.5 + by_area * ph + far * hull_w * (1 - 0.5 * (right + left)) / hull
    d_h = by_inter * by_h * (bottom + top) * 0.5 + by_area * pw + far * hull_h * (1 - 0.5 * (bottom + top)) / hull
    tl.store(d_pred + i, scale * d_x, mask=inside)
    tl.store(d_pred + N + i, scale * d_y, mask=inside)
    tl.store(d_pred + 2 * N + i, scale * (d_w + turn * flat), mask=inside)
    tl.store(d_pred + 3 * N + i, scale * (d_h - turn * pw), mask=inside)


@triton.jit
def _plus_log1p(value, e):
    """value + log1p(e) for e from 0 to 1: log1p(e) / e is the polynomial that is right at the ten Chebyshev nodes of [0, 1]."""
    ratio = tl.fma(e, -0.0031760570, 0.0195425265)
    ratio = tl.fma(e, ratio, -0.0563736116)
    ratio = tl.fma(e, ratio, 0.1054362357)
    ratio = tl.fma(e, ratio, -0.1526966691)
    ratio = tl.fma(e, ratio, 0.1966327429)
    ratio = tl.fma(e, ratio, -0.2495161593)
    ratio = tl.fma(e, ratio, 0.3332971036)
    ratio = tl.fma(e, ratio, -0.4999989271)
    return tl.fma(e, tl.fma(e, ratio, 1.0), value)


@triton.jit(do_not_specialize_on_alignment=["C"])
def bce_cls_loss_forward(x, t, loss, C, N, BLOCK_C: tl.constexpr, BLOCK_N: tl.constexpr):
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    c = tl.arange(0, BLOCK_C)[:, None]
    total = tl.zeros((BLOCK_C, BLOCK_N), tl.float32)
    for start in range(0, C, BLOCK_C):
        inside = (start + c < C) & (n < N)
        at = (start + c) * N + n
        logit = tl.load(x + at, mask=inside, other=0.0).to(tl.float32)
        wanted = tl.load(t + at, mask=inside, other=0.0).to(tl.float32)
        value = tl.fma(logit * -1.0, wanted, tl.maximum(logit, 0.0))
        value = _plus_log1p(value, tl.exp2(tl.abs(logit) * -1.4426950408889634))
        total += tl.where(inside, value, 0.0)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(loss + columns, tl.sum(total, axis=0), mask=columns < N)


@triton.jit(do_not_specialize_on_alignment=["C"])
def bce_cls_loss_backward(x, t, d_loss, d_x, C, N, BLOCK_C: tl.constexpr, BLOCK_N: tl.constexpr):
    blocks = tl.cdiv(N, BLOCK_N)
    program = tl.program_id(0)
    n = (program % blocks) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    c = (program // blocks) * BLOCK_C + tl.arange(0, BLOCK_C)[:, None]
    inside = (c < C) & (n < N)
    at = c * N + n
    logit = tl.load(x + at, mask=inside, other=0.0).to(tl.float32)
    wanted = tl.load(t + at, mask=inside, other=0.0).to(tl.float32)
    scale = tl.load(d_loss + n, mask=n < N, other=0.0).to(tl.float32)
    tl.store(d_x + at, scale * (1 / (1 + tl.exp2(logit * -1.4426950408889634)) - wanted), mask=inside)
