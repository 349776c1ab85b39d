# Gradients of attention without the N x N matrix, from what the forward pass saved: out and lse, the log-sum-exp of each row.
# With s = scale * q k^T, p = exp(s - lse), dp = d_out v^T and delta = the sum of out * d_out over each row:
#   d_v = p^T d_out    ds = p * (dp - delta)    d_q = scale * ds k    d_k = scale * ds^T q
import triton
import triton.language as tl


@triton.jit(do_not_specialize_on_alignment=["Nq", "Nk"])
def flash2_dq(
    q, k, v, out, lse, d_out, d_q, Nq, Nk, scale,
    D: tl.constexpr, DV: tl.constexpr, CAUSAL: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    # One block of queries, over all keys.
    block = tl.program_id(0)
    head = tl.program_id(1)
    m = block * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    d = tl.arange(0, D)
    e = tl.arange(0, DV)
    inside = m[:, None] < Nq
    rows = head * Nq * D + m[:, None] * D + d[None, :]
    out_rows = head * Nq * DV + m[:, None] * DV + e[None, :]
    query = tl.load(q + rows, mask=inside, other=0.0)
    gradient = tl.load(d_out + out_rows, mask=inside, other=0.0)
    products = tl.load(out + out_rows, mask=inside, other=0.0).to(tl.float32) * gradient.to(tl.float32)
    delta = tl.sum(products, axis=1)
    k_columns = k + head * Nk * D + n[None, :] * D + d[:, None]
    v_columns = v + head * Nk * DV + n[None, :] * DV + e[:, None]

    # Exponentials to base 2: exp(x) = exp2(x * log2(e)).
    factor = scale * 1.4426950408889634
    total = tl.load(lse + head * Nq + m, mask=m < Nq, other=0.0) * 1.4426950408889634
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    end = Nk
    whole = Nk  # keys that all queries of the block see
    if CAUSAL:
        end = min(Nk, (block + 1) * BLOCK_M)
        whole = min(Nk, block * BLOCK_M + 1)
    for start in range(0, end, BLOCK_N):
        seen = start + n[None, :] < Nk
        key = tl.load(k_columns + start * D, mask=seen, other=0.0)
        value = tl.load(v_columns + start * DV, mask=seen, other=0.0)
        product = tl.dot(query, key, input_precision=PRECISION)
        weight = tl.exp2(tl.fma(product, factor, -total[:, None]))
        if start + BLOCK_N > whole:
            if CAUSAL:
                weight = tl.where(start + n[None, :] <= m[:, None], weight, 0.0)
            weight = tl.where(seen, weight, 0.0)
        change = weight * (tl.dot(gradient, value, input_precision=PRECISION) - delta[:, None])
        acc = tl.dot(change.to(k.dtype.element_ty), tl.trans(key), acc, input_precision=PRECISION)
    tl.store(d_q + rows, (acc * scale).to(d_q.dtype.element_ty), mask=inside)


@triton.jit(do_not_specialize_on_alignment=["rows"])
def flash2_delta(out, d_out, delta, rows, DV: tl.constexpr, BLOCK: tl.constexpr):
    m = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = m[:, None] * DV + tl.arange(0, DV)[None, :]
    inside = m[:, None] < rows
    products = tl.load(out + at, mask=inside, other=0.0).to(tl.float32)
    products *= tl.load(d_out + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(delta.to(tl.pointer_type(tl.float32)) + m, tl.sum(products, axis=1), mask=m < rows)


@triton.jit(do_not_specialize_on_alignment=["Nq", "Nk"])
def flash2_dkv(
    q, k, v, lse, d_out, delta, d_k, d_v, Nq, Nk, scale,
    D: tl.constexpr, DV: tl.constexpr, CAUSAL: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    # One block of keys, over all queries; scores and weights are transposed, [keys, queries].
    block = tl.program_id(0)
    head = tl.program_id(1)
    n = block * BLOCK_N + tl.arange(0, BLOCK_N)
    m = tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    e = tl.arange(0, DV)
    inside = n[:, None] < Nk
    k_rows = head * Nk * D + n[:, None] * D + d[None, :]
    v_rows = head * Nk * DV + n[:, None] * DV + e[None, :]
    key = tl.load(k + k_rows, mask=inside, other=0.0)
    value = tl.load(v + v_rows, mask=inside, other=0.0)
    q_rows = q + head * Nq * D + m[:, None] * D + d[None, :]
    out_rows = d_out + head * Nq * DV + m[:, None] * DV + e[None, :]
    deltas = delta.to(tl.pointer_type(tl.float32)) + head * Nq + m
    totals = lse + head * Nq + m

    factor = scale * 1.4426950408889634
    by_key = tl.zeros((BLOCK_N, D), tl.float32)
    by_value = tl.zeros((BLOCK_N, DV), tl.float32)
    first = 0
    if CAUSAL:
        first = block * BLOCK_N // BLOCK_M * BLOCK_M
    for start in range(first, Nq, BLOCK_M):
        here = start + m < Nq
        query = tl.load(q_rows + start * D, mask=here[:, None], other=0.0)
        gradient = tl.load(out_rows + start * DV, mask=here[:, None], other=0.0)
        total = tl.load(totals + start, mask=here, other=0.0) * 1.4426950408889634
        product = tl.dot(key, tl.trans(query), input_precision=PRECISION)
        # Queries beyond the last are 0, as are their gradients: they add nothing. Keys beyond the last are not stored.
        weight = tl.exp2(tl.fma(product, factor, -total[None, :]))
        if CAUSAL:
            if start < (block + 1) * BLOCK_N:
                weight = tl.where(n[:, None] <= start + m[None, :], weight, 0.0)
        by_value = tl.dot(weight.to(v.dtype.element_ty), gradient, by_value, input_precision=PRECISION)
        change = tl.dot(value, tl.trans(gradient), input_precision=PRECISION)
        change = weight * (change - tl.load(deltas + start, mask=here, other=0.0)[None, :])
        by_key = tl.dot(change.to(q.dtype.element_ty), query, by_key, input_precision=PRECISION)
    tl.store(d_k + k_rows, (by_key * scale).to(d_k.dtype.element_ty), mask=inside)
    tl.store(d_v + v_rows, by_value.to(d_v.dtype.element_ty), mask=inside)
