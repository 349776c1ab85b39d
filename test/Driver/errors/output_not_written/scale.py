import triton
import triton.language as tl


@triton.jit
def scale(ltrb, A):
    x = tl.load(ltrb + tl.arange(0, 128))
