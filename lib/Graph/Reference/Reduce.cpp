// References of reductions along the middle dim of [OUTER, R, INNER].
#include "Graph/Reference/ReferenceOp.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace teeny;

namespace {

double reduceReals(const std::string &kind, const std::vector<double> &values) {
  double infinity = std::numeric_limits<double>::infinity();
  double result = kind == "prod" ? 1 : kind == "max" ? -infinity : kind == "min" ? infinity : 0;
  for (double value : values) {
    if (kind == "prod")
      result *= value;
    else if (kind == "sum" || kind == "mean")
      result += value;
    else if (std::isnan(value) || (kind == "max" ? value > result : value < result))
      result = value;
    if ((kind == "max" || kind == "min") && std::isnan(result))
      break;
  }
  return kind == "mean" ? result / double(values.size()) : result;
}

// Sums and products wrap in the 64 bits; those of narrower types are cut by the caller.
int64_t reduceIntegers(const std::string &kind, const std::vector<int64_t> &values, DType type) {
  bool wide = type == DType::i64;
  int64_t least = wide ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int32_t>::min();
  int64_t most = wide ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int32_t>::max();
  int64_t result = kind == "prod" ? 1 : kind == "max" ? least : kind == "min" ? most : 0;
  for (int64_t value : values)
    if (kind == "prod")
      result = int64_t(uint64_t(result) * uint64_t(value));
    else if (kind == "sum")
      result = int64_t(uint64_t(result) + uint64_t(value));
    else
      result = kind == "max" ? std::max(result, value) : std::min(result, value);
  return wide ? result : int32_t(result);
}

// Calls the function with each place of the result and the places of what is reduced to it.
template <typename Function> void forEachResult(const HostTensor &x, Function function) {
  int64_t size = x.shape()[1], inner = x.shape()[2];
  std::vector<int64_t> places(size);
  for (int64_t outer = 0; outer < x.shape()[0]; ++outer)
    for (int64_t i = 0; i < inner; ++i) {
      for (int64_t r = 0; r < size; ++r)
        places[r] = (outer * size + r) * inner + i;
      function(outer * inner + i, places);
    }
}

} // namespace

void teeny::referenceReduce(ReferenceCall &call) {
  const HostTensor &x = call.operand("x");
  HostTensor &out = call.result("out");
  const std::string &kind = call.attr<std::string>("KIND");
  forEachResult(x, [&](int64_t result, const std::vector<int64_t> &places) {
    if (isFloat(x.dtype())) {
      std::vector<double> values;
      for (int64_t place : places)
        values.push_back(x.real(place));
      out.setReal(result, reduceReals(kind, values));
      return;
    }
    std::vector<int64_t> values;
    for (int64_t place : places)
      values.push_back(x.integer(place));
    out.setInteger(result, reduceIntegers(kind, values, x.dtype()));
  });
}

void teeny::referenceArgReduce(ReferenceCall &call) {
  const HostTensor &x = call.operand("x");
  bool isMax = call.attr<std::string>("KIND") == "max";
  // Of floats and of i64, whose values a double may not hold.
  auto precedes = [&](int64_t a, int64_t b) {
    if (!isFloat(x.dtype()))
      return isMax ? x.integer(a) > x.integer(b) : x.integer(a) < x.integer(b);
    double p = x.real(a), q = x.real(b);
    if (std::isnan(p) || std::isnan(q))
      return std::isnan(p) && !std::isnan(q);
    return isMax ? p > q : p < q;
  };
  forEachResult(x, [&](int64_t result, const std::vector<int64_t> &places) {
    size_t best = 0;
    for (size_t r = 1; r < places.size(); ++r)
      if (precedes(places[r], places[best]))
        best = r;
    call.result("out").setInteger(result, int64_t(best));
  });
}
