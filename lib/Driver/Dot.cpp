#include "Driver/Dot.h"

#include "Graph/IR/Graph.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

namespace {

class DotWriter {
public:
  std::string write(GraphOp graph) {
    os << "digraph " << quoted(graph.getName()) << " {\n"
       << "  node [shape=box, fontname=\"sans-serif\"];\n"
       << "  edge [fontname=\"sans-serif\", fontsize=10];\n";
    for (Operation &op : graph.getBlock())
      add(&op);
    os << "}\n";
    return std::move(text);
  }

private:
  // A string of the language; its escapes begin with a backslash.
  static std::string quoted(StringRef value) {
    std::string result = "\"";
    for (char c : value) {
      if (c == '"' || c == '\\')
        result += '\\';
      result += uint8_t(c) < ' ' || c == '\x7f' ? '?' : c;
    }
    return result + "\"";
  }
  // Two lines, the second of our own making.
  static std::string label(StringRef first, const std::string &second) {
    std::string result = quoted(first);
    if (first == second || second.empty())
      return result;
    result.pop_back();
    return result + "\\n" + quoted(second).substr(1);
  }
  static std::string typeOf(Value value) {
    if (auto type = dyn_cast<GraphTensorType>(value.getType()))
      return typeText(type);
    return isa<UnknownType>(value.getType()) ? "?" : dtypeName(value.getType());
  }

  std::string node(const std::string &label, StringRef more = "") {
    std::string id = "n" + std::to_string(count++);
    os << indent << id << " [label=" << label << more << "];\n";
    return id;
  }
  void edge(Value from, const std::string &to) {
    auto source = sources.find(from);
    if (source != sources.end())
      os << indent << source->second << " -> " << to << " [label=" << quoted(typeOf(from))
         << "];\n";
  }

  void add(Operation *op);
  void addPoints(Block &block, ValueRange tensors, const std::string *kernel);
  std::string kindOf(Operation *op);

  std::string text;
  llvm::raw_string_ostream os{text};
  std::string indent = "  ";
  unsigned count = 0;
  llvm::DenseMap<Value, std::string> sources; // the point that a value comes from
};

} // namespace

std::string DotWriter::kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](CallOp call) { return call.getCallee().str(); })
      .Case([](NodeOp node) { return node.getKind().str(); })
      .Case([](MapOp map) {
        auto functions = map.getBlock().getOps<ApplyOp>();
        return functions.empty() ? "map" : (*functions.begin()).getFunction().str();
      })
      .Case([](LaunchOp launch) {
        llvm::SetVector<StringRef> kernels;
        for (auto variant : launch.getVariants().getAsRange<VariantAttr>())
          kernels.insert(variant.getKernel().getValue());
        return llvm::join(kernels, ", ");
      })
      .Default([](Operation *op) { return op->getName().stripDialect().str(); });
}

// What a block does at each point. Its first argument is what `kernel` makes, if that is given;
// the others are elements of `tensors`.
void DotWriter::addPoints(Block &block, ValueRange tensors, const std::string *kernel) {
  const unsigned skipped = kernel ? 1 : 0;
  if (kernel)
    sources[block.getArgument(0)] = *kernel;
  auto connect = [&](Value operand, const std::string &to) {
    auto argument = dyn_cast<BlockArgument>(operand);
    if (argument && argument.getArgNumber() >= skipped)
      edge(tensors[argument.getArgNumber() - skipped], to);
    else
      edge(operand, to);
  };
  for (Operation &op : block) {
    if (auto literal = dyn_cast<LiteralOp>(op)) {
      std::string value;
      llvm::raw_string_ostream(value) << literal.getValue();
      sources[literal.getResult()] = node(quoted(value), ", shape=plain");
    } else if (auto apply = dyn_cast<ApplyOp>(op)) {
      std::string id = node(quoted(apply.getFunction()));
      for (Value operand : apply.getOperands())
        connect(operand, id);
      sources[apply.getResult()] = id;
    }
  }
}

void DotWriter::add(Operation *op) {
  if (isa<RequireOp>(op))
    return;
  if (auto output = dyn_cast<OutputOp>(op)) {
    for (auto [value, name] :
         llvm::zip_equal(output.getOperands(), output.getNames().getAsRange<StringAttr>()))
      edge(value, node(label(name.getValue(), "output"), ", shape=ellipse"));
    return;
  }
  StringRef name = op->getAttrOfType<StringAttr>("name");
  Block *points = nullptr;
  if (auto call = dyn_cast<CallOp>(op); call && !call.getEpilogue().empty())
    points = &call.getEpilogue().front();
  constexpr size_t oneFunction = 2; // and the yield
  if (auto map = dyn_cast<MapOp>(op); map && map.getBlock().getOperations().size() > oneFunction)
    points = &map.getBlock();
  if (!points) {
    StringRef shape = isa<InputOp>(op)               ? ", shape=ellipse"
                      : isa<ParamOp, ConstantOp>(op) ? ", shape=note"
                                                     : "";
    std::string id = node(label(name, kindOf(op)), shape);
    for (Value operand : op->getOperands())
      edge(operand, id);
    for (Value result : op->getResults())
      sources[result] = id;
    return;
  }

  os << indent << "subgraph cluster_" << count << " {\n";
  indent += "  ";
  os << indent << "label=" << quoted(name) << ";\n";
  Value yielded = cast<YieldOp>(points->getTerminator()).getValue();
  if (auto call = dyn_cast<CallOp>(op)) {
    std::string kernel = node(quoted(call.getCallee()));
    for (Value operand : call.getTensors())
      edge(operand, kernel);
    addPoints(*points, call.getExtras(), &kernel);
    for (Value result : call.getResults())
      sources[result] = kernel;
  } else {
    addPoints(*points, op->getOperands(), nullptr);
  }
  if (auto source = sources.find(yielded); source != sources.end())
    sources[op->getResult(0)] = std::string(source->second);
  indent.resize(indent.size() - 2);
  os << indent << "}\n";
}

std::string teeny::dotOf(ModuleOp module) {
  auto graphs = module.getOps<GraphOp>();
  return graphs.empty() ? "" : DotWriter().write(*graphs.begin());
}
