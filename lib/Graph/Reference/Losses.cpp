// References of losses.
#include "Graph/Reference/ReferenceOp.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace teeny;

namespace {

// A value with its derivatives by the four numbers of a box.
struct Dual {
  double value;
  std::array<double, 4> by = {};

  Dual(double value) : value(value) {}
  static Dual variable(double value, int index) {
    Dual result = value;
    result.by[index] = 1;
    return result;
  }
};

// f(a, b) whose partial derivatives are `da` and `db`.
Dual chain(double value, const Dual &a, double da, const Dual &b, double db) {
  Dual result = value;
  for (int i = 0; i < 4; ++i)
    result.by[i] = (da == 0 ? 0 : da * a.by[i]) + (db == 0 ? 0 : db * b.by[i]);
  return result;
}

Dual operator+(const Dual &a, const Dual &b) { return chain(a.value + b.value, a, 1, b, 1); }
Dual operator-(const Dual &a, const Dual &b) { return chain(a.value - b.value, a, 1, b, -1); }
Dual operator*(const Dual &a, const Dual &b) {
  return chain(a.value * b.value, a, b.value, b, a.value);
}
Dual operator/(const Dual &a, const Dual &b) {
  return chain(a.value / b.value, a, 1 / b.value, b, -a.value / (b.value * b.value));
}
Dual arcTangent(const Dual &a) {
  return chain(std::atan(a.value), a, 1 / (1 + a.value * a.value), a, 0);
}
// Of equals, each moves the result half of the time.
Dual minimum(const Dual &a, const Dual &b) {
  double part = a.value == b.value ? 0.5 : a.value < b.value;
  return chain(std::fmin(a.value, b.value), a, part, b, 1 - part);
}
Dual maximum(const Dual &a, const Dual &b) { return 0 - minimum(0 - a, 0 - b); }

struct Ciou {
  Dual iou, v, alpha, loss;
};

using Box = std::array<Dual, 4>; // cx, cy, w, h

Ciou ciou(const Box &p, const Box &t) {
  constexpr double e = 1e-7;
  Dual half = 0.5;
  Dual left1 = p[0] - half * p[2], right1 = p[0] + half * p[2];
  Dual top1 = p[1] - half * p[3], bottom1 = p[1] + half * p[3];
  Dual left2 = t[0] - half * t[2], right2 = t[0] + half * t[2];
  Dual top2 = t[1] - half * t[3], bottom2 = t[1] + half * t[3];
  Dual inter = maximum(0, minimum(right1, right2) - maximum(left1, left2)) *
               maximum(0, minimum(bottom1, bottom2) - maximum(top1, top2));
  Dual iou = inter / (p[2] * p[3] + t[2] * t[3] - inter + e);
  Dual d2 = (p[0] - t[0]) * (p[0] - t[0]) + (p[1] - t[1]) * (p[1] - t[1]);
  Dual width = maximum(right1, right2) - minimum(left1, left2);
  Dual height = maximum(bottom1, bottom2) - minimum(top1, top2);
  Dual c2 = width * width + height * height;
  Dual angle = arcTangent(t[2] / (t[3] + e)) - arcTangent(p[2] / (p[3] + e));
  Dual v = Dual(4 / (M_PI * M_PI)) * angle * angle;
  Dual alpha = v / (1 - iou + v + e);
  return {iou, v, alpha, 1 - iou + d2 / (c2 + e) + alpha * v};
}

Ciou ciouOf(const ReferenceCall &call, int64_t n, int64_t count) {
  Box pred = {0, 0, 0, 0}, target = {0, 0, 0, 0};
  for (int i = 0; i < 4; ++i) {
    pred[i] = Dual::variable(call.operand("pred").real(i * count + n), i);
    target[i] = call.operand("target").real(i * count + n);
  }
  return ciou(pred, target);
}

} // namespace

// pred, target [4, N] as (cx, cy, w, h) -> loss [N], and for the backward iou, v, alpha [N]
void teeny::referenceCiouLoss(ReferenceCall &call) {
  int64_t count = call.operand("pred").shape()[1];
  for (int64_t n = 0; n < count; ++n) {
    Ciou result = ciouOf(call, n, count);
    call.result("loss").setReal(n, result.loss.value);
    call.result("iou").setReal(n, result.iou.value);
    call.result("v").setReal(n, result.v.value);
    call.result("alpha").setReal(n, result.alpha.value);
  }
}

// d_pred [4, N], by derivatives carried along with the values.
void teeny::referenceCiouLossBackward(ReferenceCall &call) {
  int64_t count = call.operand("pred").shape()[1];
  for (int64_t n = 0; n < count; ++n) {
    Ciou result = ciouOf(call, n, count);
    for (int i = 0; i < 4; ++i)
      call.result("d_pred").setReal(i * count + n,
                                    call.operand("d_loss").real(n) * result.loss.by[i]);
  }
}

// x, t [C, N] -> loss [N] = sum over C of -t log(sigmoid(x)) - (1 - t) log(1 - sigmoid(x))
void teeny::referenceBceClsLoss(ReferenceCall &call) {
  const HostTensor &x = call.operand("x"), &t = call.operand("t");
  int64_t classes = x.shape()[0], count = x.shape()[1];
  for (int64_t n = 0; n < count; ++n) {
    double loss = 0;
    for (int64_t c = 0; c < classes; ++c) {
      double logit = x.real(c * count + n), wanted = t.real(c * count + n);
      double softplus = logit > 0 ? logit + std::log1p(std::exp(-logit)) // log(1 + exp(x))
                                  : std::log1p(std::exp(logit));
      loss += softplus - logit * wanted;
    }
    call.result("loss").setReal(n, loss);
  }
}

void teeny::referenceBceClsLossBackward(ReferenceCall &call) {
  const HostTensor &x = call.operand("x"), &t = call.operand("t");
  int64_t count = x.shape()[1];
  for (int64_t i = 0; i < x.elements(); ++i)
    call.result("d_x").setReal(i, call.operand("d_loss").real(i % count) *
                                      (1 / (1 + std::exp(-x.real(i))) - t.real(i)));
}

// logits [M, N], labels [M] -> loss [M] = lse - logits[label], lse [M] the log-sum-exp of the row;
// 0 where the label is `ignore`, NaN where it is no column.
void teeny::referenceCrossEntropy(ReferenceCall &call) {
  const HostTensor &logits = call.operand("logits"), &labels = call.operand("labels");
  int64_t rows = logits.shape()[0], columns = logits.shape()[1];
  for (int64_t r = 0; r < rows; ++r) {
    double peak = -INFINITY, total = 0;
    for (int64_t c = 0; c < columns; ++c)
      peak = std::max(peak, logits.real(r * columns + c));
    for (int64_t c = 0; c < columns; ++c)
      total += std::exp(logits.real(r * columns + c) - peak);
    double lse = peak + std::log(total);
    int64_t label = labels.integer(r);
    double loss = label < 0 || label >= columns ? NAN : lse - logits.real(r * columns + label);
    call.result("loss").setReal(r, label == call.attr<int64_t>("ignore") ? 0 : loss);
    call.result("lse").setReal(r, lse);
  }
}

// d_logits [M, N]: the softmax of the row, less 1 at the label, times d_loss.
void teeny::referenceCrossEntropyBackward(ReferenceCall &call) {
  const HostTensor &logits = call.operand("logits"), &labels = call.operand("labels");
  int64_t rows = logits.shape()[0], columns = logits.shape()[1];
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      int64_t label = labels.integer(r), at = r * columns + c;
      double share = std::exp(logits.real(at) - call.operand("lse").real(r)) - (c == label);
      double value = label < 0 || label >= columns ? NAN : share * call.operand("d_loss").real(r);
      call.result("d_logits").setReal(at, label == call.attr<int64_t>("ignore") ? 0 : value);
    }
}
