// RUN: teeny-opt %s -graph-infer-shapes -split-input-file -verify-diagnostics

graph.op @add dtypes {T = [f32, f16]} {
  // expected-note @below {{declared here as T[*L, N]}}
  graph.declare input "a" : "T" [*L, N]
  graph.declare input "b" : "T" [*L, N]
  graph.declare output "sum" : "T" [*L, N]
}
graph.graph "leading" dims [#graph.dim<"A", min = 0, max = 8>] {
  %x = graph.input "x" : !graph.tensor<[A, 3, 5], f32>
  %y = graph.input "y" : !graph.tensor<[A, 4, 5], f32>
  %z = graph.input "z" : !graph.tensor<[A, 5], f32>
  %s = graph.input "s" : !graph.tensor<[], f32>
  // expected-error @below {{size 1 of input 'b' is 4, but 'size 1 of *L' is 3}}
  // expected-note @below {{by input 'a'}}
  // expected-note @-10 {{declared here as T[*L, N]}}
  %0 = graph.call "p" @add(%x, %y) {} : (!graph.tensor<[A, 3, 5], f32>, !graph.tensor<[A, 4, 5], f32>) -> !graph.unknown
  // expected-error @below {{input 'b' has 1 leading dim, but '*L' are 2}}
  // expected-note @below {{by input 'a'}}
  %1 = graph.call "q" @add(%x, %z) {} : (!graph.tensor<[A, 3, 5], f32>, !graph.tensor<[A, 5], f32>) -> !graph.unknown
  // expected-error @below {{input 'a' has 0 dims, f32[]; 'add' takes at least 1}}
  %2 = graph.call "r" @add(%s, %z) {} : (!graph.tensor<[], f32>, !graph.tensor<[A, 5], f32>) -> !graph.unknown
  // Calls that use what failed are no further errors.
  %3 = graph.call "t" @add(%2, %1) {} : (!graph.unknown, !graph.unknown) -> !graph.unknown
  graph.output %3 as ["t"] : !graph.unknown
}

// -----

graph.op @crop dtypes {} {
  graph.declare input "x" : "f32" [N]
  graph.declare output "y" : "f32" ["N - 10"]
}
graph.graph "negative" dims [#graph.dim<"A", min = 0, max = 8>] {
  %x = graph.input "x" : !graph.tensor<[A], f32>
  // expected-error @below {{node 'c': size 0 of output 'y' is negative: A - 10}}
  %y = graph.call "c" @crop(%x) {} : (!graph.tensor<[A], f32>) -> !graph.unknown
  graph.output %y as ["y"] : !graph.unknown
}

// -----

graph.op @grow dtypes {} {
  graph.declare input "x" : "f32" ["N + 10"]
  graph.declare output "y" : "f32" [N]
}
graph.graph "solved-negative" dims [#graph.dim<"A", min = 0, max = 8>] {
  %x = graph.input "x" : !graph.tensor<[A], f32>
  // expected-error @below {{node 'c': 'N' by size 0 of input 'x' is negative: A - 10}}
  %y = graph.call "c" @grow(%x) {} : (!graph.tensor<[A], f32>) -> !graph.unknown
  graph.output %y as ["y"] : !graph.unknown
}

// -----

graph.op @outer dtypes {} {
  graph.declare input "x" : "f32" [M]
  graph.declare input "y" : "f32" [N]
  graph.declare input "xy" : "f32" ["M*N"]
  graph.declare output "z" : "f32" [M]
}
graph.graph "open" dims [#graph.dim<"A", min = 0, max = 8>, #graph.dim<"B", min = 0, max = 8>] {
  %x = graph.input "x" : !graph.tensor<[A], f32>
  %y = graph.input "y" : !graph.tensor<[B], f32>
  // expected-error @below {{size 0 of input 'product' follows as 'A*B'; a size of an input must be a number, a dim, or a*N + b}}
  %product = graph.input "product" : !graph.tensor<[?], f32>
  // expected-error @below {{size 1 of input 'unused' is not given and does not follow from where it is used}}
  %unused = graph.input "unused" : !graph.tensor<[A, ?], f32>
  %z = graph.call "z" @outer(%x, %y, %product) {} : (!graph.tensor<[A], f32>, !graph.tensor<[B], f32>, !graph.tensor<[?], f32>) -> !graph.unknown
  graph.output %z as ["z"] : !graph.unknown
}

// -----

graph.op @heads dtypes {} {
  // expected-note @below {{declared here as f32[D*H]}}
  graph.declare input "x" : "f32" ["H*D"]
  graph.declare output "y" : "f32" [D]
  graph.attribute "H" : int
}
graph.graph "zero-scale" dims [] {
  %x = graph.input "x" : !graph.tensor<[8], f32>
  // expected-error @below {{size 0 of input 'x' is 8, declared as 'D*H': there is no such 'D'}}
  %y = graph.call "y" @heads(%x) {H = 0 : i64} : (!graph.tensor<[8], f32>) -> !graph.unknown
  graph.output %y as ["y"] : !graph.unknown
}
