// RUN: teeny-opt --graph-fold-scales %s | FileCheck %s

// CHECK-LABEL: graph.graph "norm"
// CHECK:         %[[SCALE:.*]] = graph.reshape "n.filter_scale" %s : !graph.tensor<[8, 1, 1], f32> -> !graph.tensor<[8, 1, 1, 1], f32>
// CHECK-NEXT:    %[[FILTER:.*]] = graph.map "n.filter"(%w, %[[SCALE]])
// CHECK:           graph.apply "mul"
// CHECK:         %[[CONV:.*]] = graph.conv "c" %x, %[[FILTER]]
// CHECK-NEXT:    graph.map "n"(%[[CONV]], %t)
// CHECK-NEXT:    ^bb0(%[[E:.*]]: f32, %[[T:.*]]: f32):
// CHECK-NEXT:      graph.apply "add"(%[[E]], %[[T]])
// CHECK-NEXT:      graph.yield
graph.graph "norm" dims [#graph.dim<"B", min = 0, max = 64>] {
  %x = graph.input "x" : !graph.tensor<[B, 3, 8, 8], f32>
  %w = graph.param "w" from "w.safetensors" key "w" : !graph.tensor<[8, 3, 1, 1], f32>
  %s = graph.param "s" from "w.safetensors" key "s" : !graph.tensor<[8, 1, 1], f32>
  %t = graph.param "t" from "w.safetensors" key "t" : !graph.tensor<[8, 1, 1], f32>
  %c = graph.conv "c" %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1
      : !graph.tensor<[B, 3, 8, 8], f32>, !graph.tensor<[8, 3, 1, 1], f32> -> !graph.tensor<[B, 8, 8, 8], f32>
  %n = graph.map "n"(%c, %s, %t) : (!graph.tensor<[B, 8, 8, 8], f32>, !graph.tensor<[8, 1, 1], f32>, !graph.tensor<[8, 1, 1], f32>) -> !graph.tensor<[B, 8, 8, 8], f32> {
  ^bb0(%e: f32, %f: f32, %g: f32):
    %p = graph.apply "mul"(%e, %f) : (f32, f32) -> f32
    %q = graph.apply "add"(%p, %g) : (f32, f32) -> f32
    graph.yield %q : f32
  }
  graph.output %n as ["n"] : !graph.tensor<[B, 8, 8, 8], f32>
}

// A scale that each run gives stays where it is.
// CHECK-LABEL: graph.graph "given"
// CHECK:         graph.conv "c" %x, %w
// CHECK-NEXT:    graph.map "n"
// CHECK:           graph.apply "mul"
graph.graph "given" dims [#graph.dim<"B", min = 0, max = 64>] {
  %x = graph.input "x" : !graph.tensor<[B, 3, 8, 8], f32>
  %s = graph.input "s" : !graph.tensor<[8, 1, 1], f32>
  %w = graph.param "w" from "w.safetensors" key "w" : !graph.tensor<[8, 3, 1, 1], f32>
  %c = graph.conv "c" %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1
      : !graph.tensor<[B, 3, 8, 8], f32>, !graph.tensor<[8, 3, 1, 1], f32> -> !graph.tensor<[B, 8, 8, 8], f32>
  %n = graph.map "n"(%c, %s) : (!graph.tensor<[B, 8, 8, 8], f32>, !graph.tensor<[8, 1, 1], f32>) -> !graph.tensor<[B, 8, 8, 8], f32> {
  ^bb0(%e: f32, %f: f32):
    %p = graph.apply "mul"(%e, %f) : (f32, f32) -> f32
    graph.yield %p : f32
  }
  graph.output %n as ["n"] : !graph.tensor<[B, 8, 8, 8], f32>
}
