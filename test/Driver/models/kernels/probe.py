# Offsets into tensors of more than 2^31 elements, without the memory for one: what a kernel would
# add to an address is stored as a number.
import triton
import triton.language as tl


@triton.jit
def batch_offset(batch, stride):
    return batch.to(tl.int64) * stride


@triton.jit
def probe(base, out, batch, stride):
    # The same product as a value of i32, as a value of i64, and as an offset of a pointer.
    product = batch * stride
    tl.store(out, product)
    tl.store(out + 1, batch_offset(batch, stride))
    moved = base + product
    tl.store(out + 2, moved.to(tl.int64) - base.to(tl.int64))


@triton.jit
def probe_tile(base, out, batch, stride, row, SIZE: tl.constexpr):
    # A tile of pointers: batch * stride + row * SIZE + 0, 1, ...
    column = tl.arange(0, SIZE)
    moved = base + batch * stride + row * SIZE + column
    tl.store(out + column, moved.to(tl.int64) - base.to(tl.int64))


@triton.jit
def probe_loop(base, out, stride, count):
    # A pointer that moves on, and an offset that is carried.
    moved = base
    offset = 0
    for _ in range(count):
        moved += stride
        offset += stride
    tl.store(out, moved.to(tl.int64) - base.to(tl.int64))
    tl.store(out + 1, (base + offset).to(tl.int64) - base.to(tl.int64))


@triton.jit
def all_kinds(out, a, b, c, d, e, f, g, h, i, j, k, fixed: tl.constexpr):
    tl.store(out + 0, a.to(tl.float64))
    tl.store(out + 1, b.to(tl.float64))
    tl.store(out + 2, c.to(tl.float64))
    tl.store(out + 3, d.to(tl.float64))
    tl.store(out + 4, e.to(tl.float64))
    tl.store(out + 5, f.to(tl.float64))
    tl.store(out + 6, g.to(tl.float64))
    tl.store(out + 7, h.to(tl.float64))
    tl.store(out + 8, i.to(tl.float64))
    tl.store(out + 9, j.to(tl.float64))
    tl.store(out + 10, k.to(tl.float64))
    tl.store(out + 11, fixed)
