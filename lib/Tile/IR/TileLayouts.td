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

#endif
