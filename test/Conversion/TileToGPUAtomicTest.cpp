// Atomic additions to neighbours by one instruction.
#include "../Target/PtxTypes.h"
#include "TileToGPUSupport.h"

#include <catch2/catch.hpp>

using namespace teeny::test;

namespace {
struct Form {
  std::string element, target, order, instruction; // what is to be in the PTX; empty: no vector
};

// out[i] += in[i] for i < n; old[i] = out[i] as it was, if `isUsed`.
std::string addKernel(const Form &form, int size, int divisibility, bool isUsed) {
  const std::string layout =
      "#tile.blocked<registers = [8], lanes = [32], warps = [4], order = [0]>";
  std::string pointer = "!tile.ptr<" + form.element + ">", range = tileType(size, 0, "i32", layout);
  std::string facts = " {tile.divisibility = 16 : i64}";
  KernelText kernel(4);
  std::string in = kernel.argument("in", pointer + facts),
              out = kernel.argument("out", pointer + facts),
              old = kernel.argument("old", pointer + facts),
              n = kernel.argument("n", "i32 {tile.divisibility = " + std::to_string(divisibility) +
                                           " : i64}");
  std::string value = kernel.load(in, form.element, size, 0, layout),
              to = kernel.pointers(out, form.element, size, 0, layout);
  std::string limits = kernel.add("$ = tile.splat " + n + " : i32 -> " + range);
  std::string index = kernel.add("$ = tile.arange 0 to " + std::to_string(size) + " : " + range);
  std::string mask = kernel.add("$ = arith.cmpi slt, " + index + ", " + limits + " : " + range);
  std::string before =
      kernel.add("$ = tile.atomic_rmw fadd " + form.order + " gpu " + to + ", " + value + " mask " +
                 mask + " : " + tileType(size, 0, pointer, layout) + " -> " +
                 tileType(size, 0, form.element, layout));
  if (isUsed)
    kernel.store(old, before, form.element, size, 0, layout);
  return kernel.str();
}

template <typename Bits> void checkAdds(const Form &form, int divisibility, bool isUsed) {
  for (int size : {64, 1024}) {
    std::string ptx = compileToPtx(addKernel(form, size, divisibility, isUsed), form.target);
    CAPTURE(form.element, form.target, form.order, divisibility, isUsed, size, ptx);
    if (form.instruction.empty()) {
      CHECK(ptx.find(".add.v") == std::string::npos);
      CHECK(ptx.find("f16x2") == std::string::npos);
    } else {
      std::string opcode = isUsed || form.order == "acq_rel" ? "atom" : "red";
      CHECK(ptx.find(opcode + form.instruction) != std::string::npos);
    }
    // Small integers, so that sums are exact.
    auto bits = [&](int number) { return Bits(fromDouble(form.element, number)); };
    std::vector<Bits> in, out, old(size, Bits(77));
    std::vector<Bits> sums, olds;
    int n = size - divisibility;
    for (int i = 0; i < size; ++i) {
      in.push_back(bits(i % 5 - 2));
      out.push_back(bits(i % 7));
      sums.push_back(i < n ? bits(i % 7 + i % 5 - 2) : out[i]);
      olds.push_back(!isUsed ? old[i] : i < n ? out[i] : 0);
    }
    PtxMachine machine(ptx);
    machine.run("kernel", {1, 1, 1},
                {machine.buffer(in), machine.buffer(out), machine.buffer(old), uint64_t(n)});
    CHECK(out == sums);
    CHECK(old == olds);
  }
}
} // namespace

TEST_CASE("floats that lie side by side are added to at once") {
  for (bool isUsed : {false, true}) {
    checkAdds<uint32_t>({"f32", "sm_90a", "relaxed", ".relaxed.gpu.global.add.v4.f32"}, 16, isUsed);
    checkAdds<uint32_t>({"f32", "compute_90", "acq_rel", ".acq_rel.gpu.global.add.v4.f32"}, 4,
                        isUsed);
    checkAdds<uint16_t>({"f16", "sm_90a", "relaxed", ".relaxed.gpu.global.add.noftz.v4.f16x2"}, 16,
                        isUsed);
    checkAdds<uint16_t>({"bf16", "sm_90a", "release", ".release.gpu.global.add.noftz.v4.bf16x2"}, 8,
                        isUsed);
    checkAdds<uint16_t>({"f16", "sm_80", "relaxed", ".relaxed.gpu.global.add.noftz.f16x2"}, 16,
                        isUsed);
    // A mask that may split four elements, but not two.
    checkAdds<uint32_t>({"f32", "sm_90a", "relaxed", ".relaxed.gpu.global.add.v2.f32"}, 2, isUsed);
    // One that may split any, and a target without vectors.
    checkAdds<uint32_t>({"f32", "sm_90a", "relaxed", ""}, 1, isUsed);
    checkAdds<uint16_t>({"f16", "sm_80", "relaxed", ""}, 1, isUsed);
    checkAdds<uint32_t>({"f32", "sm_80", "relaxed", ""}, 16, isUsed);
  }
}
