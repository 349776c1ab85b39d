import os

import triton
import triton.language as tl

WIDTH = int(os.environ.get("WIDTH", "8"))


@triton.jit
def shift(x, n: tl.int64):
    i = tl.arange(0, WIDTH)
    tl.store(x + i, tl.load(x + i + n))
