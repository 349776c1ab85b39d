# Rotary position embedding: pairs of elements of a head turned by an angle of position and pair. The gradient is turned back.
import triton
import triton.language as tl


@triton.jit(do_not_specialize_on_alignment=["S", "heads"])
def rope(
    x, cos, sin, out, S, heads, half,
    INTERLEAVED: tl.constexpr, BACKWARD: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    # x [B, S, heads, 2 half]; cos, sin [S, half]. Pair p is elements p and p + half, or, if INTERLEAVED, 2 p and 2 p + 1.
    x += tl.program_id(1) * S * heads * (2 * half)
    out += tl.program_id(1) * S * heads * (2 * half)
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    angles = r // heads * half
    for start in range(0, half, BLOCK):
        p = start + tl.arange(0, BLOCK)[None, :]
        inside = (r < S * heads) & (p < half)
        c = tl.load(cos + angles + p, mask=inside, other=0.0)
        s = tl.load(sin + angles + p, mask=inside, other=0.0)
        if BACKWARD:
            s = -s
        if INTERLEAVED:
            i = 2 * start + tl.arange(0, 2 * BLOCK)[None, :]
            both = tl.load(x + r * (2 * half) + i, mask=(r < S * heads) & (i < 2 * half), other=0.0).to(tl.float32)
            a, b = tl.split(tl.reshape(both, [ROWS, BLOCK, 2]))
            turned = tl.reshape(tl.join(a * c - b * s, a * s + b * c), [ROWS, 2 * BLOCK])
            tl.store(out + r * (2 * half) + i, turned, mask=(r < S * heads) & (i < 2 * half))
        else:
            a = tl.load(x + r * (2 * half) + p, mask=inside, other=0.0).to(tl.float32)
            b = tl.load(x + r * (2 * half) + half + p, mask=inside, other=0.0).to(tl.float32)
            tl.store(out + r * (2 * half) + p, a * c - b * s, mask=inside)
            tl.store(out + r * (2 * half) + half + p, a * s + b * c, mask=inside)
