// References of element-wise ops, reductions and scans.
#include "Graph/Reference/ReferenceOp.h"

#include <cmath>
#include <limits>

using namespace teeny;

// x, y [n] -> out [n]
void teeny::referenceAdd(ReferenceCall &call) {
  HostTensor &out = call.result("out");
  for (int64_t i = 0; i < out.elements(); ++i)
    out.setReal(i, call.operand("x").real(i) + call.operand("y").real(i));
}

// x [M, N] -> out [N]: sums over the rows
void teeny::referenceColumnSum(ReferenceCall &call) {
  const HostTensor &x = call.operand("x");
  int64_t rows = x.shape()[0], columns = x.shape()[1];
  for (int64_t c = 0; c < columns; ++c) {
    double sum = 0;
    for (int64_t r = 0; r < rows; ++r)
      sum += x.real(r * columns + c);
    call.result("out").setReal(c, sum);
  }
}

// x [M, N] -> out [M] (i32): index of the first largest of each row. -inf everywhere gives 0.
void teeny::referenceArgmax(ReferenceCall &call) {
  const HostTensor &x = call.operand("x");
  int64_t rows = x.shape()[0], columns = x.shape()[1];
  for (int64_t r = 0; r < rows; ++r) {
    int64_t best = 0;
    for (int64_t c = 1; c < columns; ++c)
      if (x.real(r * columns + c) > x.real(r * columns + best))
        best = c;
    call.result("out").setInteger(r, best);
  }
}

// x [M, N] -> out [M, N]: sums of each row up to and with the element
void teeny::referenceCumsum(ReferenceCall &call) {
  const HostTensor &x = call.operand("x");
  int64_t columns = x.shape()[1];
  double sum = 0;
  for (int64_t i = 0; i < x.elements(); ++i) {
    sum = i % columns == 0 ? x.real(i) : sum + x.real(i);
    call.result("out").setReal(i, sum);
  }
}
