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
} // namespace

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
