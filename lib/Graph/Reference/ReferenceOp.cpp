#include "Graph/Reference/ReferenceOp.h"

#include <algorithm>
#include <cassert>

using namespace teeny;

static constexpr struct {
  std::string_view name;
  ReferenceOp function;
} references[] = {
    {"attn.flash2", referenceFlash2},
    {"attn.flash2_dkv", referenceFlash2Dkv},
    {"attn.flash2_dq", referenceFlash2Dq},
    {"basic.add", referenceAdd},
    {"basic.argmax", referenceArgmax},
    {"basic.column_sum", referenceColumnSum},
    {"basic.cumsum", referenceCumsum},
    {"core.arg_reduce", referenceArgReduce},
    {"core.conv2d", referenceConv2d},
    {"core.matmul", referenceBatchedMatmul},
    {"core.pool2d", referencePool2d},
    {"core.reduce", referenceReduce},
    {"linear.grouped_matmul", referenceGroupedMatmul},
    {"linear.matmul", referenceMatmul},
    {"linear.matmul_split_k", referenceMatmul},
    {"nn.cross_entropy", referenceCrossEntropy},
    {"nn.cross_entropy_backward", referenceCrossEntropyBackward},
    {"nn.dropout", referenceDropout},
    {"nn.dropout_backward", referenceDropoutBackward},
    {"nn.embedding", referenceEmbedding},
    {"nn.embedding_backward", referenceEmbeddingBackward},
    {"nn.layer_norm", referenceLayerNorm},
    {"nn.layer_norm_backward", referenceLayerNormBackward},
    {"nn.rms_norm", referenceRmsNorm},
    {"nn.rms_norm_backward", referenceRmsNormBackward},
    {"nn.rope", referenceRope},
    {"nn.rope_backward", referenceRopeBackward},
    {"nn.softmax", referenceSoftmax},
    {"nn.softmax_backward", referenceSoftmaxBackward},
    {"nn.swiglu", referenceSwiglu},
    {"nn.swiglu_backward", referenceSwigluBackward},
    {"nn.topk", referenceTopK},
    {"psa.extract_v", referenceExtractV},
    {"psa.extract_v_backward", referenceExtractVBackward},
    {"psa.merge_attn", referenceMergeAttn},
    {"psa.merge_attn_backward", referenceMergeAttnBackward},
    {"psa.pack_qkv", referencePackQkv},
    {"psa.pack_qkv_backward", referencePackQkvBackward},
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
