// The operations of the tile dialect.
#ifndef TEENY_TILE_OPS
#define TEENY_TILE_OPS

include "Tile/IR/TileDialect.td"
include "Tile/IR/TileLayouts.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Upstream's integer range analysis sees through the operation.
def Tile_HasRange : DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>;

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

def Tile_Scalar : AnyTypeOf<[AnySignlessInteger, AnyFloat, Tile_PtrType]>;
def Tile_Tile : StaticShapeTensorOf<[AnySignlessInteger, AnyFloat, Tile_PtrType]>;
def Tile_PtrTile : StaticShapeTensorOf<[Tile_PtrType]>;
def Tile_Value : AnyTypeOf<[Tile_Scalar, Tile_Tile]>;
def Tile_PtrValue : AnyTypeOf<[Tile_PtrType, Tile_PtrTile]>;
def Tile_IntValue : AnyTypeOf<[AnySignlessInteger, StaticShapeTensorOf<[AnySignlessInteger]>]>;
def Tile_BoolValue : AnyTypeOf<[I1, StaticShapeTensorOf<[I1]>]>;
def Tile_Axis : ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>;

//===-- Place in the grid ---------------------------------------------------------------------------------------===//

def Tile_ProgramIdOp : Tile_Op<"program_id", [Pure, Tile_HasRange]> {
  let summary = "Index of this program along an axis of the grid";
  let description = "Less than the kernel's `tile.grid_max` along the axis.";
  let arguments = (ins Tile_Axis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def Tile_NumProgramsOp : Tile_Op<"num_programs", [Pure, Tile_HasRange]> {
  let summary = "Number of programs along an axis of the grid";
  let arguments = (ins Tile_Axis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

//===-- Making and shaping tiles --------------------------------------------------------------------------------===//

def Tile_ArangeOp : Tile_Op<"arange", [Pure, Tile_HasRange]> {
  let summary = "The integers start, start + 1, ..., end - 1";
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs 1DTensorOf<[I32]>:$result);
  let assemblyFormat = "$start `to` $end attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure, Tile_HasRange]> {
  let summary = "A tile with the scalar everywhere";
  let arguments = (ins Tile_Scalar:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure, Tile_HasRange]> {
  let summary = "A dim of size 1 put in at `axis`";
  let arguments = (ins Tile_Tile:$source, I32Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source `at` $axis attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure, Tile_HasRange]> {
  let summary = "Dims of size 1 repeated to the size of the result's";
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure, Tile_HasRange]> {
  let summary = "The same elements in row-major order under another shape";
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def Tile_TransOp : Tile_Op<"trans", [Pure, Tile_HasRange]> {
  let summary = "Dims permuted: dim i of the result is dim order[i] of the source";
  let arguments = (ins Tile_Tile:$source, DenseI32ArrayAttr:$order);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source `by` $order attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def Tile_JoinOp : Tile_Op<"join", [Pure, Tile_HasRange]> {
  let summary = "Two tiles as one with a last dim of size 2";
  let arguments = (ins Tile_Tile:$lhs, Tile_Tile:$rhs);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SplitOp : Tile_Op<"split", [Pure, Tile_HasRange]> {
  let summary = "The two halves of a tile whose last dim has size 2";
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$lhs, Tile_Tile:$rhs);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($lhs) `,` type($rhs)";
  let hasVerifier = 1;
}

def Tile_ConvertLayoutOp : Tile_Op<"convert_layout", [Pure, Tile_HasRange]> {
  let summary = "The same tile in another layout";
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

//===-- Pointers and memory -------------------------------------------------------------------------------------===//

def Tile_AddPtrOp : Tile_Op<"addptr", [Pure, AllTypesMatch<["pointer", "result"]>]> {
  let summary = "A pointer moved by a number of elements";
  let description = "The offset is signed, of any width; the address is computed in 64 bits.";
  let arguments = (ins Tile_PtrValue:$pointer, Tile_IntValue:$offset);
  let results = (outs Tile_PtrValue:$result);
  let assemblyFormat = "$pointer `,` $offset attr-dict `:` type($pointer) `,` type($offset)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def Tile_PtrToIntOp : Tile_Op<"ptr_to_int", [Pure]> {
  let summary = "The address as i64";
  let arguments = (ins Tile_PtrValue:$pointer);
  let results = (outs Tile_IntValue:$result);
  let assemblyFormat = "$pointer attr-dict `:` type($pointer) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_IntToPtrOp : Tile_Op<"int_to_ptr", [Pure]> {
  let summary = "A pointer from an i64 address";
  let arguments = (ins Tile_IntValue:$source);
  let results = (outs Tile_PtrValue:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_PtrCastOp : Tile_Op<"ptr_cast", [Pure]> {
  let summary = "The same address with another pointee type";
  let arguments = (ins Tile_PtrValue:$pointer);
  let results = (outs Tile_PtrValue:$result);
  let assemblyFormat = "$pointer attr-dict `:` type($pointer) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>,
                                   DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Elements read where the mask is true";
  let description = [{
    Where the mask is false nothing is read and the result is `other`, or undefined without one. `other` needs a mask.
  }];
  let arguments = (ins Tile_PtrValue:$pointer, Optional<Tile_BoolValue>:$mask, Optional<Tile_Value>:$other);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{ $pointer (`mask` $mask^)? (`other` $other^)? attr-dict `:`
                          custom<LoadTypes>(ref($mask), ref($other), type($pointer), type($mask), type($other)) }];
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Elements written where the mask is true";
  let arguments = (ins Tile_PtrValue:$pointer, Tile_Value:$value, Optional<Tile_BoolValue>:$mask);
  let assemblyFormat = [{ $pointer `,` $value (`mask` $mask^)? attr-dict `:`
                          custom<StoreTypes>(ref($mask), type($pointer), type($value), type($mask)) }];
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def Tile_AtomicOperation : I32EnumAttr<"AtomicOperation", "What an atomic does with the old value and the operand", [
    I32EnumAttrCase<"exchange", 0, "xchg">, I32EnumAttrCase<"add", 1>, I32EnumAttrCase<"fadd", 2>,
    I32EnumAttrCase<"smax", 3>, I32EnumAttrCase<"smin", 4>, I32EnumAttrCase<"umax", 5>, I32EnumAttrCase<"umin", 6>,
    I32EnumAttrCase<"andi", 7, "and">, I32EnumAttrCase<"ori", 8, "or">, I32EnumAttrCase<"xori", 9, "xor">]> {
  let cppNamespace = "::teeny::tile";
}

def Tile_MemoryOrder : I32EnumAttr<"MemoryOrder", "What an atomic orders", [
    I32EnumAttrCase<"relaxed", 0>, I32EnumAttrCase<"acquire", 1>, I32EnumAttrCase<"release", 2>,
    I32EnumAttrCase<"acq_rel", 3>]> {
  let cppNamespace = "::teeny::tile";
}

def Tile_MemoryScope : I32EnumAttr<"MemoryScope", "Among whom an atomic is atomic", [
    I32EnumAttrCase<"block", 0>, I32EnumAttrCase<"gpu", 1>, I32EnumAttrCase<"system", 2>]> {
  let cppNamespace = "::teeny::tile";
}

def Tile_AtomicRMWOp : Tile_Op<"atomic_rmw", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Elements replaced atomically where the mask is true; yields the old ones";
  let description = "Lanes of the result whose mask is false are undefined. Each element is updated once, whatever the layout.";
  let arguments = (ins Tile_AtomicOperation:$kind, Tile_PtrValue:$pointer, Tile_Value:$value,
                       Optional<Tile_BoolValue>:$mask,
                       DefaultValuedAttr<Tile_MemoryOrder, "::teeny::tile::MemoryOrder::acq_rel">:$order,
                       DefaultValuedAttr<Tile_MemoryScope, "::teeny::tile::MemoryScope::gpu">:$scope);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{ $kind $order $scope $pointer `,` $value (`mask` $mask^)? attr-dict `:`
                          custom<StoreTypes>(ref($mask), type($pointer), type($value), type($mask))
                          `->` type($result) }];
  let hasVerifier = 1;
}

def Tile_AtomicCASOp : Tile_Op<"atomic_cas", [MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["compare", "value", "result"]>]> {
  let summary = "Elements equal to `compare` replaced by `value` atomically; yields the old ones";
  let arguments = (ins Tile_PtrValue:$pointer, Tile_Value:$compare, Tile_Value:$value,
                       DefaultValuedAttr<Tile_MemoryOrder, "::teeny::tile::MemoryOrder::acq_rel">:$order,
                       DefaultValuedAttr<Tile_MemoryScope, "::teeny::tile::MemoryScope::gpu">:$scope);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$order $scope $pointer `,` $compare `,` $value attr-dict `:` type($pointer) `,` type($value)";
  let hasVerifier = 1;
}

def Tile_BarrierOp : Tile_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "All threads of the program wait for each other; memory written before is seen after";
  let assemblyFormat = "attr-dict";
}

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Text for each element of the sources, or one without sources";
  let description = [{
    Each source has a bit that says whether its integers are signed. CPUs print nothing.
  }];
  let arguments = (ins StrAttr:$prefix, UnitAttr:$hex, DenseBoolArrayAttr:$isSigned, Variadic<Tile_Value>:$sources);
  let assemblyFormat = "$prefix (`hex` $hex^)? $isSigned (`(` $sources^ `:` type($sources) `)`)? attr-dict";
}

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "The launch fails with a message where a condition is false";
  let description = "The place is that in the source. CPUs check nothing.";
  let arguments = (ins Tile_BoolValue:$condition, StrAttr:$message, StrAttr:$file, I32Attr:$line, StrAttr:$function);
  let assemblyFormat = "$condition `,` $message `at` $file `:` $line `in` $function attr-dict `:` type($condition)";
}

def Tile_InlineAsmOp : Tile_Op<"inline_asm", [Elementwise, Scalarizable, Vectorizable, Tensorizable,
                                              DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "PTX that computes `pack` elements of each result from as many of each operand";
  let description = [{
    Constraints are LLVM's for the text: those of the results, of the operands, then clobbers. Elements of less than 32 bits
    share registers, the first in the lowest bits, as far as `pack` goes. CPUs have no code for it.
  }];
  let arguments = (ins StrAttr:$text, StrAttr:$constraints, I32Attr:$pack, UnitAttr:$pure, Variadic<Tile_Value>:$sources);
  let results = (outs Variadic<Tile_Value>:$results);
  let assemblyFormat = [{ $text `,` $constraints `pack` $pack (`pure` $pure^)? `(` $sources `)` attr-dict `:`
                          functional-type($sources, $results) }];
}

//===-- Across elements -----------------------------------------------------------------------------------------===//

def Tile_ReduceOp : Tile_Op<"reduce", [Pure, SingleBlock]> {
  let summary = "Tiles combined along an axis by a function";
  let description = [{
    All sources have one shape. The region takes two elements of each source (first all left ones, then all right ones)
    and yields one of each with `tile.yield`; it must be associative, and the order of combination is not specified. Each
    result is the source without `axis`; where nothing is left it is a scalar.

    ```mlir
    %sum = tile.reduce (%x) axis 0 { ^bb0(%a: f32, %b: f32): %c = arith.addf %a, %b : f32  tile.yield %c : f32 }
             : (tensor<256xf32>) -> f32
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$sources, I32Attr:$axis);
  let regions = (region SizedRegion<1>:$combine);
  let results = (outs Variadic<Tile_Value>:$results);
  let assemblyFormat = "`(` $sources `)` `axis` $axis $combine attr-dict `:` functional-type($sources, $results)";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [Pure, SingleBlock]> {
  let summary = "Inclusive prefix combination along an axis, from its end if `reverse`";
  let description = "The region is as in `tile.reduce`: (accumulated, next) -> accumulated. Results have the types of the sources.";
  let arguments = (ins Variadic<Tile_Tile>:$sources, I32Attr:$axis, UnitAttr:$reverse);
  let regions = (region SizedRegion<1>:$combine);
  let results = (outs Variadic<Tile_Tile>:$results);
  let assemblyFormat = "`(` $sources `)` `axis` $axis (`reverse` $reverse^)? $combine attr-dict `:` functional-type($sources, $results)";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["ReduceOp", "ScanOp"]>]> {
  let summary = "What a combining region yields";
  let arguments = (ins Variadic<Tile_Scalar>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

def Tile_DotPrecision : I32EnumAttr<"DotPrecision", "How a dot of f32 operands multiplies", [
    I32EnumAttrCase<"ieee", 0>, I32EnumAttrCase<"tf32", 1>, I32EnumAttrCase<"tf32x3", 2>]> {
  let cppNamespace = "::teeny::tile";
}

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + lhs x rhs, for [M, K] x [K, N] or batches of them";
  let description = "Products are summed in the accumulator's type (f32, f64, i32; f16 where the source asks for it).";
  let arguments = (ins Tile_Tile:$lhs, Tile_Tile:$rhs, Tile_Tile:$acc,
                       DefaultValuedAttr<Tile_DotPrecision, "::teeny::tile::DotPrecision::ieee">:$precision);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$precision $lhs `,` $rhs `,` $acc attr-dict `:` type($lhs) `*` type($rhs) `->` type($result)";
  let hasVerifier = 1;
}

include "Tile/IR/TileBuffers.td"

#endif
