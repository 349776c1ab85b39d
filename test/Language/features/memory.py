# Loads and stores: masks, what masked lanes give, addresses, types of elements.
import triton
import triton.language as tl


@triton.jit
def copy_whole(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i))


@triton.jit
def copy_masked(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    value = tl.load(x + i, mask=mask)
    tl.store(out + i, value, mask=mask)


@triton.jit
def copy_positional_mask(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n, -1.0), i < n)


@triton.jit
def other_fills_masked_lanes(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=-7.5))


@triton.jit
def other_is_infinite(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=-float("inf")))


@triton.jit
def other_is_tile(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    fallback = tl.load(y + i)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=fallback))


@triton.jit
def other_is_converted(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    # An integer for a float tile, and a value that the type of the elements rounds.
    first = tl.load(x + i, mask=i < n, other=3)
    second = tl.load(x + i, mask=i >= n, other=0.1)
    tl.store(out + i, first)
    tl.store(out + BLOCK + i, second)


@triton.jit
def store_masked_in_middle(x, out, low, high, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i), mask=(i >= low) & (i < high))


@triton.jit
def store_every_third(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i), mask=i % 3 == 0)


@triton.jit
def scalar_load_store(x, out):
    pid = tl.program_id(0)
    tl.store(out + pid, tl.load(x + pid) * 2)


@triton.jit
def scalar_masked(x, out, n):
    pid = tl.program_id(0)
    value = tl.load(x + pid, mask=pid < n, other=9.0)
    tl.store(out + pid, value)
    tl.store(out + 8 + pid, value, mask=pid >= n)


@triton.jit
def scalar_broadcast_store(out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, 1.25, mask=i < n)


@triton.jit
def store_converts(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def gather_rows(x, index, out, width, BLOCK: tl.constexpr):
    row = tl.load(index + tl.program_id(0))
    i = tl.arange(0, BLOCK)
    mask = i < width
    tl.store(out + tl.program_id(0) * width + i, tl.load(x + row * width + i, mask=mask), mask=mask)


@triton.jit
def gather_elements(x, index, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    at = tl.load(index + i, mask=mask, other=0)
    tl.store(out + i, tl.load(x + at, mask=mask), mask=mask)


@triton.jit
def scatter_elements(x, index, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    at = tl.load(index + i, mask=mask, other=0)
    tl.store(out + at, tl.load(x + i, mask=mask), mask=mask)


@triton.jit
def reversed_order(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + n - 1 - i, tl.load(x + i, mask=mask), mask=mask)


@triton.jit
def in_place(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    value = tl.load(x + i, mask=mask)
    tl.store(x + i, value * value - 1, mask=mask)


@triton.jit
def swap_halves_in_place(x, HALF: tl.constexpr):
    i = tl.arange(0, HALF)
    low = tl.load(x + i)
    high = tl.load(x + HALF + i)
    tl.debug_barrier()
    tl.store(x + i, high)
    tl.store(x + HALF + i, low)


@triton.jit
def pointer_moves_in_loop(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    source = x + i
    target = out + i
    for start in range(0, n, BLOCK):
        mask = start + i < n
        tl.store(target, tl.load(source, mask=mask) + 1, mask=mask)
        source += BLOCK
        target += BLOCK


@triton.jit
def pointer_of_element_type(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
    value = value * value
    tl.store(out + i, value.to(out.dtype.element_ty), mask=i < n)


@triton.jit
def pointer_type_element(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    wide = tl.load(x + i).to(tl.float64) / 3
    tl.store(out + i, wide.to(x.type.element_ty))


@triton.jit
def offsets_of_64_bits(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK).to(tl.int64)
    mask = i < n
    tl.store(out + row * n + i, tl.load(x + row * n + i, mask=mask) - row, mask=mask)


@triton.jit
def cache_hints(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    first = tl.load(x + i, mask=mask, cache_modifier=".cg")
    second = tl.load(x + i, mask=mask, other=0, eviction_policy="evict_last")
    third = tl.load(x + i, mask=mask, volatile=True)
    tl.store(out + i, first + second + third, mask=mask, eviction_policy="evict_first")
    tl.store(out + BLOCK + i, first, mask=mask, cache_modifier=".cs")


@triton.jit
def hints_of_alignment(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    i = tl.max_contiguous(tl.multiple_of(i, BLOCK), BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) * 0.5, mask=mask)


@triton.jit
def hint_on_scalar(x, out, row, BLOCK: tl.constexpr):
    row = tl.multiple_of(row, 16)
    tl.assume(row >= 0)
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + row + i))


@triton.jit
def booleans_in_memory(x, flags, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    value = tl.load(x + i, mask=mask, other=0)
    tl.store(flags + i, value > 0, mask=mask)
    tl.debug_barrier()
    again = tl.load(flags + i, mask=mask, other=0).to(tl.int1)
    tl.store(out + i, tl.where(again, value, -1), mask=mask)


@triton.jit
def two_outputs(x, low, high, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    value = tl.load(x + i, mask=mask)
    tl.store(low + i, tl.minimum(value, 0), mask=mask)
    tl.store(high + i, tl.maximum(value, 0), mask=mask)


@triton.jit
def grid_of_three(out, NX: tl.constexpr, NY: tl.constexpr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    at = (z * NY + y) * NX + x
    tl.store(out + at, at * 100 + tl.num_programs(0) * tl.num_programs(1) * tl.num_programs(2))


@triton.jit
def persistent(x, out, n, BLOCK: tl.constexpr):
    for tile in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(axis=0)):
        i = tile * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, mask=i < n) + tile, mask=i < n)
