# What the source says about caches stays on the accesses; descriptors are masked accesses.
# RUN: teeny-language-test %s::hints 'x=*fp32:16,y=*fp32,n=i32' | FileCheck %s --check-prefix=HINTS
# RUN: teeny-language-test %s::descriptor 'x=*fp32:16,n=i32' | FileCheck %s --check-prefix=DESC
# RUN: teeny-language-test %s::assembly 'x=*i8,y=*fp32' | FileCheck %s --check-prefix=ASM
import triton
import triton.language as tl


# HINTS: tile.load %{{.*}} {tile.cache = "cg"} : tensor<64x!tile.ptr<f32>>
# HINTS: tile.load %{{.*}} mask %{{.*}} other %{{.*}} {tile.cache = "ca", tile.eviction = "evict_last"}
# HINTS: tile.load %{{.*}} {tile.volatile}
# HINTS: tile.load %{{[0-9a-z_]*}} : tensor
# HINTS: tile.store %{{.*}}, %{{.*}} {tile.cache = "cs", tile.eviction = "evict_first"}
@triton.jit
def hints(x, y, n):
    i = tl.arange(0, 64)
    a = tl.load(x + i, cache_modifier=".cg")
    b = tl.load(x + i, mask=i < n, other=0.0, cache_modifier=".ca", eviction_policy="evict_last")
    c = tl.load(x + i, volatile=True)
    d = tl.load(x + i, eviction_policy="evict_normal")
    tl.store(y + i, a + b + c + d, cache_modifier=".cs", eviction_policy="evict_first")


# DESC: tile.load %{{.*}} mask %{{.*}} other %{{.*}} : tensor<8x16x!tile.ptr<f32>>
# DESC: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<8x16x!tile.ptr<f32>>
@triton.jit
def descriptor(x, n):
    d = tl.make_tensor_descriptor(x, shape=[n, n], strides=[n, 1], block_shape=[8, 16])
    tl.static_assert(d.dtype == tl.float32 and d.block_shape[1] == 16)
    d.store([8, 0], d.load([0, 16]))


# ASM: tile.inline_asm "add.u32 $0, $1, 1;", "=r,r" pack 4 pure(%{{.*}}) : (tensor<64xi8>) -> tensor<64xi8>
# ASM: tile.inline_asm "mov.b64 {$0, $1}, $2;", "=f,=f,l" pack 1(%{{.*}}) : (tensor<64xi64>) -> (tensor<64xf32>, tensor<64xf32>)
@triton.jit
def assembly(x, y):
    i = tl.arange(0, 64)
    a = tl.inline_asm_elementwise("add.u32 $0, $1, 1;", "=r,r", [tl.load(x + i)], dtype=tl.int8, is_pure=True, pack=4)
    tl.store(x + i, a)
    b, c = tl.inline_asm_elementwise(
        asm="mov.b64 {$0, $1}, $2;", constraints="=f, =f, l", args=[a.to(tl.int64)], dtype=(tl.float32, tl.float32),
        is_pure=False, pack=1,
    )
    tl.store(y + i, b + c)
