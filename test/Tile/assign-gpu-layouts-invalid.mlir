// RUN: teeny-opt %s -tile-assign-gpu-layouts -split-input-file -verify-diagnostics

// expected-error @below {{function takes or returns tiles; expected it to be inlined before layouts are assigned}}
func.func @helper(%x: tensor<16xf32>) -> tensor<16xf32> {
  return %x : tensor<16xf32>
}

// -----

func.func @size() {
  // expected-error @below {{tile of type 'tensor<48xi32>' has a dim of size 48; expected a power of two}}
  %0 = tile.arange 0 to 48 : tensor<48xi32>
  return
}

// -----

#row = #tile.blocked<registers = [4], lanes = [32], warps = [4], order = [0]>
func.func @twice() {
  // expected-error-re @below {{tile of type {{.*}} has a layout already}}
  %0 = tile.arange 0 to 64 : tensor<64xi32, #row>
  return
}

// -----

func.func @unknown() {
  %0 = tile.arange 0 to 64 : tensor<64xi32>
  // expected-error @below {{no layouts are known for 'tensor.extract_slice' on tiles}}
  %1 = tensor.extract_slice %0[0] [32] [1] : tensor<64xi32> to tensor<32xi32>
  return
}
