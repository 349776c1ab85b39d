// Axis facts against the values themselves: small functions are evaluated element by element for
// many arguments, and every fact about every value has to hold. What should be found is stated
// beside each function.
#include "Tile/Transforms/AxisInfo.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>

#include <map>
#include <random>

using namespace mlir;
using namespace teeny::tile;

namespace {

MLIRContext &context() {
  static MLIRContext *context = [] {
    auto *context = new MLIRContext(MLIRContext::Threading::DISABLED);
    context->loadDialect<TileDialect, arith::ArithDialect, func::FuncDialect, scf::SCFDialect>();
    return context;
  }();
  return *context;
}

std::string str(const AxisInfo &info) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  info.print(stream);
  return text;
}

// A tile's elements in row-major order; pointers as byte addresses; integers sign-extended from
// their width.
using Elements = std::vector<int64_t>;

int64_t wrap(int64_t value, Type type) {
  type = getElementTypeOrSelf(type);
  if (!type.isInteger())
    return value;
  unsigned unused = 64 - type.getIntOrFloatBitWidth();
  return int64_t(uint64_t(value) << unused) >> unused;
}

uint64_t unsignedOf(int64_t value, Type type) {
  unsigned unused = 64 - getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return uint64_t(value) << unused >> unused;
}

// Evaluates operations one after the other. Division by 0 makes the run void.
class Evaluator {
public:
  std::map<void *, Elements> values;
  bool isVoid = false;

  const Elements &of(Value value) { return values.at(value.getAsOpaquePointer()); }
  void set(Value value, Elements elements) {
    for (int64_t &element : elements)
      element = wrap(element, value.getType());
    values[value.getAsOpaquePointer()] = std::move(elements);
  }

  void run(Operation *op, std::mt19937 &random) {
    if (op->getNumResults() != 1)
      return;
    Value result = op->getResult(0);
    auto type = dyn_cast<RankedTensorType>(result.getType());
    size_t count = type ? type.getNumElements() : 1;
    Elements out(count);
    for (size_t i = 0; i < count; ++i)
      out[i] = element(op, type, i, random);
    if (isa<ProgramIdOp>(op))
      out[0] = int64_t(random() & 0x7fffffff) % gridMax(op, 0);
    set(result, out);
  }

private:
  static std::vector<int64_t> coordinates(RankedTensorType type, int64_t index) {
    std::vector<int64_t> at(type.getRank());
    for (size_t d = at.size(); d-- > 0; index /= type.getDimSize(d))
      at[d] = index % type.getDimSize(d);
    return at;
  }
  static int64_t indexOf(RankedTensorType type, const std::vector<int64_t> &at) {
    int64_t index = 0;
    for (size_t d = 0; d < at.size(); ++d)
      index = index * type.getDimSize(d) + at[d];
    return index;
  }

  int64_t element(Operation *op, RankedTensorType type, size_t i, std::mt19937 &) {
    auto in = [&](unsigned operand) {
      const Elements &elements = of(op->getOperand(operand));
      return elements.size() == 1 ? elements[0] : elements[i];
    };
    Type operandType = op->getNumOperands() ? op->getOperand(0).getType() : Type();
    auto source = dyn_cast_or_null<RankedTensorType>(operandType);
    APInt constant;
    if (matchPattern(op, m_ConstantInt(&constant)))
      return constant.getSExtValue();
    if (auto range = dyn_cast<ArangeOp>(op))
      return int32_t(range.getStart()) + int64_t(i);
    if (isa<SplatOp>(op))
      return in(0);
    if (auto expand = dyn_cast<ExpandDimsOp>(op))
      return of(op->getOperand(0))[i];
    if (isa<ReshapeOp>(op))
      return of(op->getOperand(0))[i];
    if (isa<BroadcastOp>(op)) {
      auto at = coordinates(type, i);
      for (size_t d = 0; d < at.size(); ++d)
        if (source.getDimSize(d) == 1)
          at[d] = 0;
      return of(op->getOperand(0))[indexOf(source, at)];
    }
    if (auto trans = dyn_cast<TransOp>(op)) {
      auto at = coordinates(type, i);
      std::vector<int64_t> from(at.size());
      for (size_t d = 0; d < at.size(); ++d)
        from[trans.getOrder()[d]] = at[d];
      return of(op->getOperand(0))[indexOf(source, from)];
    }
    if (isa<AddPtrOp>(op))
      return in(0) + in(1) * AxisInfo::unknown(op->getResult(0).getType()).unit;
    if (isa<arith::AddIOp>(op))
      return uint64_t(in(0)) + uint64_t(in(1));
    if (isa<arith::SubIOp>(op))
      return uint64_t(in(0)) - uint64_t(in(1));
    if (isa<arith::MulIOp>(op))
      return uint64_t(in(0)) * uint64_t(in(1));
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op)) {
      if (in(1) == 0) {
        isVoid = true;
        return 0;
      }
      uint64_t a = unsignedOf(in(0), operandType), b = unsignedOf(in(1), operandType);
      return isa<arith::DivSIOp>(op)   ? in(0) / in(1)
             : isa<arith::DivUIOp>(op) ? int64_t(a / b)
             : isa<arith::RemSIOp>(op) ? in(0) % in(1)
                                       : int64_t(a % b);
    }
    if (isa<arith::AndIOp>(op))
      return in(0) & in(1);
    if (isa<arith::ShLIOp>(op))
      return uint64_t(in(0)) << in(1);
    if (isa<arith::ShRSIOp>(op))
      return in(0) >> in(1);
    if (isa<arith::ShRUIOp>(op))
      return unsignedOf(in(0), operandType) >> in(1);
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      unsigned width = getElementTypeOrSelf(operandType).getIntOrFloatBitWidth();
      return arith::applyCmpPredicate(compare.getPredicate(), APInt(width, in(0), true),
                                      APInt(width, in(1), true));
    }
    if (isa<arith::SelectOp>(op))
      return in(0) ? in(1) : in(2);
    if (isa<arith::ExtSIOp, arith::TruncIOp>(op))
      return in(0);
    if (isa<arith::ExtUIOp>(op))
      return unsignedOf(in(0), operandType);
    if (isa<ProgramIdOp>(op))
      return 0;
    FAIL("the evaluator does not know " << op->getName().getStringRef().str());
    return 0;
  }
};

// Every fact, group by group.
void checkFacts(Value value, const AxisInfo &facts, const Elements &elements) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  std::vector<int64_t> shape =
      type ? std::vector<int64_t>(type.getShape()) : std::vector<int64_t>{1};
  REQUIRE(facts.dims.size() == shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d])
    for (int64_t i = 0; i < int64_t(elements.size()); ++i) {
      int64_t at = i / stride % shape[d];
      const AxisInfo::Dim &dim = facts.dims[d];
      if (at % dim.contiguity == 0) {
        if (elements[i] % dim.divisibility != 0)
          FAIL("divisibility " << dim.divisibility << " along " << d << " of " << elements[i]);
      } else if (wrap(elements[i], value.getType()) !=
                 wrap(elements[i - stride] + facts.unit, value.getType())) {
        FAIL("contiguity " << dim.contiguity << " along " << d << " at " << at);
      }
      if (at % dim.constancy != 0 && elements[i] != elements[i - stride])
        FAIL("constancy " << dim.constancy << " along " << d << " at " << at);
    }
  if (facts.constant)
    for (int64_t element : elements)
      REQUIRE(element == *facts.constant);
}

// Evaluates the function often, checks all facts, and returns those of what it yields.
std::string factsOf(const std::string &text) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context());
  REQUIRE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  AxisInfoMap map(function);
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Evaluator evaluator;
    for (BlockArgument argument : function.getArguments()) {
      unsigned number = argument.getArgNumber();
      int64_t divisor = 1, low = -1000, high = 1000;
      if (auto attr = function.getArgAttrOfType<IntegerAttr>(number, divisibilityAttr))
        divisor = attr.getInt();
      if (auto attr = function.getArgAttrOfType<DenseI64ArrayAttr>(number, rangeAttr)) {
        low = attr[0];
        high = attr[1];
      } else if (round % 2) {
        low = std::numeric_limits<int32_t>::min();
        high = std::numeric_limits<int32_t>::max();
      }
      int64_t value = low + int64_t(random() % uint64_t(high - low + 1));
      value = value / divisor * divisor;
      evaluator.set(argument, {value < low ? value + divisor : value});
    }
    for (Operation &op : function.getBody().front()) {
      evaluator.run(&op, random);
      if (evaluator.isVoid)
        break;
      if (op.getNumResults() == 1) {
        INFO("round " << round << ", " << op.getName().getStringRef().str() << ": "
                      << str(map.of(op.getResult(0))));
        checkFacts(op.getResult(0), map.of(op.getResult(0)), evaluator.of(op.getResult(0)));
      }
    }
  }
  return str(map.of(function.getBody().front().getTerminator()->getOperand(0)));
}

// A function of one line that yields the last value of its body.
std::string facts(const std::string &arguments, const std::string &body,
                  const std::string &result) {
  return factsOf("func.func @f(" + arguments + ") -> " + result + " {\n" + body +
                 "\nreturn %0 : " + result + "\n}");
}

const std::string offsets = R"(
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0 : i32
  %start = arith.muli %pid, %c64 : i32
  %s = tile.splat %start : i32 -> tensor<64xi32>
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %offs = arith.addi %s, %r : tensor<64xi32>
)";

} // namespace

TEST_CASE("ranges, splats and sums") {
  CHECK(facts("", "%0 = tile.arange 0 to 64 : tensor<64xi32>", "tensor<64xi32>") ==
        "contiguity [64], constancy [1], divisibility [1099511627776]");
  CHECK(facts("", "%0 = tile.arange 24 to 88 : tensor<64xi32>", "tensor<64xi32>") ==
        "contiguity [64], constancy [1], divisibility [8]");
  CHECK(facts("", "%0 = tile.arange -6 to -3 : tensor<3xi32>", "tensor<3xi32>") ==
        "contiguity [1], constancy [1], divisibility [1]");
  CHECK(facts("%n: i32 {tile.divisibility = 16 : i64}",
              "%0 = tile.splat %n : i32 -> tensor<8x32xi32>",
              "tensor<8x32xi32>") == "contiguity [1, 1], constancy [8, 32], divisibility [16, 16]");
  CHECK(facts("", "%0 = arith.constant dense<-24> : tensor<8xi32>", "tensor<8xi32>") ==
        "contiguity [1], constancy [8], divisibility [8], constant -24");
  CHECK(facts("", offsets + "%0 = arith.addi %offs, %offs : tensor<64xi32>", "tensor<64xi32>") ==
        "contiguity [1], constancy [1], divisibility [1]");
  CHECK(facts("", offsets + "%0 = arith.addi %s, %r : tensor<64xi32>", "tensor<64xi32>") ==
        "contiguity [64], constancy [1], divisibility [64]");
  CHECK(facts("", offsets + "%0 = arith.subi %r, %s : tensor<64xi32>", "tensor<64xi32>") ==
        "contiguity [64], constancy [1], divisibility [64]");
  CHECK(facts("", offsets + "%0 = arith.subi %s, %r : tensor<64xi32>", "tensor<64xi32>") ==
        "contiguity [1], constancy [1], divisibility [1]");
}

TEST_CASE("masks are constant over groups that divide both sides") {
  auto mask = [](const std::string &divisibility, const std::string &compare) {
    return facts("%n: i32 {tile.divisibility = " + divisibility + " : i64}",
                 offsets + "%ns = tile.splat %n : i32 -> tensor<64xi32>\n%0 = arith.cmpi " +
                     compare + " : tensor<64xi32>",
                 "tensor<64xi1>");
  };
  CHECK(mask("4", "slt, %offs, %ns") == "contiguity [1], constancy [4], divisibility [1]");
  CHECK(mask("16", "sge, %offs, %ns") == "contiguity [1], constancy [16], divisibility [1]");
  CHECK(mask("16", "ult, %offs, %ns") == "contiguity [1], constancy [16], divisibility [1]");
  CHECK(mask("16", "sgt, %ns, %offs") == "contiguity [1], constancy [16], divisibility [1]");
  CHECK(mask("16", "sle, %ns, %offs") == "contiguity [1], constancy [16], divisibility [1]");
  // At the end itself one element decides otherwise than its group.
  CHECK(mask("16", "sle, %offs, %ns") == "contiguity [1], constancy [1], divisibility [1]");
  CHECK(mask("16", "slt, %ns, %offs") == "contiguity [1], constancy [1], divisibility [1]");
  CHECK(mask("16", "eq, %offs, %ns") == "contiguity [1], constancy [1], divisibility [1]");
  // Larger groups than the tile do not matter.
  CHECK(mask("1024", "slt, %offs, %ns") == "contiguity [1], constancy [64], divisibility [1]");
}

TEST_CASE("products") {
  CHECK(facts("%n: i32 {tile.divisibility = 16 : i64}",
              offsets + "%ns = tile.splat %n : i32 -> tensor<64xi32>\n"
                        "%0 = arith.muli %offs, %ns : tensor<64xi32>",
              "tensor<64xi32>") == "contiguity [1], constancy [1], divisibility [16]");
  CHECK(facts("",
              offsets + "%one = arith.constant dense<1> : tensor<64xi32>\n"
                        "%0 = arith.muli %one, %offs : tensor<64xi32>",
              "tensor<64xi32>") == "contiguity [64], constancy [1], divisibility [64]");
  CHECK(facts("",
              offsets + "%three = arith.constant dense<3> : tensor<64xi32>\n"
                        "%0 = arith.shli %s, %three : tensor<64xi32>",
              "tensor<64xi32>") == "contiguity [1], constancy [64], divisibility [512]");
}

TEST_CASE("quotients and remainders") {
  auto with = [](const std::string &op, const std::string &x, const std::string &by) {
    return facts("%n: i32 {tile.range = array<i64: 0, 1000>, tile.divisibility = 16 : i64}, "
                 "%m: i32 {tile.divisibility = 16 : i64}",
                 offsets +
                     "%ns = tile.splat %n : i32 -> tensor<64xi32>\n"
                     "%ms = tile.splat %m : i32 -> tensor<64xi32>\n"
                     "%nr = arith.addi %ns, %r : tensor<64xi32>\n"
                     "%mr = arith.addi %ms, %r : tensor<64xi32>\n"
                     "%c8 = arith.constant dense<8> : tensor<64xi32>\n"
                     "%c3 = arith.constant dense<3> : tensor<64xi32>\n"
                     "%0 = arith." +
                     op + " " + x + ", " + by + " : tensor<64xi32>",
                 "tensor<64xi32>");
  };
  // Not negative, so division rounds down.
  CHECK(with("divsi", "%nr", "%c8") == "contiguity [1], constancy [8], divisibility [1]");
  CHECK(with("divsi", "%nr", "%ns") == "contiguity [1], constancy [16], divisibility [1]");
  CHECK(with("remsi", "%nr", "%c8") == "contiguity [8], constancy [1], divisibility [8]");
  CHECK(with("remsi", "%nr", "%ms") == "contiguity [16], constancy [1], divisibility [16]");
  // Perhaps negative: towards 0, which a group may contain.
  CHECK(with("divsi", "%mr", "%c8") == "contiguity [1], constancy [1], divisibility [1]");
  CHECK(with("remsi", "%mr", "%c8") == "contiguity [1], constancy [1], divisibility [1]");
  CHECK(with("divui", "%mr", "%c8") == "contiguity [1], constancy [8], divisibility [1]");
  CHECK(with("remui", "%mr", "%c8") == "contiguity [8], constancy [1], divisibility [8]");
  CHECK(with("shrsi", "%mr", "%c3") == "contiguity [1], constancy [8], divisibility [1]");
  CHECK(with("shrui", "%mr", "%c3") == "contiguity [1], constancy [8], divisibility [1]");
  CHECK(with("divsi", "%ns", "%c8") == "contiguity [1], constancy [64], divisibility [2]");
  CHECK(with("divsi", "%nr", "%c3") == "contiguity [1], constancy [1], divisibility [1]");
  CHECK(with("remsi", "%nr", "%c3") == "contiguity [1], constancy [1], divisibility [1]");
}

TEST_CASE("bit masks") {
  auto with = [](const std::string &bits) {
    return facts("%m: i32 {tile.divisibility = 16 : i64}",
                 offsets +
                     "%ms = tile.splat %m : i32 -> tensor<64xi32>\n"
                     "%mr = arith.addi %ms, %r : tensor<64xi32>\n"
                     "%bits = arith.constant dense<" +
                     bits + "> : tensor<64xi32>\n%0 = arith.andi %mr, %bits : tensor<64xi32>",
                 "tensor<64xi32>");
  };
  CHECK(with("7") == "contiguity [8], constancy [1], divisibility [8]");
  CHECK(with("-8") == "contiguity [1], constancy [8], divisibility [8]");
  CHECK(with("5") == "contiguity [1], constancy [1], divisibility [1]");
}

TEST_CASE("shapes") {
  std::string square = offsets + R"(
    %e0 = tile.expand_dims %offs at 0 : tensor<64xi32> -> tensor<1x64xi32>
    %b0 = tile.broadcast %e0 : tensor<1x64xi32> -> tensor<16x64xi32>
    %r16 = tile.arange 0 to 16 : tensor<16xi32>
    %ns = tile.splat %n : i32 -> tensor<16xi32>
    %m = arith.muli %r16, %ns : tensor<16xi32>
    %e1 = tile.expand_dims %m at 1 : tensor<16xi32> -> tensor<16x1xi32>
    %b1 = tile.broadcast %e1 : tensor<16x1xi32> -> tensor<16x64xi32>
    %sum = arith.addi %b0, %b1 : tensor<16x64xi32>
  )";
  std::string n = "%n: i32 {tile.divisibility = 8 : i64}";
  CHECK(facts(n, square + "%0 = arith.addi %b0, %b1 : tensor<16x64xi32>", "tensor<16x64xi32>") ==
        "contiguity [1, 64], constancy [1, 1], divisibility [1, 8]");
  CHECK(facts(n, square + "%0 = tile.trans %sum by [1, 0] : tensor<16x64xi32> -> tensor<64x16xi32>",
              "tensor<64x16xi32>") == "contiguity [64, 1], constancy [1, 1], divisibility [8, 1]");
  CHECK(facts(n, square + "%0 = tile.reshape %sum : tensor<16x64xi32> -> tensor<32x32xi32>",
              "tensor<32x32xi32>") == "contiguity [1, 32], constancy [1, 1], divisibility [1, 8]");
  CHECK(facts(n, square + "%0 = tile.reshape %sum : tensor<16x64xi32> -> tensor<1024xi32>",
              "tensor<1024xi32>") == "contiguity [64], constancy [1], divisibility [8]");
  CHECK(facts(n, square + "%0 = tile.broadcast %e1 : tensor<16x1xi32> -> tensor<16x8xi32>",
              "tensor<16x8xi32>") == "contiguity [1, 1], constancy [1, 8], divisibility [8, 8]");
}

TEST_CASE("pointers count in elements, addresses in bytes") {
  std::string body =
      offsets + "%ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>\n";
  CHECK(facts("%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}",
              body + "%0 = tile.addptr %ps, %offs : tensor<64x!tile.ptr<f16>>, tensor<64xi32>",
              "tensor<64x!tile.ptr<f16>>") == "contiguity [64], constancy [1], divisibility [16]");
  CHECK(facts("%p: !tile.ptr<f16> {tile.divisibility = 512 : i64}",
              body + "%0 = tile.addptr %ps, %offs : tensor<64x!tile.ptr<f16>>, tensor<64xi32>",
              "tensor<64x!tile.ptr<f16>>") == "contiguity [64], constancy [1], divisibility [128]");
  CHECK(facts("%p: !tile.ptr<f16>",
              body + "%0 = tile.addptr %ps, %offs : tensor<64x!tile.ptr<f16>>, tensor<64xi32>",
              "tensor<64x!tile.ptr<f16>>") == "contiguity [64], constancy [1], divisibility [1]");
}

TEST_CASE("wider integers keep neighbours that cannot have wrapped") {
  // Any start: 2^31 - 1 and its successor are neighbours in 32 bits and not in 64.
  std::string body =
      "%ns = tile.splat %n : i32 -> tensor<64xi32>\n%r = tile.arange 0 to 64 : tensor<64xi32>\n"
      "%o = arith.addi %ns, %r : tensor<64xi32>\n"
      "%0 = arith.extsi %o : tensor<64xi32> to tensor<64xi64>";
  CHECK(facts("%n: i32", body, "tensor<64xi64>") ==
        "contiguity [1], constancy [1], divisibility [1]");
  CHECK(facts("%n: i32 {tile.range = array<i64: 0, 5000>}", body, "tensor<64xi64>") ==
        "contiguity [64], constancy [1], divisibility [1]");
  CHECK(facts("%n: i32 {tile.divisibility = 16 : i64}", body, "tensor<64xi64>") ==
        "contiguity [16], constancy [1], divisibility [16]");
}

TEST_CASE("choices") {
  CHECK(facts("%n: i32 {tile.divisibility = 4 : i64}",
              offsets + "%ns = tile.splat %n : i32 -> tensor<64xi32>\n"
                        "%less = arith.cmpi slt, %offs, %ns : tensor<64xi32>\n"
                        "%0 = arith.select %less, %offs, %r : tensor<64xi1>, tensor<64xi32>",
              "tensor<64xi32>") == "contiguity [4], constancy [1], divisibility [4]");
}

TEST_CASE("loops keep what holds for every iteration") {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"(
    func.func @f(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %lo: i32 {tile.divisibility = 8 : i64}, %hi: i32) {
      %c16 = arith.constant 16 : i32
      %step = arith.constant dense<64> : tensor<64xi32>
      %r = tile.arange 0 to 64 : tensor<64xi32>
      %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
      %pp = tile.addptr %ps, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
      %end = scf.for %i = %lo to %hi step %c16 iter_args(%q = %pp) -> (tensor<64x!tile.ptr<f32>>) : i32 {
        %x = tile.load %q : tensor<64x!tile.ptr<f32>>
        %next = tile.addptr %q, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
        scf.yield %next : tensor<64x!tile.ptr<f32>>
      }
      return
    })",
                                                             &context());
  REQUIRE(module);
  AxisInfoMap map(*module);
  module->walk([&](scf::ForOp loop) {
    CHECK(str(map.of(loop.getInductionVar())) == "contiguity [1], constancy [1], divisibility [8]");
    CHECK(str(map.of(loop.getRegionIterArg(0))) ==
          "contiguity [64], constancy [1], divisibility [16]");
    CHECK(str(map.of(loop.getResult(0))) == "contiguity [64], constancy [1], divisibility [16]");
    CHECK(map.accessWidth(loop.getRegionIterArg(0), Value(), 0) == 4);
  });
}

TEST_CASE("hints of the source are believed") {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"(
    func.func @f(%p: !tile.ptr<i32>, %n: i32) {
      %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
      %x = tile.load %ps {tile.contiguity = array<i64: 32>, tile.divisibility = array<i64: 32>} : tensor<64x!tile.ptr<i32>>
      %m = arith.addi %n, %n {tile.divisibility = array<i64: 12>} : i32
      return
    })",
                                                             &context());
  REQUIRE(module);
  AxisInfoMap map(*module);
  module->walk([&](LoadOp load) {
    CHECK(str(map.of(load)) == "contiguity [32], constancy [64], divisibility [32]");
  });
  module->walk([&](arith::AddIOp add) {
    CHECK(str(map.of(add)) == "contiguity [1], constancy [1], divisibility [4]");
  });
}
