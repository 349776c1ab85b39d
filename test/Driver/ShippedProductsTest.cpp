// Products of matrices in parts and in groups, and the largest elements of rows, on the CPU against
// the slow references.
#include "OpModel.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace teeny;
using namespace teeny::test;

TEST_CASE("linear.matmul_split_k") {
  const std::string dims = R"({"M": {"max": 4096}, "N": {"max": 4096}, "K": {"max": 65536}})";
  for (auto [type, tolerance] : floatTypes) {
    OpModel model("linear.matmul_split_k",
                  {{"a", type, R"(["M", "K"])"}, {"b", type, R"(["K", "N"])"}}, {"r"}, dims,
                  type == "f32" ? R"({"SPLIT": 3})" : "{}");
    for (auto [m, n, k] :
         {std::array<int64_t, 3>{1, 1, 1}, {0, 3, 2}, {4, 5, 0}, {17, 70, 1000}, {65, 3, 257}}) {
      CAPTURE(type, m, n, k);
      model.compare(
          {{"a", randomTensor({m, k}, typed(type))}, {"b", randomTensor({k, n}, typed(type))}},
          4e-6); // its result is f32
    }
  }
}

TEST_CASE("linear.grouped_matmul") {
  const std::string dims =
      R"({"M": {"max": 4096}, "N": {"max": 4096}, "K": {"max": 4096}, "G": {"max": 64}})";
  for (auto [type, tolerance] : floatTypes) {
    const std::string index = type == "f16" ? "i64" : "i32";
    OpModel model(
        "linear.grouped_matmul",
        {{"a", type, R"(["M", "K"])"}, {"b", type, R"(["G", "K", "N"])"}, {"o", index, "[\"G\"]"}},
        {"r"}, dims, R"({"BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_K": 16, "GROUP": 2})");
    struct Groups {
      int64_t m, n, k;
      std::vector<int64_t> ends;
    };
    for (const auto &[m, n, k, ends] :
         {Groups{5, 3, 2, {}},
          {1, 1, 1, {1}},
          {100, 70, 37, {17, 17, 18, 82, 100}},
          {50, 33, 16, {0, 16, 48}},        // rows are left
          {40, 5, 3, {30, 20, -7, 35, 99}}, // falling, and beyond the end
          {0, 4, 4, {0, 0}},
          {20, 4, 0, {20}}}) {
      CAPTURE(type, m, n, k, ends);
      HostTensor offsets(typed(index), {int64_t(ends.size())});
      for (size_t i = 0; i < ends.size(); ++i)
        offsets.setInteger(int64_t(i), ends[i]);
      model.compare({{"a", randomTensor({m, k}, typed(type))},
                     {"b", randomTensor({int64_t(ends.size()), k, n}, typed(type))},
                     {"o", offsets}},
                    tolerance);
    }
  }
}

TEST_CASE("nn.topk") {
  struct Choice {
    const char *type;
    int64_t kept;
    std::vector<std::pair<int64_t, int64_t>> sizes;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  for (const auto &[type, kept, sizes] :
       {Choice{"f32", 1, {{0, 5}, {3, 1}, {2, 1025}}},
        {"bf16", 5, {{1, 5}, {3, 100}, {2, 2500}}}, // bf16 of so many has equals
        {"f16", 33, {{2, 33}, {2, 1400}}},
        {"f32", 100, {{1, 100}, {1, 5000}}}}) {
    OpModel model("nn.topk", {{"x", type, R"(["M", "N"])"}}, {"r.values", "r.indices"},
                  R"({"M": {"max": 1000}, "N": {"min": )" + std::to_string(kept) +
                      R"(, "max": 10000}})",
                  "{\"K\": " + std::to_string(kept) + "}");
    for (auto [m, n] : sizes) {
      CAPTURE(type, kept, m, n);
      HostTensor x = randomTensor({m, n}, typed(type));
      model.compare({{"x", x}}, 0);
      // Many equal ones, zeros of both signs, infinities, and NaN at the end.
      const double values[] = {0.0, -0.0, -inf, 1, -1, inf};
      for (int64_t i = 0; i < x.elements(); ++i)
        x.setReal(i, values[i * 7 % 11 % 6]);
      if (n > 6 && m > 0)
        x.setReal(n - 2, nan);
      model.compare({{"x", x}}, 0);
    }
  }
}
