#include "Driver/BuildManifest.h"

#include "Conversion/GraphToTile/GraphToTile.h"
#include "Graph/IR/Graph.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace teeny;

namespace {

class ManifestBuilder {
public:
  ManifestBuilder(ModuleOp module, const Sources &sources, Diagnostics &diagnostics)
      : module(module), graph(*module.getOps<graph::GraphOp>().begin()), sources(sources),
        diagnostics(diagnostics) {}

  std::optional<Manifest> build() {
    manifest.name = graph.getName().str();
    for (auto dim : graph.getDims().getAsRange<graph::DimAttr>())
      manifest.dims.push_back(
          {dim.getName().str(), dim.getMin(), dim.getMax(), dim.getMultipleOf()});
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (function->hasAttr(tile::kernelAttr))
        addKernel(function);
    findOutputs();
    for (Operation &op : graph.getBlock())
      visit(&op);
    addOutputs();
    if (diagnostics.errorCount() != errorsBefore)
      return std::nullopt;
    return std::move(manifest);
  }

private:
  void error(Operation *op, std::string message) {
    diagnostics.error(fromMLIR(op->getLoc(), sources), std::move(message));
  }
  static DType dtypeOf(graph::GraphTensorType type) {
    std::optional<DType> dtype = graph::dtypeOf(type.getDtype());
    assert(dtype && "the graph has the manifest's element types");
    return *dtype;
  }
  static std::vector<Expr> shapeOf(graph::GraphTensorType type) {
    std::vector<Expr> shape;
    for (graph::ExprAttr size : type.getShape())
      shape.push_back(size.getExpr());
    return shape;
  }

  void addKernel(func::FuncOp function);
  void findOutputs();
  void addOutputs();
  void visit(Operation *op);
  void addLaunch(graph::LaunchOp launch);
  size_t addBuffer(Value value, ManifestBuffer buffer);
  std::string uniqueBufferName(std::string name);

  ModuleOp module;
  graph::GraphOp graph;
  const Sources &sources;
  Diagnostics &diagnostics;
  const unsigned errorsBefore = diagnostics.errorCount();
  Manifest manifest;
  llvm::StringMap<size_t> kernelIndex;
  llvm::DenseMap<Value, size_t> bufferOf;         // of every value that is there so far
  llvm::DenseMap<Value, std::string> outputNames; // of the value that begins an output's memory
  llvm::StringMap<char> bufferNames;
};

} // namespace

static KernelParam::Kind kindOf(Type type) {
  using Kind = KernelParam::Kind;
  if (isa<tile::PtrType>(type))
    return Kind::buffer;
  if (type.isF32())
    return Kind::f32;
  if (type.isF64())
    return Kind::f64;
  if (type.isF16())
    return Kind::f16;
  if (type.isBF16())
    return Kind::bf16;
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return Kind::i1;
  case 8:
    return Kind::i8;
  case 16:
    return Kind::i16;
  case 32:
    return Kind::i32;
  default:
    return Kind::i64;
  }
}

ManifestKernel teeny::describeKernel(func::FuncOp function, const Sources &sources) {
  ManifestKernel kernel;
  kernel.name = function.getSymName().str();
  SourceLocation place = fromMLIR(function.getLoc(), sources);
  kernel.function = kernel.name;
  if (auto name = function->getAttrOfType<StringAttr>(tile::functionAttr))
    kernel.function = name.str();
  if (place.source)
    kernel.source =
        (llvm::sys::path::filename(place.source->name) + ":" + llvm::Twine(place.line)).str();
  kernel.numWarps = tile::numWarps(function);
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    KernelParam param;
    param.name = function.getArgAttrOfType<StringAttr>(i, tile::nameAttr).str();
    param.kind = kindOf(function.getArgumentTypes()[i]);
    kernel.params.push_back(std::move(param));
  }
  return kernel;
}

void ManifestBuilder::addKernel(func::FuncOp function) {
  ManifestKernel kernel = describeKernel(function, sources);
  kernelIndex[kernel.name] = manifest.kernels.size();
  manifest.kernels.push_back(std::move(kernel));
}

void ManifestBuilder::findOutputs() {
  auto output = cast<graph::OutputOp>(graph.getBlock().getTerminator());
  for (auto [value, name] :
       llvm::zip_equal(output.getOperands(), output.getNames().getAsRange<StringAttr>())) {
    Value memory = memoryBehind(value);
    if (!memory.getDefiningOp<graph::LaunchOp>())
      error(output, "output '" + name.str() +
                        "' is an input or param of the graph; an output must be made by a node");
    else if (!outputNames.try_emplace(memory, name.str()).second)
      error(output, "output '" + name.str() + "' is output '" + outputNames[memory] +
                        "' under another name; every output must be memory of its own");
  }
}

std::string ManifestBuilder::uniqueBufferName(std::string name) {
  std::string candidate = name;
  for (unsigned i = 2; !bufferNames.try_emplace(candidate, 0).second; ++i)
    candidate = name + "." + std::to_string(i);
  return candidate;
}

size_t ManifestBuilder::addBuffer(Value value, ManifestBuffer buffer) {
  auto type = cast<graph::GraphTensorType>(value.getType());
  buffer.bytes = type.elements() * graph::dtypeBytes(type.getDtype());
  if (buffer.bytes.tooLarge())
    error(value.getDefiningOp(), "the size of " + graph::typeText(type) +
                                     " is too large an "
                                     "expression");
  buffer.name = uniqueBufferName(std::move(buffer.name));
  size_t index = manifest.buffers.size();
  bufferOf[value] = index;
  manifest.buffers.push_back(std::move(buffer));
  return index;
}

void ManifestBuilder::visit(Operation *op) {
  if (auto input = dyn_cast<graph::InputOp>(op)) {
    ManifestBuffer buffer;
    buffer.name = input.getName().str();
    buffer.kind = ManifestBuffer::Kind::input;
    size_t index = addBuffer(input.getResult(), std::move(buffer));
    auto type = cast<graph::GraphTensorType>(input.getResult().getType());
    manifest.inputs.push_back({input.getName().str(), dtypeOf(type), shapeOf(type), index});
  } else if (auto param = dyn_cast<graph::ParamOp>(op)) {
    ManifestBuffer buffer;
    buffer.name = param.getName().str();
    buffer.kind = ManifestBuffer::Kind::param;
    buffer.tensor = param.getName().str();
    addBuffer(param.getResult(), std::move(buffer));
  } else if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
    ManifestBuffer buffer;
    buffer.name = constant.getName().str();
    buffer.kind = ManifestBuffer::Kind::param;
    buffer.tensor = constant.getName().str();
    addBuffer(constant.getResult(), std::move(buffer));
  } else if (auto scratch = dyn_cast<graph::ScratchOp>(op)) {
    ManifestBuffer buffer;
    buffer.name = scratch.getName().str();
    buffer.zeroed = scratch.getZeroed();
    buffer.firstLaunch = buffer.lastLaunch = int64_t(manifest.launches.size());
    addBuffer(scratch.getResult(), std::move(buffer));
  } else if (auto requirement = dyn_cast<graph::RequireOp>(op)) {
    manifest.requirements.push_back(
        {requirement.getCondition().getExpr(), requirement.getMessage().str()});
  } else if (auto launch = dyn_cast<graph::LaunchOp>(op)) {
    addLaunch(launch);
  } else if (auto reshape = dyn_cast<graph::ReshapeOp>(op)) {
    bufferOf[reshape.getResult()] = bufferOf.lookup(reshape.getOperand());
  } else {
    assert(isa<graph::OutputOp>(op) && "kernels are bound");
  }
}

void ManifestBuilder::addLaunch(graph::LaunchOp launch) {
  const int64_t index = int64_t(manifest.launches.size());
  for (auto [number, result] : llvm::enumerate(launch.getResults())) {
    Value memory = memoryBehind(result);
    if (memory != result) {
      bufferOf[result] = bufferOf.lookup(memory);
      continue;
    }
    ManifestBuffer buffer;
    auto output = outputNames.find(memory);
    if (output != outputNames.end()) {
      buffer.kind = ManifestBuffer::Kind::output;
      buffer.name = output->second;
    } else {
      buffer.name = launch.getName().str();
      if (launch.getNumResults() > 1)
        buffer.name += "." + std::to_string(number);
      buffer.firstLaunch = index;
    }
    addBuffer(result, std::move(buffer));
  }
  auto touch = [&](Value value) {
    ManifestBuffer &buffer = manifest.buffers[bufferOf.lookup(value)];
    if (buffer.kind == ManifestBuffer::Kind::temporary)
      buffer.lastLaunch = index;
    return bufferOf.lookup(value);
  };
  llvm::for_each(launch.getOperands(), touch);
  llvm::for_each(launch.getResults(), touch);

  ManifestLaunch entry{launch.getName().str(), launch.getNode().str(), {}};
  for (auto variant : launch.getVariants().getAsRange<graph::VariantAttr>()) {
    LaunchVariant out;
    out.guard = variant.getGuard().getExpr();
    out.kernel = kernelIndex.lookup(variant.getKernel().getValue());
    for (auto [axis, size] : llvm::enumerate(variant.getGrid()))
      out.grid[axis] = size.getExpr();
    for (auto [position, arg] : llvm::enumerate(variant.getArgs())) {
      LaunchArg value;
      switch (arg.getKind()) {
      case graph::ArgKind::Operand:
      case graph::ArgKind::Result: {
        bool written = arg.getKind() == graph::ArgKind::Result;
        value.kind = LaunchArg::Kind::buffer;
        value.buffer = bufferOf.lookup(written ? Value(launch.getResult(arg.getIndex()))
                                               : launch.getOperand(arg.getIndex()));
        value.value = arg.getExpr().getExpr();
        manifest.kernels[out.kernel].params[position].written |= written;
        break;
      }
      case graph::ArgKind::Integer:
        value.kind = LaunchArg::Kind::integer;
        value.value = arg.getExpr().getExpr();
        break;
      case graph::ArgKind::Real:
        value.kind = LaunchArg::Kind::real;
        value.real = arg.getReal().getValueAsDouble();
        break;
      }
      out.args.push_back(std::move(value));
    }
    entry.variants.push_back(std::move(out));
  }
  manifest.launches.push_back(std::move(entry));
}

void ManifestBuilder::addOutputs() {
  auto output = cast<graph::OutputOp>(graph.getBlock().getTerminator());
  for (auto [value, name] :
       llvm::zip_equal(output.getOperands(), output.getNames().getAsRange<StringAttr>())) {
    auto type = cast<graph::GraphTensorType>(value.getType());
    manifest.outputs.push_back({name.str(), dtypeOf(type), shapeOf(type), bufferOf.lookup(value)});
  }
}

std::optional<Manifest> teeny::buildManifest(ModuleOp module, const Sources &sources,
                                             Diagnostics &diagnostics) {
  return ManifestBuilder(module, sources, diagnostics).build();
}
