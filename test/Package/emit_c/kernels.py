# The kernels of the fake driver (test/Runtime/FakeCuda.cpp), which carries out its own versions of them.
import triton
import triton.language as tl


@triton.jit
def saxpy(x, y, out, n, a, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, a * tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@triton.jit
def params(out, a, b, c, d, e, f, g):
    tl.store(out, a.to(tl.float64))
    tl.store(out + 1, b.to(tl.float64))
    tl.store(out + 2, c.to(tl.float64))
    tl.store(out + 3, d.to(tl.float64))
    tl.store(out + 4, e.to(tl.float64))
    tl.store(out + 5, f.to(tl.float64))
    tl.store(out + 6, g)


# `register` is a word of C.
@triton.jit
def halves(out, register, stream):
    tl.store(out, register.to(tl.float64))
    tl.store(out + 1, stream.to(tl.float64))


# Names that C has for something else, or does not have.
@triton.jit
def names(double, int, grid_x, kernels, arguments, KERNELS, status_grid, größe, int_, uint32_t):
    tl.store(double, (int + grid_x + kernels + arguments + KERNELS + status_grid + größe + int_ + uint32_t).to(tl.float64))
