// Typed operations: the closed list that all reasoning about graphs is about.
#ifndef TEENY_GRAPH_TYPED_OPS
#define TEENY_GRAPH_TYPED_OPS

include "Graph/IR/GraphOps.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

//===-- Nodes as files name them ---------------------------------------------------------------------------------===//

def Graph_NodeOp : Graph_NamedOp<"node", [Pure]> {
  let summary = "A node of a built-in kind, before shape inference";
  let description = [{
    What a graph file says: a kind of the table NodeKinds.h, tensors with the roles they have in it, attributes with their
    values. `graph-infer-shapes` replaces it by typed operations, whose attributes and types it can only then tell. A
    number in place of a tensor is an attribute with the name of the role.

    ```
    %y = graph.node "y" linear (%x, %w) roles ["x", "weight"] {} : (!graph.tensor<[B, 4], f32>, ...) -> !graph.unknown
    ```
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$kind, Variadic<Graph_AnyTensor>:$operands, StrArrayAttr:$roles,
                       DictionaryAttr:$attrs);
  let results = (outs Graph_AnyTensor:$result);
  let assemblyFormat = [{
    $name $kind `(` $operands `)` `roles` $roles $attrs attr-dict `:` functional-type($operands, $result)
  }];
  let hasVerifier = 1;
}

//===-- Maps -----------------------------------------------------------------------------------------------------===//

class Graph_TypedOp<string mnemonic, list<Trait> traits = []> : Graph_NamedOp<mnemonic, traits # [Pure]> {
  let results = (outs Graph_TensorType:$result);
}

def Graph_MapOp : Graph_TypedOp<"map", [IsolatedFromAbove, SingleBlock]> {
  let summary = "A scalar expression at each point of broadcast operands";
  let description = [{
    The region takes one element of each operand and yields that of the result. Operands are broadcast as NumPy does: dims
    are aligned at the last, and a dim of size 1 (the number, not a dim that may be 1) is repeated. Every operation of the region rounds to its
    type, f16 and bf16 being computed in f32, so maps can be merged and split without changing a bit.

    ```
    %y = graph.map "y" (%x, %bias) : (!graph.tensor<[B, N], f16>, !graph.tensor<[N], f16>) -> !graph.tensor<[B, N], f16> {
    ^bb0(%a: f16, %b: f16):
      %0 = graph.apply "add"(%a, %b) : (f16, f16) -> f16
      %1 = graph.apply "relu"(%0) : (f16) -> f16
      graph.yield %1 : f16
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<Graph_TensorType>:$operands);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name `(` $operands `)` attr-dict `:` functional-type($operands, $result) $body";
  let extraClassDeclaration = "::mlir::Block &getBlock() { return getBody().front(); }";
  let hasRegionVerifier = 1;
}

def Graph_ApplyOp : Graph_Op<"apply", [Pure]> {
  let summary = "A scalar function of the table Pointwise.h";
  let description = [{
    Computed in f32 for smaller floats, else in the type of the operands; rounded to the type of the result. `cast` is the
    only function whose result type is free.

    `%1 = graph.apply "leaky_relu"(%0) {slope = 0.01 : f64} : (f16) -> f16`
  }];
  let arguments = (ins StrAttr:$function, Variadic<AnyType>:$operands, OptionalAttr<DictionaryAttr>:$attrs);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$function `(` $operands `)` ($attrs^)? attr-dict `:` functional-type($operands, $result)";
  let hasVerifier = 1;
}

def Graph_LiteralOp : Graph_Op<"literal", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "A number";
  let description = "`%0 = graph.literal 5.0e-01 : f16`: an element type's value, the same at each point.";
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "attr-dict $value";
}

def Graph_YieldOp : Graph_Op<"yield", [Pure, Terminator]> {
  let summary = "The element of a map's result";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

//===-- Views and data movement ----------------------------------------------------------------------------------===//

def Graph_ReshapeOp : Graph_TypedOp<"reshape"> {
  let summary = "The same elements in the same order under another shape";
  let description = [{
    Costs nothing: the result is the operand's memory. Shape inference has proved, or requires, that there are equally many.

    `%y = graph.reshape "y" %x : !graph.tensor<[B, 4], f32> -> !graph.tensor<["4*B"], f32>`
  }];
  let arguments = (ins StrAttr:$name, Graph_TensorType:$operand);
  let assemblyFormat = "$name $operand attr-dict `:` qualified(type($operand)) `->` qualified(type($result))";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Graph_PermuteOp : Graph_TypedOp<"permute"> {
  let summary = "The same elements with the dims in another order";
  let description = [{
    Dim i of the result is dim `permutation[i]` of the operand.

    `%y = graph.permute "y" %x [1, 0] : !graph.tensor<[B, 4], f32> -> !graph.tensor<[4, B], f32>`
  }];
  let arguments = (ins StrAttr:$name, Graph_TensorType:$operand, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = "$name $operand $permutation attr-dict `:` qualified(type($operand)) `->` qualified(type($result))";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Graph_ExpandOp : Graph_TypedOp<"expand"> {
  let summary = "Elements repeated along dims of size 1 and new leading dims";
  let description = [{ `%y = graph.expand "y" %x : !graph.tensor<[4, 1], f32> -> !graph.tensor<[B, 4, N], f32>` }];
  let arguments = (ins StrAttr:$name, Graph_TensorType:$operand);
  let assemblyFormat = "$name $operand attr-dict `:` qualified(type($operand)) `->` qualified(type($result))";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Graph_SliceOp : Graph_TypedOp<"slice"> {
  let summary = "A box of elements, with steps";
  let description = [{
    Element i of the result along a dim is element `start + i * step` of the operand. Steps may be negative, not 0.

    `%y = graph.slice "y" %x starts [0, "N - 1"] steps [1, -1] : !graph.tensor<[B, N], f32> -> !graph.tensor<[B, N], f32>`
  }];
  let arguments = (ins StrAttr:$name, Graph_TensorType:$operand, Graph_ExprArrayAttr:$starts, DenseI64ArrayAttr:$steps);
  let assemblyFormat = [{
    $name $operand `starts` custom<Exprs>($starts) `steps` $steps attr-dict
    `:` qualified(type($operand)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Graph_PadMode : Graph_Enum<"PadMode", "What lies outside of a padded operand", [
    I32EnumAttrCase<"Constant", 0, "constant">, I32EnumAttrCase<"Reflect", 1, "reflect">,
    I32EnumAttrCase<"Replicate", 2, "replicate">, I32EnumAttrCase<"Circular", 3, "circular">]>;

def Graph_PadOp : Graph_TypedOp<"pad"> {
  let summary = "A border around the operand";
  let description = [{
    `low` elements before the first along each dim; what the result's size leaves comes after the last. The border is
    `value`, or elements of the operand: reflected at the first and last, repeated, or from the other end.

    `%y = graph.pad "y" %x constant low [0, 1] value 0.0 : f32 : !graph.tensor<[B, 4], f32> -> !graph.tensor<[B, 6], f32>`
  }];
  let arguments = (ins StrAttr:$name, Graph_TensorType:$operand, Graph_PadMode:$mode, Graph_ExprArrayAttr:$low,
                       TypedAttrInterface:$value);
  let assemblyFormat = [{
    $name $operand $mode `low` custom<Exprs>($low) `value` $value attr-dict
    `:` qualified(type($operand)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Graph_ConcatOp : Graph_TypedOp<"concat"> {
  let summary = "Operands one after the other along a dim";
  let description = [{
    `%y = graph.concat "y" (%a, %b) axis 1 : (!graph.tensor<[B, 4], f32>, !graph.tensor<[B, N], f32>) -> !graph.tensor<[B, "N + 4"], f32>`
  }];
  let arguments = (ins StrAttr:$name, Variadic<Graph_TensorType>:$operands, I64Attr:$axis);
  let assemblyFormat = "$name `(` $operands `)` `axis` $axis attr-dict `:` functional-type($operands, $result)";
  let hasVerifier = 1;
}

def Graph_ConstantOp : Graph_TypedOp<"constant"> {
  let summary = "Elements known when compiling";
  let description = [{
    `%c = graph.constant "c" dense<[1.0, 2.0]> : tensor<2xf32> : !graph.tensor<[2], f32>`; part of the model as a param is.
  }];
  let arguments = (ins StrAttr:$name, ElementsAttr:$value);
  let assemblyFormat = "$name $value attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

//===-- Reductions, products, windows ----------------------------------------------------------------------------===//

def Graph_ReduceKind : Graph_Enum<"ReduceKind", "How elements become one", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">, I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"Prod", 4, "prod">, I32EnumAttrCase<"ArgMax", 5, "argmax">,
    I32EnumAttrCase<"ArgMin", 6, "argmin">]>;

def Graph_ReduceOp : Graph_TypedOp<"reduce"> {
  let summary = "One value for all elements along a dim";
  let description = [{
    The operand has three dims, the middle one is reduced. Smaller floats are summed in f32; integers wrap; NaN wins a
    maximum or minimum. Of nothing the sum is 0, the product 1, the mean NaN. `argmax` and `argmin` give the i64 index of the first
    that is largest or smallest.

    `%y = graph.reduce "y" %x sum : !graph.tensor<[B, N, 1], f32> -> !graph.tensor<[B, 1], f32>`
  }];
  let arguments = (ins StrAttr:$name, Graph_TensorType:$operand, Graph_ReduceKind:$kind);
  let assemblyFormat = "$name $operand $kind attr-dict `:` qualified(type($operand)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Graph_MatmulOp : Graph_TypedOp<"matmul"> {
  let summary = "Products of matrices, one for each index of the leading dim";
  let description = [{
    lhs [G, M, K] or, transposed, [G, K, M]; rhs [G, K, N] or [G, N, K]; result [G, M, N]. Summed in f32 (f64 for f64).

    `%y = graph.matmul "y" %x, %w transposed [false, true] : !graph.tensor<[1, B, 4], f32>, !graph.tensor<[1, 8, 4], f32> -> !graph.tensor<[1, B, 8], f32>`
  }];
  let arguments = (ins StrAttr:$name, Graph_TensorType:$lhs, Graph_TensorType:$rhs, DenseBoolArrayAttr:$transposed);
  let assemblyFormat = [{
    $name $lhs `,` $rhs `transposed` $transposed attr-dict
    `:` qualified(type($lhs)) `,` qualified(type($rhs)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Graph_ConvOp : Graph_TypedOp<"conv"> {
  let summary = "Convolution in two dims";
  let description = [{
    input [B, C, H, W], filter [O, C / groups, KH, KW], result [B, O, OH, OW]; as networks say it: the filter is not
    mirrored. `pads` are top, left, bottom, right. Output channel o takes the input channels of group o / (O / groups).

    ```
    %y = graph.conv "y" %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 1
        : !graph.tensor<[B, 3, H, W], f32>, !graph.tensor<[8, 3, 3, 3], f32> -> !graph.tensor<[B, 8, H, W], f32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Graph_TensorType:$input, Graph_TensorType:$filter, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, I64Attr:$groups);
  let assemblyFormat = [{
    $name $input `,` $filter `strides` $strides `pads` $pads `dilations` $dilations `groups` $groups attr-dict
    `:` qualified(type($input)) `,` qualified(type($filter)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Graph_PoolKind : Graph_Enum<"PoolKind", "How a window becomes one element", [
    I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Average", 1, "average">]>;

def Graph_PoolOp : Graph_TypedOp<"pool"> {
  let summary = "A reduction over windows in two dims";
  let description = [{
    input [B, C, H, W], result [B, C, OH, OW]. The border counts as -inf for a maximum. An average divides by the whole
    window with `count_pad`, else by the number of elements inside. NaN wins a maximum. With `ceil` there are also windows
    that the far edges cut, if they begin in the image or in the border before it.

    ```
    %y = graph.pool "y" %x max window [2, 2] strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1]
        : !graph.tensor<[B, 3, 8, 8], f32> -> !graph.tensor<[B, 3, 4, 4], f32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Graph_TensorType:$input, Graph_PoolKind:$kind, DenseI64ArrayAttr:$window,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, UnitAttr:$countPad, UnitAttr:$ceil);
  let assemblyFormat = [{
    $name $input $kind `window` $window `strides` $strides `pads` $pads `dilations` $dilations (`count_pad` $countPad^)?
    (`ceil` $ceil^)?
    attr-dict `:` qualified(type($input)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

#endif
