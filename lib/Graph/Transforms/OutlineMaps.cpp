// Maps and movements of data become calls of declarations whose kernels are generated. Passes.td
// says which; MapKernel.h writes the kernels. Tested by test/Graph/outline-maps.mlir.
#include "Graph/Transforms/MapKernel.h"
#include "Graph/Transforms/Passes.h"
#include "Graph/Transforms/Sizes.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"

namespace teeny::graph {
#define GEN_PASS_DEF_GRAPHOUTLINEMAPS
#include "Graph/Transforms/Passes.h.inc"
} // namespace teeny::graph

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

namespace {

constexpr int64_t block = 1024; // elements of a program

// Views that kernels of maps read through.
bool isView(Operation *op) { return isa<PermuteOp, ExpandOp, SliceOp>(op); }

class Outliner {
public:
  Outliner(ModuleOp module, GraphOp graph)
      : module(module), graph(graph), builder(graph.getContext()), prover(graph) {}

  void run() {
    for (Operation &op : graph.getBlock())
      if (auto name = op.getAttrOfType<StringAttr>("name"))
        names.insert(name.getValue());
    copyOutputs();
    for (Operation &op : llvm::make_early_inc_range(graph.getBlock())) {
      builder.setInsertionPoint(&op);
      if (auto map = dyn_cast<MapOp>(op))
        outline(map);
      else if (isView(&op))
        materialize(&op);
      else if (auto pad = dyn_cast<PadOp>(op))
        outline(pad);
      else if (auto concat = dyn_cast<ConcatOp>(op))
        outline(concat);
      else if (auto call = dyn_cast<CallOp>(op); call && !call.getEpilogue().empty())
        outline(call);
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(graph.getBlock())))
      if (isView(&op) && op.use_empty())
        op.erase();
  }

private:
  void copyOutputs();
  void outline(MapOp map);
  void outline(PadOp pad);
  void outline(ConcatOp concat);
  void outline(CallOp call); // its epilogue
  void materialize(Operation *view);
  Value copy(GraphTensorType type, const Access &access, StringRef name, Location place);

  bool isWide(const Expr &positions) {
    SymbolFacts facts = prover.facts(positions);
    return facts.max > INT32_MAX - block;
  }
  // A declaration with this kernel text and these element types; made once.
  struct Launch {
    std::string grid;
    DictionaryAttr args;
  };
  // `inPlace`: the operand whose memory the result takes over.
  OpOp declare(const std::string &function, const std::string &text, ArrayRef<Value> operands,
               Type result, ArrayRef<Launch> launches, Location place,
               std::optional<size_t> inPlace = std::nullopt);
  Value call(OpOp declaration, ArrayRef<Value> operands,
             ArrayRef<std::pair<std::string, Expr>> arguments, GraphTensorType type, StringRef name,
             Location place);
  Value call(const MapKernel &kernel, GraphTensorType type, StringRef name, Location place,
             std::optional<size_t> inPlace = std::nullopt);
  // The operand of a map whose memory its result can take over.
  static std::optional<size_t> dyingOperand(MapOp map);

  ModuleOp module;
  GraphOp graph;
  OpBuilder builder;
  SizeProver prover;
  llvm::StringSet<> names;
  std::map<std::string, OpOp> declarations; // by what distinguishes them
};

// What a run returns is memory of its own: not that of an input or param, nor that of another
// output.
void Outliner::copyOutputs() {
  auto output = cast<OutputOp>(graph.getBlock().getTerminator());
  llvm::SmallPtrSet<Value, 8> seen;
  builder.setInsertionPoint(output);
  for (auto [operand, name] :
       llvm::zip_equal(output->getOpOperands(), output.getNames().getAsRange<StringAttr>())) {
    Value memory = operand.get();
    while (auto reshape = memory.getDefiningOp<ReshapeOp>())
      memory = reshape.getOperand();
    bool isModel = isa<InputOp, ParamOp, ConstantOp>(memory.getDefiningOp());
    if (seen.insert(memory).second && !isModel)
      continue;
    std::string unique = (name.getValue() + ".copy").str();
    while (!names.insert(unique).second)
      unique += "_";
    Value value = operand.get();
    operand.set(copy(tensorType(value), identityAccess(value), unique, output.getLoc()));
  }
}

OpOp Outliner::declare(const std::string &function, const std::string &text,
                       ArrayRef<Value> operands, Type result, ArrayRef<Launch> launches,
                       Location place, std::optional<size_t> inPlace) {
  std::string key = text;
  for (Value operand : operands)
    key += ";" + dtypeName(tensorType(operand).getDtype());
  key += ";" + dtypeName(result) + ";" + std::to_string(launches.size());
  if (inPlace)
    key += "; in place of " + std::to_string(*inPlace);
  auto [entry, isNew] = declarations.try_emplace(key);
  if (!isNew)
    return entry->second;

  std::string name = function;
  for (unsigned i = 2; module.lookupSymbol("generated." + name); ++i)
    name = function + "_" + std::to_string(i);
  OpBuilder outer = OpBuilder::atBlockEnd(module.getBody());
  auto op = OpOp::create(outer, place, "generated." + name, outer.getDictionaryAttr({}),
                         StringAttr(), outer.getStringAttr(text));
  OpBuilder inner = OpBuilder::atBlockEnd(&op.getBody().emplaceBlock());
  auto tensor = [&](TensorRole role, const std::string &name, Type dtype) {
    DeclareOp::create(inner, place, role, inner.getStringAttr(name),
                      inner.getStringAttr(dtypeName(dtype)),
                      inner.getStringAttr(name + "_elements"), inner.getArrayAttr({}));
  };
  for (auto [index, operand] : llvm::enumerate(operands))
    tensor(TensorRole::Input, "x" + std::to_string(index), tensorType(operand).getDtype());
  tensor(TensorRole::Output, "out", result);
  AttributeOp::create(inner, place, "BLOCK", AttrKind::Int, inner.getI64IntegerAttr(block),
                      ArrayAttr(), Attribute(), Attribute());
  if (inPlace)
    AliasOp::create(inner, place, "out", "x" + std::to_string(*inPlace));
  auto implementation = ImplementationOp::create(inner, place, ExprAttr());
  OpBuilder kernels = OpBuilder::atBlockEnd(&implementation.getBody().emplaceBlock());
  for (const Launch &launch : launches)
    KernelOp::create(kernels, place, function, "<generated>/" + name + ".py",
                     inner.getArrayAttr(ExprAttr::get(op.getContext(), *Expr::parse(launch.grid))),
                     launch.args,
                     /*numWarps=*/4, /*numStages=*/1);
  return entry->second = op;
}

Value Outliner::call(OpOp declaration, ArrayRef<Value> operands,
                     ArrayRef<std::pair<std::string, Expr>> arguments, GraphTensorType type,
                     StringRef name, Location place) {
  NamedAttrList bindings;
  for (const auto &[argument, value] : arguments)
    bindings.set(argument, ExprAttr::get(graph.getContext(), value));
  for (auto [index, operand] : llvm::enumerate(operands))
    bindings.set("x" + std::to_string(index) + "_elements",
                 ExprAttr::get(graph.getContext(), tensorType(operand).elements()));
  bindings.set("out_elements", ExprAttr::get(graph.getContext(), type.elements()));
  NamedAttribute attr = builder.getNamedAttr("BLOCK", builder.getI64IntegerAttr(block));
  auto call =
      CallOp::create(builder, place, Type(type), name, declaration.getSymName(), operands,
                     builder.getDictionaryAttr(attr), bindings.getDictionary(graph.getContext()));
  return call.getResult(0);
}

Value Outliner::call(const MapKernel &kernel, GraphTensorType type, StringRef name, Location place,
                     std::optional<size_t> inPlace) {
  OpOp declaration =
      declare(kernel.function, kernel.text, kernel.operands, type.getDtype(),
              Launch{"cdiv(n, BLOCK)", builder.getDictionaryAttr({})}, place, inPlace);
  return call(declaration, kernel.operands, kernel.arguments, type, name, place);
}

// One that a call made, that has the result's type, and that nothing else reads: each element is
// read before its place is written, by the same program.
std::optional<size_t> Outliner::dyingOperand(MapOp map) {
  for (auto [index, operand] : llvm::enumerate(map.getOperands())) {
    Value memory = operand;
    while (memory.hasOneUse() && memory.getDefiningOp<ReshapeOp>())
      memory = memory.getDefiningOp<ReshapeOp>().getOperand();
    if (operand.getType() == map.getType() && memory.hasOneUse() && memory.getDefiningOp<CallOp>())
      return index;
  }
  return std::nullopt;
}

Value Outliner::copy(GraphTensorType type, const Access &access, StringRef name, Location place) {
  return call(copyKernel(type, access, isWide(type.elements())), type, name, place);
}

void Outliner::outline(MapOp map) {
  GraphTensorType type = tensorType(map.getResult());
  SmallVector<Access> accesses;
  for (Value operand : map.getOperands())
    accesses.push_back(accessThroughViews(operand, type.getRank()));
  Value result = call(mapKernel(map, accesses, isWide(type.elements())), type, map.getName(),
                      map.getLoc(), dyingOperand(map));
  map.replaceAllUsesWith(result);
  map.erase();
}

void Outliner::outline(CallOp call) {
  SmallVector<Access> accesses;
  for (Value extra : call.getExtras())
    accesses.push_back(accessThroughViews(extra, tensorType(call.getResult(0)).getRank()));
  MapKernel function = epilogueFunction(call, accesses);
  NamedAttrList arguments;
  for (const auto &[name, value] : function.arguments)
    arguments.set(name, ExprAttr::get(graph.getContext(), value));
  call.getExtrasMutable().assign(function.operands);
  call.setEpilogueSource(function.text);
  call.setEpilogueArgsAttr(arguments.getDictionary(graph.getContext()));
}

void Outliner::materialize(Operation *view) {
  Value value = view->getResult(0);
  auto isRead = [](OpOperand &use) {
    // Extras of an epilogue are read through views, the operands of a call are not.
    auto call = dyn_cast<CallOp>(use.getOwner());
    if (call && use.getOperandNumber() >= call.getTensors().size())
      return false;
    return !isView(use.getOwner()) && !isa<MapOp>(use.getOwner());
  };
  if (llvm::none_of(value.getUses(), isRead))
    return;
  GraphTensorType type = tensorType(value);
  StringRef name = view->getAttrOfType<StringAttr>("name").getValue();
  value.replaceUsesWithIf(
      copy(type, accessThroughViews(value, type.getRank()), name, view->getLoc()), isRead);
  view->setAttr("name", builder.getStringAttr(name + ".view"));
}

void Outliner::outline(PadOp pad) {
  Access access = identityAccess(pad.getOperand());
  for (auto [coordinate, low] :
       llvm::zip_equal(access.coordinates, pad.getLow().getAsRange<ExprAttr>()))
    coordinate.offset = -low.getExpr();
  access.border = Access::Border{pad.getMode(), constantText(pad.getValue(), "[BLOCK]")};
  pad.replaceAllUsesWith(copy(tensorType(pad.getResult()), access, pad.getName(), pad.getLoc()));
  pad.erase();
}

// One launch for each operand: what of it lies together does so in the result.
void Outliner::outline(ConcatOp concat) {
  GraphTensorType type = tensorType(concat.getResult());
  size_t axis = concat.getAxis();
  auto together = [&](GraphTensorType tensor) {
    Expr elements = 1;
    for (ExprAttr size : tensor.getShape().drop_front(axis))
      elements = elements * size.getExpr();
    return elements;
  };
  std::vector<std::pair<std::string, Expr>> arguments = {{"s", together(type)}};
  SmallVector<Launch> launches;
  SmallVector<Value> operands(concat.getOperands());
  Expr begin = 0, most = 0;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    std::string own = std::to_string(index);
    Expr part = together(tensorType(operand));
    arguments.insert(
        arguments.end(),
        {{"n" + own, tensorType(operand).elements()}, {"d" + own, part}, {"b" + own, begin}});
    SmallVector<NamedAttribute> args;
    for (StringRef name : {"x", "n", "d", "b"})
      args.push_back(builder.getNamedAttr(name, builder.getStringAttr(name + own)));
    launches.push_back({"cdiv(n" + own + ", BLOCK)", builder.getDictionaryAttr(args)});
    begin = begin + part;
  }
  OpOp declaration = declare("concat_part", concatKernelText(isWide(type.elements())), operands,
                             type.getDtype(), launches, concat.getLoc());
  concat.replaceAllUsesWith(
      call(declaration, operands, arguments, type, concat.getName(), concat.getLoc()));
  concat.erase();
}

struct OutlineMaps final : graph::impl::GraphOutlineMapsBase<OutlineMaps> {
  void runOnOperation() override {
    for (auto graph : llvm::to_vector(getOperation().getOps<GraphOp>()))
      Outliner(getOperation(), graph).run();
  }
};

} // namespace
