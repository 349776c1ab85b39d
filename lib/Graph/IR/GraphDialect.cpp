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

static const std::pair<const char *, Type (*)(MLIRContext *)> dtypes[] = {
    {"f64", [](MLIRContext *c) -> Type { return Float64Type::get(c); }},
    {"f32", [](MLIRContext *c) -> Type { return Float32Type::get(c); }},
    {"f16", [](MLIRContext *c) -> Type { return Float16Type::get(c); }},
    {"bf16", [](MLIRContext *c) -> Type { return BFloat16Type::get(c); }},
    {"f8e4m3", [](MLIRContext *c) -> Type { return Float8E4M3FNType::get(c); }},
    {"f8e5m2", [](MLIRContext *c) -> Type { return Float8E5M2Type::get(c); }},
    {"i64", [](MLIRContext *c) -> Type { return IntegerType::get(c, 64); }},
    {"i32", [](MLIRContext *c) -> Type { return IntegerType::get(c, 32); }},
    {"i16", [](MLIRContext *c) -> Type { return IntegerType::get(c, 16); }},
    {"i8", [](MLIRContext *c) -> Type { return IntegerType::get(c, 8); }},
    {"u64", [](MLIRContext *c) -> Type { return IntegerType::get(c, 64, IntegerType::Unsigned); }},
    {"u32", [](MLIRContext *c) -> Type { return IntegerType::get(c, 32, IntegerType::Unsigned); }},
    {"u16", [](MLIRContext *c) -> Type { return IntegerType::get(c, 16, IntegerType::Unsigned); }},
    {"u8", [](MLIRContext *c) -> Type { return IntegerType::get(c, 8, IntegerType::Unsigned); }},
    {"bool", [](MLIRContext *c) -> Type { return IntegerType::get(c, 1); }},
};

Type graph::dtypeByName(MLIRContext *context, StringRef name) {
  for (const auto &[known, make] : dtypes)
    if (name == known)
      return make(context);
  return {};
}

std::string graph::dtypeName(Type dtype) {
  for (const auto &[name, make] : dtypes)
    if (dtype == make(dtype.getContext()))
      return name;
  return "?";
}

int64_t graph::dtypeBytes(Type dtype) { return (dtype.getIntOrFloatBitWidth() + 7) / 8; }

ArrayRef<std::string> graph::dtypeNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto &[name, make] : dtypes)
      list.push_back(name);
    return list;
  }();
  return names;
}

std::string graph::typeText(GraphTensorType type) {
  std::string text = dtypeName(type.getDtype()) + "[";
  for (auto [index, size] : llvm::enumerate(type.getShape()))
    text += (index ? ", " : "") + size.getText().str();
  return text + "]";
}
