// Operations of a graph. GraphDeclOps.td has those of declarations.
#ifndef TEENY_GRAPH_OPS
#define TEENY_GRAPH_OPS

include "Graph/IR/GraphAttrs.td"
include "Graph/IR/GraphDeclOps.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Graph_NamedOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, traits # [DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]>;

def Graph_GraphOp : Graph_Op<"graph", [IsolatedFromAbove, SingleBlock, NoRegionArguments]> {
  let summary = "A model: its dims, and its nodes in an order in which they can run";
  let description = [{
    ```
    graph.graph "detector" dims [#graph.dim<"B", min = 0, max = 64>] {
      %x = graph.input "x" : !graph.tensor<[B, 4], f32>
      %y = graph.call "y" @relu(%x) : (!graph.tensor<[B, 4], f32>) -> !graph.unknown
      graph.output %y as ["y"] : !graph.unknown
    }
    ```
    Names of inputs, params and nodes are unique. Dims are the only names that sizes may use.
  }];
  let arguments = (ins StrAttr:$name, Graph_DimArrayAttr:$dims);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name `dims` $dims $body attr-dict";
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
    DimAttr findDim(::llvm::StringRef name);
    // What is known of a dim; the facts of any integer where the name is none.
    ::teeny::SymbolFacts factsOf(::llvm::StringRef name);
  }];
  let hasVerifier = 1;
}

def Graph_InputOp : Graph_NamedOp<"input"> {
  let summary = "A tensor that each run is given";
  let arguments = (ins StrAttr:$name);
  let results = (outs Graph_TensorType:$result);
  let assemblyFormat = "$name attr-dict `:` qualified(type($result))";
}

def Graph_ParamOp : Graph_NamedOp<"param", [Pure]> {
  let summary = "A tensor whose data is part of the model";
  let description = [{
    The data is tensor `key` of the safetensors file `file`, a path relative to the file that the location names (`pathOf`).
    The importer has checked that it is there with this type and shape.
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$file, StrAttr:$key);
  let results = (outs Graph_TensorType:$result);
  let assemblyFormat = "$name `from` $file `key` $key attr-dict `:` qualified(type($result))";
}

def Graph_CallOp : Graph_NamedOp<"call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>, AttrSizedOperandSegments, Pure]> {
  let summary = "A node: a declared operation applied to tensors";
  let description = [{
    Operands are the declaration's inputs and then its params, in declared order; results its outputs. `attrs` has a value for
    every declared attribute. Shape inference finds the result types and adds `bindings`: for each name that the declared shapes and types bind, the
    expression over the graph's dims, or the element type, that it stands for in this call.

    ```
    %y = graph.call "y" @relu(%x) {BLOCK = 128 : i64} where {N = #graph.expr<"4*B">, T = f32}
        : (!graph.tensor<[B, 4], f32>) -> !graph.tensor<[B, 4], f32>
    ```

    An epilogue is a map that the kernel applies to what it stores, before it does: its region takes an element of the first
    output, as the declaration has it, and one of each tensor in `extras`, which are broadcast to the first result as operands
    of maps are. The result may have another shape than the declaration says, with as many elements.

    ```
    %y = graph.call "y" @core.matmul(%a, %b) {...} where {...} with (%bias : !graph.tensor<[N], f32>) {
    ^bb0(%value: f32, %b: f32):
      %0 = graph.apply "add"(%value, %b) : (f32, f32) -> f32
      graph.yield %0 : f32
    } : (!graph.tensor<[1, M, K], f32>, !graph.tensor<[1, K, N], f32>) -> !graph.tensor<[M, N], f32>
    ```
    `graph-outline-maps` writes the region as a function of the kernel language into `epilogueSource`, with the values of its
    integer parameters. `remark` says why the call has its epilogue, or why not.
  }];
  let arguments = (ins StrAttr:$name, FlatSymbolRefAttr:$callee, Variadic<Graph_AnyTensor>:$tensors,
                       Variadic<Graph_TensorType>:$extras, DictionaryAttr:$attrs, OptionalAttr<DictionaryAttr>:$bindings,
                       OptionalAttr<StrAttr>:$epilogueSource, OptionalAttr<DictionaryAttr>:$epilogueArgs,
                       OptionalAttr<StrAttr>:$remark);
  let regions = (region AnyRegion:$epilogue);
  let results = (outs Variadic<Graph_AnyTensor>:$results);
  let assemblyFormat = [{
    $name $callee `(` $tensors `)` $attrs (`where` $bindings^)? (`with` `(` $extras^ `:` type($extras) `)`)?
    ($epilogue^)? attr-dict `:` functional-type($tensors, $results)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::TypeRange":$results, "::llvm::StringRef":$name, "::llvm::StringRef":$callee,
                   "::mlir::ValueRange":$tensors, "::mlir::DictionaryAttr":$attrs, "::mlir::DictionaryAttr":$bindings)>
  ];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    OpOp declaration(); // null in invalid IR
    // An expression of the declaration with its names replaced: dims by what is bound, attributes by their values
    // (booleans as 0 and 1), types and type variables by numbers that tell types apart. Other names stay.
    ::teeny::Expr resolve(const ::teeny::Expr &declared);
    // The element type that a declared type ("T", "f32") stands for; null if it is not bound.
    ::mlir::Type resolveDtype(::llvm::StringRef declared);
  }];
}

def Graph_ScratchOp : Graph_NamedOp<"scratch"> {
  let summary = "Memory that only launches use";
  let description = "Uninitialised bytes, or zeros at the beginning of each run.";
  let arguments = (ins StrAttr:$name, UnitAttr:$zeroed);
  let results = (outs Graph_TensorType:$result);
  let assemblyFormat = "$name (`zeroed` $zeroed^)? attr-dict `:` qualified(type($result))";
}

def Graph_LaunchOp : Graph_NamedOp<"launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "One launch of a kernel, with the variants that may carry it out";
  let description = [{
    Runs the first variant whose guard is not 0; the last has none. Arguments name operands and results by index. A result
    is new memory, or that of the operand `aliases` gives for it (-1: new memory): what the kernel does not store keeps
    the operand's values then.

    ```
    %y = graph.launch "y" (%x) variants [
        #graph.variant<run @y_0 grid ["cdiv(B, 128)", 1, 1] args [operand 0, result 0, int "4*B"]>]
        : (!graph.tensor<[B, 4], f32>) -> !graph.tensor<[B, 4], f32>
    ```
    `name` is unique among launches, `node` the name of the call that it comes from.
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$node, Variadic<Graph_TensorType>:$operands, Graph_VariantArrayAttr:$variants,
                       OptionalAttr<DenseI64ArrayAttr>:$aliases);
  let results = (outs Variadic<Graph_TensorType>:$results);
  let assemblyFormat = [{
    $name `of` $node `(` $operands `)` (`aliases` $aliases^)? `variants` $variants attr-dict
    `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
}

def Graph_OutputOp : Graph_Op<"output", [Terminator, HasParent<"GraphOp">]> {
  let summary = "Ends a graph with the tensors that a run returns";
  let arguments = (ins Variadic<Graph_AnyTensor>:$operands, StrArrayAttr:$names);
  let assemblyFormat = "($operands^)? `as` $names attr-dict (`:` type($operands)^)?";
  let hasVerifier = 1;
}

#endif
