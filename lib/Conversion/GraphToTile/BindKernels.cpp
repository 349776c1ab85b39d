// From calls to launches. KernelVariants.h makes the functions that they run.
#include "Conversion/GraphToTile/GraphToTile.h"

#include "Conversion/GraphToTile/CallNames.h"
#include "Conversion/GraphToTile/GridLimits.h"
#include "Conversion/GraphToTile/KernelVariants.h"
#include "Graph/IR/Graph.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <deque>

using namespace mlir;
using namespace teeny;

Value teeny::memoryBehind(Value value) {
  while (true) {
    if (auto reshape = value.getDefiningOp<graph::ReshapeOp>()) {
      value = reshape.getOperand();
      continue;
    }
    auto launch = value.getDefiningOp<graph::LaunchOp>();
    if (!launch)
      break;
    std::optional<ArrayRef<int64_t>> aliases = launch.getAliases();
    int64_t operand = aliases ? (*aliases)[cast<OpResult>(value).getResultNumber()] : int64_t(-1);
    if (operand < 0)
      break;
    value = launch.getOperand(operand);
  }
  return value;
}

namespace {

// An implementation of a declaration that a call may use, and when.
struct Choice {
  Expr guard;
  SmallVector<graph::KernelOp> kernels;
};

// A kernel variant with the grid that it runs on.
struct LaunchVariant {
  KernelVariant kernel;
  std::array<Expr, 3> grid;
};

class CallBinder {
public:
  CallBinder(graph::CallOp call, KernelVariants &variants, llvm::StringSet<> &launchNames,
             Sources &sources, Diagnostics &diagnostics)
      : call(call), declaration(call.declaration()), names(call), variants(variants),
        launchNames(launchNames), sources(sources), diagnostics(diagnostics), builder(call) {}

  bool run();

private:
  std::optional<std::vector<Choice>> choose();
  bool takeOverMemory();
  std::optional<std::vector<LaunchVariant>> bindLaunch(ArrayRef<Choice> choices, size_t index);
  bool emitLaunch(ArrayRef<LaunchVariant> variants, const std::string &name, Location location);
  Value memoryOf(StringRef tensor) const;
  bool fail(Operation *at, const std::string &message) {
    diagnostics.error(fromMLIR(at->getLoc(), sources), message)
        .note(fromMLIR(call.getLoc(), sources), "in this call");
    return false;
  }

  graph::CallOp call;
  graph::OpOp declaration;
  CallNames names;
  KernelVariants &variants;
  llvm::StringSet<> &launchNames; // taken ones; those of all nodes are
  Sources &sources;
  Diagnostics &diagnostics;
  OpBuilder builder;
  // The latest value of each tensor of the declaration that has one: operands and scratch from the
  // beginning, outputs from their first launch.
  llvm::MapVector<StringRef, Value> current;
  std::deque<std::string> extraNames; // of the extras of an epilogue, which `current` refers to
};

} // namespace

// The implementations up to the first that always applies.
std::optional<std::vector<Choice>> CallBinder::choose() {
  auto graph = call->getParentOfType<graph::GraphOp>();
  std::vector<Choice> choices;
  for (auto implementation : declaration.getBlock().getOps<graph::ImplementationOp>()) {
    Choice choice{Expr(1), {}};
    if (graph::ExprAttr when = implementation.getWhenAttr()) {
      choice.guard = names.condition(when.getExpr());
      for (const std::string &name : choice.guard.symbols())
        if (!graph.findDim(name)) {
          fail(implementation, "unknown name '" + name + "' in the condition");
          return std::nullopt;
        }
      SymbolFacts facts =
          choice.guard.facts([&](const std::string &name) { return graph.factsOf(name); });
      if (facts.max == 0 && facts.min == 0)
        continue; // never
      if (facts.min > 0 || facts.max < 0)
        choice.guard = Expr(1);
    }
    llvm::append_range(choice.kernels, implementation.getBody().front().getOps<graph::KernelOp>());
    choices.push_back(choice);
    if (choice.guard.constant() == 1)
      break;
  }
  if (choices.empty() || choices.back().guard.constant() != 1) {
    fail(declaration, "no implementation of '" + declaration.getSymName().str() +
                          "' applies to every size that this call may have");
    return std::nullopt;
  }
  for (const Choice &choice : choices)
    if (choice.kernels.size() != choices.front().kernels.size()) {
      fail(choice.kernels.front(),
           "implementations among which a dim decides must have equally many launches");
      return std::nullopt;
    }
  return choices;
}

// Whether nothing else uses the memory, under another shape either.
static bool isOnlyUse(Value value) {
  while (value.hasOneUse()) {
    auto reshape = value.getDefiningOp<graph::ReshapeOp>();
    if (!reshape)
      return true;
    value = reshape.getOperand();
  }
  return false;
}

// Outputs that are declared to lie in the memory of an input begin with its value, which nothing
// may need afterwards.
bool CallBinder::takeOverMemory() {
  for (auto alias : declaration.getBlock().getOps<graph::AliasOp>()) {
    Value input = current.lookup(alias.getInput());
    if (memoryBehind(input).getDefiningOp<graph::CallOp>())
      return false; // a node that has errors of its own
    std::string name = "'" + alias.getInput().str() + "'";
    if (!memoryBehind(input).getDefiningOp<graph::LaunchOp>())
      return fail(alias, "output '" + alias.getOutput().str() + "' takes over the memory of " +
                             name + ", which is an input or param of the graph here");
    if (!isOnlyUse(input))
      return fail(alias, "output '" + alias.getOutput().str() + "' takes over the memory of " +
                             name + ", which other nodes or outputs of the graph use too");
    current[alias.getOutput()] = input;
  }
  return true;
}

Value CallBinder::memoryOf(StringRef tensor) const {
  Value value = current.lookup(tensor);
  return value ? memoryBehind(value) : Value(); // an output that is still to be made is new memory
}

std::optional<std::vector<LaunchVariant>> CallBinder::bindLaunch(ArrayRef<Choice> choices,
                                                                 size_t index) {
  std::vector<LaunchVariant> launch;
  for (const Choice &choice : choices) {
    graph::KernelOp kernel = choice.kernels[index];
    CheckedGrid grid;
    bool gridFits = checkGrid(call, kernel, sources, diagnostics, grid);
    std::vector<KernelVariant> kernelVariants = variants.bind(
        {call, kernel, names, grid.max, [this](StringRef tensor) { return memoryOf(tensor); }});
    if (!gridFits || kernelVariants.empty())
      return std::nullopt;
    for (const auto &[condition, message] : grid.requirements)
      graph::RequireOp::create(builder, kernel.getLoc(),
                               graph::ExprAttr::get(call.getContext(), condition), message);
    for (KernelVariant &variant : kernelVariants) {
      for (const KernelArgument &argument : variant.arguments)
        if (argument.value.kind == NamedValue::Kind::integer && argument.value.integer.tooLarge()) {
          fail(kernel, "what '" + argument.param + "' gets is too large an expression");
          return std::nullopt;
        }
      if (choice.guard.constant() != 1) {
        bool always = variant.guard.constant() == 1;
        Result<Expr> both =
            always && !choice.guard.tooLarge()
                ? Result<Expr>(choice.guard)
                : Expr::parse("(" + choice.guard.str() + ") and (" + variant.guard.str() + ")");
        if (!both) {
          fail(kernel, "the conditions of this launch are too large");
          return std::nullopt;
        }
        variant.guard = *both;
      }
      launch.push_back({std::move(variant), grid.sizes});
    }
  }
  return launch;
}

bool CallBinder::emitLaunch(ArrayRef<LaunchVariant> launchVariants, const std::string &name,
                            Location location) {
  MLIRContext *context = call.getContext();
  auto roleOf = [&](StringRef tensor) -> std::optional<graph::TensorRole> {
    for (auto declared : declaration.getBlock().getOps<graph::DeclareOp>())
      if (declared.getName() == tensor)
        return declared.getRole();
    return std::nullopt; // scratch
  };

  // What any of the variants reads or writes.
  llvm::StringMap<PointerUses> uses;
  for (const LaunchVariant &variant : launchVariants)
    for (const KernelArgument &argument : variant.kernel.arguments)
      if (argument.value.kind == NamedValue::Kind::tensor) {
        PointerUses &use = uses[argument.value.tensor];
        use.read |= argument.uses.read;
        use.written |= argument.uses.written;
      }

  // Operands are tensors that have a value, results those that are written.
  SmallVector<Value> operands;
  SmallVector<Type> resultTypes;
  SmallVector<int64_t> aliases;
  SmallVector<StringRef> results;
  llvm::StringMap<graph::ArgAttr> arguments;
  for (const std::string &tensor : names.tensors()) {
    auto found = uses.find(tensor);
    if (found == uses.end())
      continue;
    Value value = current.lookup(tensor);
    std::optional<graph::TensorRole> role = roleOf(tensor);
    if (role == graph::TensorRole::Input || role == graph::TensorRole::Param) {
      if (found->second.written)
        return fail(call.declaration(), "kernel '" + launchVariants.front().kernel.symbol.str() +
                                            "' writes to '" + tensor +
                                            "', which is no output; declare an output and an "
                                            "alias of it, or another tensor");
    } else if (!value && !found->second.written) {
      return fail(call.declaration(), "kernel '" + launchVariants.front().kernel.symbol.str() +
                                          "' reads output '" + tensor +
                                          "' before any launch writes it");
    }
    int64_t operand = -1;
    if (value) {
      operand = operands.size();
      operands.push_back(value);
      arguments[tensor] = graph::ArgAttr::operand(context, operand);
    }
    if (found->second.written) {
      arguments[tensor] = graph::ArgAttr::result(context, resultTypes.size());
      aliases.push_back(operand);
      results.push_back(tensor);
      if (value) {
        resultTypes.push_back(value.getType());
      } else {
        auto outputs = declaration.tensors(graph::TensorRole::Output);
        auto output = llvm::find_if(outputs, [&](auto op) { return op.getName() == tensor; });
        resultTypes.push_back(call.getResult(output - outputs.begin()).getType());
      }
    }
  }

  SmallVector<Attribute> variantAttrs;
  for (const LaunchVariant &variant : launchVariants) {
    SmallVector<graph::ExprAttr> grid;
    for (const Expr &size : variant.grid)
      grid.push_back(graph::ExprAttr::get(context, size));
    SmallVector<graph::ArgAttr> args;
    for (const KernelArgument &argument : variant.kernel.arguments)
      args.push_back(argument.value.kind == NamedValue::Kind::tensor
                         ? arguments[argument.value.tensor]
                         : graph::ArgAttr::integer(context, argument.value.integer));
    variantAttrs.push_back(
        graph::VariantAttr::get(context, graph::ExprAttr::get(context, variant.kernel.guard),
                                FlatSymbolRefAttr::get(variant.kernel.symbol), grid, args));
  }
  DenseI64ArrayAttr aliasAttr;
  if (llvm::any_of(aliases, [](int64_t operand) { return operand >= 0; }))
    aliasAttr = builder.getDenseI64ArrayAttr(aliases);
  auto launch = graph::LaunchOp::create(builder, location, resultTypes, name, call.getName(),
                                        operands, builder.getArrayAttr(variantAttrs), aliasAttr);
  for (auto [tensor, result] : llvm::zip_equal(results, launch.getResults()))
    current[tensor] = result;
  return true;
}

bool CallBinder::run() {
  for (auto [tensor, operand] : llvm::zip_equal(declaration.operandTensors(), call.getTensors()))
    current[tensor.getName()] = operand;
  for (auto [index, extra] : llvm::enumerate(call.getExtras()))
    current[extraNames.emplace_back(extraName(index))] = extra;
  for (auto scratch : declaration.getBlock().getOps<graph::DeclareScratchOp>()) {
    Expr bytes = call.resolve(scratch.getBytes().getExpr());
    auto type = graph::GraphTensorType::get(call.getContext(),
                                            {graph::ExprAttr::get(call.getContext(), bytes)},
                                            builder.getIntegerType(8, false));
    std::string name = (call.getName() + "." + scratch.getName()).str();
    current[scratch.getName()] =
        graph::ScratchOp::create(builder, call.getLoc(), type, name, scratch.getZeroed());
  }
  std::optional<std::vector<Choice>> choices = choose();
  if (!choices || !takeOverMemory())
    return false;

  size_t count = choices->front().kernels.size();
  for (size_t index = 0; index < count; ++index) {
    std::optional<std::vector<LaunchVariant>> launch = bindLaunch(*choices, index);
    std::string name = call.getName().str();
    if (count > 1)
      for (name += "." + std::to_string(index); !launchNames.insert(name).second;)
        name += "_";
    if (!launch || !emitLaunch(*launch, name, call.getLoc()))
      return false;
  }

  SmallVector<Value> results;
  for (graph::DeclareOp output : declaration.tensors(graph::TensorRole::Output)) {
    Value value = current.lookup(output.getName());
    if (!value)
      return fail(output, "no kernel writes output '" + output.getName().str() + "'");
    results.push_back(value);
  }
  call.replaceAllUsesWith(results);
  call.erase();
  return true;
}

bool teeny::bindKernels(ModuleOp module, Sources &sources, Diagnostics &diagnostics) {
  KernelVariants variants(module, sources, diagnostics);
  SmallVector<graph::CallOp> calls;
  llvm::StringSet<> launchNames;
  module.walk([&](graph::CallOp call) {
    calls.push_back(call);
    launchNames.insert(call.getName());
  });
  bool ok = true;
  for (graph::CallOp call : calls)
    // Calls after one with errors are still looked at: their operands are there.
    ok &= CallBinder(call, variants, launchNames, sources, diagnostics).run();
  if (!ok)
    return false;
  for (graph::OpOp declaration : llvm::make_early_inc_range(module.getOps<graph::OpOp>()))
    declaration.erase();
  return true;
}
