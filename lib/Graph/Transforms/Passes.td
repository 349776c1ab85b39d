// The passes of the graph dialect. This is their manual: what each needs, does, and leaves behind.
#ifndef TEENY_GRAPH_PASSES
#define TEENY_GRAPH_PASSES

include "mlir/Pass/PassBase.td"

def GraphInferShapes : Pass<"graph-infer-shapes", "::mlir::ModuleOp"> {
  let summary = "Find the type of every tensor, and prove what calls require";
  let description = [{
    Visits calls in order. For each, the shapes that the declaration has for inputs and params are matched against those of
    the operands: a bare name binds to the size it meets first, an expression that leaves one name open as a*N + b is
    solved for it, and every further meeting must be the same size. Type variables bind alike. Then the types of the results
    follow, and the call records what was bound:

    ```mlir
    %y = graph.call "y" @scale(%x) {} : (!graph.tensor<[B, "4*A"], f32>) -> !graph.unknown
    ```
    with `graph.declare input "x" : "T" [M, "2*N"]` and `graph.declare output "y" : "T" [N, M]` becomes
    ```mlir
    %y = graph.call "y" @scale(%x) {} where {M = #graph.expr<B>, N = #graph.expr<"2*A">, T = f32}
        : (!graph.tensor<[B, "4*A"], f32>) -> !graph.tensor<["2*A", B], f32>
    ```

    Two sizes that should be one are equal expressions, or provably different, which is an error that names both, or
    undecided: then the graph gets a `graph.require`, which every run checks. So do conditions of the declaration
    (`graph.require` in it) that the ranges of the graph's dims neither prove nor exclude, divisions that solving needs, and sizes
    that might be negative.

    A size of an input that is `?` takes the value that the calls which use it need. An input whose size nothing determines
    is an error. Run `graph-verify-shapes` next.
  }];
}

def GraphVerifyShapes : Pass<"graph-verify-shapes", "::mlir::ModuleOp"> {
  let summary = "Check that every tensor has a known type";
  let description = [{
    Closes the phase of shapes: an error at each operation that returns an unknown type or size, and at each call without
    bindings.
  }];
}

#endif
