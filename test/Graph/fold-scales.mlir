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

// ((e + b) - m) * s + t is e * s + ((b - m) * s + t).
// CHECK-LABEL: graph.graph "bias"
// CHECK:         %[[B:.*]] = graph.map "n.shift"(%b, %m)
// CHECK:           graph.apply "sub"
// CHECK:         %[[BS:.*]] = graph.map "n.shift_"(%[[B]], %s)
// CHECK:           graph.apply "mul"
// CHECK:         %[[SHIFT:.*]] = graph.map "n.shift__"(%[[BS]], %t)
// CHECK:           graph.apply "add"
// CHECK:         graph.map "n.filter"(%w, %{{.*}})
// CHECK:         %[[CONV:.*]] = graph.conv "c"
// CHECK-NEXT:    graph.map "n"(%[[CONV]], %[[SHIFT]])
// CHECK-NEXT:    ^bb0(%[[E:.*]]: f32, %[[T:.*]]: f32):
// CHECK-NEXT:      %[[SUM:.*]] = graph.apply "add"(%[[E]], %[[T]])
// CHECK-NEXT:      %[[RELU:.*]] = graph.apply "relu"(%[[SUM]])
// CHECK-NEXT:      graph.yield %[[RELU]]
graph.graph "bias" dims [#graph.dim<"B", min = 0, max = 64>] {
  %x = graph.input "x" : !graph.tensor<[B, 3, 8, 8], f32>
  %w = graph.param "w" from "w.safetensors" key "w" : !graph.tensor<[8, 3, 1, 1], f32>
  %b = graph.param "b" from "w.safetensors" key "b" : !graph.tensor<[8, 1, 1], f32>
  %m = graph.param "m" from "w.safetensors" key "m" : !graph.tensor<[8, 1, 1], f32>
  %s = graph.param "s" from "w.safetensors" key "s" : !graph.tensor<[8, 1, 1], f32>
  %t = graph.param "t" from "w.safetensors" key "t" : !graph.tensor<[8, 1, 1], f32>
  %c = graph.conv "c" %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1
      : !graph.tensor<[B, 3, 8, 8], f32>, !graph.tensor<[8, 3, 1, 1], f32> -> !graph.tensor<[B, 8, 8, 8], f32>
  %n = graph.map "n"(%c, %b, %m, %s, %t) : (!graph.tensor<[B, 8, 8, 8], f32>, !graph.tensor<[8, 1, 1], f32>, !graph.tensor<[8, 1, 1], f32>, !graph.tensor<[8, 1, 1], f32>, !graph.tensor<[8, 1, 1], f32>) -> !graph.tensor<[B, 8, 8, 8], f32> {
  ^bb0(%e: f32, %f: f32, %g: f32, %h: f32, %i: f32):
    %p = graph.apply "add"(%e, %f) : (f32, f32) -> f32
    %q = graph.apply "sub"(%p, %g) : (f32, f32) -> f32
    %r = graph.apply "mul"(%q, %h) : (f32, f32) -> f32
    %u = graph.apply "add"(%i, %r) : (f32, f32) -> f32
    %v = graph.apply "relu"(%u) : (f32) -> f32
    graph.yield %v : f32
  }
  graph.output %n as ["n"] : !graph.tensor<[B, 8, 8, 8], f32>
}

// Sums alone leave the filter as it is; so does a scale of what is no sum any more.
// CHECK-LABEL: graph.graph "sums"
// CHECK:         graph.conv "c" %x, %w
// CHECK:           graph.apply "add"
// CHECK:           graph.apply "relu"
// CHECK:           graph.apply "mul"
graph.graph "sums" dims [#graph.dim<"B", min = 0, max = 64>] {
  %x = graph.input "x" : !graph.tensor<[B, 3, 8, 8], f32>
  %w = graph.param "w" from "w.safetensors" key "w" : !graph.tensor<[8, 3, 1, 1], f32>
  %b = graph.param "b" from "w.safetensors" key "b" : !graph.tensor<[8, 1, 1], f32>
  %s = graph.param "s" from "w.safetensors" key "s" : !graph.tensor<[8, 1, 1], f32>
  %c = graph.conv "c" %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 1
      : !graph.tensor<[B, 3, 8, 8], f32>, !graph.tensor<[8, 3, 1, 1], f32> -> !graph.tensor<[B, 8, 8, 8], f32>
  %n = graph.map "n"(%c, %b, %s) : (!graph.tensor<[B, 8, 8, 8], f32>, !graph.tensor<[8, 1, 1], f32>, !graph.tensor<[8, 1, 1], f32>) -> !graph.tensor<[B, 8, 8, 8], f32> {
  ^bb0(%e: f32, %f: f32, %g: f32):
    %p = graph.apply "add"(%e, %f) : (f32, f32) -> f32
    %q = graph.apply "relu"(%p) : (f32) -> f32
    %r = graph.apply "mul"(%q, %g) : (f32, f32) -> f32
    graph.yield %r : f32
  }
  graph.output %n as ["n"] : !graph.tensor<[B, 8, 8, 8], f32>
}
