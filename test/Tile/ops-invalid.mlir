// What is not well formed is refused with what was found and what was expected.
// RUN: teeny-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{'lanes' has 2 entries; expected as many as 'registers': 1}}
#a = #tile.blocked<registers = [4], lanes = [4, 8], warps = [4], order = [0]>

// -----

// expected-error @below {{'warps' has the entry 3; expected a power of two}}
#a = #tile.blocked<registers = [4], lanes = [32], warps = [3], order = [0]>

// -----

// expected-error @below {{'order' is [1, 1]; expected each dim from 0 to 1 once}}
#a = #tile.blocked<registers = [4, 1], lanes = [32, 1], warps = [4, 1], order = [1, 1]>

// -----

// expected-error @below {{slice of a layout of rank 1; expected at least 2}}
#a = #tile.slice<dim = 0, parent = #tile.blocked<registers = [4], lanes = [32], warps = [4], order = [0]>>

// -----

// expected-error @below {{slice along dim 2 of a layout of rank 2}}
#a = #tile.slice<dim = 2, parent = #tile.blocked<registers = [4, 1], lanes = [32, 1], warps = [4, 1], order = [1, 0]>>

// -----

#row = #tile.blocked<registers = [4], lanes = [32], warps = [4], order = [0]>
// expected-error @below {{layout of rank 1 on a tensor of rank 2}}
func.func private @rank(tensor<4x4xf32, #row>)

// -----

#row = #tile.blocked<registers = [4], lanes = [32], warps = [4], order = [0]>
// expected-error @below {{tensor with a layout has a dim of size 48; expected a power of two}}
func.func private @size(tensor<48xf32, #row>)

// -----

func.func @arange() {
  // expected-error @below {{'tile.arange' op result has shape [128]; expected [64]}}
  %0 = tile.arange 64 to 128 : tensor<128xi32>
  return
}

// -----

func.func @arange() {
  // expected-error @below {{'tile.arange' op goes from 8 to -8; expected an end above the start}}
  %0 = tile.arange 8 to -8 : tensor<16xi32>
  return
}

// -----

func.func @splat(%x: f32) {
  // expected-error @below {{'tile.splat' op result has elements of type 'f16'; expected the source's, 'f32'}}
  %0 = tile.splat %x : f32 -> tensor<16xf16>
  return
}

// -----

func.func @expand(%x: tensor<16xf32>) {
  // expected-error @below {{'tile.expand_dims' op axis is 2; expected one from 0 to 1}}
  %0 = tile.expand_dims %x at 2 : tensor<16xf32> -> tensor<16x1xf32>
  return
}

// -----

func.func @expand(%x: tensor<16xf32>) {
  // expected-error @below {{'tile.expand_dims' op result has shape [16, 1]; expected [1, 16]}}
  %0 = tile.expand_dims %x at 0 : tensor<16xf32> -> tensor<16x1xf32>
  return
}

// -----

#square = #tile.blocked<registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
func.func @expand(%x: tensor<16xf32, #tile.slice<dim = 0, parent = #square>>) {
  // expected-error-re @below {{'tile.expand_dims' op source has layout {{.*}}dim = 0{{.*}}; expected layout {{.*}}dim = 1}}
  %0 = tile.expand_dims %x at 1 : tensor<16xf32, #tile.slice<dim = 0, parent = #square>> -> tensor<16x1xf32, #square>
  return
}

// -----

func.func @broadcast(%x: tensor<16x2xf32>) {
  // expected-error @below {{'tile.broadcast' op cannot broadcast shape [16, 2] to [16, 4]; expected equal dims, or 1 in the source}}
  %0 = tile.broadcast %x : tensor<16x2xf32> -> tensor<16x4xf32>
  return
}

// -----

func.func @reshape(%x: tensor<16x2xf32>) {
  // expected-error @below {{'tile.reshape' op result has 64 elements; expected 32}}
  %0 = tile.reshape %x : tensor<16x2xf32> -> tensor<64xf32>
  return
}

// -----

#row = #tile.blocked<registers = [4], lanes = [32], warps = [1], order = [0]>
#square = #tile.blocked<registers = [1, 2], lanes = [8, 4], warps = [1, 1], order = [1, 0]>
func.func @reshape(%x: tensor<128xf32, #row>) {
  // expected-error @below {{expected what keeps elements in place, register = [(0, 1), (0, 2)], lane = [(0, 4), (1, 0), (2, 0), (4, 0), (8, 0)], warp = [], block = [] -> (dim0: 16, dim1: 8)}}
  %0 = tile.reshape %x : tensor<128xf32, #row> -> tensor<16x8xf32, #square>
  return
}

// -----

func.func @trans(%x: tensor<16x2xf32>) {
  // expected-error @below {{'tile.trans' op order is [1, 1]; expected each dim from 0 to 1 once}}
  %0 = tile.trans %x by [1, 1] : tensor<16x2xf32> -> tensor<2x16xf32>
  return
}

// -----

func.func @join(%x: tensor<16xf32>) {
  // expected-error @below {{'tile.join' op result has shape [2, 16]; expected [16, 2]}}
  %0 = tile.join %x, %x : tensor<16xf32>, tensor<16xf32> -> tensor<2x16xf32>
  return
}

// -----

func.func @convert(%x: tensor<16xf32>) {
  // expected-error @below {{'tile.convert_layout' op source has type 'tensor<16xf32>'; expected a tensor with a layout}}
  %0 = tile.convert_layout %x : tensor<16xf32> -> tensor<16xf32>
  return
}

// -----

func.func @addptr(%p: tensor<16x!tile.ptr<f32>>, %i: tensor<8xi32>) {
  // expected-error @below {{'tile.addptr' op offset has type 'tensor<8xi32>'; expected the shape and layout of the pointer, 'tensor<16x!tile.ptr<f32>>'}}
  %0 = tile.addptr %p, %i : tensor<16x!tile.ptr<f32>>, tensor<8xi32>
  return
}

// -----

func.func @other(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @below {{'tile.load' op has 'other' and no mask; expected a mask that says where it is used}}
  %0 = tile.load %p other %x : !tile.ptr<f32>
  return
}

// -----

func.func @load(%p: f32) {
  // expected-error @below {{pointer has type 'f32'; expected a pointer or a tensor of pointers}}
  %0 = tile.load %p : f32
  return
}

// -----

func.func @store(%p: !tile.ptr<f32>, %x: f16) {
  // expected-error @below {{'tile.store' op value has type 'f16'; expected 'f32'}}
  "tile.store"(%p, %x) : (!tile.ptr<f32>, f16) -> ()
  return
}

// -----

func.func @atomic(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @below {{'tile.atomic_rmw' op 'smax' of elements of type 'f32'; expected integers}}
  %0 = tile.atomic_rmw smax relaxed gpu %p, %x : !tile.ptr<f32> -> f32
  return
}

// -----

func.func @reduce(%x: tensor<16x2xf32>) {
  // expected-error @below {{'tile.reduce' op result has type 'tensor<2xf32>'; expected 'tensor<16xf32>'}}
  %0 = tile.reduce (%x) axis 1 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (tensor<16x2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce(%x: tensor<16xf32>) {
  // expected-error @below {{'tile.reduce' op region takes ('f32'); expected ('f32', 'f32'), one left and one right element a source}}
  %0 = tile.reduce (%x) axis 0 {
  ^bb0(%a: f32):
    tile.yield %a : f32
  } : (tensor<16xf32>) -> f32
  return
}

// -----

func.func @scan(%x: tensor<16xf32>, %i: i32) {
  // expected-error @below {{'tile.scan' op region yields ('i32'); expected ('f32')}}
  %0 = tile.scan (%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %i : i32
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

func.func @dot(%a: tensor<16x32xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error @below {{'tile.dot' op right-hand side has shape [16, 8]; expected [32, 8]}}
  %0 = tile.dot ieee %a, %b, %c : tensor<16x32xf16> * tensor<16x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @dot(%a: tensor<16x32xi8>, %b: tensor<32x8xi8>, %c: tensor<16x8xf32>) {
  // expected-error @below {{'tile.dot' op left-hand side has elements of type 'i8' and the accumulator of type 'f32'; expected both floats or both integers}}
  %0 = tile.dot ieee %a, %b, %c : tensor<16x32xi8> * tensor<32x8xi8> -> tensor<16x8xf32>
  return
}
