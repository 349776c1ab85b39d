// tl.dot on the CPU over tile shapes and element types, against sums in double: whatever the shape,
// the rows and columns that vectors do not fill are right too.
#include "RunKernel.h"

#include "Graph/Reference/HostTensor.h"

#include <catch2/catch.hpp>

using namespace teeny;
using namespace teeny::test;
namespace rt = teeny::runtime;

namespace {

const std::string kernel = TEENY_SOURCE_DIR "/test/Driver/models/kernels/tile_product.py";

struct Type {
  const char *operand, *result;
  DType operandType, resultType;
};

rt::Argument argument(const std::string &name, HostTensor &data, teeny_dtype dtype) {
  return rt::Argument::tensor(name, {data.bytes().data(), dtype, data.shape()});
}

// Small multiples of 1/8 with both signs, exact in every type.
double element(int64_t i, int step) { return double(i * step % 31 - 15) / 8; }

void sweep(const Type &type, teeny_dtype operand, teeny_dtype result) {
  for (int m : {1, 2, 16, 32, 64, 128})
    for (int n : {1, 4, 16, 64, 128})
      for (int k : {16, 64}) {
        CAPTURE(type.operand, m, n, k);
        Folder folder;
        std::string types =
            "*" + std::string(type.operand) + ", *" + type.operand + ", *" + type.result + ", ";
        rt::Bundle bundle = rt::Bundle::open(compileKernels(
            folder, {kernel + "::tile_product"},
            {types + std::to_string(m) + ", " + std::to_string(n) + ", " + std::to_string(k)},
            {"x86-64-v3"}));
        rt::Session session = cpuSession(bundle);
        HostTensor a(type.operandType, {m, k}), b(type.operandType, {k, n}),
            out(type.resultType, {m, n});
        for (int64_t i = 0; i < a.elements(); ++i)
          a.setReal(i, element(i, 7));
        for (int64_t i = 0; i < b.elements(); ++i)
          b.setReal(i, element(i, 11));
        for (int64_t i = 0; i < out.elements(); ++i)
          out.setReal(i, element(i, 3));
        session.launch("tile_product", {1, 1, 1},
                       {argument("a_ptr", a, operand), argument("b_ptr", b, operand),
                        argument("out_ptr", out, result)});
        for (int64_t i = 0; i < out.elements(); ++i) {
          double want = element(i, 3);
          for (int64_t j = 0; j < k; ++j)
            want += a.real(i / n * k + j) * b.real(j * n + i % n);
          REQUIRE(out.real(i) == want);
        }
      }
}

} // namespace

// Every partial sum is a multiple of 1/64 below 2^8, so exact in f32: the order does not matter.
TEST_CASE("products of f32 tiles") {
  sweep({"fp32", "fp32", DType::f32, DType::f32}, TEENY_F32, TEENY_F32);
}
TEST_CASE("products of f16 tiles") {
  sweep({"fp16", "fp32", DType::f16, DType::f32}, TEENY_F16, TEENY_F32);
}
TEST_CASE("products of bf16 tiles") {
  sweep({"bf16", "fp32", DType::bf16, DType::f32}, TEENY_BF16, TEENY_F32);
}
TEST_CASE("products of f64 tiles") {
  sweep({"fp64", "fp64", DType::f64, DType::f64}, TEENY_F64, TEENY_F64);
}
