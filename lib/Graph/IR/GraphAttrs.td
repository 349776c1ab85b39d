// Attributes, enums and the tensor type of the graph dialect.
#ifndef TEENY_GRAPH_ATTRS
#define TEENY_GRAPH_ATTRS

include "Graph/IR/GraphDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Graph_Attr<string name, string attrMnemonic> : AttrDef<Graph_Dialect, name> {
  let mnemonic = attrMnemonic;
}

//===-- Sizes ---------------------------------------------------------------------------------------------------===//

def Graph_ExprAttr : Graph_Attr<"Expr", "expr"> {
  let summary = "An integer expression over dims and attributes";
  let description = [{
    `#graph.expr<B>`, `#graph.expr<4>`, `#graph.expr<"B * cdiv(A, 128)">`, or `#graph.expr<?>` for a size that is not known
    yet. Inside operations and types the same text stands alone. An expression beyond the limits of lib/Expr is
    `"<too large>"`: it has no value, nor has what is computed with it.
  }];
  let parameters = (ins StringRefParameter<"canonical text, or ?">:$text);
  let builders = [AttrBuilder<(ins "const ::teeny::Expr &":$value), [{
    return $_get($_ctxt, textOf(value));
  }]>];
  let extraClassDeclaration = [{
    static ExprAttr unknown(::mlir::MLIRContext *context);
    static std::string textOf(const ::teeny::Expr &value);
    bool isUnknown() const { return getText() == "?"; }
    // The expression; must not be unknown.
    ::teeny::Expr getExpr() const;
    std::optional<int64_t> getConstant() const;
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}
def Graph_ExprArrayAttr : TypedArrayAttrBase<Graph_ExprAttr, "expressions">;

def Graph_DimAttr : Graph_Attr<"Dim", "dim"> {
  let summary = "A named size of a graph and the values it may have";
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$min, "int64_t":$max,
                        DefaultValuedParameter<"int64_t", "1">:$multipleOf);
  let assemblyFormat = "`<` $name `,` struct($min, $max, $multipleOf) `>`";
  let genVerifyDecl = 1;
}
def Graph_DimArrayAttr : TypedArrayAttrBase<Graph_DimAttr, "dims">;

def Graph_TensorType : TypeDef<Graph_Dialect, "GraphTensor"> {
  let mnemonic = "tensor";
  let summary = "A tensor with sizes that are expressions";
  let description = [{
    `!graph.tensor<[B, 4, "2*A"], f32>`; row-major and contiguous. A `?` stands for a size of an input that shape inference has
    still to find. Element types: f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i64, i32, i16, i8 (signed), ui64, ui32, ui16, ui8, i1.
  }];
  let parameters = (ins ArrayRefParameter<"::teeny::graph::ExprAttr">:$shape, "::mlir::Type":$dtype);
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    bool isKnown() const; // no size is `?`
    ::teeny::Expr elements() const; // product of the sizes; all must be known
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Graph_UnknownType : TypeDef<Graph_Dialect, "Unknown"> {
  let mnemonic = "unknown";
  let summary = "What a call returns, until shape inference has found its type";
}

def Graph_AnyTensor : AnyTypeOf<[Graph_TensorType, Graph_UnknownType]>;

//===-- Launches ------------------------------------------------------------------------------------------------===//

def Graph_ArgKind : I32EnumAttr<"ArgKind", "What a kernel argument is", [
    I32EnumAttrCase<"Operand", 0, "operand">, I32EnumAttrCase<"Result", 1, "result">,
    I32EnumAttrCase<"Integer", 2, "int">, I32EnumAttrCase<"Real", 3, "real">]> {
  let cppNamespace = "::teeny::graph";
  let genSpecializedAttr = 0;
}

def Graph_ArgAttr : Graph_Attr<"Arg", "arg"> {
  let summary = "The value of one run-time parameter of a kernel";
  let description = [{
    `operand 1`, `operand 1 + "4*A"` (the address of an operand, with a byte offset), `result 0`, `int "B*A"`, `real 1.0e-05`.
  }];
  let parameters = (ins "::teeny::graph::ArgKind":$kind, "int64_t":$index, "::teeny::graph::ExprAttr":$expr,
                        "::mlir::FloatAttr":$real);
  let extraClassDeclaration = [{
    // Addresses: of an operand or result of the launch, plus bytes.
    static ArgAttr operand(::mlir::MLIRContext *context, int64_t index, const ::teeny::Expr &offset = 0);
    static ArgAttr result(::mlir::MLIRContext *context, int64_t index, const ::teeny::Expr &offset = 0);
    static ArgAttr integer(::mlir::MLIRContext *context, const ::teeny::Expr &value);
    static ArgAttr real(::mlir::MLIRContext *context, double value);
  }];
  let hasCustomAssemblyFormat = 1;
}

def Graph_VariantAttr : Graph_Attr<"Variant", "variant"> {
  let summary = "One way to carry out a launch: guard, kernel, grid, arguments";
  let description = [{
    `#graph.variant<when "A % 16 == 0" run @boxes_0 grid [B, "cdiv(A, 128)", 1] args [operand 0, result 0, int A]>`. The
    guard is over dims; `when` is left out where it is 1. `args` has one entry for each argument of the kernel function.
  }];
  let parameters = (ins "::teeny::graph::ExprAttr":$guard, "::mlir::FlatSymbolRefAttr":$kernel,
                        ArrayRefParameter<"::teeny::graph::ExprAttr">:$grid, ArrayRefParameter<"::teeny::graph::ArgAttr">:$args);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}
def Graph_VariantArrayAttr : TypedArrayAttrBase<Graph_VariantAttr, "variants">;

//===-- Declarations --------------------------------------------------------------------------------------------===//

class Graph_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::teeny::graph";
}

def Graph_TensorRole : Graph_Enum<"TensorRole", "Part of a declared tensor", [
    I32EnumAttrCase<"Input", 0, "input">, I32EnumAttrCase<"Param", 1, "param">, I32EnumAttrCase<"Output", 2, "output">]>;

def Graph_AttrKind : Graph_Enum<"AttrKind", "Type of a declared attribute", [
    I32EnumAttrCase<"Int", 0, "int">, I32EnumAttrCase<"Float", 1, "float">, I32EnumAttrCase<"Bool", 2, "bool">,
    I32EnumAttrCase<"String", 3, "string">, I32EnumAttrCase<"DType", 4, "dtype">]>;

#endif
