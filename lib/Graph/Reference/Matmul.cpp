// References of the matrix product.
#include "Graph/Reference/ReferenceOp.h"

using namespace teeny;

// a [M, K], b [K, N] -> out [M, N]
void teeny::referenceMatmul(ReferenceCall &call) {
  const HostTensor &a = call.operand("a"), &b = call.operand("b");
  int64_t m = a.shape()[0], inner = a.shape()[1], n = b.shape()[1];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < inner; ++k)
        sum += a.real(i * inner + k) * b.real(k * n + j);
      call.result("out").setReal(i * n + j, sum);
    }
}

// a [G, A1, A2], b [G, B1, B2], each transposed first if TA, TB -> out [G, M, N]
void teeny::referenceBatchedMatmul(ReferenceCall &call) {
  const HostTensor &a = call.operand("a"), &b = call.operand("b");
  HostTensor &out = call.result("out");
  bool ta = call.attr<bool>("TA"), tb = call.attr<bool>("TB");
  int64_t m = out.shape()[1], n = out.shape()[2], inner = a.shape()[ta ? 1 : 2];
  for (int64_t g = 0; g < out.shape()[0]; ++g)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        uint32_t wrapped = 0;
        for (int64_t k = 0; k < inner; ++k) {
          int64_t left = g * m * inner + (ta ? k * m + i : i * inner + k);
          int64_t right = g * n * inner + (tb ? j * inner + k : k * n + j);
          if (isFloat(a.dtype()))
            sum += a.real(left) * b.real(right);
          else
            wrapped += uint32_t(a.integer(left)) * uint32_t(b.integer(right));
        }
        int64_t place = (g * m + i) * n + j;
        if (isFloat(a.dtype()))
          out.setReal(place, sum);
        else
          out.setInteger(place, int32_t(wrapped));
      }
}

// a [M, K], b [G, K, N], offsets [G] -> out [M, N]: row i is multiplied by the matrix of the first
// group that ends behind it; 0 where none does. Offsets that fall count as the largest before them.
void teeny::referenceGroupedMatmul(ReferenceCall &call) {
  const HostTensor &a = call.operand("a"), &b = call.operand("b");
  int64_t m = a.shape()[0], inner = a.shape()[1], groups = b.shape()[0], n = b.shape()[2];
  for (int64_t i = 0; i < m; ++i) {
    int64_t g = 0;
    while (g < groups && call.operand("offsets").integer(g) <= i)
      ++g;
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t k = 0; g < groups && k < inner; ++k)
        sum += a.real(i * inner + k) * b.real((g * inner + k) * n + j);
      call.result("out").setReal(i * n + j, sum);
    }
  }
}
