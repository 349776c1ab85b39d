// The graph dialect.
#ifndef TEENY_GRAPH_DIALECT
#define TEENY_GRAPH_DIALECT

include "mlir/IR/OpBase.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::teeny::graph";
  let summary = "Models as graphs of tensor operations with symbolic shapes";
  let description = [{
    A module holds one `graph.graph` and the declarations (`graph.op`) of the operations that it calls; once
    kernels are bound, also their functions. Sizes are integer expressions over the graph's dims (lib/Expr), kept
    as canonical text: a name, an integer, or a quoted expression. What a model's author named keeps its name,
    and each operation's location is its place in the author's file, inside the JSON path.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

#endif
