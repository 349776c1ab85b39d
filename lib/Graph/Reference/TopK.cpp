// Reference of the largest elements of rows.
#include "Graph/Reference/ReferenceOp.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace teeny;

// x [M, N] -> values, indices [M, K]: falling, of equals the first column first, NaN before all
// numbers.
void teeny::referenceTopK(ReferenceCall &call) {
  const HostTensor &x = call.operand("x");
  int64_t rows = x.shape()[0], columns = x.shape()[1], kept = call.attr<int64_t>("K");
  for (int64_t r = 0; r < rows; ++r) {
    auto value = [&](int64_t c) { return x.real(r * columns + c); };
    std::vector<int64_t> order(columns);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return value(a) > value(b) || (std::isnan(value(a)) && !std::isnan(value(b)));
    });
    for (int64_t j = 0; j < kept; ++j) {
      call.result("values").setReal(r * kept + j, value(order[j]));
      call.result("indices").setInteger(r * kept + j, order[j]);
    }
  }
}
