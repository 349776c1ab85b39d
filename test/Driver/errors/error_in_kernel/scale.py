import triton
import triton.language as tl


@triton.jit
def scale(ltrb, out, A):
    x = tl.load(ltrb + tl.arange(0, 100))
    tl.store(out, x)
