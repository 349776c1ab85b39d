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

def GraphLegalizeOps : Pass<"graph-legalize-ops", "::mlir::ModuleOp"> {
  let summary = "Products, convolutions, pooling and reductions become calls of declarations";
  let description = [{
    The declarations are those under kernels/core, which the importer has put into the module:

    | operation | declaration | attributes |
    |---|---|---|
    | `graph.matmul` | `core.matmul` | `TA`, `TB`: whether an operand is transposed |
    | `graph.conv` | `core.conv2d` | `STRIDE_H`, `STRIDE_W`, `PAD_TOP`, `PAD_LEFT`, `PAD_BOTTOM`, `PAD_RIGHT`, `DILATION_H`, `DILATION_W`, `GROUPS` |
    | `graph.pool` | `core.pool2d` | those, without groups; `KIND`, `KERNEL_H`, `KERNEL_W`, `COUNT_PAD`, `CEIL` |
    | `graph.reduce` | `core.reduce`, `core.arg_reduce` | `KIND` |

    What a declaration does not take (an element type, say) is an error at the node.
  }];
}

def GraphFoldScales : Pass<"graph-fold-scales", "::mlir::ModuleOp"> {
  let summary = "A scale of the channels of a convolution goes into its filter";
  let description = [{
    Where a map begins by multiplying the elements of a convolution, which nothing else reads, by values for each channel made
    of params alone, and adds such values (as a bias and batch norm do), all of it is element * scale + shift: the filter is
    multiplied by the scale instead, and the map adds the shift. This reorders roundings: it is the one rewriting that may
    change the last bits of a result. `graph-fold-params` then computes the new filter and the shift.
  }];
}

def GraphFoldParams : Pass<"graph-fold-params", "::mlir::ModuleOp"> {
  let summary = "Maps of params become constants";
  let description = [{
    A map whose operands are params, constants or views of them, of fixed sizes and float types, is evaluated by its
    reference (lib/Graph/Reference) on the data of the model, unless it would be more than twice as large as that. Params that
    nothing reads any more go.
  }];
}

def GraphMergeMaps : Pass<"graph-merge-maps", "::mlir::ModuleOp"> {
  let summary = "A map that only another map of the same shape reads becomes part of it";
  let description = [{
    ```mlir
    %0 = graph.map "a"(%x, %b) { add }
    %1 = graph.map "r"(%0) { relu }
    ```
    becomes `%1 = graph.map "r"(%x, %b) { add, relu }`. Every function of a map rounds to its type, so no bit changes. A map gets
    at most 256 operations and 64 operands. Views are the canonicaliser's: it folds reshapes and permutations of each other, and drops what nothing reads.
  }];
}

def GraphOutlineMaps : Pass<"graph-outline-maps", "::mlir::ModuleOp"> {
  let summary = "Maps and movements of data become calls of declarations with generated kernels";
  let description = [{
    Each `graph.map`, `graph.pad` and `graph.concat` becomes a call of a `graph.op` that the pass makes, with a `source` in
    the kernel language; those with the same source and element types share one. Maps read their operands through
    `graph.permute`, `graph.expand` and `graph.slice`; such a view that something else reads too is copied. An output that
    would be the memory of an input, a param or another output is copied.

    After the pass a graph has calls and reshapes only. MapKernel.h shows what kernels look like.
  }];
}

#endif
