import triton
import triton.language as tl


@triton.jit
def scale(ltrb, out, A):
    i = tl.arange(0, 128)
    x = tl.load(ltrb + i)
    tl.store(out + i, x)
    tl.store(ltrb + i, x * 2.0)
