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
