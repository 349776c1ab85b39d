// RUN: teeny-opt %s | teeny-opt | FileCheck %s
// RUN: teeny-opt --mlir-print-op-generic %s | teeny-opt | FileCheck %s

// CHECK-LABEL: graph.op @yolo.detect_decode dtypes {T = [f32, f16]} doc "Boxes." {
// CHECK-NEXT:    graph.declare input "ltrb" : "T" [B, 4, A]
// CHECK-NEXT:    graph.declare param "anchor_x" : "T" [A]
// CHECK-NEXT:    graph.declare output "out" : "f32" [*L, "2*A + 1"]
// CHECK-NEXT:    graph.attribute "BLOCK_A" : int default 128 : i64 tune [64, 128] min 1 : i64 max 1024 : i64
// CHECK-NEXT:    graph.attribute "mode" : string
// CHECK-NEXT:    graph.size "PAIRS" = "A // 2"
// CHECK-NEXT:    graph.require "A >= 1" message "there are no anchors"
// CHECK-NEXT:    graph.alias "out" of "ltrb"
// CHECK-NEXT:    graph.declare_scratch "partial" bytes "4*B" zeroed
// CHECK-NEXT:    graph.implementation when "A % 16 == 0" {
// CHECK-NEXT:      graph.kernel "fast" from "decode.py" grid [B, "cdiv(A, BLOCK_A)"] args {eps = 1.000000e-05 : f64, n = #graph.expr<"A*B">, x_ptr = "ltrb"} num_warps 4 num_stages 2
// CHECK-NEXT:    }
// CHECK-NEXT:    graph.implementation {
// CHECK-NEXT:      graph.kernel "slow" from "decode.py" grid [1] args {} num_warps 1 num_stages 1
// CHECK-NEXT:    }
// CHECK-NEXT:  }
graph.op @yolo.detect_decode dtypes {T = [f32, f16]} doc "Boxes." {
  graph.declare input "ltrb" : "T" [B, 4, A]
  graph.declare param "anchor_x" : "T" [A]
  graph.declare output "out" : "f32" [*L, "A + A + 1"]
  graph.attribute "BLOCK_A" : int default 128 : i64 tune [64, 128] min 1 : i64 max 1024 : i64
  graph.attribute "mode" : string
  graph.size "PAIRS" = "A // 2"
  graph.require "A >= 1" message "there are no anchors"
  graph.alias "out" of "ltrb"
  graph.declare_scratch "partial" bytes "4*B" zeroed
  graph.implementation when "A % 16 == 0" {
    graph.kernel "fast" from "decode.py" grid [B, "cdiv(A, BLOCK_A)"] args {x_ptr = "ltrb", n = #graph.expr<"B*A">, eps = 1.0e-05 : f64} num_warps 4 num_stages 2
  }
  graph.implementation {
    graph.kernel "slow" from "decode.py" grid [1] args {} num_warps 1 num_stages 1
  }
}

func.func private @boxes_0()

// CHECK-LABEL: graph.graph "detector" dims [#graph.dim<"B", min = 0, max = 64>, #graph.dim<"A", min = 4, max = 33600, multipleOf = 4>] {
// CHECK-NEXT:    %ltrb = graph.input "ltrb" : !graph.tensor<[B, 4, A], f32>
// CHECK-NEXT:    %anchor_x = graph.param "anchor_x" from "anchors.safetensors" key "x" : !graph.tensor<[A], f32>
// CHECK-NEXT:    graph.require "A <= 8400" message "too many"
// CHECK-NEXT:    %boxes = graph.call "boxes" @yolo.detect_decode(%ltrb, %anchor_x) {BLOCK_A = 256 : i64, mode = "x"} where {A = #graph.expr<A>, T = f32} : (!graph.tensor<[B, 4, A], f32>, !graph.tensor<[A], f32>) -> !graph.unknown
// CHECK-NEXT:    %acc = graph.scratch "acc" zeroed : !graph.tensor<["4*A*B"], ui8>
// CHECK-NEXT:    %more:2 = graph.launch "more" of "boxes"(%ltrb, %acc) aliases [-1, 1] variants [#graph.variant<when "A % 16 == 0" run @boxes_0 grid [B, "cdiv(A, 256)", 1] args [operand 0 + "4*A", result 0, int A, real 1.500000e+00]>, #graph.variant<run @boxes_0 grid [1, 1, 1] args []>]
// CHECK-SAME:      : (!graph.tensor<[B, 4, A], f32>, !graph.tensor<["4*A*B"], ui8>) -> (!graph.tensor<[], i1>, !graph.tensor<["4*A*B"], ui8>)
// CHECK-NEXT:    graph.output %boxes, %more#0 as ["boxes", "flag"] : !graph.unknown, !graph.tensor<[], i1>
graph.graph "detector" dims [#graph.dim<"B", min = 0, max = 64>, #graph.dim<"A", min = 4, max = 33600, multipleOf = 4>] {
  %x = graph.input "ltrb" : !graph.tensor<[B, 4, A], f32>
  %a = graph.param "anchor_x" from "anchors.safetensors" key "x" : !graph.tensor<[A], f32>
  graph.require "A <= 8400" message "too many"
  %y = graph.call "boxes" @yolo.detect_decode(%x, %a) {BLOCK_A = 256 : i64, mode = "x"}
    where {A = #graph.expr<A>, T = f32} : (!graph.tensor<[B, 4, A], f32>, !graph.tensor<[A], f32>) -> !graph.unknown
  %acc = graph.scratch "acc" zeroed : !graph.tensor<["4*B*A"], ui8>
  %z:2 = graph.launch "more" of "boxes"(%x, %acc) aliases [-1, 1] variants [
      #graph.variant<when "A % 16 == 0" run @boxes_0 grid [B, "cdiv(A, 256)", 1] args [operand 0 + "4*A", result 0, int A, real 1.5]>,
      #graph.variant<run @boxes_0 grid [1, 1, 1] args []>]
    : (!graph.tensor<[B, 4, A], f32>, !graph.tensor<["4*B*A"], ui8>) -> (!graph.tensor<[], i1>, !graph.tensor<["4*B*A"], ui8>)
  graph.output %y, %z#0 as ["boxes", "flag"] : !graph.unknown, !graph.tensor<[], i1>
}

// An empty graph.
// CHECK-LABEL: graph.graph "empty" dims [] {
// CHECK-NEXT:    graph.output as []
graph.graph "empty" dims [] {
  graph.output as []
}
