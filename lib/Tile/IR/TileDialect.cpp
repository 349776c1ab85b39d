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

// Bases of a linear layout: one list of positions, an entry a dim, for each bit.
static ParseResult parseBases(AsmParser &parser, ArrayRef<int64_t> shape,
                              SmallVector<int64_t> &bases) {
  auto parseEntry = [&]() -> ParseResult {
    SMLoc start = parser.getCurrentLocation();
    size_t before = bases.size();
    auto parsePosition = [&]() -> ParseResult { return parser.parseInteger(bases.emplace_back()); };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePosition))
      return failure();
    if (bases.size() - before != shape.size())
      return parser.emitError(start) << "entry has " << bases.size() - before
                                     << " positions; expected one a dim: " << shape.size();
    return success();
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseEntry);
}

static void printBases(AsmPrinter &printer, ArrayRef<int64_t> shape, ArrayRef<int64_t> bases) {
  printer << '[';
  for (; !bases.empty(); bases = bases.drop_front(shape.size())) {
    printer << '[' << bases.take_front(shape.size()) << ']';
    if (bases.size() > shape.size())
      printer << ", ";
  }
  printer << ']';
}

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

int teeny::tile::numStages(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto attr = op->getAttrOfType<IntegerAttr>(numStagesAttr))
      return attr.getInt();
  return 3;
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
