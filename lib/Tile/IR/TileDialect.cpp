#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace teeny::tile;

#include "Tile/IR/TileDialect.cpp.inc"
#include "Tile/IR/TileEnums.cpp.inc"
#include "Tile/IR/TileInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "Tile/IR/TileTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Tile/IR/TileAttrs.cpp.inc"

void TileDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "Tile/IR/TileTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Tile/IR/TileAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Tile/IR/TileOps.cpp.inc"
      >();
}

int teeny::tile::numWarps(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto attr = op->getAttrOfType<IntegerAttr>(numWarpsAttr))
      return attr.getInt();
  return 4;
}

int64_t teeny::tile::gridMax(Operation *op, unsigned axis) {
  for (; op; op = op->getParentOp())
    if (auto attr = op->getAttrOfType<DenseI64ArrayAttr>(gridMaxAttr); attr && attr.size() > axis)
      return attr[axis];
  return axis == 0 ? std::numeric_limits<int32_t>::max() : 65535;
}

Type teeny::tile::withElementType(Type shapeOf, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(shapeOf))
    return tensor.clone(element);
  return element;
}
