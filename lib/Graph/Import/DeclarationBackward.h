// The ops that compute a declared op's gradients, and whether they can.
//
//   "backward": {"op": "yolo.ciou_loss_backward", "saves": ["iou", "v", "alpha"]}
//
// names a declaration; a list of such objects names several, which share the gradients. Its tensors
// are bound by name to those of the forward op: an input or param takes the one of its name, or the
// output that `saves` lists, or is `d_out`, the gradient of output `out`; its outputs are `d_x`,
// the gradients of inputs and params, each made once. Shapes must be the same text over the same
// names; types too, but that a gradient may be summed in f32. An attribute of both has one type;
// one that the forward op lacks has a default.
#pragma once

#include "Graph/IR/Graph.h"
#include "Graph/Import/FormatReader.h"

namespace teeny {

struct DeclaredBackward {
  std::string op;
  SourceLocation at; // of the name
  std::vector<std::pair<std::string, SourceLocation>> saves;
};

// Reads the value of "backward", which may be absent.
std::vector<DeclaredBackward> readBackward(const JsonField &field, Diagnostics &diagnostics);

// Reports each reason why `backward` cannot be what `forward` says it is. `made` has the gradients
// of ops before it in the list, and gets its own.
void checkBackward(graph::OpOp forward, graph::OpOp backward, const DeclaredBackward &declared,
                   std::vector<std::string> &made, Sources &sources, Diagnostics &diagnostics);

} // namespace teeny
