// Declarations of operations: what a declaration file says, each part with its place in that file.
#ifndef TEENY_GRAPH_DECL_OPS
#define TEENY_GRAPH_DECL_OPS

include "Graph/IR/GraphAttrs.td"
include "mlir/IR/SymbolInterfaces.td"

class Graph_Op<string mnemonic, list<Trait> traits = []> : Op<Graph_Dialect, mnemonic, traits>;

def Graph_OpOp : Graph_Op<"op", [Symbol, IsolatedFromAbove, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "Declares an operation that graphs can call";
  let description = [{
    ```
    graph.op @yolo.detect_decode dtypes {T = [f32, f16]} {
      graph.declare input "ltrb" : "T" [B, 4, A]
      graph.declare param "anchor_x" : "T" [A]
      graph.declare output "out" : "T" [B, 4, A]
      graph.attribute "BLOCK_A" : int default 128 : i64 tune [64, 128, 256]
      graph.require "A >= 1" message "there are no anchors"
      graph.implementation {
        graph.kernel "detect_decode_forward" from "detect_decode.py" grid ["B * cdiv(A, BLOCK_A)"] args {} num_warps 4 num_stages 2
      }
    }
    ```
    Dims and attributes share one namespace. With a `source`, kernels are functions of that text, under the name of their
    file: the compiler made them. Implementations are tried in order; the last has no condition.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, DictionaryAttr:$dtypes, OptionalAttr<StrAttr>:$doc,
                       OptionalAttr<StrAttr>:$source);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `dtypes` $dtypes (`doc` $doc^)? (`source` $source^)? $body attr-dict";
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
    // Declared tensors with the role, in order.
    ::llvm::SmallVector<DeclareOp> tensors(TensorRole role);
    // Inputs and then params: the operands of a call.
    ::llvm::SmallVector<DeclareOp> operandTensors();
    AttributeOp findAttribute(::llvm::StringRef name); // null if there is none
  }];
}

def Graph_DeclareOp : Graph_Op<"declare", [HasParent<"OpOp">]> {
  let summary = "A tensor of a declaration";
  let description = [{
    `graph.declare input "x" : "T" [*L, N, "2*M"]`. The type is a variable of the declaration's `dtypes` or a type's name. The
    shape of an input or param is a pattern that binds names; `*L` binds L to the product of any leading dims. The shape of
    an output is made of expressions; there `*L` stands for the dims that L was bound to.
  }];
  let arguments = (ins Graph_TensorRole:$role, StrAttr:$name, StrAttr:$dtype, OptionalAttr<StrAttr>:$leading,
                       Graph_ExprArrayAttr:$shape);
  let assemblyFormat = "$role $name `:` $dtype custom<Pattern>($leading, $shape) attr-dict";
}

def Graph_AttributeOp : Graph_Op<"attribute", [HasParent<"OpOp">]> {
  let summary = "An attribute of a declaration";
  let description = [{
    Values are i64, f64, i1, strings, and types. Without a default, each call must give one. `tune` lists values among which
    the compiler may choose, where the call gives none.
  }];
  let arguments = (ins StrAttr:$name, Graph_AttrKind:$kind, OptionalAttr<AnyAttr>:$defaultValue,
                       OptionalAttr<ArrayAttr>:$tune, OptionalAttr<AnyAttr>:$min, OptionalAttr<AnyAttr>:$max);
  let assemblyFormat = [{
    $name `:` $kind (`default` $defaultValue^)? (`tune` $tune^)? (`min` $min^)? (`max` $max^)? attr-dict
  }];
}

def Graph_SizeOp : Graph_Op<"size", [HasParent<"OpOp">]> {
  let summary = "A name for an expression over the dims, the integer attributes and the sizes before it";
  let description = [{
    `graph.size "OH" = "(H - KH) // STRIDE + 1"`. Everything that may use a dim may use it, kernel parameters among them.
  }];
  let arguments = (ins StrAttr:$name, Graph_ExprAttr:$value);
  let assemblyFormat = "$name `=` custom<Expr>($value) attr-dict";
}

def Graph_RequireOp : Graph_Op<"require"> {
  let summary = "A condition that must hold";
  let description = [{
    In a declaration: of each call, over its dims and attributes. In a graph: of each run, over the graph's dims; what could
    not be proved when compiling.
  }];
  let arguments = (ins Graph_ExprAttr:$condition, StrAttr:$message);
  let assemblyFormat = "custom<Expr>($condition) `message` $message attr-dict";
}

def Graph_AliasOp : Graph_Op<"alias", [HasParent<"OpOp">]> {
  let summary = "An output that takes over the memory of an input";
  let arguments = (ins StrAttr:$output, StrAttr:$input);
  let assemblyFormat = "$output `of` $input attr-dict";
}

def Graph_DeclareScratchOp : Graph_Op<"declare_scratch", [HasParent<"OpOp">]> {
  let summary = "Memory that the kernels of a call share, its size in bytes";
  let arguments = (ins StrAttr:$name, Graph_ExprAttr:$bytes, UnitAttr:$zeroed);
  let assemblyFormat = "$name `bytes` custom<Expr>($bytes) (`zeroed` $zeroed^)? attr-dict";
}

def Graph_ImplementationOp : Graph_Op<"implementation", [HasParent<"OpOp">, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "Launches that carry a call out, where the condition holds";
  let description = [{
    The condition is over the dims and attributes of a call, its type variables and the names of types (`T == f16`).
  }];
  let arguments = (ins OptionalAttr<Graph_ExprAttr>:$when);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`when` custom<Expr>($when)^)? $body attr-dict";
}

def Graph_KernelOp : Graph_Op<"kernel", [HasParent<"ImplementationOp">]> {
  let summary = "A launch of a kernel function in a file";
  let description = [{
    `file` is relative to the file that the location names (`pathOf`). `args` binds kernel parameters that do not have the name of a
    tensor, scratch, dim or attribute: to one of these by name (a string), to an expression, or to a number.
  }];
  let arguments = (ins StrAttr:$function, StrAttr:$file, Graph_ExprArrayAttr:$grid, DictionaryAttr:$args, I32Attr:$numWarps,
                       I32Attr:$numStages);
  let assemblyFormat = [{
    $function `from` $file `grid` custom<Exprs>($grid) `args` $args `num_warps` $numWarps `num_stages` $numStages attr-dict
  }];
}

#endif
