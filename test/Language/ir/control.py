# Branches, early returns, loops and what they carry.
# RUN: teeny-language-test %s::early 'x=*fp32,n=i32' | FileCheck %s --check-prefix=EARLY
# RUN: teeny-language-test %s::nested 'x=*fp32,n=i32' | FileCheck %s --check-prefix=NESTED
# RUN: teeny-language-test %s::loops 'x=*fp32,n=i32,UNUSED=False' | FileCheck %s --check-prefix=LOOPS
# RUN: teeny-language-test %s::down 'x=*i32,n=i32' | FileCheck %s --check-prefix=DOWN
import triton
import triton.language as tl


# What follows a return under a condition is put under its other side.
# EARLY: %[[DONE:.*]] = arith.cmpi sge
# EARLY-NEXT: scf.if %[[DONE]] {
# EARLY-NEXT: } else {
# EARLY: tile.store
# EARLY-NEXT: }
# EARLY-NEXT: return
@triton.jit
def early(x, n):
    if tl.program_id(0) >= n:
        return
    tl.store(x, 1.0)


# Where it is not clear whether the function has returned, a flag tells.
# NESTED: %[[OUT:.*]]:2 = scf.if %{{.*}} -> (f32, i1) {
# NESTED: %[[IN:.*]]:2 = scf.if %{{.*}} -> (f32, i1) {
# NESTED: %[[T:.*]] = arith.constant true
# NESTED: scf.yield %{{.*}}, %[[T]] : f32, i1
# NESTED: %[[F:.*]] = arith.constant false
# NESTED: scf.yield %{{.*}}, %[[F]] : f32, i1
# NESTED: scf.yield %[[IN]]#0, %[[IN]]#1 : f32, i1
# NESTED: %[[GO:.*]] = arith.xori %[[OUT]]#1, %{{.*}} : i1
# NESTED: scf.if %[[GO]] {
# NESTED: tile.store %{{.*}}, %[[OUT]]#0
@triton.jit
def nested(x, n):
    y = tl.load(x)
    if n > 0:
        if n > 5:
            return
        y = y * 2
    tl.store(x, y)


# A loop carries what it changes and nothing else: not `scale`, nor what a branch that is never taken assigns.
# LOOPS: %[[SUM:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[ACC:.*]] = %{{.*}}) -> (!tile.ptr<f32>, f32)
# LOOPS: tile.load %[[P]] :
# LOOPS: scf.yield
# LOOPS: } {tile.num_stages = 3 : i32, tile.unroll = 2 : i32}
# LOOPS: %{{.*}}:2 = scf.while (%[[A:.*]] = %{{.*}}, %[[B:.*]] = %[[SUM]]#1) : (i32, f32) -> (i32, f32) {
# LOOPS: arith.cmpi slt, %[[A]]
# LOOPS: scf.condition(%{{.*}}) %[[A]], %[[B]] : i32, f32
# LOOPS: } do {
# LOOPS-COUNT-2: arith.mulf
# LOOPS: tile.store
@triton.jit
def loops(x, n, UNUSED: tl.constexpr):
    total = 0.0
    scale = 2.0
    p = x
    for i in tl.range(0, n, num_stages=3, loop_unroll_factor=2):
        total += tl.load(p) * scale
        p += 1
        if UNUSED:
            scale = undefined_name
    i = 0
    while i < n:
        total = total + i
        i += 1
    for k in tl.static_range(2):
        total = total * 3.0
    tl.store(x, total)


# A loop that counts down counts up to as many iterations.
# DOWN: scf.for %[[I:.*]] = %{{.*}} to %[[N:.*]] step %{{.*}} : i32 {
# DOWN: %[[REST:.*]] = arith.subi %[[N]], %[[I]] : i32
# DOWN: arith.addi %[[REST]], %{{.*}} : i32
@triton.jit
def down(x, n):
    for i in range(n, 0, -1):
        tl.store(x + i, i)
