#include "Graph/IR/NodeKinds.h"

#include "Graph/IR/Pointwise.h"

#include "llvm/ADT/STLExtras.h"

using namespace teeny::graph;

using A = NodeAttribute;

bool NodeKind::isVariadic() const {
  return !inputs.empty() && llvm::StringRef(inputs.back()).ends_with("...");
}

static std::vector<NodeKind> windowKinds() {
  const std::vector<A> conv = {
      {"stride", A::list}, {"padding", A::list}, {"dilation", A::list}, {"groups", A::integer}};
  std::vector<A> pool = {{"kernel", A::list, true},
                         {"stride", A::list},
                         {"padding", A::list},
                         {"dilation", A::list},
                         {"ceil", A::boolean}};
  std::vector<A> average = {{"kernel", A::list, true},
                            {"stride", A::list},
                            {"padding", A::list},
                            {"count_pad", A::boolean},
                            {"ceil", A::boolean}};
  return {
      {"conv1d",
       "Convolution of x [B, C, L] with weight [O, C / groups, K]",
       {"x"},
       false,
       {"weight", "bias?"},
       conv,
       {"core.conv2d"}},
      {"conv2d",
       "Convolution of x [B, C, H, W] with weight [O, C / groups, KH, KW]",
       {"x"},
       false,
       {"weight", "bias?"},
       conv,
       {"core.conv2d"}},
      {"max_pool2d", "Largest element of each window", {"x"}, false, {}, pool, {"core.pool2d"}},
      {"avg_pool2d", "Average of each window", {"x"}, false, {}, average, {"core.pool2d"}},
      {"global_avg_pool2d",
       "Average over the last two dims, which become 1",
       {"x"},
       false,
       {},
       {},
       {"core.reduce"}},
  };
}

static std::vector<NodeKind> allKinds() {
  const A axes = {"axes", A::list}, keepdims = {"keepdims", A::boolean},
          axis = {"axis", A::integer};
  const A eps = {"eps", A::real};
  std::vector<NodeKind> kinds = {
      // Views and data movement.
      {"reshape",
       "The same elements under another shape; one size may be -1",
       {"x"},
       false,
       {},
       {{"shape", A::sizes, true}},
       {}},
      {"flatten",
       "Dims from `start` to `end` as one",
       {"x"},
       false,
       {},
       {{"start", A::integer}, {"end", A::integer}},
       {}},
      {"squeeze",
       "Without the dims of size 1 at `axes`",
       {"x"},
       false,
       {},
       {{"axes", A::list, true}},
       {}},
      {"unsqueeze",
       "With dims of size 1 at `axes` of the result",
       {"x"},
       false,
       {},
       {{"axes", A::list, true}},
       {}},
      {"transpose",
       "The dims in another order",
       {"x"},
       false,
       {},
       {{"permutation", A::list, true}},
       {}},
      {"expand",
       "Dims of size 1 repeated; -1 keeps a size",
       {"x"},
       false,
       {},
       {{"shape", A::sizes, true}},
       {}},
      {"slice",
       "Elements from `start` to before `end` along `axis`",
       {"x"},
       false,
       {},
       {{"axis", A::integer, true}, {"start", A::sizes}, {"end", A::sizes}, {"step", A::integer}},
       {}},
      {"pad",
       "A border around x",
       {"x"},
       false,
       {},
       {{"low", A::list, true},
        {"high", A::list, true},
        {"mode", A::text, false, {"constant", "reflect", "replicate", "circular"}},
        {"value", A::value}},
       {}},
      {"concat",
       "Operands one after the other along `axis`",
       {"x..."},
       false,
       {},
       {{"axis", A::integer, true}},
       {}},
      // Products and norms.
      {"matmul",
       "Products of matrices, batches broadcast",
       {"a", "b"},
       false,
       {},
       {{"transpose_a", A::boolean}, {"transpose_b", A::boolean}},
       {"core.matmul"}},
      {"linear",
       "x [..., K] times the transpose of weight [N, K], plus bias [N]",
       {"x"},
       false,
       {"weight", "bias?"},
       {},
       {"core.matmul"}},
      {"batch_norm",
       "(x - mean) / sqrt(variance + eps) * weight + bias for each channel, dim 1",
       {"x"},
       false,
       {"mean", "variance", "weight?", "bias?"},
       {eps},
       {}},
      {"softmax", "exp(x) / sum of exp(x) along `axis`", {"x"}, false, {}, {axis}, {"nn.softmax"}},
      {"layer_norm",
       "Normalised over the dims of weight, the last ones",
       {"x"},
       false,
       {"weight", "bias"},
       {eps},
       {"nn.layer_norm"}},
      {"rms_norm",
       "Divided by the root of the mean of squares over the dims of weight, the last ones",
       {"x"},
       false,
       {"weight"},
       {eps},
       {"nn.rms_norm"}},
  };
  for (NodeKind &kind : windowKinds())
    kinds.push_back(std::move(kind));
  for (const char *name : {"sum", "mean", "max", "min", "prod"})
    kinds.push_back({name,
                     std::string("The ") + name + " over `axes`, all by default",
                     {"x"},
                     false,
                     {},
                     {axes, keepdims},
                     {"core.reduce"}});
  for (const char *name : {"argmax", "argmin"})
    kinds.push_back({name,
                     "Index of the extreme element along `axis`",
                     {"x"},
                     false,
                     {},
                     {{"axis", A::integer, true}, keepdims},
                     {"core.arg_reduce"}});

  static const char *const roles[] = {"x", "y", "z"};
  for (const PointwiseFunction &function : pointwiseFunctions()) {
    NodeKind kind;
    kind.name = function.name.str();
    kind.doc = "At each point; operands are broadcast";
    for (unsigned i = 0; i < function.operands; ++i)
      kind.inputs.push_back(roles[i]);
    if (kind.name == "where")
      kind.inputs[0] = "condition";
    kind.takesNumbers = function.operands > 1;
    for (const PointwiseFunction::Parameter &parameter : function.parameters)
      kind.attributes.push_back({parameter.name.str(), A::value});
    if (kind.name == "cast")
      kind.attributes.push_back({"to", A::dtype, true});
    kinds.push_back(std::move(kind));
  }
  llvm::sort(kinds, [](const NodeKind &a, const NodeKind &b) { return a.name < b.name; });
  return kinds;
}

const std::vector<NodeKind> &teeny::graph::nodeKinds() {
  static const std::vector<NodeKind> kinds = allKinds();
  return kinds;
}

const NodeKind *teeny::graph::findNodeKind(llvm::StringRef name) {
  const std::vector<NodeKind> &kinds = nodeKinds();
  auto found = llvm::lower_bound(
      kinds, name, [](const NodeKind &kind, llvm::StringRef key) { return kind.name < key; });
  return found != kinds.end() && found->name == name ? &*found : nullptr;
}
