@triton.jit
def twice(source, target, N, BLOCK: tl.constexpr):
    pass
