// References of the matrix product and of attention.
#include "Graph/Reference/ReferenceOp.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

// q [BH, Nq, D], k, v [BH, Nk, D] -> out [BH, Nq, D] = softmax(scale q k^T) v, lse [BH, Nq]; if
// causal, query i sees keys 0..i.
void teeny::referenceFlash2(ReferenceCall &call) {
  const HostTensor &q = call.operand("q"), &k = call.operand("k"), &v = call.operand("v");
  int64_t heads = q.shape()[0], queries = q.shape()[1], depth = q.shape()[2], keys = k.shape()[1];
  double scale = call.attr<double>("scale");
  bool causal = call.attr<bool>("CAUSAL");
  for (int64_t head = 0; head < heads; ++head)
    for (int64_t i = 0; i < queries; ++i) {
      int64_t row = head * queries + i;
      int64_t seen = causal ? std::min(keys, i + 1) : keys;
      std::vector<double> score(seen);
      double peak = -std::numeric_limits<double>::infinity(), total = 0;
      for (int64_t j = 0; j < seen; ++j) {
        for (int64_t d = 0; d < depth; ++d)
          score[j] += q.real(row * depth + d) * k.real((head * keys + j) * depth + d);
        score[j] *= scale;
        peak = std::max(peak, score[j]);
      }
      for (double &value : score)
        total += value = std::exp(value - peak);
      call.result("lse").setReal(row, peak + std::log(total));
      for (int64_t d = 0; d < depth; ++d) {
        double sum = 0;
        for (int64_t j = 0; j < seen; ++j)
          sum += score[j] * v.real((head * keys + j) * depth + d);
        call.result("out").setReal(row * depth + d, seen ? sum / total : 0);
      }
    }
}
