# Tensor descriptors made in the kernel: what is outside of the array reads as 0 and is not written.
import triton
import triton.language as tl


@triton.jit
def copy_by_descriptor(x, out, m, n, sm, M: tl.constexpr, N: tl.constexpr):
    source = tl.make_tensor_descriptor(x, shape=[m, n], strides=[sm, 1], block_shape=[M, N])
    target = tl.make_tensor_descriptor(out, shape=[m, n], strides=[sm, 1], block_shape=[M, N])
    row = tl.program_id(0) * M
    for column in range(0, n, N):
        target.store([row, column], source.load([row, column]) * 2)


@triton.jit
def product_by_descriptors(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [m, k], [k, 1], [M, K])
    right = tl.make_tensor_descriptor(b, [n, k], [k, 1], [N, K])
    target = tl.make_tensor_descriptor(c, [m, n], [n, 1], [M, N])
    row, column = tl.program_id(0) * M, tl.program_id(1) * N
    acc = tl.zeros((M, N), tl.float32)
    for step in range(tl.cdiv(k, K)):
        acc = tl.dot(left.load([row, step * K]), right.load([column, step * K]).T, acc)
    target.store([row, column], acc.to(target.dtype))
