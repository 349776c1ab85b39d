// References of the changes of layout around position-sensitive attention, and of their gradients.
#include "Graph/Reference/ReferenceOp.h"

using namespace teeny;

namespace {

// An image [B, heads*parts*K, H, W], whose channels are `parts` blocks of K for each head.
struct Image {
  Image(const HostTensor &tensor, int64_t heads, int64_t parts)
      : batch(tensor.shape()[0]), heads(heads), parts(parts),
        depth(tensor.shape()[1] / (heads * parts)), places(tensor.shape()[2] * tensor.shape()[3]) {}
  int64_t at(int64_t b, int64_t head, int64_t part, int64_t k, int64_t n) const {
    return ((b * heads + head) * parts * depth + part * depth + k) * places + n;
  }
  template <typename F> void each(F visit) const {
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t head = 0; head < heads; ++head)
        for (int64_t part = 0; part < parts; ++part)
          for (int64_t k = 0; k < depth; ++k)
            for (int64_t n = 0; n < places; ++n)
              visit(b, head, part, k, n);
  }
  // In a tensor [B*heads, N, K], and in [4, B*heads, N, K].
  int64_t row(int64_t b, int64_t head, int64_t k, int64_t n) const {
    return ((b * heads + head) * places + n) * depth + k;
  }
  int64_t packed(int64_t b, int64_t head, int64_t part, int64_t k, int64_t n) const {
    return part * batch * heads * places * depth + row(b, head, k, n);
  }

  int64_t batch, heads, parts, depth, places;
};

} // namespace

void teeny::referencePackQkv(ReferenceCall &call) {
  const HostTensor &qkv = call.operand("qkv");
  Image image(qkv, call.attr<int64_t>("heads"), 4);
  image.each([&](auto... at) {
    call.result("out").setReal(image.packed(at...), qkv.real(image.at(at...)));
  });
}

void teeny::referencePackQkvBackward(ReferenceCall &call) {
  Image image(call.operand("qkv"), call.attr<int64_t>("heads"), 4);
  image.each([&](auto... at) {
    call.result("d_qkv").setReal(image.at(at...), call.operand("d_out").real(image.packed(at...)));
  });
}

void teeny::referenceExtractV(ReferenceCall &call) {
  int64_t heads = call.attr<int64_t>("heads");
  Image all(call.operand("qkv"), heads, 4), image(call.result("out"), heads, 2);
  image.each([&](auto b, auto head, auto part, auto k, auto n) {
    call.result("out").setReal(image.at(b, head, part, k, n),
                               call.operand("qkv").real(all.at(b, head, 2 + part, k, n)));
  });
}

void teeny::referenceExtractVBackward(ReferenceCall &call) {
  int64_t heads = call.attr<int64_t>("heads");
  Image all(call.result("d_qkv"), heads, 4), image(call.operand("d_out"), heads, 2);
  image.each([&](auto b, auto head, auto part, auto k, auto n) {
    call.result("d_qkv").setReal(all.at(b, head, 2 + part, k, n),
                                 call.operand("d_out").real(image.at(b, head, part, k, n)));
  });
}

void teeny::referenceMergeAttn(ReferenceCall &call) {
  Image image(call.result("out"), call.attr<int64_t>("heads"), 2);
  image.each([&](auto b, auto head, auto part, auto k, auto n) {
    const HostTensor &from = call.operand(part == 0 ? "lo" : "hi");
    call.result("out").setReal(image.at(b, head, part, k, n), from.real(image.row(b, head, k, n)));
  });
}

void teeny::referenceMergeAttnBackward(ReferenceCall &call) {
  const HostTensor &gradient = call.operand("d_out");
  Image image(gradient, call.attr<int64_t>("heads"), 2);
  image.each([&](auto b, auto head, auto part, auto k, auto n) {
    HostTensor &to = call.result(part == 0 ? "d_lo" : "d_hi");
    to.setReal(image.row(b, head, k, n), gradient.real(image.at(b, head, part, k, n)));
  });
}
