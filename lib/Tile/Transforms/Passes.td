// The passes of the tile dialect. This is their manual: what each needs, does, and leaves behind.
#ifndef TEENY_TILE_PASSES
#define TEENY_TILE_PASSES

include "mlir/Pass/PassBase.td"

def WidenOffsets : Pass<"tile-widen-offsets", "::mlir::func::FuncOp"> {
  let summary = "Compute pointer offsets at the width that the declared ranges need";
  let description = [{
    The kernel language says that offsets never wrap, though its integers are 32 bits wide. With the ranges of
    arguments (`tile.range`), the bounds of the grid (`tile.grid_max`) and what follows from them, this pass finds the
    integer arithmetic behind each `tile.addptr` whose exact result may not fit its type, and computes that part
    again in i64 from sign-extended operands: additions, multiplications, divisions, shifts, choices, changes of shape, and what
    loops carry. Signed comparisons of such values, which make the masks of the same accesses, see the exact values too. Where
    all fits, nothing changes.

    ```mlir
    %row = tile.program_id 0 : i32                       // tile.grid_max = array<i64: 320, 1, 1>
    %start = arith.muli %row, %stride : i32              // %stride: tile.range = array<i64: 1, 7864320>
    %p = tile.addptr %base, %start : !tile.ptr<f32>, i32
    ```
    319 x 7864320 = 2508718080 is more than an i32 holds, so it becomes
    ```mlir
    %0 = arith.extsi %row : i32 to i64
    %1 = arith.extsi %stride : i32 to i64
    %start = arith.muli %0, %1 : i64
    %p = tile.addptr %base, %start : !tile.ptr<f32>, i64
    ```
    Run it on inlined functions, before layouts are assigned.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AssignGpuLayouts : Pass<"tile-assign-gpu-layouts", "::mlir::func::FuncOp"> {
  let summary = "Give every tile a layout";
  let description = [{
    Takes a function whose tiles have no layouts and gives each one: `tile::LayoutClasses` (LayoutClasses.h) decides which,
    from the axis facts of the memory accesses and from what operations need. Where an operation's tile is in
    another layout than it needs, a `tile.convert_layout` is put in; most of them are in front of values that cost
    little, which `tile-remove-layout-conversions` computes again instead.

    The number of warps is that of the function (`tile.num_warps`).
    ```mlir
    %offs = tile.arange 0 to 512 : tensor<512xi32>
    %ps = tile.addptr %base, %offs : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
    %x = tile.load %ps : tensor<512x!tile.ptr<f32>>
    ```
    becomes, with 4 warps and a base that is a multiple of 16 bytes
    ```mlir
    #blocked = #tile.blocked<registers = [1], lanes = [32], warps = [4], order = [0]>
    #blocked1 = #tile.blocked<registers = [4], lanes = [32], warps = [4], order = [0]>
    %offs = tile.arange 0 to 512 : tensor<512xi32, #blocked>
    %ps = tile.addptr %base, %offs : tensor<512x!tile.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    %0 = tile.convert_layout %ps : tensor<512x!tile.ptr<f32>, #blocked> -> tensor<512x!tile.ptr<f32>, #blocked1>
    %x = tile.load %0 : tensor<512x!tile.ptr<f32>, #blocked1>
    ```
    Run `tile-remove-layout-conversions` next.
  }];
  let options = [
    Option<"threadsPerWarp", "threads-per-warp", "int64_t", "32", "Size of a warp">,
    Option<"mmaVersion", "mma-version", "int64_t", "0", "Matrix instructions to use: 2 for mma.sync, 3 if those of four warps will be where they can, 0 for none">
  ];
}

def RemoveLayoutConversions : Pass<"tile-remove-layout-conversions", "::mlir::func::FuncOp"> {
  let summary = "Compute values again in the layout that is wanted, rather than move their data";
  let description = [{
    For each `tile.convert_layout` whose source is made of cheap operations only (ranges, splats, constants, arithmetic,
    changes of shape; through other conversions), those are computed again in the layout that is wanted, once for
    each value and layout. What a loop carries is computed again in a further variable of the loop, if its start and
    its step can be. A conversion behind a cast to a wider type moves in front of it. Then dead values go.

    The example of `tile-assign-gpu-layouts` becomes
    ```mlir
    %offs = tile.arange 0 to 512 : tensor<512xi32, #blocked1>
    %ps = tile.addptr %base, %offs : tensor<512x!tile.ptr<f32>, #blocked1>, tensor<512xi32, #blocked1>
    %x = tile.load %ps : tensor<512x!tile.ptr<f32>, #blocked1>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PipelineLoads : Pass<"tile-pipeline-loads", "::mlir::func::FuncOp"> {
  let summary = "Begin the loads that feed dots some iterations ahead, by asynchronous copies into shared memory";
  let description = [{
    In each innermost loop that writes no memory, the loads whose tiles are only converted to operands of matrix
    instructions, maybe transposed first, become `tile.copy_async` into a buffer with a slot per stage, issued `tile.num_stages` - 1 iterations ahead, and the
    conversions `tile.read_buffer`. Loads that cannot be copied 4 bytes at a time, or whose masked elements are not 0, stay.
    What is read in several layouts needs a buffer whose tile has none. Other loads of a few elements a thread begin one iteration ahead,
    into registers. There are fewer stages where `shared-bytes` would not hold the buffers, and none for less than two.
    ```mlir
    scf.for %i = %lb to %ub step %c32 iter_args(%p = %start, %acc = %zero) {
      %a = tile.load %p : tensor<64x32x!tile.ptr<f16>, #blocked>
      %a1 = tile.convert_layout %a : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #operand>
      ...
    ```
    becomes, behind the copies of the first iterations
    ```mlir
    scf.for %i = %lb to %ub step %c32 iter_args(%p = %start1, %acc = %zero, %to = %slot2, %from = %c0) {
      tile.wait_copies 1
      tile.copy_async %p to %buffer[%to] mask %m width 8 : ...
      tile.commit_copies
      %a1 = tile.read_buffer %buffer[%from] : !tile.buffer<3 of tensor<64x32xf16, #operand>, written #blocked> -> ...
      ...
    ```
  }];
  let options = [Option<"sharedBytes", "shared-bytes", "int64_t", "166912", "Shared memory that buffers may take">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def UseWarpgroupDots : Pass<"tile-use-warpgroup-dots", "::mlir::func::FuncOp"> {
  let summary = "Multiply by matrix instructions that read their operands from buffers";
  let description = [{
    A `tile.dot` of f16 or bf16 whose right operand is a `tile.read_buffer`, as it is or transposed, and whose result's layout gives
    each four warps whole blocks of 64 rows, becomes a `tile.warpgroup_dot`, which is waited for at once. The left operand is
    read from its buffer too, or stays in registers, as in attention's second dot; one from outside of the loop is written to a buffer
    first. The tiles of these buffers lose their layout.
    ```mlir
    %a = tile.read_buffer %left[%i] : ...
    %b = tile.read_buffer %right[%i] : ...
    %d = tile.dot ieee %a, %b, %c : ...
    ```
    becomes
    ```mlir
    %0 = tile.warpgroup_dot %left[%i], %right[%i], %c : !tile.buffer<3 of tensor<128x64xf16>, written #blocked> * ...
    %d = tile.wait_dots 0, %0 : tensor<128x64xf32, #mma>
    ```
  }];
  let options = [Option<"sharedBytes", "shared-bytes", "int64_t", "166912", "Shared memory that buffers may take">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ScheduleWarpgroupDots : Pass<"tile-schedule-warpgroup-dots", "::mlir::func::FuncOp"> {
  let summary = "Begin dots of warp groups early and wait for them late";
  let description = [{
    In loops that `tile-pipeline-loads` made, dots whose operands are there begin right behind the wait for copies, and what only the
    next iteration needs is waited for there. Elsewhere a dot is waited for where its result is used.
    ```mlir
    scf.for ... iter_args(%acc = %zero) {
      tile.wait_copies 1
      tile.copy_async ...
      %0 = tile.warpgroup_dot %left[%i], %right[%i], %acc : ...
      %d = tile.wait_dots 0, %0 : ...
      scf.yield %d
    ```
    becomes
    ```mlir
    scf.for ... iter_args(%acc = %zero) {
      %c = tile.wait_dots 0, %acc : ...
      tile.wait_copies 1
      %d = tile.warpgroup_dot %left[%i], %right[%i], %c : ...
      tile.copy_async ...
      scf.yield %d
    ```
  }];
}

def VerifyLayouts : Pass<"tile-verify-layouts", "::mlir::func::FuncOp"> {
  let summary = "Check that every tile has a layout made for the kernel's threads";
  let description = [{
    Closes the phase of layouts: an error at each tile that has no layout, or one for another number of warps than
    `tile.num_warps` or another size of warp.
  }];
  let options = [Option<"threadsPerWarp", "threads-per-warp", "int64_t", "32", "Size of a warp">];
}

#endif
