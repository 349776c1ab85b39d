# Reductions of the middle dim of [OUTER, R, INNER], by KIND. Rows: INNER is 1, a program reduces BLOCK_M rows. Middle: a
# program reduces BLOCK_I neighbours. Both keep a tile of partial results, and combine it in the end.
import triton
import triton.language as tl


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def larger(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def smaller(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


# What is combined with anything changes nothing: a tile of it, in the type that is computed in.
@triton.jit
def identity(KIND: tl.constexpr, element: tl.constexpr, rows: tl.constexpr, columns: tl.constexpr):
    tl.static_assert(KIND == "sum" or KIND == "mean" or KIND == "prod" or KIND == "max" or KIND == "min", "unknown KIND")
    if element.is_floating():
        computed: tl.constexpr = tl.float64 if element == tl.float64 else tl.float32
        if KIND == "max":
            return tl.full((rows, columns), float("-inf"), computed)
        elif KIND == "min":
            return tl.full((rows, columns), float("inf"), computed)
        elif KIND == "prod":
            return tl.full((rows, columns), 1.0, computed)
        else:
            return tl.full((rows, columns), 0.0, computed)
    else:
        tl.static_assert(KIND != "mean", "the mean of integers is not an integer")
        if KIND == "max":
            return tl.full((rows, columns), -(2 ** (element.primitive_bitwidth - 1)), element)
        elif KIND == "min":
            return tl.full((rows, columns), 2 ** (element.primitive_bitwidth - 1) - 1, element)
        elif KIND == "prod":
            return tl.full((rows, columns), 1, element)
        else:
            return tl.full((rows, columns), 0, element)


@triton.jit
def combine(acc, value, KIND: tl.constexpr):
    if KIND == "max":
        return larger(acc, value)
    elif KIND == "min":
        return smaller(acc, value)
    elif KIND == "prod":
        return acc * value
    else:
        return acc + value


@triton.jit
def finish(acc, axis: tl.constexpr, R, KIND: tl.constexpr):
    if KIND == "max":
        return tl.reduce(acc, axis, larger)
    elif KIND == "min":
        return tl.reduce(acc, axis, smaller)
    elif KIND == "prod":
        return tl.reduce(acc, axis, multiply)
    elif KIND == "mean":
        return tl.reduce(acc, axis, add) / R
    else:
        return tl.reduce(acc, axis, add)


@triton.jit(do_not_specialize_on_alignment=["OUTER"])
def reduce_rows(x, out, OUTER, R, KIND: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_R: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    neutral = identity(KIND, x.dtype.element_ty, BLOCK_M, BLOCK_R)
    acc = neutral
    for start in range(0, R, BLOCK_R):
        i = start + tl.arange(0, BLOCK_R)
        known = (m < OUTER)[:, None] & (i < R)[None, :]
        value = tl.load(x + m[:, None] * R + i[None, :], mask=known, other=0).to(acc.dtype)
        acc = combine(acc, tl.where(known, value, neutral), KIND)
    tl.store(out + m, finish(acc, 1, R, KIND).to(out.dtype.element_ty), mask=m < OUTER)


@triton.jit
def reduce_middle(x, out, R, INNER, KIND: tl.constexpr, BLOCK_R: tl.constexpr, BLOCK_I: tl.constexpr):
    blocks = tl.maximum(tl.cdiv(INNER, BLOCK_I), 1)  # what % gives has a bound then, and offsets 32 bits
    x += tl.program_id(0) // blocks * R * INNER
    out += tl.program_id(0) // blocks * INNER
    i = tl.program_id(0) % blocks * BLOCK_I + tl.arange(0, BLOCK_I)
    neutral = identity(KIND, x.dtype.element_ty, BLOCK_R, BLOCK_I)
    acc = neutral
    for start in range(0, R, BLOCK_R):
        r = start + tl.arange(0, BLOCK_R)
        known = (r < R)[:, None] & (i < INNER)[None, :]
        value = tl.load(x + r[:, None] * INNER + i[None, :], mask=known, other=0).to(acc.dtype)
        acc = combine(acc, tl.where(known, value, neutral), KIND)
    tl.store(out + i, finish(acc, 0, R, KIND).to(out.dtype.element_ty), mask=i < INNER)


@triton.jit
def exceeds(a, b, KIND: tl.constexpr):
    more = a > b if KIND == "max" else a < b
    return more | ((a != a) & (b == b))


# Whether value a at index i goes before value b at index j. An index of -1 is no element.
@triton.jit
def precedes(a, i, b, j, KIND: tl.constexpr):
    first = (i < j) & ((a == b) | ((a != a) & (b != b)))
    return (i >= 0) & ((j < 0) | exceeds(a, b, KIND) | first)


@triton.jit
def first_largest(a, i, b, j):
    take = precedes(a, i, b, j, "max")
    return tl.where(take, a, b), tl.where(take, i, j)


@triton.jit
def first_smallest(a, i, b, j):
    take = precedes(a, i, b, j, "min")
    return tl.where(take, a, b), tl.where(take, i, j)


@triton.jit
def first_extreme(values, indices, axis: tl.constexpr, KIND: tl.constexpr):
    tl.static_assert(KIND == "max" or KIND == "min", "KIND is max or min")
    if KIND == "max":
        return tl.reduce((values, indices), axis, first_largest)
    else:
        return tl.reduce((values, indices), axis, first_smallest)


@triton.jit(do_not_specialize_on_alignment=["OUTER"])
def arg_reduce_rows(x, out, OUTER, R, KIND: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_R: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    best = identity(KIND, x.dtype.element_ty, BLOCK_M, BLOCK_R)
    index = tl.full((BLOCK_M, BLOCK_R), -1, tl.int32) + 0 * R  # wide if R is; later ones are larger
    for start in range(0, R, BLOCK_R):
        i = start + tl.arange(0, BLOCK_R)
        known = (m < OUTER)[:, None] & (i < R)[None, :]
        value = tl.load(x + m[:, None] * R + i[None, :], mask=known, other=0).to(best.dtype)
        take = known & ((index < 0) | exceeds(value, best, KIND))
        best = tl.where(take, value, best)
        index = tl.where(take, i[None, :], index)
    value, place = first_extreme(best, index, 1, KIND)
    tl.store(out + m, place.to(tl.int64), mask=m < OUTER)


@triton.jit
def arg_reduce_middle(x, out, R, INNER, KIND: tl.constexpr, BLOCK_R: tl.constexpr, BLOCK_I: tl.constexpr):
    blocks = tl.maximum(tl.cdiv(INNER, BLOCK_I), 1)  # what % gives has a bound then, and offsets 32 bits
    x += tl.program_id(0) // blocks * R * INNER
    out += tl.program_id(0) // blocks * INNER
    i = tl.program_id(0) % blocks * BLOCK_I + tl.arange(0, BLOCK_I)
    best = identity(KIND, x.dtype.element_ty, BLOCK_R, BLOCK_I)
    index = tl.full((BLOCK_R, BLOCK_I), -1, tl.int32) + 0 * R  # wide if R is; later ones are larger
    for start in range(0, R, BLOCK_R):
        r = start + tl.arange(0, BLOCK_R)
        known = (r < R)[:, None] & (i < INNER)[None, :]
        value = tl.load(x + r[:, None] * INNER + i[None, :], mask=known, other=0).to(best.dtype)
        take = known & ((index < 0) | exceeds(value, best, KIND))
        best = tl.where(take, value, best)
        index = tl.where(take, r[:, None], index)
    value, place = first_extreme(best, index, 0, KIND)
    tl.store(out + i, place.to(tl.int64), mask=i < INNER)
