"""Functions that move elements: sorting networks, reversal, lookup, counting."""

import triton
import triton.language as tl


# A sorting network compares elements whose positions differ in one bit (Batcher: Sorting networks and their
# applications; 1968). A tile is looked at as three dims: the bits of the position above that one, it, and those below.

@triton.jit
def _bits_of(x):
    """x with its elements as integers, which can be exchanged by exclusive or."""
    return x.to(tl.get_int_dtype(x.dtype.primitive_bitwidth, True), bitcast=True)


@triton.jit
def _across(x, axis: tl.constexpr):
    """For each element the other one along an axis of size 2."""
    bits = _bits_of(x)
    return (bits ^ tl.reduce(bits, axis, _xor, keep_dims=True)).to(x.dtype, bitcast=True)


@triton.jit
def _merge(x, stage: tl.constexpr, last: tl.constexpr, descending: tl.constexpr):
    """Sorts runs of 2**stage elements, each of which rises and then falls or the other way round. The results alternate in
    direction, but those of the last stage."""
    size: tl.constexpr = x.numel
    upper = tl.reshape(tl.arange(0, 2), [1, 2, 1])
    for i in tl.static_range(stage):
        below: tl.constexpr = 2**(stage - 1 - i)
        above: tl.constexpr = size // (2 * below)
        pairs = tl.reshape(x, [above, 2, below])
        if stage < last:
            falls = tl.reshape((tl.arange(0, above) >> i) & 1, [above, 1, 1])
        else:
            falls = tl.full([1, 1, 1], 1 if descending else 0, tl.int32)
        other = _across(pairs, 1)
        x = tl.reshape(tl.where((pairs > other) != (upper ^ falls), other, pairs), [size])
    return x


@triton.jit
def _check_last_dim(x, dim: tl.constexpr):
    rank: tl.constexpr = len(x.shape)
    last: tl.constexpr = dim is None or dim == -1 or dim == rank - 1
    tl.static_assert(last, f"works along the last dim, found dim={dim}")


@triton.jit
def _check_direction(descending: tl.constexpr):
    tl.static_assert(isinstance(descending, int), f"takes a bool as descending, found {descending}")


@triton.jit
def _sort(x, k: tl.constexpr, dim: tl.constexpr, descending: tl.constexpr):
    _check_last_dim(x, dim)
    size: tl.constexpr = tl._log2(x.shape[-1])
    kept: tl.constexpr = size if k is None else tl._log2(k)
    valid: tl.constexpr = k is None or (k == 2**kept and kept <= size)
    tl.static_assert(valid, f"takes a power of two up to {x.shape[-1]} as k, found {k}")
    if x.numel == 1:
        return x
    else:
        y = tl.reshape(x, [x.numel])
        for stage in tl.static_range(1, kept + 1):
            y = _merge(y, stage, size, descending)
        # Of two runs of 2**kept elements, one rising and one falling, the better halves are a run that rises and falls.
        for stage in tl.static_range(kept + 1, size + 1):
            y = _better(y, 2**kept, descending)
            y = _merge(y, kept, kept + size - stage, descending)
        return tl.reshape(y, x.shape[:-1] + [2**kept])


@triton.jit
def _better(x, length: tl.constexpr, descending: tl.constexpr):
    pairs = tl.reshape(x, [x.numel // (2 * length), 2, length])
    if descending:
        better = tl.max(pairs, 1)
    else:
        better = tl.min(pairs, 1)
    return tl.reshape(better, [x.numel // 2])


@triton.jit
def sort(x: "tile", dim: tl.constexpr = None, descending: tl.constexpr = False):
    _check_direction(descending)
    return _sort(x, None, dim, descending)


@triton.jit
def topk(x: "tile", k: tl.constexpr, dim: tl.constexpr = None):
    return _sort(x, k, dim, True)


@triton.jit
def bitonic_merge(x: "tile", dim: tl.constexpr = None, descending: tl.constexpr = False):
    _check_direction(descending)
    _check_last_dim(x, dim)
    size: tl.constexpr = tl._log2(x.shape[-1])
    if size == 0:
        return x
    else:
        return tl.reshape(_merge(tl.reshape(x, [x.numel]), size, size, descending), x.shape)


@triton.jit
def flip(x: "tile", dim: tl.constexpr = None):
    rank: tl.constexpr = len(x.shape)
    if dim is not None:
        _check_axis(dim, rank)
    at: tl.constexpr = rank - 1 if dim is None else (dim if dim >= 0 else dim + rank)
    size: tl.constexpr = x.shape[at]
    y = _bits_of(x)
    for i in tl.static_range(tl._log2(size)):
        y = _across(tl.reshape(y, x.shape[:at] + [2**i, 2, size // 2**(i + 1)] + x.shape[at + 1:]), at + 1)
    return tl.reshape(y, x.shape).to(x.dtype, bitcast=True)


@triton.jit
def cat(input: "tile", other: "tile", can_reorder: tl.constexpr = False):
    """The elements of one tile, then those of the other."""
    tl.static_assert(len(input.shape) == 1, f"takes tiles of one dim, found {len(input.shape)}")
    return tl.reshape(tl.trans(tl.join(input, other)), [2 * input.shape[0]])


@triton.jit
def gather(src: "tile", index: "tile", axis: tl.constexpr):
    """src with each coordinate along an axis replaced by what `index` has there; indices must be in range."""
    rank: tl.constexpr = len(src.shape)
    tl.static_assert(len(index.shape) == rank, f"takes tiles of one rank, found {rank} and {len(index.shape)}")
    _check_axis(axis, rank)
    tl.static_assert(index.dtype.is_int(), f"takes integers as indices, found {index.dtype}")
    at: tl.constexpr = axis if axis >= 0 else axis + rank
    for dim in tl.static_range(rank):
        tl.static_assert(dim == at or src.shape[dim] == index.shape[dim],
                         f"takes tiles whose sizes differ along axis {axis} alone")
    # Some elements of src at a time, compared with all indices.
    size: tl.constexpr = src.shape[at]
    step: tl.constexpr = _step(size, index.numel)
    before: tl.constexpr = src.shape[:at]
    after: tl.constexpr = src.shape[at + 1:]
    ones_before: tl.constexpr = [1] * at
    ones_after: tl.constexpr = [1] * (rank - 1 - at)
    parts = tl.reshape(_bits_of(src), before + [size // step, step] + after)
    part = tl.reshape(tl.arange(0, size // step), ones_before + [size // step, 1] + ones_after)
    within = tl.reshape(tl.arange(0, step), ones_before + [step, 1] + ones_after)
    wanted = tl.reshape(index, before + [1, index.shape[at]] + after)
    result = tl.zeros(index.shape, parts.dtype)
    for i in range(size // step):
        elements = tl.reduce(tl.where(part == i, parts, 0), at, _or)
        found = within + i * step == wanted
        elements = tl.reshape(elements, before + [step, 1] + after)
        result |= tl.reduce(tl.where(found, elements, 0), at, _or)
    return result.to(src.dtype, bitcast=True)


@triton.constexpr_function
def _step(size, others):
    """How many of `size` elements are compared with all others at once: a power of two."""
    most = 4096 // others
    return 1 if most == 0 else size if size < most else most


@triton.jit
def histogram(input: "tile", num_bins: tl.constexpr, mask=None):
    """How often each of 0 ... num_bins - 1 is in a tile of one dim; other values count for nothing."""
    tl.static_assert(len(input.shape) == 1, f"takes a tile of one dim, found {len(input.shape)}")
    tl.static_assert(input.dtype.is_int(), f"takes integers, found {input.dtype}")
    if mask is not None:
        tl.static_assert(isinstance(mask, tl.tensor), f"takes a tile as mask, found {mask}")
        tl.static_assert(mask.dtype == tl.int1, f"takes int1 as mask, found {mask.dtype}")
    valid: tl.constexpr = isinstance(num_bins, int) and num_bins > 0 and num_bins & (num_bins - 1) == 0
    tl.static_assert(valid, f"takes a power of two as num_bins, found {num_bins}")
    # Some bins at a time.
    step: tl.constexpr = _step(num_bins, input.numel)
    within = tl.arange(0, step)[None, :]
    part = tl.arange(0, num_bins // step)[:, None]
    counts = tl.zeros([num_bins // step, step], tl.int32)
    for i in range(num_bins // step):
        found = input[:, None] == within + i * step
        if mask is not None:
            found = found & mask[:, None]
        counts = tl.where(part == i, tl.reduce(found.to(tl.int32), 0, _add)[None, :], counts)
    return tl.reshape(counts, [num_bins])
