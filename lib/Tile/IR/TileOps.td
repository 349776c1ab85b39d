// The operations of the tile dialect.
#ifndef TEENY_TILE_OPS
#define TEENY_TILE_OPS

include "Tile/IR/TileDialect.td"
include "Tile/IR/TileLayouts.td"
include "mlir/Interfaces/CastInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

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

def Tile_ProgramIdOp : Tile_Op<"program_id", [Pure]> {
  let summary = "Index of this program along an axis of the grid";
  let arguments = (ins Tile_Axis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def Tile_NumProgramsOp : Tile_Op<"num_programs", [Pure]> {
  let summary = "Number of programs along an axis of the grid";
  let arguments = (ins Tile_Axis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

//===-- Making and shaping tiles --------------------------------------------------------------------------------===//

def Tile_ArangeOp : Tile_Op<"arange", [Pure]> {
  let summary = "The integers start, start + 1, ..., end - 1";
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs 1DTensorOf<[I32]>:$result);
  let assemblyFormat = "$start `to` $end attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "A tile with the scalar everywhere";
  let arguments = (ins Tile_Scalar:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure]> {
  let summary = "A dim of size 1 put in at `axis`";
  let arguments = (ins Tile_Tile:$source, I32Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source `at` $axis attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "Dims of size 1 repeated to the size of the result's";
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_ConvertLayoutOp : Tile_Op<"convert_layout", [Pure]> {
  let summary = "The same tile in another layout";
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
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
  let assemblyFormat = [{ $pointer (`mask` $mask^)? (`other` $other^)? attr-dict `:` type($pointer)
                          custom<MaskAndOther>(ref($mask), ref($other), ref(type($pointer)), type($mask), type($other)) }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Elements written where the mask is true";
  let arguments = (ins Tile_PtrValue:$pointer, Tile_Value:$value, Optional<Tile_BoolValue>:$mask);
  let assemblyFormat = [{ $pointer `,` $value (`mask` $mask^)? attr-dict `:` type($pointer)
                          custom<StoreTypes>(ref($mask), ref(type($pointer)), type($value), type($mask)) }];
  let hasVerifier = 1;
}

#endif
