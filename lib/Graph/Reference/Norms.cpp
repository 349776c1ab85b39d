// References of softmax and of norms over rows.
#include "Graph/Reference/ReferenceOp.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace teeny;

// x [M, N] -> out [M, N]
void teeny::referenceSoftmax(ReferenceCall &call) {
  const HostTensor &x = call.operand("x");
  int64_t rows = x.shape()[0], columns = x.shape()[1];
  for (int64_t r = 0; r < rows; ++r) {
    double peak = -std::numeric_limits<double>::infinity(), total = 0;
    for (int64_t c = 0; c < columns; ++c)
      peak = std::max(peak, x.real(r * columns + c));
    for (int64_t c = 0; c < columns; ++c)
      total += std::exp(x.real(r * columns + c) - peak);
    for (int64_t c = 0; c < columns; ++c)
      call.result("out").setReal(r * columns + c, std::exp(x.real(r * columns + c) - peak) / total);
  }
}

// x [M, N], weight, bias [N] -> out [M, N] = (x - mean) * rstd * weight + bias, mean and rstd [M];
// rstd = 1 / sqrt(variance + eps), the variance that of the row, not an estimate.
void teeny::referenceLayerNorm(ReferenceCall &call) {
  const HostTensor &x = call.operand("x");
  int64_t rows = x.shape()[0], columns = x.shape()[1];
  for (int64_t r = 0; r < rows; ++r) {
    double mean = 0, variance = 0;
    for (int64_t c = 0; c < columns; ++c)
      mean += x.real(r * columns + c) / columns;
    for (int64_t c = 0; c < columns; ++c)
      variance += std::pow(x.real(r * columns + c) - mean, 2) / columns;
    double rstd = 1 / std::sqrt(variance + call.attr<double>("eps"));
    call.result("mean").setReal(r, mean);
    call.result("rstd").setReal(r, rstd);
    for (int64_t c = 0; c < columns; ++c)
      call.result("out").setReal(r * columns + c, (x.real(r * columns + c) - mean) * rstd *
                                                          call.operand("weight").real(c) +
                                                      call.operand("bias").real(c));
  }
}

// x [M, N], weight [N] -> out [M, N] = x * rstd * weight, rstd [M] = 1 / sqrt(mean of squares +
// eps)
void teeny::referenceRmsNorm(ReferenceCall &call) {
  const HostTensor &x = call.operand("x");
  int64_t rows = x.shape()[0], columns = x.shape()[1];
  for (int64_t r = 0; r < rows; ++r) {
    double squares = 0;
    for (int64_t c = 0; c < columns; ++c)
      squares += std::pow(x.real(r * columns + c), 2) / columns;
    double rstd = 1 / std::sqrt(squares + call.attr<double>("eps"));
    call.result("rstd").setReal(r, rstd);
    for (int64_t c = 0; c < columns; ++c)
      call.result("out").setReal(r * columns + c,
                                 x.real(r * columns + c) * rstd * call.operand("weight").real(c));
  }
}
