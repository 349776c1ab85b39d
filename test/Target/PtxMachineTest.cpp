// The interpreter of PTX itself, by kernels written by hand.
#include "PtxMachine.h"

#include <catch2/catch.hpp>

using namespace teeny::test;
using Catch::Matchers::Contains;

namespace {
// out[0] = in[index]
const char *copyOne = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry copy_one(
	.param .u64 copy_one_param_0,
	.param .u64 copy_one_param_1,
	.param .u64 copy_one_param_2
)
.reqntid 1
{
	.reg .b32 	%r<2>;
	.reg .b64 	%rd<6>;
	ld.param.b64 	%rd1, [copy_one_param_0];
	ld.param.b64 	%rd2, [copy_one_param_1];
	ld.param.b64 	%rd3, [copy_one_param_2];
	shl.b64 	%rd4, %rd3, 2;
	add.s64 	%rd5, %rd1, %rd4;
	ld.global.b32 	%r1, [%rd5];
	st.global.b32 	[%rd2], %r1;
	ret;
}
)";

// out[0] = an element of a product of zeros, with or without what registers need around it.
std::string product(const std::string &fence, const std::string &wait) {
  return R"(
.version 8.0
.target sm_90a
.address_size 64
.visible .entry product(
	.param .u64 product_param_0
)
.reqntid 128
{
	.reg .b32 	%r<5>;
	.reg .f32 	%f<9>;
	.reg .b64 	%rd<3>;
	.shared .align 1024 .b8 	zeros[512];
	ld.param.b64 	%rd1, [product_param_0];
	mov.b64 	%rd2, 0xC000001000200000;
	mov.b32 	%r1, 0;
	mov.b32 	%r2, 0;
	mov.b32 	%r3, 0;
	mov.b32 	%r4, 0;
)" + fence +
         R"(
	wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r1, %r2, %r3, %r4}, %rd2, 0, 1, 1, 0;
	wgmma.commit_group.sync.aligned;
)" + wait +
         R"(
	st.global.f32 	[%rd1], %f1;
	ret;
}
)";
}
// Adds 1, 2, 4, 8 to four f32 and (1, -2), (0.5, 3) to two pairs of f16 and of bf16; keeps the old.
const char *addVectors = R"(
.version 8.1
.target sm_90
.address_size 64
.visible .entry add_vectors(
	.param .u64 add_vectors_param_0,
	.param .u64 add_vectors_param_1,
	.param .u64 add_vectors_param_2
)
.reqntid 1
{
	.reg .b32 	%r<13>;
	.reg .b64 	%rd<4>;
	ld.param.b64 	%rd1, [add_vectors_param_0];
	ld.param.b64 	%rd2, [add_vectors_param_1];
	ld.param.b64 	%rd3, [add_vectors_param_2];
	mov.b32 	%r1, 0f3F800000;
	mov.b32 	%r2, 0f40000000;
	mov.b32 	%r3, 0f40800000;
	mov.b32 	%r4, 0f41000000;
	atom.relaxed.gpu.global.add.v4.f32 {%r5, %r6, %r7, %r8}, [%rd1], {%r1, %r2, %r3, %r4};
	st.global.v4.b32 	[%rd3], {%r5, %r6, %r7, %r8};
	mov.b32 	%r9, 0xC0003C00;
	mov.b32 	%r10, 0x42003800;
	red.release.cta.global.add.noftz.v2.f16x2 [%rd2], {%r9, %r10};
	mov.b32 	%r11, 0xC0003F80;
	atom.acq_rel.sys.global.add.noftz.bf16x2 %r12, [%rd2+8], %r11;
	st.global.b32 	[%rd3+16], %r12;
	ret;
}
)";
} // namespace

TEST_CASE("registers of matrix instructions of warp groups need a fence before and a wait behind") {
  auto run = [](const std::string &fence, const std::string &wait) {
    PtxMachine machine(product(fence, wait));
    std::vector<float> out{-1};
    machine.run("product", {1, 1, 1}, {machine.buffer(out)});
    return out[0];
  };
  std::string fence = "\twgmma.fence.sync.aligned;", wait = "\twgmma.wait_group.sync.aligned 0;";
  CHECK(run(fence, wait) == 0);
  CHECK_THROWS_WITH(run("", wait), Contains("register %r1 was used since the last wgmma.fence"));
  CHECK_THROWS_WITH(run(fence + "\n\tmov.b32 	%r3, 0;", wait),
                    Contains("register %r3 was used since the last wgmma.fence"));
  for (const char *other : {"", "\twgmma.wait_group.sync.aligned 1;"})
    CHECK_THROWS_WITH(run(fence, other),
                      Contains("register %f1 is that of a matrix instruction under way"));
  CHECK_THROWS_WITH(run(fence, "\tmov.b32 	%r3, 0;\n" + wait),
                    Contains("register %r3 is that of a matrix instruction under way"));
}

TEST_CASE("vectors of atomics add to each element") {
  std::vector<float> words{10, 20, 30, 40};
  // f16: 1, 2, 0.5, -1; bf16: 1, 2.
  std::vector<uint16_t> halves{0x3c00, 0x4000, 0x3800, 0xbc00, 0x3f80, 0x4000, 7, 7};
  std::vector<uint32_t> old(5);
  PtxMachine machine(addVectors);
  uint64_t to = machine.buffer(words), at = machine.buffer(halves), kept = machine.buffer(old);
  machine.run("add_vectors", {1, 1, 1}, {to, at, kept});
  CHECK(words == std::vector<float>{11, 22, 34, 48});
  // f16: 2, 0, 1, 2; bf16: 2, 0.
  CHECK(halves == std::vector<uint16_t>{0x4000, 0, 0x3c00, 0x4000, 0x4000, 0, 7, 7});
  // 10, 20, 30, 40 and the pair of bf16.
  CHECK(old == std::vector<uint32_t>{0x41200000, 0x41a00000, 0x41f00000, 0x42200000, 0x40003f80});
  // All of a vector is aligned.
  CHECK_THROWS_WITH(machine.run("add_vectors", {1, 1, 1}, {to, at + 4, kept}),
                    Contains("address not a multiple of 8"));
}

TEST_CASE("a buffer replaces those that lay in its bytes before, however they overlap") {
  std::vector<uint32_t> numbers{10, 11, 12, 13, 14, 15, 16, 17}, out(1);
  // Where memory is used again, older buffers begin before, inside or at the start of a new one.
  for (auto [begin, count] : {std::pair{0, 1}, {0, 3}, {3, 1}, {2, 4}, {6, 2}}) {
    PtxMachine machine(copyOne);
    machine.buffer(numbers.data() + begin, count * 4);
    uint64_t in = machine.buffer(numbers.data() + 1, 6 * 4), to = machine.buffer(out);
    for (uint64_t i = 0; i < 6; ++i) {
      machine.run("copy_one", {1, 1, 1}, {in, to, i});
      CHECK(out[0] == 11 + i);
    }
    CHECK_THROWS_WITH(machine.run("copy_one", {1, 1, 1}, {in, to, 6}),
                      Contains("access outside of the buffers"));
  }
}
