// References of the gradients of softmax and of norms over rows, from the Jacobian of a row.
#include "Graph/Reference/ReferenceOp.h"

#include <cmath>

using namespace teeny;

// d out_i / d x_j = out_i ((i == j) - out_j)
void teeny::referenceSoftmaxBackward(ReferenceCall &call) {
  const HostTensor &out = call.operand("out"), &gradient = call.operand("d_out");
  int64_t rows = out.shape()[0], columns = out.shape()[1];
  for (int64_t r = 0; r < rows; ++r) {
    double common = 0;
    for (int64_t i = 0; i < columns; ++i)
      common += gradient.real(r * columns + i) * out.real(r * columns + i);
    for (int64_t j = 0; j < columns; ++j) {
      double own = gradient.real(r * columns + j);
      call.result("d_x").setReal(r * columns + j, out.real(r * columns + j) * (own - common));
    }
  }
}

// With n = (x - mean) rstd, d n_i / d x_j = rstd ((i == j) - 1 / N - n_i n_j / N); without a mean,
// rstd ((i == j) - n_i n_j / N).
static void normBackward(ReferenceCall &call, bool centered) {
  const HostTensor &x = call.operand("x"), &weight = call.operand("weight");
  const HostTensor &rstd = call.operand("rstd"), &gradient = call.operand("d_out");
  int64_t rows = x.shape()[0], columns = x.shape()[1];
  std::vector<double> byWeight(columns), byBias(columns);
  for (int64_t r = 0; r < rows; ++r) {
    double mean = centered ? call.operand("mean").real(r) : 0;
    auto normal = [&](int64_t i) { return (x.real(r * columns + i) - mean) * rstd.real(r); };
    auto inner = [&](int64_t i) { return gradient.real(r * columns + i) * weight.real(i); };
    double sum = 0, products = 0;
    for (int64_t i = 0; i < columns; ++i) {
      sum += inner(i);
      products += inner(i) * normal(i);
      byWeight[i] += gradient.real(r * columns + i) * normal(i);
      byBias[i] += gradient.real(r * columns + i);
    }
    for (int64_t j = 0; j < columns; ++j) {
      double others = (centered ? sum : 0) + products * normal(j);
      call.result("d_x").setReal(r * columns + j,
                                 rstd.real(r) * (inner(j) - others / double(columns)));
    }
  }
  for (int64_t i = 0; i < columns; ++i) {
    call.result("d_weight").setReal(i, byWeight[i]);
    if (centered)
      call.result("d_bias").setReal(i, byBias[i]);
  }
}

void teeny::referenceLayerNormBackward(ReferenceCall &call) { normBackward(call, true); }
void teeny::referenceRmsNormBackward(ReferenceCall &call) { normBackward(call, false); }
