# What kernels written by PyTorch's inductor import as triton_helpers: minima and maxima that keep NaN, division that
# rounds down, and variances by Welford's method.
import triton
import triton.language as tl


@triton.jit
def helper_promote_to_tensor(x):
    return x + tl.zeros((1,), tl.int1)


@triton.jit
def helper_div_floor_integer(a, b):
    quotient = a // b
    inexact = a % b != 0
    return tl.where(((a < 0) != (b < 0)) & inexact, quotient - 1, quotient)


@triton.jit
def helper_remainder_integer(a, b):
    remainder = a % b
    return tl.where((remainder != 0) & ((a < 0) != (b < 0)), remainder + b, remainder)


@triton.jit
def helper_is_floating(x):
    return helper_promote_to_tensor(x).dtype.is_floating()


@triton.jit
def helper_minimum(a, b):
    chosen = a < b
    if helper_is_floating(a):
        chosen |= a != a
    return tl.where(chosen, a, b)


@triton.jit
def helper_maximum(a, b):
    chosen = a > b
    if helper_is_floating(a):
        chosen |= a != a
    return tl.where(chosen, a, b)


@triton.jit
def helper_min2(a, dim):
    return tl.reduce(a, dim, helper_minimum)


@triton.jit
def helper_max2(a, dim):
    return tl.reduce(a, dim, helper_maximum)


@triton.jit
def _helper_product(a, b):
    return a * b


@triton.jit
def helper_prod(input, axis):
    return tl.reduce(input, axis, _helper_product)


@triton.jit
def _helper_either(a, b):
    return a | b


@triton.jit
def helper_any(a, dim):
    return tl.reduce(a, dim, _helper_either)


# Of equal values the first index, NaN before all numbers.

@triton.jit
def helper_minimum_with_index(a_value, a_index, b_value, b_index):
    chosen = a_value < b_value
    equal = a_value == b_value
    if helper_is_floating(a_value):
        a_isnan = a_value != a_value
        b_isnan = b_value != b_value
        chosen |= a_isnan & (b_isnan == 0)
        equal |= a_isnan & b_isnan
    chosen |= equal & (a_index < b_index)
    return tl.where(chosen, a_value, b_value), tl.where(chosen, a_index, b_index)


@triton.jit
def helper_maximum_with_index(a_value, a_index, b_value, b_index):
    chosen = a_value > b_value
    equal = a_value == b_value
    if helper_is_floating(a_value):
        a_isnan = a_value != a_value
        b_isnan = b_value != b_value
        chosen |= a_isnan & (b_isnan == 0)
        equal |= a_isnan & b_isnan
    chosen |= equal & (a_index < b_index)
    return tl.where(chosen, a_value, b_value), tl.where(chosen, a_index, b_index)


@triton.jit
def helper_min_with_index(value, index, dim):
    return tl.reduce((value, index), dim, helper_minimum_with_index)


@triton.jit
def helper_max_with_index(value, index, dim):
    return tl.reduce((value, index), dim, helper_maximum_with_index)


@triton.jit
def helper_exp(x, use_fast_math: tl.constexpr = False):
    if use_fast_math:
        return tl.math.exp2(x * 1.4426950408889634)
    else:
        return tl.math.exp(x)


# Means, sums of squared differences, and weights.

@triton.jit
def helper_welford_reduce(value, mean, m2, weight, first_iteration):
    if first_iteration:
        new_weight = tl.full(weight.shape, 1, weight.dtype)
        new_mean = value
        new_m2 = tl.zeros_like(m2)
    else:
        delta = value - mean
        new_weight = weight + 1
        new_mean = mean + delta / new_weight
        new_m2 = m2 + delta * (value - new_mean)
    return new_mean, new_m2, new_weight


@triton.jit
def helper_welford_combine(mean_1, m2_1, weight_1, mean_2, m2_2, weight_2):
    delta = mean_2 - mean_1
    weight = weight_1 + weight_2
    share = tl.where(weight == 0.0, 0.0, weight_2 / weight)
    return mean_1 + delta * share, m2_1 + m2_2 + delta * delta * weight_1 * share, weight


@triton.jit
def helper_welford(mean, m2, weight, dim):
    return tl.reduce((mean, m2, weight), dim, helper_welford_combine)


@triton.jit
def helper_device_assert_then(cond, msg, r):
    tl.device_assert(cond, msg)
    return r


@triton.jit
def helper_randint64(seed, offset, low, high):
    r0, r1, r2, r3 = tl.randint4x(seed, offset)
    size = (high - low).to(tl.uint64)
    result = (r1.to(tl.uint64) << 32) | r0.to(tl.uint64)
    return (result % size).to(tl.int64) + low
