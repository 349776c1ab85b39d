import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    bits = tl.load(x + i)
    tl.store(x + i, tl.inline_asm_elementwise("brev.b32 $0, $1;", "=r,r", [bits], tl.int32, is_pure=True, pack=1))
