#include "Graph/Transforms/MapKernel.h"

#include "Base/Checked.h"
#include "Graph/IR/Pointwise.h"
#include "Graph/IR/ShippedFiles.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

//===-- Views
//-----------------------------------------------------------------------------------===//

Access graph::identityAccess(Value operand) {
  Access access{operand, {}, std::nullopt};
  for (int64_t dim = 0; dim < tensorType(operand).getRank(); ++dim)
    access.coordinates.push_back({dim, 1, 0});
  return access;
}

// The operand of a view in place of its result.
static bool lookThrough(Access &access) {
  using Coordinate = Access::Coordinate;
  if (auto permute = access.operand.getDefiningOp<PermuteOp>()) {
    SmallVector<Coordinate> before(access.coordinates.size());
    for (auto [to, from] : llvm::enumerate(permute.getPermutation()))
      before[from] = access.coordinates[to];
    access = {permute.getOperand(), before, std::nullopt};
    return true;
  }
  if (auto expand = access.operand.getDefiningOp<ExpandOp>()) {
    ArrayRef<ExprAttr> own = tensorType(expand.getOperand()).getShape();
    auto before = SmallVector<Coordinate>(ArrayRef(access.coordinates).take_back(own.size()));
    for (auto [coordinate, size] : llvm::zip_equal(before, own))
      if (size.getConstant() == 1)
        coordinate = {-1, 1, 0};
    access = {expand.getOperand(), before, std::nullopt};
    return true;
  }
  if (auto slice = access.operand.getDefiningOp<SliceOp>()) {
    for (auto [coordinate, start, step] : llvm::zip_equal(
             access.coordinates, slice.getStarts().getAsRange<ExprAttr>(), slice.getSteps())) {
      std::optional<int64_t> factor = checkedMul(coordinate.factor, step);
      if (!factor)
        return false;
      coordinate.factor = *factor;
      coordinate.offset = coordinate.offset * step + start.getExpr();
    }
    access.operand = slice.getOperand();
    return true;
  }
  return false;
}

Access graph::accessThroughViews(Value operand, int64_t rank) {
  Access access{operand, {}, std::nullopt};
  ArrayRef<ExprAttr> shape = tensorType(operand).getShape();
  for (auto [dim, size] : llvm::enumerate(shape)) {
    int64_t of = int64_t(dim) + rank - int64_t(shape.size());
    access.coordinates.push_back({size.getConstant() == 1 ? -1 : of, 1, 0});
  }
  while (lookThrough(access)) {
  }
  return access;
}

//===-- Positions
//-------------------------------------------------------------------------------===//

namespace {

// The strides of an access over the dims of the result.
struct Strides {
  SmallVector<Expr> perDim;
  Expr base = 0;
};

// Writes the text of a kernel: positions, loads, lines, the store.
class KernelText {
public:
  // What a text begins with: a program's own positions, or those of a tile it is given.
  enum class Kind { kernel, wideKernel, epilogue };

  KernelText(GraphTensorType result, ArrayRef<Access> accesses, Kind kind)
      : accesses(accesses), kind(kind), first(kind == Kind::epilogue ? 1 : 0) {
    for (ExprAttr size : result.getShape())
      sizes.push_back(size.getExpr());
    for (const Access &access : accesses) {
      strides.push_back(stridesOf(access));
      kernel.operands.push_back(access.operand);
    }
    bool hasBorder =
        llvm::any_of(accesses, [](const Access &access) { return access.border.has_value(); });
    collapse(hasBorder);
    if (kind != Kind::epilogue)
      argument("n", result.elements());
    positions(hasBorder);
  }

  void line(const llvm::Twine &text) { body += ("    " + text + "\n").str(); }
  void load(size_t index);
  MapKernel finish(const std::string &function, const std::string &value,
                   const std::string &library);

private:
  Strides stridesOf(const Access &access) const;
  void collapse(bool hasBorder);
  void positions(bool hasBorder);
  std::string offset(size_t index);
  std::string borderOffset(size_t index);
  bool isPosition(const Strides &strides) const;
  // "i1 * s", without what does nothing; "" for 0.
  std::string scaled(const std::string &value, const std::string &name, const Expr &factor);
  std::string argument(const std::string &name, const Expr &value) {
    kernel.arguments.emplace_back(name, value);
    return name;
  }
  std::string coordinate(int64_t dim) const {
    return sizes.size() == 1 ? "i" : "i" + std::to_string(dim);
  }

  ArrayRef<Access> accesses;
  Kind kind;
  size_t first;            // number of the first operand
  SmallVector<Expr> sizes; // of the result; neighbours that are walked alike are one
  SmallVector<Strides> strides;
  std::string body;
  MapKernel kernel;
};

Strides KernelText::stridesOf(const Access &access) const {
  Strides strides{SmallVector<Expr>(sizes.size(), Expr(0)), 0};
  Expr stride = 1;
  ArrayRef<ExprAttr> shape = tensorType(access.operand).getShape();
  for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
    const Access::Coordinate &coordinate = access.coordinates[dim];
    strides.base = strides.base + coordinate.offset * stride;
    if (coordinate.dim >= 0)
      strides.perDim[coordinate.dim] = strides.perDim[coordinate.dim] + coordinate.factor * stride;
    stride = stride * shape[dim].getExpr();
  }
  return strides;
}

void KernelText::collapse(bool hasBorder) {
  if (hasBorder)
    return;
  auto drop = [&](size_t dim) {
    sizes.erase(sizes.begin() + dim);
    for (Strides &access : strides)
      access.perDim.erase(access.perDim.begin() + dim);
  };
  for (size_t dim = sizes.size(); dim-- > 0;)
    if (sizes[dim].constant() == 1)
      drop(dim);
  for (size_t dim = sizes.size(); dim-- > 1;) {
    bool alike = llvm::all_of(strides, [&](const Strides &access) {
      return access.perDim[dim - 1].equal(access.perDim[dim] * sizes[dim]);
    });
    if (!alike)
      continue;
    sizes[dim] = sizes[dim - 1] * sizes[dim];
    drop(dim - 1);
  }
}

bool KernelText::isPosition(const Strides &access) const {
  Expr stride = 1;
  for (size_t dim = sizes.size(); dim-- > 0; stride = stride * sizes[dim])
    if (!access.perDim[dim].equal(stride))
      return false;
  return access.base.constant() == 0;
}

void KernelText::positions(bool hasBorder) {
  if (kind != Kind::epilogue) {
    line(llvm::Twine("i = tl.program_id(0)") + (kind == Kind::wideKernel ? ".to(tl.int64)" : "") +
         " * BLOCK + tl.arange(0, BLOCK)");
    line("inside = i < n");
  }
  bool needed = hasBorder ||
                !llvm::all_of(strides, [&](const Strides &access) { return isPosition(access); });
  if (!needed || sizes.size() < 2)
    return;
  std::string rest = "i";
  for (size_t dim = sizes.size() - 1; dim > 0; --dim) {
    std::string name = std::to_string(dim), size = argument("d" + name, sizes[dim]);
    line("i" + name + " = " + rest + " % " + size);
    std::string next = dim == 1 ? "i0" : "rest" + name;
    line(next + " = " + rest + " // " + size);
    rest = next;
  }
}

std::string KernelText::scaled(const std::string &value, const std::string &name,
                               const Expr &factor) {
  if (factor.constant() == 0)
    return "";
  if (factor.constant() == 1)
    return value;
  return value + " * " + argument(name, factor);
}

std::string KernelText::offset(size_t index) {
  const Strides &access = strides[index];
  if (isPosition(access))
    return "i";
  std::string own = std::to_string(index + first);
  SmallVector<std::string> terms;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    std::string term =
        scaled(coordinate(dim), "s" + own + "_" + std::to_string(dim), access.perDim[dim]);
    if (!term.empty())
      terms.push_back(term);
  }
  if (access.base.constant() != 0)
    terms.push_back(argument("b" + own, access.base));
  if (terms.empty() || (terms.size() == 1 && access.base.constant() != 0))
    terms.push_back("i * 0"); // one element for all
  return llvm::join(terms, " + ");
}

// With a border coordinates may be outside; modes other than `constant` bring them back.
std::string KernelText::borderOffset(size_t index) {
  const Access &access = accesses[index];
  ArrayRef<ExprAttr> shape = tensorType(access.operand).getShape();
  SmallVector<std::string> terms;
  Expr stride = 1;
  for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
    std::string name = std::to_string(dim), at = "at" + name;
    Expr size = shape[dim].getExpr(), low = -access.coordinates[dim].offset;
    line(at + " = " + coordinate(dim) +
         (low.constant() == 0 ? "" : " - " + argument("low" + name, low)));
    bool hasBorder = !(low.constant() == 0 && size.equal(sizes[dim]));
    if (hasBorder) {
      std::string count = argument("size" + name, size);
      switch (access.border->mode) {
      case PadMode::Constant:
        line("inner = inner & (" + at + " >= 0) & (" + at + " < " + count + ")");
        break;
      case PadMode::Reflect:
        line(at + " = tl.abs(" + at + ")");
        line(at + " = " + count + " - 1 - tl.abs(" + count + " - 1 - " + at + ")");
        break;
      case PadMode::Replicate:
        line(at + " = tl.minimum(tl.maximum(" + at + ", 0), " + count + " - 1)");
        break;
      case PadMode::Circular:
        line(at + " = tl.where(" + at + " < 0, " + at + " + " + count + ", " + at + ")");
        line(at + " = tl.where(" + at + " >= " + count + ", " + at + " - " + count + ", " + at +
             ")");
        break;
      }
    }
    std::string term = scaled(at, "s" + name, stride);
    terms.push_back(term.empty() ? at + " * 0" : term);
    stride = stride * size;
  }
  return terms.empty() ? "i * 0" : llvm::join(terms, " + ");
}

void KernelText::load(size_t index) {
  std::string own = std::to_string(index + first);
  if (!accesses[index].border) {
    std::string at = offset(index);
    line("v" + own + " = tl.load(x" + own + " + " +
         (StringRef(at).contains(' ') ? "(" + at + ")" : at) + ", mask=inside)");
    return;
  }
  line("inner = inside");
  std::string at = borderOffset(index);
  line("v" + own + " = tl.load(x" + own + " + (" + at +
       "), mask=inner, other=" + accesses[index].border->value + ")");
}

MapKernel KernelText::finish(const std::string &function, const std::string &value,
                             const std::string &library) {
  kernel.function = function;
  std::string parameters = kind == Kind::epilogue ? "value, i, inside, out" : "";
  for (size_t index = 0; index < kernel.operands.size(); ++index)
    parameters += (parameters.empty() ? "x" : ", x") + std::to_string(index + first);
  if (kind != Kind::epilogue)
    parameters += ", out";
  for (const auto &[name, expr] : kernel.arguments)
    parameters += ", " + name;
  if (kind != Kind::epilogue)
    parameters += ", BLOCK: tl.constexpr";
  line("tl.store(out + i, " + value + ", mask=inside)");
  kernel.text =
      "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n" +
      library + "\n\n@triton.jit\ndef " + function + "(" + parameters + "):\n" + body;
  return std::move(kernel);
}

//===-- Lines -------------------------------------------------------------------------------===//

std::string typeWord(Type type) {
  if (type.isF64())
    return "tl.float64";
  if (type.isF32())
    return "tl.float32";
  if (type.isF16())
    return "tl.float16";
  if (type.isBF16())
    return "tl.bfloat16";
  if (isa<Float8E4M3FNType>(type))
    return "tl.float8e4nv";
  if (isa<Float8E5M2Type>(type))
    return "tl.float8e5";
  if (type.isInteger(1))
    return "tl.int1";
  return (type.isUnsignedInteger() ? "tl.uint" : "tl.int") +
         std::to_string(type.getIntOrFloatBitWidth());
}

std::string numberText(double value) {
  if (std::isnan(value))
    return "float(\"nan\")";
  if (std::isinf(value))
    return value < 0 ? "float(\"-inf\")" : "float(\"inf\")";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.17g", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

bool isSmallFloat(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32; }

// The function of a map with all its lines.
class MapText {
public:
  MapText(Block &block, GraphTensorType result, ArrayRef<Access> accesses, KernelText::Kind kind)
      : block(block), isEpilogue(kind == KernelText::Kind::epilogue), text(result, accesses, kind) {
  }

  MapKernel write() {
    size_t operands = block.getNumArguments();
    if (isEpilogue)
      text.line("v0 = value");
    for (size_t index = 0; index < operands; ++index) {
      if (index > 0 || !isEpilogue)
        text.load(index - isEpilogue);
      names[block.getArgument(index)] = "v" + std::to_string(index);
    }
    next = operands;
    for (Operation &op : block) {
      if (auto literal = dyn_cast<LiteralOp>(op))
        write(literal);
      else if (auto apply = dyn_cast<ApplyOp>(op))
        write(apply);
    }
    Value result = cast<YieldOp>(block.getTerminator()).getValue();
    return text.finish(isEpilogue ? "epilogue" : function, names[result], library());
  }

private:
  std::string name(Value value) { return names[value] = "v" + std::to_string(next++); }

  void write(LiteralOp literal) {
    text.line(name(literal) + " = " +
              constantText(literal.getValue(), isEpilogue ? "value.shape" : "[BLOCK]"));
  }

  void write(ApplyOp apply) {
    Type type = apply.getType();
    std::string to = ".to(" + typeWord(type) + ")";
    StringRef applied = apply.getFunction();
    if (applied == "cast") {
      std::string from = names[apply.getOperand(0)];
      text.line(name(apply) + " = " + from + to);
      return;
    }
    used.insert(applied);
    if (function.size() < 40)
      function += ("_" + applied).str();
    SmallVector<std::string> arguments;
    for (Value operand : apply.getOperands())
      arguments.push_back(names[operand] +
                          (isSmallFloat(operand.getType()) ? ".to(tl.float32)" : ""));
    // In the order of the table, which is that of the function.
    for (const PointwiseFunction::Parameter &parameter : findPointwise(applied)->parameters) {
      double value = parameter.defaultValue;
      if (apply.getAttrs())
        if (auto given = apply.getAttrs()->getAs<FloatAttr>(parameter.name))
          value = given.getValueAsDouble();
      arguments.push_back(numberText(value));
    }
    text.line(name(apply) + " = " + applied + "(" + llvm::join(arguments, ", ") + ")" +
              (isSmallFloat(type) ? to : ""));
  }

  // The functions that are used, in the order of their file.
  std::string library() const {
    StringRef rest = findShippedFile("<shipped>/core/pointwise.py")->text;
    std::string taken;
    for (rest = rest.split("@triton.jit\n").second; !rest.empty();) {
      auto [part, after] = rest.split("@triton.jit\n");
      rest = after;
      if (!used.contains(part.split("(").first.drop_front(strlen("def "))))
        continue;
      // What is not indented after the first line is between functions.
      auto [first, lines] = part.split("\n");
      taken += ("\n\n@triton.jit\n" + first + "\n").str();
      while (lines.starts_with(" ")) {
        auto [line, more] = lines.split("\n");
        taken += (line + "\n").str();
        lines = more;
      }
    }
    return taken;
  }

  Block &block;
  bool isEpilogue;
  KernelText text;
  llvm::DenseMap<Value, std::string> names;
  llvm::StringSet<> used;
  std::string function = "map";
  size_t next = 0;
};

} // namespace

std::string graph::constantText(TypedAttr value, StringRef shape) {
  Type type = value.getType();
  std::string number;
  if (auto real = dyn_cast<FloatAttr>(value))
    number = numberText(real.getValueAsDouble());
  else
    number = llvm::toString(cast<IntegerAttr>(value).getValue(), 10,
                            !type.isUnsignedInteger() && !type.isInteger(1));
  // Through a type that the language can make a constant of.
  Type made = isSmallFloat(type) ? Float32Type::get(type.getContext()) : type;
  std::string text = ("tl.full(" + shape + ", " + number + ", " + typeWord(made) + ")").str();
  return made == type ? text : text + ".to(" + typeWord(type) + ")";
}

static KernelText::Kind kindOf(bool isWide) {
  return isWide ? KernelText::Kind::wideKernel : KernelText::Kind::kernel;
}

MapKernel graph::mapKernel(MapOp map, ArrayRef<Access> accesses, bool isWide) {
  return MapText(map.getBlock(), tensorType(map.getResult()), accesses, kindOf(isWide)).write();
}

MapKernel graph::epilogueFunction(CallOp call, ArrayRef<Access> extras) {
  return MapText(call.getEpilogue().front(), tensorType(call.getResult(0)), extras,
                 KernelText::Kind::epilogue)
      .write();
}

MapKernel graph::copyKernel(GraphTensorType result, const Access &access, bool isWide) {
  KernelText text(result, access, kindOf(isWide));
  text.load(0);
  return text.finish(access.border ? "pad_" + stringifyPadMode(access.border->mode).str() : "copy",
                     "v0", "");
}

std::string graph::concatKernelText(bool isWide) {
  return std::string("import triton\nimport triton.language as tl\n\n\n"
                     "@triton.jit\n"
                     "def concat_part(x, out, n, d, s, b, BLOCK: tl.constexpr):\n"
                     "    i = tl.program_id(0)") +
         (isWide ? ".to(tl.int64)" : "") +
         " * BLOCK + tl.arange(0, BLOCK)\n"
         "    inside = i < n\n"
         "    value = tl.load(x + i, mask=inside)\n"
         "    tl.store(out + (i // d * s + b + i % d), value, mask=inside)\n";
}
