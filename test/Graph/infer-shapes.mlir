// RUN: teeny-opt %s -graph-infer-shapes -graph-verify-shapes | FileCheck %s

graph.op @scale dtypes {T = [f32, f16]} {
  graph.declare input "x" : "T" [M, "2*N"]
  graph.declare output "y" : "T" [N, M]
  graph.implementation {
  }
}

graph.op @add dtypes {T = [f32, f16]} {
  graph.declare input "a" : "T" [*L, N]
  graph.declare input "b" : "T" [*L, N]
  graph.declare output "rows" : "i64" [L]
  graph.declare output "sum" : "T" [*L, N]
  graph.implementation {
  }
}

graph.op @heads dtypes {T = [f32]} {
  graph.declare input "x" : "T" [B, "D*H"]
  graph.declare output "y" : "OUT" [B, H, D]
  graph.attribute "H" : int
  graph.attribute "OUT" : dtype
  graph.attribute "causal" : bool
  graph.require "D % 8 == 0" message "the width of a head is a multiple of 8"
  graph.require "B >= 1 or not causal" message "a causal call needs a row"
  graph.implementation {
  }
}

// A name that an expression leaves open is solved for; type variables bind.
// CHECK-LABEL: graph.graph "solve"
graph.graph "solve" dims [#graph.dim<"A", min = 0, max = 8>, #graph.dim<"B", min = 0, max = 8>] {
  %x = graph.input "x" : !graph.tensor<[B, "4*A"], f16>
  // CHECK: graph.call "y" @scale(%x) {} where {M = #graph.expr<B>, N = #graph.expr<"2*A">, T = f16} : (!graph.tensor<[B, "4*A"], f16>) -> !graph.tensor<["2*A", B], f16>
  // CHECK-NEXT: graph.output %y as ["y"] : !graph.tensor<["2*A", B], f16>
  %y = graph.call "y" @scale(%x) {} : (!graph.tensor<[B, "4*A"], f16>) -> !graph.unknown
  graph.output %y as ["y"] : !graph.unknown
}

// What solving needs but the ranges do not give, runs must check.
// CHECK-LABEL: graph.graph "halves"
graph.graph "halves" dims [#graph.dim<"A", min = 0, max = 8>, #graph.dim<"E", min = 0, max = 8, multipleOf = 2>] {
  %x = graph.input "x" : !graph.tensor<[E, A], f32>
  %e = graph.input "e" : !graph.tensor<[A, E], f32>
  // CHECK: graph.require "A % 2 == 0" message "node 'y': size 1 of input 'x' is A, declared as '2*N': there is no such 'N'"
  // CHECK-NEXT: graph.call "y" {{.*}} where {M = #graph.expr<E>, N = #graph.expr<"A // 2">, T = f32} {{.*}} -> !graph.tensor<["A // 2", E], f32>
  %y = graph.call "y" @scale(%x) {} : (!graph.tensor<[E, A], f32>) -> !graph.unknown
  // CHECK-NEXT: graph.call "z" {{.*}} where {M = #graph.expr<A>, N = #graph.expr<"E // 2">, T = f32}
  %z = graph.call "z" @scale(%e) {} : (!graph.tensor<[A, E], f32>) -> !graph.unknown
  graph.output %y, %z as ["y", "z"] : !graph.unknown, !graph.unknown
}

// Leading dims stay dims in "*L" and are their product as L, which without dims is 1. Sizes that may
// differ become requirements, each once.
// CHECK-LABEL: graph.graph "leading"
graph.graph "leading" dims [#graph.dim<"A", min = 0, max = 8>, #graph.dim<"B", min = 0, max = 8>, #graph.dim<"C", min = 0, max = 8>] {
  %x = graph.input "x" : !graph.tensor<[A, B, 5], f32>
  %y = graph.input "y" : !graph.tensor<[A, C, 5], f32>
  %v = graph.input "v" : !graph.tensor<[C], f32>
  // CHECK: graph.require "B == C" message "node 'xy': size 1 of input 'b' is C, but 'size 1 of *L' is B"
  // CHECK-NEXT: %xy:2 = graph.call "xy" {{.*}} where {L = #graph.expr<"A*B">, N = #graph.expr<5>, T = f32} {{.*}} -> (!graph.tensor<["A*B"], i64>, !graph.tensor<[A, B, 5], f32>)
  // CHECK-NEXT: %yx:2 = graph.call "yx" {{.*}} -> (!graph.tensor<["A*C"], i64>, !graph.tensor<[A, C, 5], f32>)
  // CHECK-NEXT: %vv:2 = graph.call "vv" {{.*}} where {L = #graph.expr<1>, N = #graph.expr<C>, T = f32} {{.*}} -> (!graph.tensor<[1], i64>, !graph.tensor<[C], f32>)
  %xy:2 = graph.call "xy" @add(%x, %y) {} : (!graph.tensor<[A, B, 5], f32>, !graph.tensor<[A, C, 5], f32>) -> (!graph.unknown, !graph.unknown)
  %yx:2 = graph.call "yx" @add(%y, %x) {} : (!graph.tensor<[A, C, 5], f32>, !graph.tensor<[A, B, 5], f32>) -> (!graph.unknown, !graph.unknown)
  %vv:2 = graph.call "vv" @add(%v, %v) {} : (!graph.tensor<[C], f32>, !graph.tensor<[C], f32>) -> (!graph.unknown, !graph.unknown)
  graph.output %xy#0, %yx#1, %vv#1 as ["xy", "yx", "vv"] : !graph.unknown, !graph.unknown, !graph.unknown
}

// Attributes are numbers and types in shapes and conditions.
// CHECK-LABEL: graph.graph "attributes"
graph.graph "attributes" dims [#graph.dim<"B", min = 0, max = 8>, #graph.dim<"W", min = 0, max = 800, multipleOf = 32>, #graph.dim<"A", min = 0, max = 800>] {
  %x = graph.input "x" : !graph.tensor<[B, W], f32>
  %a = graph.input "a" : !graph.tensor<[B, "4*A"], f32>
  // W is a multiple of 32, so D = W // 4 is one of 8; but B may be 0.
  // CHECK: graph.require "B >= 1" message "node 'y': a causal call needs a row"
  // CHECK-NEXT: graph.call "y" {{.*}} where {B = #graph.expr<B>, D = #graph.expr<"W // 4">, T = f32} {{.*}} -> !graph.tensor<[B, 4, "W // 4"], f16>
  %y = graph.call "y" @heads(%x) {H = 4 : i64, OUT = f16, causal = true} : (!graph.tensor<[B, W], f32>) -> !graph.unknown
  // CHECK-NEXT: graph.require "A % 8 == 0" message "node 'z': the width of a head is a multiple of 8"
  // CHECK-NEXT: graph.call "z" {{.*}} -> !graph.tensor<[B, 4, A], f64>
  %z = graph.call "z" @heads(%a) {H = 4 : i64, OUT = f64, causal = false} : (!graph.tensor<[B, "4*A"], f32>) -> !graph.unknown
  graph.output %y, %z as ["y", "z"] : !graph.unknown, !graph.unknown
}

// Sizes of inputs that are open follow from calls, also from later ones.
// CHECK-LABEL: graph.graph "open"
graph.graph "open" dims [#graph.dim<"A", min = 0, max = 8>, #graph.dim<"B", min = 0, max = 8>] {
  // CHECK: graph.input "o" : !graph.tensor<[B, "2*A"], f32>
  %o = graph.input "o" : !graph.tensor<[?, ?], f32>
  %x = graph.input "x" : !graph.tensor<[B, "2*A"], f32>
  // CHECK: graph.call "first" {{.*}} : (!graph.tensor<[B, "2*A"], f32>) -> !graph.tensor<[A, B], f32>
  %first = graph.call "first" @scale(%o) {} : (!graph.tensor<[?, ?], f32>) -> !graph.unknown
  // CHECK-NEXT: graph.require "B % 2 == 0"
  // CHECK-NEXT: graph.call "second" {{.*}} -> !graph.tensor<["B // 2", A], f32>
  %second = graph.call "second" @scale(%first) {} : (!graph.unknown) -> !graph.unknown
  %third:2 = graph.call "third" @add(%x, %o) {} : (!graph.tensor<[B, "2*A"], f32>, !graph.tensor<[?, ?], f32>) -> (!graph.unknown, !graph.unknown)
  graph.output %second, %third#1 as ["second", "third"] : !graph.unknown, !graph.unknown
}
