// RUN: teeny-opt %s -tile-verify-layouts -split-input-file -verify-diagnostics

#row = #tile.blocked<registers = [4], lanes = [32], warps = [8], order = [0]>
func.func @good(%n: i32) attributes {tile.num_warps = 8 : i32} {
  %0 = tile.arange 0 to 16 : tensor<16xi32, #row>
  return
}

// -----

func.func @missing() attributes {tile.num_warps = 8 : i32} {
  // expected-error @below {{tile of type 'tensor<16xi32>' has no layout}}
  %0 = tile.arange 0 to 16 : tensor<16xi32>
  return
}

// -----

#row = #tile.blocked<registers = [4], lanes = [32], warps = [4], order = [0]>
func.func @warps() attributes {tile.num_warps = 8 : i32} {
  // expected-error-re @below {{layout {{.*}} has 4 warps; expected 8}}
  %0 = tile.arange 0 to 16 : tensor<16xi32, #row>
  return
}

// -----

#row = #tile.blocked<registers = [4], lanes = [64], warps = [8], order = [0]>
func.func @lanes() attributes {tile.num_warps = 8 : i32} {
  // expected-error-re @below {{layout {{.*}} has 64 lanes; expected 32}}
  %0 = tile.arange 0 to 16 : tensor<16xi32, #row>
  return
}
