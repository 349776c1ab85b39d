# Attention without the N x N matrix: softmax(scale * q k^T) v with an online softmax over blocks of keys.
# q [BH, Nq, D], k [BH, Nk, D], v [BH, Nk, DV]; out [BH, Nq, DV] and, for the backward pass, the log-sum-exp [BH, Nq].
# With CAUSAL, query i sees keys 0..i.
import triton
import triton.language as tl


@triton.jit(do_not_specialize_on_alignment=["Nq", "Nk"])
def flash2_forward(
    q, k, v, out, lse, Nq, Nk, scale,
    D: tl.constexpr, DV: tl.constexpr, CAUSAL: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    block = tl.program_id(0)
    head = tl.program_id(1)
    m = block * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    d = tl.arange(0, D)
    e = tl.arange(0, DV)
    q_rows = q + head * Nq * D + m[:, None] * D + d[None, :]
    query = tl.load(q_rows, mask=m[:, None] < Nq, other=0.0)
    k_columns = k + head * Nk * D + n[None, :] * D + d[:, None]
    v_rows = v + head * Nk * DV + n[:, None] * DV + e[None, :]

    # Exponentials to base 2: exp(x) = exp2(x * log2(e)). The sign of the scale goes to q, so that the largest product
    # has the largest score; a scale of 0 becomes one that changes no sum.
    factor = scale * 1.4426950408889634
    query = tl.where(factor < 0, -query, query)
    factor = tl.where(factor == 0, 1e-30, tl.abs(factor))
    largest = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, DV), tl.float32)
    end = Nk
    whole = Nk  # keys that all queries of the block see
    if CAUSAL:
        end = min(Nk, (block + 1) * BLOCK_M)
        whole = min(Nk, block * BLOCK_M + 1)
    for start in range(0, end, BLOCK_N):
        key = tl.load(k_columns + start * D, mask=start + n[None, :] < Nk, other=0.0)
        product = tl.dot(query, key, input_precision=PRECISION)
        if start + BLOCK_N > whole:
            seen = start + n[None, :] < Nk
            if CAUSAL:
                seen = seen & (start + n[None, :] <= m[:, None])
            product = tl.where(seen, product, float("-inf"))
        peak = tl.maximum(largest, tl.max(product, axis=1) * factor)
        weight = tl.exp2(tl.fma(product, factor, -peak[:, None]))
        shrink = tl.exp2(largest - peak)
        total = total * shrink + tl.sum(weight, axis=1)
        value = tl.load(v_rows + start * DV, mask=start + n[:, None] < Nk, other=0.0)
        acc = tl.dot(weight.to(v.dtype.element_ty), value, acc * shrink[:, None], input_precision=PRECISION)
        largest = peak
    # A row that saw no key (Nk = 0) gives zeros.
    acc = acc / tl.where(total == 0.0, 1.0, total)[:, None]
    out_rows = out + head * Nq * DV + m[:, None] * DV + e[None, :]
    tl.store(out_rows, acc.to(out.dtype.element_ty), mask=m[:, None] < Nq)
    tl.store(lse + head * Nq + m, (largest + tl.log2(total)) * 0.6931471805599453, mask=m < Nq)
