# Functions of the language that it can express itself. What they mean is Triton's; the code is ours.
import triton
import triton.language as tl


@triton.jit
def cdiv(x, div):
    return (x + (div - 1)) // div


@triton.jit
def zeros(shape, dtype):
    return tl.full(shape, 0, dtype)


@triton.jit
def zeros_like(input: tl.tensor):
    return tl.full(input.shape, 0, input.dtype)


@triton.jit
def ravel(x: tl.tensor, can_reorder: tl.constexpr = False):
    return tl.reshape(x, [x.numel])


@triton.jit
def sigmoid(x):
    return 1 / (1 + tl.exp(-x))


@triton.jit
def softmax(x: "tile", dim: tl.constexpr = None, keep_dims: tl.constexpr = False, ieee_rounding: tl.constexpr = False):
    axis: tl.constexpr = 0 if dim is None else dim
    shifted = x - max(x, axis, keep_dims=keep_dims)
    numerator = tl.exp(shifted)
    return tl.fdiv(numerator, sum(numerator, axis, keep_dims=keep_dims), ieee_rounding)


@triton.jit
def swizzle2d(i, j, size_i, size_j, size_g):
    position = i * size_j + j
    per_group = size_g * size_j
    first_row = position // per_group * size_g
    rows = tl.minimum(size_i - first_row, size_g)
    within = position % per_group
    return first_row + within % rows, within // rows


@triton.jit
def interleave(a, b):
    joined = tl.join(a, b)
    if len(joined.shape) == 1:
        return joined
    else:
        return tl.reshape(joined, joined.shape[:-2] + [2 * joined.shape[-2]])


# Reductions. Narrow integers and floats are widened first, so that sums do not overflow and comparisons exist.

@triton.jit
def _add(a, b):
    return a + b


@triton.jit
def _multiply(a, b):
    return a * b


@triton.jit
def _xor(a, b):
    return a ^ b


@triton.jit
def _or(a, b):
    return a | b


@triton.jit
def _larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def _smaller(a, b):
    return tl.minimum(a, b)


@triton.jit
def _check_axis(axis: tl.constexpr, rank: tl.constexpr):
    tl.static_assert(isinstance(axis, int), f"takes an integer as axis, found {axis}")
    tl.static_assert(-rank <= axis and axis < rank, f"has no axis {axis} in a tile of {rank} dims")


@triton.jit
def _widened_for_sum(input, dtype):
    tl.static_assert(dtype is None or isinstance(dtype, tl.dtype), f"takes a type as dtype, found {dtype}")
    if dtype is not None:
        return input.to(dtype)
    elif input.dtype.is_int_signed() and input.dtype.int_bitwidth < 32:
        return input.to(tl.int32)
    elif input.dtype.is_int_unsigned() and input.dtype.int_bitwidth < 32:
        return input.to(tl.uint32)
    else:
        return input


@triton.jit
def _widened_bfloat16(input):
    if input.dtype == tl.bfloat16:
        return input.to(tl.float32)
    else:
        return input


@triton.jit
def _widened_for_comparison(input):
    if input.dtype.primitive_bitwidth >= 32:
        return input
    elif input.dtype.is_floating():
        return input.to(tl.float32)
    else:
        return input.to(tl.int32)


@triton.jit
def sum(input: "tile", axis: tl.constexpr = None, keep_dims: tl.constexpr = False, dtype: tl.constexpr = None):
    return tl.reduce(_widened_for_sum(input, dtype), axis, _add, keep_dims=keep_dims)


@triton.jit
def xor_sum(input: "tile", axis: tl.constexpr = None, keep_dims: tl.constexpr = False):
    tl.static_assert(input.dtype.is_int(), "tl.xor_sum takes integers")
    return tl.reduce(input, axis, _xor, keep_dims=keep_dims)


@triton.jit
def reduce_or(input: "tile", axis: tl.constexpr, keep_dims: tl.constexpr = False):
    tl.static_assert(input.dtype.is_int(), "tl.reduce_or takes integers")
    return tl.reduce(input, axis, _or, keep_dims=keep_dims)


# Of equal elements the first, whether asked for or not: threads that combine in different orders must agree.

@triton.jit
def _larger_leftmost(value1, index1, value2, index2):
    first = (value1 > value2) or (value1 == value2 and index1 < index2)
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


@triton.jit
def _smaller_leftmost(value1, index1, value2, index2):
    first = (value1 < value2) or (value1 == value2 and index1 < index2)
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


@triton.jit
def _reduce_with_indices(input, axis, combine: tl.constexpr, keep_dims):
    rank: tl.constexpr = len(input.shape)
    _check_axis(axis, rank)
    at: tl.constexpr = axis if axis >= 0 else axis + rank
    index = tl.arange(0, input.shape[at])
    for dim in tl.static_range(rank):
        if dim != at:
            index = tl.expand_dims(index, dim)
    index = tl.broadcast_to(index, input.shape)
    return tl.reduce((input, index), axis, combine, keep_dims=keep_dims)


@triton.jit
def max(input: "tile", axis: tl.constexpr = None, return_indices: tl.constexpr = False,
        return_indices_tie_break_left: tl.constexpr = True, keep_dims: tl.constexpr = False):
    input = _widened_bfloat16(input)
    if return_indices:
        return _reduce_with_indices(input, axis, _larger_leftmost, keep_dims)
    else:
        return tl.reduce(_widened_for_comparison(input), axis, _larger, keep_dims=keep_dims)


@triton.jit
def min(input: "tile", axis: tl.constexpr = None, return_indices: tl.constexpr = False,
        return_indices_tie_break_left: tl.constexpr = True, keep_dims: tl.constexpr = False):
    input = _widened_bfloat16(input)
    if return_indices:
        return _reduce_with_indices(input, axis, _smaller_leftmost, keep_dims)
    else:
        return tl.reduce(_widened_for_comparison(input), axis, _smaller, keep_dims=keep_dims)


@triton.jit
def argmax(input: "tile", axis: tl.constexpr, tie_break_left: tl.constexpr = True, keep_dims: tl.constexpr = False):
    _, index = max(input, axis, return_indices=True, return_indices_tie_break_left=tie_break_left,
                   keep_dims=keep_dims)
    return index


@triton.jit
def argmin(input: "tile", axis: tl.constexpr, tie_break_left: tl.constexpr = True, keep_dims: tl.constexpr = False):
    _, index = min(input, axis, return_indices=True, return_indices_tie_break_left=tie_break_left,
                   keep_dims=keep_dims)
    return index


# Scans.

@triton.jit
def cumsum(input: "tile", axis: tl.constexpr = 0, reverse: tl.constexpr = False, dtype: tl.constexpr = None):
    return tl.associative_scan(_widened_for_sum(_widened_bfloat16(input), dtype), axis, _add, reverse)


@triton.jit
def cumprod(input: "tile", axis: tl.constexpr = 0, reverse: tl.constexpr = False):
    return tl.associative_scan(_widened_bfloat16(input), axis, _multiply, reverse)
