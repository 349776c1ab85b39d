// RUN: teeny-opt --graph-merge-maps %s | FileCheck %s

// CHECK-LABEL: graph.graph "chain"
// CHECK:         %[[R:.*]] = graph.map "r"(%x, %b) : (!graph.tensor<[B, 4], f16>, !graph.tensor<[4], f16>) -> !graph.tensor<[B, 4], f16> {
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f16, %[[B:.*]]: f16):
// CHECK-NEXT:      %[[SUM:.*]] = graph.apply "add"(%[[X]], %[[B]]) : (f16, f16) -> f16
// CHECK-NEXT:      %[[RELU:.*]] = graph.apply "relu"(%[[SUM]]) : (f16) -> f16
// CHECK-NEXT:      %[[SQUARE:.*]] = graph.apply "mul"(%[[RELU]], %[[X]]) : (f16, f16) -> f16
// CHECK-NEXT:      graph.yield %[[SQUARE]] : f16
// CHECK-NEXT:    }
// CHECK-NEXT:    graph.output %[[R]]
graph.graph "chain" dims [#graph.dim<"B", min = 0, max = 64>] {
  %x = graph.input "x" : !graph.tensor<[B, 4], f16>
  %b = graph.input "b" : !graph.tensor<[4], f16>
  %0 = graph.map "a"(%x, %b) : (!graph.tensor<[B, 4], f16>, !graph.tensor<[4], f16>) -> !graph.tensor<[B, 4], f16> {
  ^bb0(%p: f16, %q: f16):
    %s = graph.apply "add"(%p, %q) : (f16, f16) -> f16
    graph.yield %s : f16
  }
  %1 = graph.map "r"(%0, %x) : (!graph.tensor<[B, 4], f16>, !graph.tensor<[B, 4], f16>) -> !graph.tensor<[B, 4], f16> {
  ^bb0(%p: f16, %q: f16):
    %s = graph.apply "relu"(%p) : (f16) -> f16
    %t = graph.apply "mul"(%s, %q) : (f16, f16) -> f16
    graph.yield %t : f16
  }
  graph.output %1 as ["r"] : !graph.tensor<[B, 4], f16>
}

// Neither what others read nor what is repeated: it would be computed again.
// CHECK-LABEL: graph.graph "apart"
// CHECK:         graph.map "read"
// CHECK:         graph.map "small"
// CHECK:         graph.map "r"
graph.graph "apart" dims [#graph.dim<"B", min = 0, max = 64>] {
  %x = graph.input "x" : !graph.tensor<[B, 4], f32>
  %b = graph.input "b" : !graph.tensor<[4], f32>
  %0 = graph.map "read"(%x) : (!graph.tensor<[B, 4], f32>) -> !graph.tensor<[B, 4], f32> {
  ^bb0(%p: f32):
    %s = graph.apply "exp"(%p) : (f32) -> f32
    graph.yield %s : f32
  }
  %1 = graph.map "small"(%b) : (!graph.tensor<[4], f32>) -> !graph.tensor<[4], f32> {
  ^bb0(%p: f32):
    %s = graph.apply "exp"(%p) : (f32) -> f32
    graph.yield %s : f32
  }
  %2 = graph.map "r"(%0, %1) : (!graph.tensor<[B, 4], f32>, !graph.tensor<[4], f32>) -> !graph.tensor<[B, 4], f32> {
  ^bb0(%p: f32, %q: f32):
    %s = graph.apply "mul"(%p, %q) : (f32, f32) -> f32
    graph.yield %s : f32
  }
  graph.output %2, %0 as ["r", "read"] : !graph.tensor<[B, 4], f32>, !graph.tensor<[B, 4], f32>
}
