// References of attention and of its gradients, by whole matrices of scores.
#include "Graph/Reference/ReferenceOp.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace teeny;

namespace {

// q [BH, Nq, D], k [BH, Nk, D], v [BH, Nk, DV]; tensors with the shape of the result are [BH, Nq,
// DV].
struct Attention {
  explicit Attention(ReferenceCall &call)
      : call(call), q(call.operand("q")), k(call.operand("k")), v(call.operand("v")),
        heads(q.shape()[0]), queries(q.shape()[1]), keys(k.shape()[1]), depth(q.shape()[2]),
        width(v.shape()[2]), scale(call.attr<double>("scale")), causal(call.attr<bool>("CAUSAL")) {}

  int64_t seen(int64_t query) const { return causal ? std::min(keys, query + 1) : keys; }
  double score(int64_t head, int64_t i, int64_t j) const {
    double sum = 0;
    for (int64_t d = 0; d < depth; ++d)
      sum += q.real((head * queries + i) * depth + d) * k.real((head * keys + j) * depth + d);
    return sum * scale;
  }
  double value(int64_t head, int64_t j, int64_t e) const {
    return v.real((head * keys + j) * width + e);
  }

  // Of the scores of one head, [Nq, Nk], with 0 where a query does not see the key; weights are
  // exp(score - lse).
  struct Matrices {
    std::vector<double> weights, gradients;
  };
  Matrices differentiate(int64_t head) const {
    const HostTensor &gradient = call.operand("d_out"), &out = call.operand("out");
    Matrices m{std::vector<double>(queries * keys), std::vector<double>(queries * keys)};
    for (int64_t i = 0; i < queries; ++i) {
      int64_t row = head * queries + i;
      for (int64_t j = 0; j < seen(i); ++j) {
        double weight = std::exp(score(head, i, j) - call.operand("lse").real(row)), slope = 0;
        for (int64_t e = 0; e < width; ++e)
          slope += gradient.real(row * width + e) * (value(head, j, e) - out.real(row * width + e));
        m.weights[i * keys + j] = weight;
        m.gradients[i * keys + j] = weight * slope;
      }
    }
    return m;
  }

  ReferenceCall &call;
  const HostTensor &q, &k, &v;
  int64_t heads, queries, keys, depth, width;
  double scale;
  bool causal;
};

} // namespace

// out = softmax(scale q k^T) v, lse [BH, Nq]; if causal, query i sees keys 0..i. A query that sees
// no key gets zeros.
void teeny::referenceFlash2(ReferenceCall &call) {
  Attention a(call);
  for (int64_t head = 0; head < a.heads; ++head)
    for (int64_t i = 0; i < a.queries; ++i) {
      int64_t row = head * a.queries + i;
      std::vector<double> score(a.seen(i));
      double peak = -std::numeric_limits<double>::infinity(), total = 0;
      for (size_t j = 0; j < score.size(); ++j) {
        score[j] = a.score(head, i, int64_t(j));
        peak = std::max(peak, score[j]);
      }
      for (double &value : score)
        total += value = std::exp(value - peak);
      call.result("lse").setReal(row, peak + std::log(total));
      for (int64_t e = 0; e < a.width; ++e) {
        double sum = 0;
        for (size_t j = 0; j < score.size(); ++j)
          sum += score[j] * a.value(head, int64_t(j), e);
        call.result("out").setReal(row * a.width + e, score.empty() ? 0 : sum / total);
      }
    }
}

void teeny::referenceFlash2Dq(ReferenceCall &call) {
  Attention a(call);
  for (int64_t head = 0; head < a.heads; ++head) {
    Attention::Matrices m = a.differentiate(head);
    for (int64_t i = 0; i < a.queries; ++i)
      for (int64_t d = 0; d < a.depth; ++d) {
        double sum = 0;
        for (int64_t j = 0; j < a.keys; ++j)
          sum += m.gradients[i * a.keys + j] * a.k.real((head * a.keys + j) * a.depth + d);
        call.result("d_q").setReal((head * a.queries + i) * a.depth + d, a.scale * sum);
      }
  }
}

void teeny::referenceFlash2Dkv(ReferenceCall &call) {
  Attention a(call);
  const HostTensor &gradient = call.operand("d_out");
  for (int64_t head = 0; head < a.heads; ++head) {
    Attention::Matrices m = a.differentiate(head);
    for (int64_t j = 0; j < a.keys; ++j) {
      for (int64_t d = 0; d < a.depth; ++d) {
        double sum = 0;
        for (int64_t i = 0; i < a.queries; ++i)
          sum += m.gradients[i * a.keys + j] * a.q.real((head * a.queries + i) * a.depth + d);
        call.result("d_k").setReal((head * a.keys + j) * a.depth + d, a.scale * sum);
      }
      for (int64_t e = 0; e < a.width; ++e) {
        double sum = 0;
        for (int64_t i = 0; i < a.queries; ++i)
          sum += m.weights[i * a.keys + j] * gradient.real((head * a.queries + i) * a.width + e);
        call.result("d_v").setReal((head * a.keys + j) * a.width + e, sum);
      }
    }
  }
}
