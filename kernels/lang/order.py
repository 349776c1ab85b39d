"""Functions that move elements: sorting networks, reversal, lookup, counting."""

import triton
import triton.language as tl


# A tile of 2**n elements is looked at as a cube of n dims of size 2, in which elements that a sorting network compares
# are neighbours along a dim (Batcher: Sorting networks and their applications; 1968).

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
def _coordinate(rank: tl.constexpr, axis: tl.constexpr):
    """0 and 1 along one axis of a cube."""
    return tl.reshape(tl.arange(0, 2), [1] * axis + [2] + [1] * (rank - 1 - axis))


@triton.jit
def _merge(cube, stage: tl.constexpr, descending):
    """Sorts runs of 2**stage elements, each of which rises and then falls or the other way round."""
    rank: tl.constexpr = len(cube.shape)
    for i in tl.static_range(stage):
        other = _across(cube, rank - stage + i)
        upper = _coordinate(rank, rank - stage + i)
        cube = tl.where((cube > other) != (upper ^ descending), other, cube)
    return cube


@triton.jit
def _direction(rank: tl.constexpr, stage: tl.constexpr, last: tl.constexpr, descending: tl.constexpr):
    """Runs alternate in direction, but those of the last stage."""
    if stage < last:
        return _coordinate(rank, rank - 1 - stage)
    else:
        return tl.full([1] * rank, 1 if descending else 0, tl.int32)


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
    rank: tl.constexpr = tl._log2(x.numel)
    if rank == 0:
        return x
    else:
        cube = tl.reshape(x, [2] * rank)
        for stage in tl.static_range(1, kept + 1):
            cube = _merge(cube, stage, _direction(rank, stage, size, descending))
        # Of two runs of 2**kept elements, one rising and one falling, the better halves are a run that rises and falls.
        for stage in tl.static_range(kept + 1, size + 1):
            cube = _better(cube, len(cube.shape) - 1 - kept, descending)
            cube = _merge(cube, kept, _direction(rank - (stage - kept), kept, kept + size - stage, descending))
        return tl.reshape(cube, x.shape[:-1] + [2**kept])


@triton.jit
def _better(cube, axis: tl.constexpr, descending: tl.constexpr):
    if descending:
        return tl.max(cube, axis)
    else:
        return tl.min(cube, axis)


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
    rank: tl.constexpr = tl._log2(x.numel)
    if size == 0:
        return x
    else:
        cube = _merge(tl.reshape(x, [2] * rank), size, _direction(rank, size, size, descending))
        return tl.reshape(cube, x.shape)


@triton.jit
def flip(x: "tile", dim: tl.constexpr = None):
    rank: tl.constexpr = len(x.shape)
    if dim is not None:
        _check_axis(dim, rank)
    at: tl.constexpr = rank - 1 if dim is None else (dim if dim >= 0 else dim + rank)
    steps: tl.constexpr = tl._log2(x.shape[at])
    cube = tl.reshape(_bits_of(x), x.shape[:at] + [2] * steps + x.shape[at + 1:])
    for i in tl.static_range(steps):
        cube = _across(cube, at + i)
    return tl.reshape(cube, x.shape).to(x.dtype, bitcast=True)


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
    position = tl.reshape(tl.arange(0, src.shape[at]), [1] * at + [src.shape[at]] + [1] * (rank - 1 - at))
    bits = _bits_of(src)
    result = tl.zeros(index.shape, bits.dtype)
    for i in range(src.shape[at]):
        slice = tl.reduce(tl.where(position == i, bits, 0), at, _or, keep_dims=True)
        result = tl.where(index == i, slice, result)
    return result.to(src.dtype, bitcast=True)


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
    bin = tl.arange(0, num_bins)
    counts = tl.zeros([num_bins], tl.int32)
    for i in range(num_bins):
        found = input == i
        if mask is not None:
            found = found & mask
        counts = tl.where(bin == i, tl.reduce(found.to(tl.int32), 0, _add), counts)
    return counts
