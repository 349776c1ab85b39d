# Integers: division like C's, wrapping, shifts, comparisons of mixed signs, widths of results.
import triton
import triton.language as tl


@triton.jit
def division(x, y, quotient, remainder, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    a = tl.load(x + i, mask=mask, other=0)
    b = tl.load(y + i, mask=mask, other=1)
    tl.store(quotient + i, a // b, mask=mask)
    tl.store(remainder + i, a % b, mask=mask)


@triton.jit
def division_by_constants(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, a // 7)
    tl.store(out + BLOCK + i, a % 7)
    tl.store(out + 2 * BLOCK + i, a // 8)
    tl.store(out + 3 * BLOCK + i, a % 8)
    tl.store(out + 4 * BLOCK + i, a // -3)


@triton.jit
def division_gives_float(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) / tl.load(y + i))


@triton.jit
def sums_wrap(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, a + b)
    tl.store(out + BLOCK + i, a - b)
    tl.store(out + 2 * BLOCK + i, a * b)
    tl.store(out + 3 * BLOCK + i, -a)


@triton.jit
def shifts(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, a << b)
    tl.store(out + BLOCK + i, a >> b)


@triton.jit
def bitwise(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, a & b)
    tl.store(out + BLOCK + i, a | b)
    tl.store(out + 2 * BLOCK + i, a ^ b)
    tl.store(out + 3 * BLOCK + i, ~a)


@triton.jit
def bits_updated_in_place(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    a &= 0xFF00
    a |= tl.load(y + i) & 15
    a ^= 0x101
    a <<= 2
    a >>= 1
    tl.store(out + i, a)


@triton.jit
def comparisons(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    r = (a < b).to(tl.int32)
    r += (a <= b).to(tl.int32) * 2
    r += (a > b).to(tl.int32) * 4
    r += (a >= b).to(tl.int32) * 8
    r += (a == b).to(tl.int32) * 16
    r += (a != b).to(tl.int32) * 32
    tl.store(out + i, r)


@triton.jit
def mixed_widths(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    # 8 and 16 bits make 16, which wraps before it is stored wide.
    tl.store(out + i, tl.load(x + i) * tl.load(y + i))


@triton.jit
def literal_keeps_width(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, a + 100)
    tl.store(out + BLOCK + i, 100 - a)
    tl.store(out + 2 * BLOCK + i, a * 3)


@triton.jit
def wide_literal(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i).to(tl.int64)
    tl.store(out + i, a + 0x1_0000_0000)
    tl.store(out + BLOCK + i, a ^ 0xFFFF_FFFF)


@triton.jit
def minimum_maximum_of_integers(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(out + i, tl.minimum(a, b))
    tl.store(out + BLOCK + i, tl.maximum(a, b))


@triton.jit
def absolute_values(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.abs(tl.load(x + i)))


@triton.jit
def ceiling_division(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cdiv(tl.load(x + i), n))
    tl.store(out + BLOCK, tl.cdiv(n, 4))


@triton.jit
def delinearised(out, n, width, height, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    column = i % width
    row = i // width % height
    image = i // (width * height)
    tl.store(out + i, image * 10000 + row * 100 + column, mask=mask)


@triton.jit
def booleans_are_integers(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    positive = a > 0
    even = a % 2 == 0
    tl.store(out + i, a + positive)
    tl.store(out + BLOCK + i, (positive & even).to(tl.int32) - (positive | even).to(tl.int32) + (positive ^ even))
    tl.store(out + 2 * BLOCK + i, tl.where(~positive, 1, 2))


@triton.jit
def logic_on_tiles(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    both = (a > 0) and (b > 0)
    either = (a > 0) or (b > 0)
    tl.store(out + i, both.to(tl.int32) + either.to(tl.int32) * 2 + (not both).to(tl.int32) * 4)


@triton.jit
def high_half_of_product(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.umulhi(tl.load(x + i), tl.load(y + i)))


@triton.jit
def hash_rounds(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    h = tl.load(x + i).to(tl.uint32)
    for r in tl.static_range(3):
        h ^= h >> 16
        h *= 0x85EBCA6B
        h ^= h >> 13
        h += r
    tl.store(out + i, h)


@triton.jit
def scalars_of_64_bits(out, n: tl.int64, m):
    product = n * m
    tl.store(out, product)
    tl.store(out + 1, product // 1000)
    tl.store(out + 2, (n >> 3) - m)
    tl.store(out + 3, -n % 17)
