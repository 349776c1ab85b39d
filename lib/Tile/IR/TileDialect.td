// The tile dialect, its types, and the layouts that are encodings of its tensors.
#ifndef TEENY_TILE_DIALECT
#define TEENY_TILE_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::teeny::tile";
  let summary = "Kernels as programs over tiles";
  let description = [{
    A kernel is a `func.func` with the attribute `tile.kernel`; it runs once per program of a launch grid. Its values are
    scalars and statically shaped builtin tensors ("tiles") of scalars or of `!tile.ptr<T>`. Arithmetic is `arith` and
    `math` on them, control flow is `scf`; this dialect adds only what those lack: the program's place in the grid,
    tiles from scalars, pointers, and memory.

    Attributes of a kernel: `tile.kernel` (unit), `tile.num_warps` (i32; what layouts are made for: ask
    `tile::numWarps(op)`, which looks at the enclosing region), `tile.grid_max` (array<i64: x, y, z>; no launch has more
    programs along an axis; 2^31 - 1, 65535 and 65535 where it is missing, which is what devices can do),
    `tile.function` (string; its name in the source, where the symbol has another), `tile.num_stages` (i32, also of a loop; iterations
    whose loads may be under way at once, 3 where it is missing).
    Attributes of a loop: `tile.buffers` (unit; buffers in shared memory are in use all through it).
    Attributes of its arguments: `tile.name` (string), `tile.divisibility` (i64; the value, or for a pointer the address in
    bytes, is a multiple of it), `tile.range` (array<i64: min, max> of an integer), `tile.noalias` (unit; no other argument
    reaches the memory reached through this one).
    Hints on any operation with one result, which the source gives: `tile.contiguity`, `tile.constancy`, `tile.divisibility`
    (array<i64>, one entry a dim); lib/Tile/Transforms/AxisInfo.h says what they mean.
    On `arith.divf` and `math.sqrt`: `tile.correctly_rounded` (unit), where a GPU would else take an approximation of f32.
    On `tile.load` and `tile.store`: `tile.cache` (string; the PTX cache operator, "ca", "cg", "cv", "wb", "cs", "wt"),
    `tile.eviction` (string; "evict_first", "evict_last"), `tile.volatile` (unit).
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def Tile_PtrType : TypeDef<Tile_Dialect, "Ptr"> {
  let mnemonic = "ptr";
  let summary = "Pointer to an element in global memory";
  let description = "`!tile.ptr<f32>`. A tensor of pointers is a tile of addresses, one per element.";
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee), [{
    return $_get(pointee.getContext(), pointee);
  }]>];
}

#endif
