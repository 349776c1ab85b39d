// RUN: teeny-opt %s -graph-verify-shapes -verify-diagnostics

graph.op @op dtypes {} {
  graph.declare input "x" : "f32" [N]
  graph.declare output "y" : "f32" [N]
}
graph.graph "g" dims [] {
  // expected-error @below {{'graph.input' op has a result of type '!graph.tensor<[?], f32>' after shape inference}}
  %x = graph.input "x" : !graph.tensor<[?], f32>
  // expected-error @below {{'graph.call' op has a result of type '!graph.unknown' after shape inference}}
  // expected-error @below {{'graph.call' op has no bindings after shape inference}}
  %y = graph.call "y" @op(%x) {} : (!graph.tensor<[?], f32>) -> !graph.unknown
  %z = graph.input "z" : !graph.tensor<[4], f32>
  %w = graph.call "w" @op(%z) {} where {N = #graph.expr<4>} : (!graph.tensor<[4], f32>) -> !graph.tensor<[4], f32>
  graph.output %y, %w as ["y", "w"] : !graph.unknown, !graph.tensor<[4], f32>
}
