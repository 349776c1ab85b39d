#include "Graph/Reference/ReferenceOp.h"

#include <algorithm>
#include <cassert>

using namespace teeny;

static constexpr struct {
  std::string_view name;
  ReferenceOp function;
} references[] = {
    {"attn.flash2", referenceFlash2},
    {"basic.add", referenceAdd},
    {"basic.argmax", referenceArgmax},
    {"basic.column_sum", referenceColumnSum},
    {"basic.cumsum", referenceCumsum},
    {"core.arg_reduce", referenceArgReduce},
    {"core.conv2d", referenceConv2d},
    {"core.matmul", referenceBatchedMatmul},
    {"core.pool2d", referencePool2d},
    {"core.reduce", referenceReduce},
    {"linear.matmul", referenceMatmul},
    {"nn.layer_norm", referenceLayerNorm},
    {"nn.rms_norm", referenceRmsNorm},
    {"nn.softmax", referenceSoftmax},
    {"yolo.bce_cls_loss", referenceBceClsLoss},
    {"yolo.bce_cls_loss_backward", referenceBceClsLossBackward},
    {"yolo.ciou_loss", referenceCiouLoss},
    {"yolo.ciou_loss_backward", referenceCiouLossBackward},
    {"yolo.detect_decode", referenceDetectDecode},
    {"yolo.detect_decode_backward", referenceDetectDecodeBackward},
};

ReferenceOp teeny::findReference(std::string_view op) {
  for (const auto &reference : references)
    if (reference.name == op)
      return reference.function;
  return nullptr;
}

std::vector<std::string> teeny::referenceNames() {
  std::vector<std::string> names;
  for (const auto &reference : references)
    names.emplace_back(reference.name);
  std::sort(names.begin(), names.end());
  return names;
}

const HostTensor &ReferenceCall::operand(const std::string &name) const {
  auto found = operands.find(name);
  assert(found != operands.end() && "the declaration has no such operand");
  return *found->second;
}

HostTensor &ReferenceCall::result(const std::string &name) {
  auto found = results.find(name);
  assert(found != results.end() && "the declaration has no such output");
  return found->second;
}
