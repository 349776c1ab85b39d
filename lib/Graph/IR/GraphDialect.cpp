#include "Graph/IR/Graph.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

#include "Graph/IR/GraphDialect.cpp.inc"
#include "Graph/IR/GraphEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Graph/IR/GraphAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "Graph/IR/GraphTypes.cpp.inc"

void GraphDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Graph/IR/GraphAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "Graph/IR/GraphTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Graph/IR/GraphOps.cpp.inc"
      >();
}

FileLineColRange graph::fileOf(Location location) {
  FileLineColRange found;
  location->walk([&](Location part) {
    found = dyn_cast<FileLineColRange>(part);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

Location graph::operandLoc(Operation *call, unsigned index) {
  auto fused = dyn_cast<FusedLoc>(call->getLoc());
  auto names = fused ? dyn_cast_or_null<ArrayAttr>(fused.getMetadata()) : ArrayAttr();
  size_t attributes = names ? names.size() : 0;
  if (!fused || fused.getLocations().size() != call->getNumOperands() + attributes + 1)
    return call->getLoc();
  return fused.getLocations()[index + 1];
}

Location graph::attributeLoc(Operation *node, StringRef name) {
  auto fused = dyn_cast<FusedLoc>(node->getLoc());
  auto names = fused ? dyn_cast_or_null<ArrayAttr>(fused.getMetadata()) : ArrayAttr();
  if (!names)
    return node->getLoc();
  ArrayRef<Location> places = fused.getLocations().take_back(names.size());
  for (auto [given, place] : llvm::zip_equal(names.getAsRange<StringAttr>(), places))
    if (given == name)
      return place;
  return node->getLoc();
}

Location graph::fuseNodeLoc(MLIRContext *context, Location name, ArrayRef<Location> operands,
                            ArrayRef<std::pair<std::string, Location>> attributes) {
  SmallVector<Location> places = {name};
  llvm::append_range(places, operands);
  SmallVector<Attribute> names;
  for (const auto &[attribute, place] : attributes) {
    names.push_back(StringAttr::get(context, attribute));
    places.push_back(place);
  }
  return FusedLoc::get(context, places, ArrayAttr::get(context, names)); // keeps repeated places
}

std::string graph::pathOf(Operation *op, StringRef file) {
  FileLineColRange from = fileOf(op->getLoc());
  if (!from || llvm::sys::path::is_absolute(file))
    return file.str();
  SmallString<128> path = llvm::sys::path::parent_path(from.getFilename().getValue());
  llvm::sys::path::append(path, file);
  return path.str().str();
}

//===-- Element types
//---------------------------------------------------------------------------===//

Type graph::typeOf(MLIRContext *context, DType dtype) {
  auto integer = [&](unsigned bits, bool isUnsigned = false) -> Type {
    return IntegerType::get(context, bits,
                            isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
  };
  switch (dtype) {
  case DType::f64:
    return Float64Type::get(context);
  case DType::f32:
    return Float32Type::get(context);
  case DType::f16:
    return Float16Type::get(context);
  case DType::bf16:
    return BFloat16Type::get(context);
  case DType::f8e4m3:
    return Float8E4M3FNType::get(context);
  case DType::f8e5m2:
    return Float8E5M2Type::get(context);
  case DType::i64:
    return integer(64);
  case DType::i32:
    return integer(32);
  case DType::i16:
    return integer(16);
  case DType::i8:
    return integer(8);
  case DType::u64:
    return integer(64, true);
  case DType::u32:
    return integer(32, true);
  case DType::u16:
    return integer(16, true);
  case DType::u8:
    return integer(8, true);
  case DType::boolean:
    return integer(1);
  }
  llvm_unreachable("all are listed");
}

std::optional<DType> graph::dtypeOf(Type type) {
  for (const char *name : dtypeNames())
    if (DType dtype = *dtypeByName(name); type == typeOf(type.getContext(), dtype))
      return dtype;
  return std::nullopt;
}

std::string graph::dtypeName(Type type) {
  std::optional<DType> dtype = dtypeOf(type);
  return dtype ? name(*dtype) : "?";
}

int64_t graph::dtypeBytes(Type type) { return byteSize(*dtypeOf(type)); }

std::string graph::typeText(GraphTensorType type) {
  std::string text = dtypeName(type.getDtype()) + "[";
  for (auto [index, size] : llvm::enumerate(type.getShape()))
    text += (index ? ", " : "") + size.getText().str();
  return text + "]";
}
