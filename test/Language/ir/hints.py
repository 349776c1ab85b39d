# Promises about values become the hints that axis facts are made of.
# RUN: teeny-language-test %s::hints 'x=*fp32:16,y=*fp32,n=i32' | FileCheck %s
import triton
import triton.language as tl


# CHECK: %[[I:.*]] = arith.addi %{{.*}}, %{{.*}} {tile.constancy = array<i64: 4>, tile.contiguity = array<i64: 64>, tile.divisibility = array<i64: 8>} : tensor<64xi32>
# CHECK: tile.addptr %{{.*}}, %[[I]]
@triton.jit
def hints(x, y, n):
    i = n + tl.arange(0, 64)
    i = tl.max_constancy(tl.max_contiguous(tl.multiple_of(i, 8), 64), 4)
    tl.store(y + i, tl.load(x + i))
