#include "Conversion/GraphToTile/Epilogue.h"

#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace teeny;

//===-- The stores --------------------------------------------------------------------------===//

// Operations that make pointers of pointers, each the same way for its elements.
static bool movesPointers(Operation *op) {
  return isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp, tile::TransOp>(
      op);
}

// Collects the stores through `pointer`; the reason if something else is done with it.
static std::string collectStores(Value pointer, SmallVectorImpl<tile::StoreOp> &stores) {
  for (OpOperand &use : pointer.getUses()) {
    Operation *user = use.getOwner();
    if (auto store = dyn_cast<tile::StoreOp>(user)) {
      if (store.getPointer() != pointer)
        return "it stores the address of the output";
      if (!isa<RankedTensorType>(store.getValue().getType()))
        return "it stores single elements";
      stores.push_back(store);
      continue;
    }
    if (isa<tile::LoadOp>(user))
      return "it reads the output";
    if (isa<tile::AtomicRMWOp, tile::AtomicCASOp>(user))
      return "it writes the output by atomic operations";
    if (!movesPointers(user) && !isa<tile::AddPtrOp>(user))
      return "it uses the address of the output in another way than to store";
    std::string reason = collectStores(user->getResult(0), stores);
    if (!reason.empty())
      return reason;
  }
  return "";
}

std::string teeny::whyNoEpilogue(func::FuncOp kernel, unsigned output) {
  SmallVector<tile::StoreOp> stores;
  std::string reason = collectStores(kernel.getArgument(output), stores);
  if (reason.empty() && stores.empty())
    return "it does not store to the output";
  return reason;
}

//===-- Positions ---------------------------------------------------------------------------===//

namespace {

// What has been added to a pointer since it was an argument, in elements.
class Offsets {
public:
  Offsets(OpBuilder &builder, Location location, Type element)
      : builder(builder), location(location), element(element) {}

  // Null for none.
  Value of(Value pointer) {
    Operation *op = pointer.getDefiningOp();
    if (!op)
      return {};
    if (auto add = dyn_cast<tile::AddPtrOp>(op)) {
      Value before = of(add.getPointer()), here = widened(add.getOffset());
      return before ? arith::AddIOp::create(builder, location, before, here).getResult() : here;
    }
    Value source = of(op->getOperand(0));
    if (!source)
      return {};
    // The same rearrangement, of integers.
    IRMapping mapping;
    mapping.map(op->getOperand(0), source);
    Operation *moved = builder.clone(*op, mapping);
    moved->getResult(0).setType(tile::withElementType(pointer.getType(), element));
    return moved->getResult(0);
  }

private:
  Value widened(Value offset) {
    Type type = tile::withElementType(offset.getType(), element);
    return type == offset.getType()
               ? offset
               : arith::ExtSIOp::create(builder, location, type, offset).getResult();
  }

  OpBuilder &builder;
  Location location;
  Type element;
};

// The widest type among the offsets of a pointer.
unsigned offsetBits(Value pointer) {
  unsigned bits = 32;
  while (Operation *op = pointer.getDefiningOp()) {
    if (auto add = dyn_cast<tile::AddPtrOp>(op))
      bits =
          std::max(bits, getElementTypeOrSelf(add.getOffset().getType()).getIntOrFloatBitWidth());
    pointer = op->getOperand(0);
  }
  return bits;
}

// A constant of a tile's type.
Value constantTile(OpBuilder &builder, Location location, Type type, int64_t value) {
  auto tensor = cast<RankedTensorType>(type);
  Attribute element = builder.getIntegerAttr(tensor.getElementType(), value);
  return arith::ConstantOp::create(builder, location, DenseElementsAttr::get(tensor, element));
}

} // namespace

//===-- Putting it in -----------------------------------------------------------------------===//

static void addArguments(func::FuncOp kernel, ArrayRef<Type> types,
                         ArrayRef<EpilogueParam> params) {
  lang::Emitter emit(kernel.getContext());
  size_t next = 0;
  for (const EpilogueParam &param : params) {
    if (!param.isRuntime)
      continue;
    unsigned index = kernel.getNumArguments();
    bool inserted = succeeded(kernel.insertArgument(index, types[next++], {}, kernel.getLoc()));
    assert(inserted && "a function takes any number of arguments");
    (void)inserted;
    emit.argumentFacts(kernel, index, "epilogue_" + param.spec.name, param.spec.divisibility,
                       param.spec.range, param.spec.noalias);
  }
}

bool teeny::addEpilogue(func::FuncOp kernel, unsigned output, const KernelFile &file,
                        ArrayRef<EpilogueParam> params, Diagnostics &diagnostics) {
  SmallVector<tile::StoreOp> stores;
  std::string reason = collectStores(kernel.getArgument(output), stores);
  assert(reason.empty() && !stores.empty() && "whoever fuses has asked");
  unsigned firstNew = kernel.getNumArguments();

  for (tile::StoreOp store : stores) {
    auto type = cast<RankedTensorType>(store.getValue().getType());
    unsigned bits = offsetBits(store.getPointer());
    auto tileParam = [&](const char *name, ScalarType element) {
      ParamSpec spec;
      spec.name = name;
      spec.kind = ParamSpec::tile;
      spec.type = element;
      spec.shape.assign(type.getShape().begin(), type.getShape().end());
      return spec;
    };
    std::vector<ParamSpec> specs;
    for (const EpilogueParam &param : params)
      specs.push_back(param.spec);
    ParamSpec out = *llvm::find_if(specs, [](const ParamSpec &spec) { return spec.name == "out"; });
    specs.push_back(tileParam("value", out.type));
    specs.push_back(tileParam("i", bits == 64 ? ScalarType::int64 : ScalarType::int32));
    specs.push_back(tileParam("inside", ScalarType::int1));

    OwningOpRef<ModuleOp> scratch = ModuleOp::create(kernel.getLoc());
    GenerateOptions options;
    options.numWarps = tile::numWarps(kernel);
    func::FuncOp function = generateKernel(file, "epilogue", specs, options, *scratch, diagnostics);
    if (!function)
      return false;
    // Parameters in source order: value, i, inside, out, and then those of a run.
    assert(function.getNumArguments() >= 4 && "the generated text has them");
    if (kernel.getNumArguments() == firstNew)
      addArguments(kernel, function.getArgumentTypes().drop_front(4), params);

    OpBuilder builder(store);
    Location location = store.getLoc();
    Type offsetType = builder.getIntegerType(bits);
    Value offset = Offsets(builder, location, offsetType).of(store.getPointer());
    if (!offset)
      offset = constantTile(builder, location, type.clone(offsetType), 0);
    Value mask = store.getMask();
    if (!mask)
      mask = constantTile(builder, location, type.clone(builder.getI1Type()), 1);
    IRMapping mapping;
    mapping.map(function.getArgument(0), store.getValue());
    mapping.map(function.getArgument(1), offset);
    mapping.map(function.getArgument(2), mask);
    mapping.map(function.getArgument(3), kernel.getArgument(output));
    for (unsigned i = 4; i < function.getNumArguments(); ++i)
      mapping.map(function.getArgument(i), kernel.getArgument(firstNew + i - 4));
    for (Operation &op : function.getBody().front().without_terminator())
      builder.clone(op, mapping);
    store.erase();
  }
  return true;
}
