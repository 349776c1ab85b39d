#include "Graph/IR/NodeKinds.h"

#include "llvm/ADT/STLExtras.h"

#include <charconv>
#include <cmath>

using namespace teeny::graph;

using A = NodeAttribute;

bool NodeKind::isVariadic() const {
  return !inputs.empty() && llvm::StringRef(inputs.back()).ends_with("...");
}

// As JSON, which has no infinity.
static std::string numberText(double value) {
  if (std::isinf(value))
    return value < 0 ? "-infinity" : "infinity";
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

static constexpr auto floats = PointwiseFunction::floats;

static std::vector<NodeKind> windowKinds() {
  const A stride = {"stride", A::list, false, "1"}, padding = {"padding", A::list, false, "0"},
          dilation = {"dilation", A::list, false, "1"}, kernel = {"kernel", A::list, true};
  const std::vector<A> conv = {stride, padding, dilation, {"groups", A::integer, false, "1"}};
  const A ceil = {"ceil", A::boolean, false, "false"};
  const A poolStride = {"stride", A::list, false, "that of the kernel"};
  const std::string windows =
      ", where a dim of N elements gives (N + before + after - dilation*(K - 1) - 1)//stride + 1";
  return {
      {"conv1d",
       "Convolution",
       {"x"},
       false,
       {"weight", "bias?"},
       conv,
       {"core.conv2d"},
       floats,
       "x [B, C, N], weight [O, C//groups, K], bias [O] -> [B, O, N']" + windows},
      {"conv2d",
       "Convolution",
       {"x"},
       false,
       {"weight", "bias?"},
       conv,
       {"core.conv2d"},
       floats,
       "x [B, C, H, W], weight [O, C//groups, KH, KW], bias [O] -> [B, O, H', W']" + windows},
      {"max_pool2d",
       "Largest element of each window",
       {"x"},
       false,
       {},
       {kernel, poolStride, padding, dilation, ceil},
       {"core.pool2d"},
       floats,
       "x [B, C, H, W] -> [B, C, H', W']" + windows},
      {"avg_pool2d",
       "Average of each window",
       {"x"},
       false,
       {},
       {kernel, poolStride, padding, {"count_pad", A::boolean, false, "false"}, ceil},
       {"core.pool2d"},
       floats,
       "x [B, C, H, W] -> [B, C, H', W']" + windows},
      {"global_avg_pool2d",
       "Average over the last two dims, which become 1",
       {"x"},
       false,
       {},
       {},
       {"core.reduce"},
       floats,
       "x [B, C, H, W] -> [B, C, 1, 1]"},
  };
}

static std::vector<NodeKind> viewKinds() {
  return {
      {"reshape",
       "The same elements under another shape; one size may be -1",
       {"x"},
       false,
       {},
       {{"shape", A::sizes, true}},
       {},
       PointwiseFunction::anything,
       "x [...] -> shape"},
      {"flatten",
       "Dims from `start` to `end` as one",
       {"x"},
       false,
       {},
       {{"start", A::integer, false, "0"}, {"end", A::integer, false, "-1"}},
       {},
       PointwiseFunction::anything,
       "x [..., M, N, ...] -> [..., M*N, ...]"},
      {"squeeze",
       "Without the dims of size 1 at `axes`",
       {"x"},
       false,
       {},
       {{"axes", A::list, true}},
       {},
       PointwiseFunction::anything,
       "x [..., 1, ...] -> [...]"},
      {"unsqueeze",
       "With dims of size 1 at `axes` of the result",
       {"x"},
       false,
       {},
       {{"axes", A::list, true}},
       {},
       PointwiseFunction::anything,
       "x [...] -> [..., 1, ...]"},
      {"transpose",
       "The dims in another order",
       {"x"},
       false,
       {},
       {{"permutation", A::list, true}},
       {},
       PointwiseFunction::anything,
       "dim i of the result is dim permutation[i] of x"},
      {"expand",
       "Dims of size 1 repeated; -1 keeps a size",
       {"x"},
       false,
       {},
       {{"shape", A::sizes, true}},
       {},
       PointwiseFunction::anything,
       "x [..., 1, ...] -> shape"},
      {"slice",
       "Elements from `start` to before `end` along `axis`",
       {"x"},
       false,
       {},
       {{"axis", A::integer, true},
        {"start", A::sizes, false, "the first, or the last if step < 0"},
        {"end", A::sizes, false, "behind the last, or before the first if step < 0"},
        {"step", A::integer, false, "1"}},
       {},
       PointwiseFunction::anything,
       "x [..., N, ...] -> [..., cdiv(end - start, step), ...]"},
      {"pad",
       "A border around x",
       {"x"},
       false,
       {},
       {{"low", A::list, true},
        {"high", A::list, true},
        {"mode", A::text, false, "\"constant\"", {"constant", "reflect", "replicate", "circular"}},
        {"value", A::value, false, "0"}},
       {},
       PointwiseFunction::anything,
       "dim i of the result is low[i] + that of x + high[i]"},
      {"concat",
       "Operands one after the other along `axis`",
       {"x..."},
       false,
       {},
       {{"axis", A::integer, true}},
       {},
       PointwiseFunction::anything,
       "[..., M, ...], [..., N, ...] -> [..., M + N, ...]"},
  };
}

static std::vector<NodeKind> allKinds() {
  const A axes = {"axes", A::list, false, "all"},
          keepdims = {"keepdims", A::boolean, false, "false"},
          eps = {"eps", A::real, false, "1e-05"};
  std::vector<NodeKind> kinds = {
      // Products and norms.
      {"matmul",
       "Products of matrices, batches broadcast",
       {"a", "b"},
       false,
       {},
       {{"transpose_a", A::boolean, false, "false"}, {"transpose_b", A::boolean, false, "false"}},
       {"core.matmul"},
       PointwiseFunction::numbers,
       "a [..., M, K], b [..., K, N] -> [..., M, N]; a transposed operand has its last dims "
       "swapped"},
      {"linear",
       "x times the transpose of weight, plus bias",
       {"x"},
       false,
       {"weight", "bias?"},
       {},
       {"core.matmul"},
       floats,
       "x [..., K], weight [N, K], bias [N] -> [..., N]"},
      {"batch_norm",
       "(x - mean) / sqrt(variance + eps) * weight + bias for each channel, dim 1",
       {"x"},
       false,
       {"mean", "variance", "weight?", "bias?"},
       {eps},
       {},
       floats,
       "x [B, C, ...], mean, variance, weight, bias [C] -> that of x"},
      {"softmax",
       "exp(x) / sum of exp(x) along `axis`",
       {"x"},
       false,
       {},
       {{"axis", A::integer, false, "-1"}},
       {"nn.softmax"},
       floats,
       "that of x"},
      {"layer_norm",
       "Normalised over the dims of weight, the last ones",
       {"x"},
       false,
       {"weight", "bias"},
       {eps},
       {"nn.layer_norm"},
       floats,
       "x [..., N], weight [N], bias [N] -> that of x"},
      {"rms_norm",
       "Divided by the root of the mean of squares over the dims of weight, the last ones",
       {"x"},
       false,
       {"weight"},
       {eps},
       {"nn.rms_norm"},
       floats,
       "x [..., N], weight [N] -> that of x"},
  };
  for (NodeKind &kind : windowKinds())
    kinds.push_back(std::move(kind));
  for (NodeKind &kind : viewKinds())
    kinds.push_back(std::move(kind));
  const std::string reduced = "x [..., N, ...] -> [..., ...], or [..., 1, ...] with keepdims";
  for (const char *name : {"sum", "mean", "max", "min", "prod"})
    kinds.push_back({name,
                     std::string("The ") + name + " over `axes`, all by default",
                     {"x"},
                     false,
                     {},
                     {axes, keepdims},
                     {"core.reduce"},
                     name == std::string("mean") ? floats : PointwiseFunction::numbers,
                     reduced});
  for (const char *name : {"argmax", "argmin"})
    kinds.push_back({name,
                     "Index of the extreme element along `axis`, as i64",
                     {"x"},
                     false,
                     {},
                     {{"axis", A::integer, true}, keepdims},
                     {"core.arg_reduce"},
                     PointwiseFunction::numbers,
                     reduced});

  static const char *const roles[] = {"x", "y", "z"};
  for (const PointwiseFunction &function : pointwiseFunctions()) {
    NodeKind kind;
    kind.name = function.name.str();
    kind.doc = function.formula.str();
    kind.domain = function.domain;
    kind.shapes = function.operands == 1 ? "that of x" : "that of all operands, broadcast";
    for (unsigned i = 0; i < function.operands; ++i)
      kind.inputs.push_back(roles[i]);
    if (kind.name == "where")
      kind.inputs[0] = "condition";
    kind.takesNumbers = function.operands > 1;
    for (const PointwiseFunction::Parameter &parameter : function.parameters)
      kind.attributes.push_back(
          {parameter.name.str(), A::value, false, numberText(parameter.defaultValue)});
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
