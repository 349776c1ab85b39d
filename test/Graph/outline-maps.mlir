// RUN: teeny-opt --graph-outline-maps %s | FileCheck %s

// Views in front of a map are strides of its kernel; one that is an output is copied.
// CHECK-LABEL: graph.graph "views"
// CHECK:         %[[T:.*]] = graph.call "t" @generated.copy_2(%x)
// CHECK-NEXT:    %[[M:.*]] = graph.call "m" @generated.map_add(%x, %y) {BLOCK = 1024 : i64} where
// CHECK-SAME:      d1 = #graph.expr<B>, n = #graph.expr<"4*B">
// CHECK-SAME:      s0_1 = #graph.expr<4>
// CHECK-NEXT:    %[[R:.*]] = graph.call "r" @generated.map_relu(%[[M]])
// CHECK-NEXT:    %[[C:.*]] = graph.call "same.copy" @generated.copy(%[[R]])
// CHECK-NEXT:    graph.output %[[R]], %[[T]], %[[C]]
graph.graph "views" dims [#graph.dim<"B", min = 0, max = 64>] {
  %x = graph.input "x" : !graph.tensor<[B, 4], f16>
  %y = graph.input "y" : !graph.tensor<[4, 1], f16>
  %t = graph.permute "t" %x [1, 0] : !graph.tensor<[B, 4], f16> -> !graph.tensor<[4, B], f16>
  %m = graph.map "m"(%t, %y) : (!graph.tensor<[4, B], f16>, !graph.tensor<[4, 1], f16>) -> !graph.tensor<[4, B], f16> {
  ^bb0(%p: f16, %q: f16):
    %s = graph.apply "add"(%p, %q) : (f16, f16) -> f16
    graph.yield %s : f16
  }
  %r = graph.map "r"(%m) : (!graph.tensor<[4, B], f16>) -> !graph.tensor<[4, B], f16> {
  ^bb0(%p: f16):
    %s = graph.apply "relu"(%p) : (f16) -> f16
    graph.yield %s : f16
  }
  graph.output %r, %t, %r as ["r", "t", "same"] : !graph.tensor<[4, B], f16>, !graph.tensor<[4, B], f16>, !graph.tensor<[4, B], f16>
}

// f16 is computed in f32, and rounded after each function.
// CHECK:      graph.op @generated.map_add dtypes {} source
// CHECK-SAME:   i1 = i % d1\0A    i0 = i // d1\0A
// CHECK-SAME:   v0 = tl.load(x0 + (i0 + i1 * s0_1), mask=inside)\0A
// CHECK-SAME:   v1 = tl.load(x1 + i0, mask=inside)\0A
// CHECK-SAME:   v2 = add(v0.to(tl.float32), v1.to(tl.float32)).to(tl.float16)\0A
// CHECK-SAME:   tl.store(out + i, v2, mask=inside)\0A
// The second map is the only reader of the first: it takes over its memory.
// CHECK:      graph.op @generated.map_relu
// CHECK:        graph.alias "out" of "x0"
