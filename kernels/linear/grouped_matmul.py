# Products of groups of rows with a matrix for each: a [M, K], b [G, K, N]; group g is the rows from offsets[g - 1] to
# offsets[g], and those behind the last group give 0.
import triton
import triton.language as tl


@triton.jit(do_not_specialize_on_alignment=["M", "G"])
def grouped_matmul_forward(
    a, b, offsets, out, M, N, K, G,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    # There are at least as many programs as tiles: a group ends with a tile of its own. Which group is this program's?
    program = tl.program_id(0)
    blocks_n = tl.cdiv(N, BLOCK_N)
    group = 0
    tile = 0
    begin = 0
    end = 0
    row = 0
    tiles_before = 0
    for g in range(0, G + 1):
        next_row = tl.load(offsets + g, mask=g < G, other=M)
        next_row = tl.minimum(tl.maximum(next_row, row), M).to(tl.int32)
        tiles = tl.cdiv(next_row - row, BLOCK_M) * blocks_n
        here = (program >= tiles_before) & (program < tiles_before + tiles)
        group = tl.where(here, g, group)
        tile = tl.where(here, program - tiles_before, tile)
        begin = tl.where(here, row, begin)
        end = tl.where(here, next_row, end)
        tiles_before += tiles
        row = next_row
    if begin == end:
        return

    # Tiles in groups of rows, so that the cache is shared.
    blocks_m = tl.cdiv(end - begin, BLOCK_M)
    first = tile // (GROUP * blocks_n) * GROUP
    rows_here = min(blocks_m - first, GROUP)
    block_m = first + (tile % (GROUP * blocks_n)) % rows_here
    block_n = (tile % (GROUP * blocks_n)) // rows_here

    m = begin + block_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = block_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    depth = tl.where(group < G, K, 0)
    a_block = a + m[:, None] * K + k[None, :]
    b_block = b + group * K * N + k[:, None] * N + n[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, depth, BLOCK_K):
        left = tl.load(a_block, mask=(m[:, None] < end) & (start + k[None, :] < K), other=0.0)
        right = tl.load(b_block, mask=(start + k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(left, right, acc, input_precision=PRECISION)
        a_block += BLOCK_K
        b_block += BLOCK_K * N
    inside = (m[:, None] < end) & (n[None, :] < N)
    tl.store(out + m[:, None] * N + n[None, :], acc.to(out.dtype.element_ty), mask=inside)
