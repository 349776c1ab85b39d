// Slow references: what each shipped op means, in the plainest C++ there is. They share no code
// with kernels; tests hold kernels against them.
//
// A reference computes in double from the exact values of its operands and rounds once, when it
// stores a result.
#pragma once

#include "Base/Result.h"
#include "Graph/Reference/HostTensor.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace teeny {

using ReferenceAttr = std::variant<int64_t, double, bool, std::string, DType>;

// One application of an op. Shapes and types are those of the op's declaration, which whoever makes
// the call has checked.
struct ReferenceCall {
  std::map<std::string, const HostTensor *> operands; // by the declaration's names
  std::map<std::string, ReferenceAttr> attrs;
  std::map<std::string, HostTensor> results; // in: zeros of the right type and shape

  const HostTensor &operand(const std::string &name) const;
  HostTensor &result(const std::string &name);
  template <typename T> const T &attr(const std::string &name) const {
    return std::get<T>(attrs.at(name));
  }
};

using ReferenceOp = void (*)(ReferenceCall &call);

// Null where an op has none.
ReferenceOp findReference(std::string_view op);
// Names of all ops that have one, sorted.
std::vector<std::string> referenceNames();

// The references, by family.
void referenceFlash2(ReferenceCall &call); // Attention.cpp
void referenceFlash2Dq(ReferenceCall &call);
void referenceFlash2Dkv(ReferenceCall &call);
void referenceAdd(ReferenceCall &call); // Basic.cpp
void referenceColumnSum(ReferenceCall &call);
void referenceArgmax(ReferenceCall &call);
void referenceCumsum(ReferenceCall &call);
void referenceSoftmax(ReferenceCall &call); // Norms.cpp
void referenceLayerNorm(ReferenceCall &call);
void referenceRmsNorm(ReferenceCall &call);
void referenceSoftmaxBackward(ReferenceCall &call); // NormGradients.cpp
void referenceLayerNormBackward(ReferenceCall &call);
void referenceRmsNormBackward(ReferenceCall &call);
void referenceMatmul(ReferenceCall &call); // Matmul.cpp
void referenceBatchedMatmul(ReferenceCall &call);
void referenceGroupedMatmul(ReferenceCall &call);
void referenceConv2d(ReferenceCall &call); // Windows.cpp
void referencePool2d(ReferenceCall &call);
void referenceReduce(ReferenceCall &call); // Reduce.cpp
void referenceArgReduce(ReferenceCall &call);
void referenceDetectDecode(ReferenceCall &call); // Yolo.cpp
void referenceDetectDecodeBackward(ReferenceCall &call);
void referenceCiouLoss(ReferenceCall &call); // Losses.cpp
void referenceCiouLossBackward(ReferenceCall &call);
void referenceBceClsLoss(ReferenceCall &call);
void referenceBceClsLossBackward(ReferenceCall &call);
void referenceCrossEntropy(ReferenceCall &call);
void referenceCrossEntropyBackward(ReferenceCall &call);
void referencePackQkv(ReferenceCall &call); // Psa.cpp
void referencePackQkvBackward(ReferenceCall &call);
void referenceExtractV(ReferenceCall &call);
void referenceExtractVBackward(ReferenceCall &call);
void referenceMergeAttn(ReferenceCall &call);
void referenceMergeAttnBackward(ReferenceCall &call);
void referenceSwiglu(ReferenceCall &call); // Transformer.cpp
void referenceSwigluBackward(ReferenceCall &call);
void referenceEmbedding(ReferenceCall &call);
void referenceEmbeddingBackward(ReferenceCall &call);
void referenceRope(ReferenceCall &call);
void referenceRopeBackward(ReferenceCall &call);
void referenceDropout(ReferenceCall &call);
void referenceDropoutBackward(ReferenceCall &call);
void referenceTopK(ReferenceCall &call); // TopK.cpp

} // namespace teeny
