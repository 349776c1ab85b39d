// Layouts: the encodings of tile tensors. LinearLayout.h has the idea; each attribute here is a readable name for a linear map.
#ifndef TEENY_TILE_LAYOUTS
#define TEENY_TILE_LAYOUTS

include "Tile/IR/TileDialect.td"
include "mlir/IR/TensorEncoding.td"

def Tile_LayoutInterface : AttrInterface<"LayoutInterface"> {
  let cppNamespace = "::teeny::tile";
  let description = "An encoding that says which element each register of each thread holds.";
  let methods = [
    InterfaceMethod<[{
      The layout of a tensor of this shape (powers of two) as a linear map from (register, lane, warp, block) to the
      tensor's dims, last first. Every register bit moves: no thread holds an element twice.
    }], "::teeny::tile::LinearLayout", "toLinear", (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"The rank of the tensors it can encode.", "int64_t", "getRank">
  ];
}

class Tile_Layout<string name, string mnemonicText> : AttrDef<Tile_Dialect, name, [
    DeclareAttrInterfaceMethods<Tile_LayoutInterface>,
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = mnemonicText;
  let genMnemonicAlias = 1; // printed as `#blocked`, `#blocked1`, ..., defined at the top of the file
}

def Tile_BlockedLayout : Tile_Layout<"BlockedLayout", "blocked"> {
  let summary = "A block of elements per thread, of threads per warp, of warps; repeated over the tensor";
  let description = [{
    `#tile.blocked<registers = [1, 4], lanes = [8, 4], warps = [4, 1], order = [1, 0]>`: each thread owns a 1x4 block of
    neighbours, a warp 8x4 of those blocks, the program 4x1 of the warps. `order` lists dims from the fastest running.
    Where the tensor is larger than the product, the pattern repeats into further registers; where it is
    smaller, elements are held by several threads.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$registers, ArrayRefParameter<"int64_t">:$lanes,
                        ArrayRefParameter<"int64_t">:$warps, ArrayRefParameter<"int64_t">:$order);
  let assemblyFormat = [{ `<` `registers` `=` `[` $registers `]` `,` `lanes` `=` `[` $lanes `]` `,`
                              `warps` `=` `[` $warps `]` `,` `order` `=` `[` $order `]` `>` }];
  let genVerifyDecl = 1;
}

def Tile_SliceLayout : Tile_Layout<"SliceLayout", "slice"> {
  let summary = "The layout that is left when one dim of `parent` is removed";
  let description = [{
    What a reduction over `dim` of a tensor with layout `parent` yields, and what `tile.expand_dims` at `dim` takes
    to yield `parent`. Threads that differed only along `dim` hold the same elements.
  }];
  let parameters = (ins "int64_t":$dim, "::teeny::tile::LayoutInterface":$parent);
  let assemblyFormat = "`<` `dim` `=` $dim `,` `parent` `=` $parent `>`";
  let genVerifyDecl = 1;
}

def Tile_LinearLayout : Tile_Layout<"LinearMapLayout", "linear"> {
  let summary = "A linear map written out: what has no other name";
  let description = [{
    `#tile.linear<shape = [16, 8], registers = [[0, 1], [8, 0]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = []>`:
    for each bit of the register, lane and warp the element it moves to. Reshapes and transposes of tiles have such layouts. On
    a tensor larger than `shape` the pattern repeats, as that of `blocked` in row-major order; on a smaller one it wraps.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, ArrayRefParameter<"int64_t">:$registers,
                        ArrayRefParameter<"int64_t">:$lanes, ArrayRefParameter<"int64_t">:$warps);
  let assemblyFormat = [{ `<` `shape` `=` `[` $shape `]` `,` `registers` `=` custom<Bases>(ref($shape), $registers) `,`
                              `lanes` `=` custom<Bases>(ref($shape), $lanes) `,`
                              `warps` `=` custom<Bases>(ref($shape), $warps) `>` }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    // The layout whose map this is, on a tensor of the map's own size.
    static LinearMapLayoutAttr get(::mlir::MLIRContext *context, const LinearLayout &linear);
  }];
}

def Tile_MmaLayout : Tile_Layout<"MmaLayout", "mma"> {
  let summary = "The accumulator of warp-wide matrix instructions";
  let description = [{
    `#tile.mma<version = 2, warps = [2, 2], instruction = [16, 8]>`: version 2 is `mma.sync` with 16 x 8 results of 32 bits: lane l
    holds columns 2 (l % 4) and one more of rows l / 4 and l / 4 + 8. Warps split the rows, then the columns; further
    instructions of a warp are in further registers, columns first. A third dim, in front, is of batches.
  }];
  let parameters = (ins "int64_t":$version, ArrayRefParameter<"int64_t">:$warps, ArrayRefParameter<"int64_t">:$instruction);
  let assemblyFormat = [{ `<` `version` `=` $version `,` `warps` `=` `[` $warps `]` `,`
                              `instruction` `=` `[` $instruction `]` `>` }];
  let genVerifyDecl = 1;
}

def Tile_DotOperandLayout : Tile_Layout<"DotOperandLayout", "dot_operand"> {
  let summary = "The left (index 0) or right (index 1) operand of a dot whose result has layout `parent`";
  let description = [{
    `#tile.dot_operand<index = 0, parent = #tile.mma<...>, k_width = 2>`: what the instruction takes, with k_width elements along
    k next to each other in a thread: those of 32 bits, or more where both operands are reordered along k in the
    same way. With a `blocked` parent (multiplied without matrix instructions) each thread holds the whole rows, or columns,
    that its results need, and k_width is 0.
  }];
  let parameters = (ins "int64_t":$index, "::teeny::tile::LayoutInterface":$parent, "int64_t":$k_width);
  let assemblyFormat = "`<` `index` `=` $index `,` `parent` `=` $parent `,` `k_width` `=` $k_width `>`";
  let genVerifyDecl = 1;
}

#endif
