// Buffers in shared memory and asynchronous copies into them. tile-pipeline-loads makes them.
#ifndef TEENY_TILE_BUFFERS
#define TEENY_TILE_BUFFERS

def Tile_BufferType : TypeDef<Tile_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "Room in shared memory for some tiles of one type";
  let description = [{
    `!tile.buffer<3 of tensor<64x32xf16, #dot_operand>, written #blocked>`: three slots, each for a tile that threads write as
    `#blocked` has it and read as its own layout does. Where an element lies in a slot follows from the two layouts.

    A tile without a layout, `!tile.buffer<3 of tensor<64x32xf16>, written #blocked>`, lies in the rows that the matrix instructions
    of warp groups read (Conversion/TileToGPU/SwizzledBuffer.h): they may, and so may threads, in any layout.
  }];
  let parameters = (ins "int64_t":$slots, "::mlir::RankedTensorType":$tile, "::teeny::tile::LayoutInterface":$writer);
  let assemblyFormat = "`<` $slots `of` $tile `,` `written` $writer `>`";
}

def Tile_AllocBufferOp : Tile_Op<"alloc_buffer"> {
  let summary = "A buffer, for as long as the kernel runs";
  let description = [{
    Its memory may also be used by what threads exchange outside of loops with the attribute `tile.buffers`; a
    `tile.barrier` goes before the first copy, and `tile.wait_copies 0` after the last read.
  }];
  let results = (outs Res<Tile_BufferType, "", [MemAlloc]>:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}

def Tile_CopyAsyncOp : Tile_Op<"copy_async", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Begins to copy a tile from global memory into a slot of a buffer";
  let description = [{
    Where the mask is false, zeros are written and nothing is read. Each thread copies the elements that the buffer's layout for
    writing gives it, `width` neighbours in memory at once: 4, 8 or 16 bytes.
  }];
  let arguments = (ins Tile_PtrTile:$pointer, Tile_BufferType:$buffer, I32:$slot, Optional<Tile_BoolValue>:$mask, I32Attr:$width);
  let assemblyFormat = [{ $pointer `to` $buffer `[` $slot `]` (`mask` $mask^)? `width` $width attr-dict `:`
                          type($pointer) `,` type($buffer) (`,` type($mask)^)? }];
  let hasVerifier = 1;
}

def Tile_WriteBufferOp : Tile_Op<"write_buffer", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Writes a tile into a slot of a buffer";
  let description = "It is seen by all after the next `tile.wait_copies`.";
  let arguments = (ins Tile_Tile:$tile, Tile_BufferType:$buffer, I32:$slot);
  let assemblyFormat = "$tile `to` $buffer `[` $slot `]` attr-dict `:` type($tile) `,` type($buffer)";
  let hasVerifier = 1;
}

def Tile_CommitCopiesOp : Tile_Op<"commit_copies", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Makes a group of the copies begun since the last group";
  let assemblyFormat = "attr-dict";
}

def Tile_WaitCopiesOp : Tile_Op<"wait_copies", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for all groups of copies but the last `pending`, those of all threads of the program";
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Tile_ReadBufferOp : Tile_Op<"read_buffer", [MemoryEffects<[MemRead]>]> {
  let summary = "The tile in a slot of a buffer";
  let description = "In the layout of the buffer's tile, or in any where that has none.";
  let arguments = (ins Tile_BufferType:$buffer, I32:$slot);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$buffer `[` $slot `]` attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_WarpgroupDotOp : Tile_Op<"warpgroup_dot", [MemoryEffects<[MemRead]>, AllTypesMatch<["acc", "result"]>]> {
  let summary = "Begins acc + lhs x rhs by matrix instructions of four warps";
  let description = [{
    The right operand is a slot of a buffer, the left one too or a tile laid out as `#tile.dot_operand`. The tiles of these buffers
    have no layout. `trans` in front of an operand says that its buffer holds it transposed.

    The instructions run on their own: slots must not be written, and the result is not there, until a `tile.wait_dots`
    has waited for them. Only that, and loops that carry the result there, may use it.
  }];
  let arguments = (ins AnyTypeOf<[Tile_BufferType, Tile_Tile]>:$lhs, Tile_BufferType:$rhs, I32:$rhsSlot, Tile_Tile:$acc,
                       Optional<I32>:$lhsSlot, UnitAttr:$lhsTransposed, UnitAttr:$rhsTransposed);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{ (`trans` $lhsTransposed^)? $lhs (`[` $lhsSlot^ `]`)? `,` (`trans` $rhsTransposed^)? $rhs `[` $rhsSlot `]`
                          `,` $acc attr-dict `:` type($lhs) `*` type($rhs) `->` type($result) }];
}

def Tile_WaitDotsOp : Tile_Op<"wait_dots", [MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["dot", "result"]>]> {
  let summary = "Waits for all dots of this thread's warp group but the last `pending`; the result of one of them";
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending, Tile_Tile:$dot);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$pending `,` $dot attr-dict `:` type($result)";
}

#endif
