// RUN: teeny-opt --graph-legalize-ops %s | FileCheck %s

graph.op @core.matmul dtypes {T = [f32, f16]} {
  graph.declare input "a" : "T" [G, A1, A2]
  graph.declare input "b" : "T" [G, B1, B2]
  graph.declare output "out" : "T" [G, "A2 if TA else A1", "B1 if TB else B2"]
  graph.attribute "TA" : bool default false
  graph.attribute "TB" : bool default false
  graph.attribute "PRECISION" : string default "ieee"
  graph.require "(A1 if TA else A2) == (B2 if TB else B1)" message "the inner sizes differ"
  graph.implementation {
    graph.kernel "matmul" from "matmul.py" grid [G] args {} num_warps 4 num_stages 2
  }
}

graph.op @core.reduce dtypes {T = [f32]} {
  graph.declare input "x" : "T" [OUTER, R, INNER]
  graph.declare output "out" : "T" [OUTER, INNER]
  graph.attribute "KIND" : string
  graph.implementation {
    graph.kernel "reduce" from "reduce.py" grid [OUTER] args {} num_warps 4 num_stages 2
  }
}

// What the declaration requires of open sizes, runs must check.
// CHECK-LABEL: graph.graph "product"
// CHECK:         graph.require "K == N" message "node 'p': the inner sizes differ"
// CHECK-NEXT:    %[[P:.*]] = graph.call "p" @core.matmul(%x, %w) {PRECISION = "ieee", TA = false, TB = true} where {{.*}}G = #graph.expr<1>{{.*}} -> !graph.tensor<[1, B, 8], f32>
// CHECK-NEXT:    %[[S:.*]] = graph.call "s" @core.reduce(%[[P]]) {KIND = "sum"} where {{.*}} -> !graph.tensor<[1, 8], f32>
// CHECK-NEXT:    graph.output %[[S]]
graph.graph "product" dims [#graph.dim<"B", min = 0, max = 64>, #graph.dim<"K", min = 0, max = 64>, #graph.dim<"N", min = 0, max = 64>] {
  %x = graph.input "x" : !graph.tensor<[1, B, K], f32>
  %w = graph.input "w" : !graph.tensor<[1, 8, N], f32>
  %p = graph.matmul "p" %x, %w transposed [false, true] : !graph.tensor<[1, B, K], f32>, !graph.tensor<[1, 8, N], f32> -> !graph.tensor<[1, B, 8], f32>
  %s = graph.reduce "s" %p sum : !graph.tensor<[1, B, 8], f32> -> !graph.tensor<[1, 8], f32>
  graph.output %s as ["s"] : !graph.tensor<[1, 8], f32>
}
