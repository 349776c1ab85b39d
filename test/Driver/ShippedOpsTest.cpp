// Every shipped op on the CPU against its slow reference, over awkward sizes and element types.
#include "OpModel.h"

#include <catch2/catch.hpp>

using namespace teeny;
using namespace teeny::test;

namespace {

const std::string rows = R"({"M": {"min": 0, "max": 4096}, "N": {"min": 1, "max": 65536}})";
const std::vector<std::pair<int64_t, int64_t>> sizes = {{0, 5},    {1, 1},     {3, 17},  {2, 127},
                                                        {5, 1000}, {130, 130}, {3, 3001}};

} // namespace

TEST_CASE("basic.add") {
  for (auto [type, tolerance] : floatTypes) {
    OpModel model("basic.add", {{"x", type, "[\"N\"]"}, {"y", type, "[\"N\"]"}}, {"r"},
                  R"({"N": {"min": 0, "max": 100000}})");
    for (int64_t n : {0, 1, 3, 17, 1000, 1024, 5000})
      model.compare({{"x", randomTensor({n}, typed(type))}, {"y", randomTensor({n}, typed(type))}},
                    tolerance);
  }
}

TEST_CASE("reductions and scans of rows") {
  for (auto [type, tolerance] : floatTypes) {
    OpInput x = {"x", type, R"(["M", "N"])"};
    OpModel columnSum("basic.column_sum", {x}, {"r"}, rows);
    OpModel argmax("basic.argmax", {x}, {"r"}, rows);
    OpModel cumsum("basic.cumsum", {x}, {"r"}, rows);
    for (auto [m, n] : sizes) {
      CAPTURE(type, m, n);
      HostTensor value = randomTensor({m, n}, typed(type));
      columnSum.compare({{"x", value}}, 2e-6); // its result is f32
      argmax.compare({{"x", value}}, 0);
      cumsum.compare({{"x", value}}, tolerance);
    }
  }
}

TEST_CASE("linear.matmul") {
  const std::string dims =
      R"({"M": {"min": 0, "max": 4096}, "N": {"min": 1, "max": 4096}, "K": {"min": 0, "max": 4096}})";
  for (auto [type, tolerance] : floatTypes) {
    OpModel model("linear.matmul", {{"a", type, R"(["M", "K"])"}, {"b", type, R"(["K", "N"])"}},
                  {"r"}, dims);
    for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                           {0, 3, 2},
                           {4, 5, 0},
                           {17, 130, 127},
                           {64, 64, 32},
                           {65, 63, 33},
                           {130, 70, 100}}) {
      CAPTURE(type, m, n, k);
      model.compare(
          {{"a", randomTensor({m, k}, typed(type))}, {"b", randomTensor({k, n}, typed(type))}},
          tolerance);
    }
  }
}
