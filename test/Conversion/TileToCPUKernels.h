// Texts of kernels that several tests use.
#pragma once

#include <string>

namespace teeny::test {

inline std::string replaced(std::string text, const std::string &name, const std::string &by) {
  for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += by.size())
    text.replace(at, name.size(), by);
  return text;
}

// out[i] = the tensor<64xTO> %r that `body` makes of %a, %b: tensor<64xFROM>, for i < n. Programs
// of 64.
inline std::string binaryKernel(const std::string &from, const std::string &to,
                                const std::string &body) {
  std::string text = R"(
func.func @kernel(%x: !tile.ptr<FROM> {tile.noalias}, %y: !tile.ptr<FROM> {tile.noalias},
                  %out: !tile.ptr<TO>, %n: i32) attributes {tile.kernel} {
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0 : i32
  %start = arith.muli %pid, %c64 : i32
  %i = tile.arange 0 to 64 : tensor<64xi32>
  %s = tile.splat %start : i32 -> tensor<64xi32>
  %offs = arith.addi %s, %i : tensor<64xi32>
  %nn = tile.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %offs, %nn : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<FROM> -> tensor<64x!tile.ptr<FROM>>
  %px = tile.addptr %xs, %offs : tensor<64x!tile.ptr<FROM>>, tensor<64xi32>
  %a = tile.load %px mask %mask : tensor<64x!tile.ptr<FROM>>
  %ys = tile.splat %y : !tile.ptr<FROM> -> tensor<64x!tile.ptr<FROM>>
  %py = tile.addptr %ys, %offs : tensor<64x!tile.ptr<FROM>>, tensor<64xi32>
  %b = tile.load %py mask %mask : tensor<64x!tile.ptr<FROM>>
  BODY
  %os = tile.splat %out : !tile.ptr<TO> -> tensor<64x!tile.ptr<TO>>
  %po = tile.addptr %os, %offs : tensor<64x!tile.ptr<TO>>, tensor<64xi32>
  tile.store %po, %r mask %mask : tensor<64x!tile.ptr<TO>>
  return
})";
  return replaced(replaced(replaced(text, "BODY", body), "FROM", from), "TO", to);
}

// A kernel over a row-major [rows x columns] tile at %x, which `body` turns into stores: %x, %out,
// %n (i32) are arguments, %rows and %columns the indices as tensors of one dim, %offs the offsets,
// %v: tensor<RxCxf32> the loaded tile. R and C are replaced.
inline std::string tileKernel(int rows, int columns, const std::string &body,
                              const std::string &out = "f32") {
  std::string text = R"(
func.func @kernel(%x: !tile.ptr<f32> {tile.noalias}, %out: !tile.ptr<OUT>, %n: i32)
    attributes {tile.kernel} {
  %rows = tile.arange 0 to R : tensor<Rxi32>
  %columns = tile.arange 0 to C : tensor<Cxi32>
  %r1 = tile.expand_dims %rows at 1 : tensor<Rxi32> -> tensor<Rx1xi32>
  %c1 = tile.expand_dims %columns at 0 : tensor<Cxi32> -> tensor<1xCxi32>
  %stride = arith.constant dense<C> : tensor<Rx1xi32>
  %rs = arith.muli %r1, %stride : tensor<Rx1xi32>
  %rb = tile.broadcast %rs : tensor<Rx1xi32> -> tensor<RxCxi32>
  %cb = tile.broadcast %c1 : tensor<1xCxi32> -> tensor<RxCxi32>
  %offs = arith.addi %rb, %cb : tensor<RxCxi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<RxCx!tile.ptr<f32>>
  %px = tile.addptr %xs, %offs : tensor<RxCx!tile.ptr<f32>>, tensor<RxCxi32>
  %v = tile.load %px : tensor<RxCx!tile.ptr<f32>>
  BODY
  return
})";
  text = replaced(text, "BODY", body);
  text = replaced(text, "OUT", out);
  text = replaced(text, "RxC", std::to_string(rows) + "x" + std::to_string(columns));
  text = replaced(text, "CxR", std::to_string(columns) + "x" + std::to_string(rows));
  text = replaced(text, "<Rx", "<" + std::to_string(rows) + "x");
  text = replaced(text, "<Cx", "<" + std::to_string(columns) + "x");
  text = replaced(text, "1xCx", "1x" + std::to_string(columns) + "x");
  text = replaced(text, "dense<C>", "dense<" + std::to_string(columns) + ">");
  text = replaced(text, "to R ", "to " + std::to_string(rows) + " ");
  return replaced(text, "to C ", "to " + std::to_string(columns) + " ");
}

} // namespace teeny::test
