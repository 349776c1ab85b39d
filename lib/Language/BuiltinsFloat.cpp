// Functions of floats: those that targets have as instructions, and those that the library has.
//
// All take fp32 and fp64; fp16 and bf16 are computed in fp32 and rounded once.
#include "Language/Call.h"
#include "Language/Generator.h"

#include <limits>

namespace teeny::lang {
namespace {

using Operands = llvm::SmallVector<Tensor, 4>;

// The call's arguments with one type and shape, the narrow floats widened to fp32. `given` is the
// type they had in common; nothing if they are no floats.
std::optional<Operands> floatOperands(Call &call, unsigned count, ElementType &given) {
  Semantics &meaning = call.semantics;
  std::string name = call.builtin.fullName();
  Value common = call[0];
  for (unsigned i = 0; i != count; ++i) {
    Tensor left, right;
    // With itself where it is alone: a number becomes a tensor.
    if (!meaning.unify(common, i || count > 1 ? call[i] : common, left, right, name.c_str()))
      return std::nullopt;
    common = left;
  }
  given = common.tensor()->type.element;
  bool narrow = given.is(ScalarType::fp16) || given.is(ScalarType::bf16);
  if (!narrow && !given.is(ScalarType::fp32) && !given.is(ScalarType::fp64)) {
    call.fail(name + " takes floats of 16, 32 or 64 bits, found " + common.tensor()->type.name(),
              "convert with .to(tl.float32)");
    return std::nullopt;
  }
  Operands result;
  for (unsigned i = 0; i != count; ++i) {
    Tensor left, right;
    if (!meaning.unify(call[i], common, left, right, name.c_str()))
      return std::nullopt;
    result.push_back(narrow ? meaning.cast(left, ScalarType::fp32) : left);
  }
  return result;
}

// What was computed in fp32 for operands of a narrower type, in that type.
Value narrowed(Call &call, const Value &result, ElementType given) {
  const Tensor *tensor = result.tensor();
  if (!tensor || !tensor->type.element.is(ScalarType::fp32) || given.bits() >= 32)
    return result;
  return call.semantics.cast(*tensor, given);
}

unsigned parameterCount(const Call &call) {
  return 1 + unsigned(llvm::StringRef(call.builtin.signature).count(','));
}

// A library function by the stem of its name: NAME_f32 and NAME_f64, or _NAME for both.
Value libraryCall(Call &call, llvm::StringRef stem, const Operands &operands) {
  bool wide = operands[0].type.element.bits() == 64;
  Value function = call.generator.libraryFunction((stem + (wide ? "_f64" : "_f32")).str());
  if (!function)
    function = call.generator.libraryFunction(("_" + stem).str());
  assert(function && "a function of the table that the library lacks");
  Arguments arguments;
  arguments.positional.assign(operands.begin(), operands.end());
  return call.generator.call(function, std::move(arguments));
}

Value fromLibrary(Call &call) {
  ElementType given;
  std::optional<Operands> operands = floatOperands(call, parameterCount(call), given);
  if (!operands)
    return {};
  return narrowed(call, libraryCall(call, call.builtin.name, *operands), given);
}

template <Math op> Value instruction(Call &call) {
  ElementType given;
  std::optional<Operands> x = floatOperands(call, 1, given);
  if (!x)
    return {};
  const Tensor &value = x->front();
  return narrowed(call, Tensor{call.semantics.emit.math(op, value.value), value.type}, given);
}

// What every target has as an instruction in single precision; the library has it in double.
template <Math op> Value singleInstruction(Call &call) {
  ElementType given;
  std::optional<Operands> x = floatOperands(call, 1, given);
  if (!x)
    return {};
  const Tensor &value = x->front();
  if (value.type.element.is(ScalarType::fp64))
    return libraryCall(call, call.builtin.name, *x);
  return narrowed(call, Tensor{call.semantics.emit.math(op, value.value), value.type}, given);
}

// fast_NAMEf: of fp32 alone. Where the library's function is fast enough, it is that.
Value fast(Call &call) {
  ElementType given;
  std::optional<Operands> x = floatOperands(call, parameterCount(call), given);
  if (!x)
    return {};
  if (!x->front().type.element.is(ScalarType::fp32))
    return call.fail(call.builtin.fullName() + " takes fp32, found " + x->front().type.name());
  llvm::StringRef stem = call.builtin.name;
  stem.consume_front("fast_");
  stem.consume_back("f");
  return narrowed(call, libraryCall(call, stem, *x), given);
}

// 2^(x log2 e), without what the product loses.
Value fastPower(Call &call, double log2OfBase) {
  ElementType given;
  std::optional<Operands> x = floatOperands(call, 1, given);
  if (!x)
    return {};
  if (!x->front().type.element.is(ScalarType::fp32))
    return call.fail(call.builtin.fullName() + " takes fp32, found " + x->front().type.name());
  Tensor scaled =
      call.semantics.binary(ast::BinaryOp::mul, x->front(), Value::floating(log2OfBase));
  Tensor power{call.semantics.emit.math(Math::exp2, scaled.value), scaled.type};
  return narrowed(call, power, given);
}
Value fastExp(Call &call) { return fastPower(call, 1.4426950408889634); }
Value fastExp2(Call &call) { return fastPower(call, 1); }
Value fastExp10(Call &call) { return fastPower(call, 3.321928094887362); }

//===-- Classification and rounding -----------------------------------------------------------===//

Value isNan(Call &call) {
  ElementType given;
  std::optional<Operands> x = floatOperands(call, 1, given);
  return x ? call.semantics.compare(Compare::ne, x->front(), x->front()) : Tensor();
}
Value compareSize(Call &call, Compare op) {
  ElementType given;
  std::optional<Operands> x = floatOperands(call, 1, given);
  if (!x)
    return {};
  Tensor size{call.semantics.emit.math(Math::absf, x->front().value), x->front().type};
  return call.semantics.compare(op, size, Value::floating(std::numeric_limits<double>::infinity()));
}
Value isInfinite(Call &call) { return compareSize(call, Compare::eq); }
Value isFinite(Call &call) { return compareSize(call, Compare::lt); }

template <Math rounding> Value toNearestInt(Call &call) {
  ElementType given;
  std::optional<Operands> x = floatOperands(call, 1, given);
  if (!x)
    return {};
  Tensor rounded{call.semantics.emit.math(rounding, x->front().value), x->front().type};
  return call.semantics.cast(rounded, ScalarType::int64);
}

//===-- Functions of more ---------------------------------------------------------------------===//

Value copySign(Call &call) {
  ElementType given;
  std::optional<Operands> operands = floatOperands(call, 2, given);
  if (!operands)
    return {};
  const Tensor &x = (*operands)[0], &y = (*operands)[1];
  return narrowed(call, Tensor{call.semantics.emit.copySign(x.value, y.value), x.type}, given);
}

Value fma(Call &call) {
  ElementType given;
  std::optional<Operands> operands = floatOperands(call, 3, given);
  if (!operands)
    return {};
  const Tensor &x = (*operands)[0];
  mlir::Value result = call.semantics.emit.fma(x.value, (*operands)[1].value, (*operands)[2].value);
  return narrowed(call, Tensor{result, x.type}, given);
}

Value divide(Call &call) {
  ElementType given;
  std::optional<Operands> operands = floatOperands(call, 2, given);
  if (!operands)
    return {};
  return narrowed(call, call.semantics.binary(ast::BinaryOp::div, (*operands)[0], (*operands)[1]),
                  given);
}

// Correctly rounded where the plain operation is not, which is on GPUs in single precision.
Value rounded(Call &call, Value result) {
  if (const Tensor *tensor = result.tensor())
    call.semantics.emit.correctlyRounded(tensor->value);
  return result;
}
Value divideRounded(Call &call) {
  ElementType given;
  std::optional<Operands> operands = floatOperands(call, 2, given);
  if (!operands)
    return {};
  Value quotient = call.semantics.binary(ast::BinaryOp::div, (*operands)[0], (*operands)[1]);
  return narrowed(call, rounded(call, quotient), given);
}
Value rootRounded(Call &call) {
  ElementType given;
  std::optional<Operands> x = floatOperands(call, 1, given);
  if (!x)
    return {};
  Tensor root{call.semantics.emit.math(Math::sqrt, x->front().value), x->front().type};
  return narrowed(call, rounded(call, root), given);
}

Value quotient(Call &call) {
  std::optional<bool> ieee = call.boolean(2, false);
  return !ieee ? Value() : *ieee ? divideRounded(call) : divide(call);
}

// The exponent may be an integer, which becomes a float.
Value power(Call &call) {
  Tensor y = call.tensor(1);
  if (!y)
    return {};
  const Tensor *base = call[0].tensor();
  if (y.type.element.isInteger() && base && base->type.element.isFloat())
    call.replace(1, call.semantics.cast(y, base->type.element));
  return fromLibrary(call);
}

Value missing(Call &call) {
  return call.fail(call.builtin.fullName() + " is in Triton's libdevice but not in this library");
}
Value directed(Call &call) {
  return call.fail(call.builtin.fullName() +
                       " rounds in one direction, which only instructions of GPUs do",
                   "the function that ends in _rn rounds to nearest");
}

} // namespace

llvm::ArrayRef<Builtin> floatBuiltins() {
  using B = Builtin;
  constexpr uint8_t math = B::language | B::math | B::libdevice | B::member;
  constexpr uint8_t device = B::math | B::libdevice;
  static const Builtin table[] = {
      {"exp", "x", math, false, fromLibrary},
      {"exp2", "x", math, false, singleInstruction<Math::exp2>},
      {"log", "x", math, false, fromLibrary},
      {"log2", "x", math, false, fromLibrary},
      {"sin", "x", math, false, fromLibrary},
      {"cos", "x", math, false, fromLibrary},
      {"erf", "x", math, false, fromLibrary},
      {"sqrt", "x", math, false, instruction<Math::sqrt>},
      {"sqrt_rn", "x", math, false, rootRounded},
      {"rsqrt", "x", math, false, instruction<Math::rsqrt>},
      {"floor", "x", math, false, instruction<Math::floor>},
      {"ceil", "x", math, false, instruction<Math::ceil>},
      {"fma", "x, y, z", B::language | B::math | B::libdevice, false, fma},
      {"fdiv", "x, y, ieee_rounding=False", B::language | B::math, false, quotient},
      {"div_rn", "x, y", B::language | B::math | B::libdevice, false, divideRounded},
      {"tanh", "x", device, false, fromLibrary},
      {"tan", "x", device, false, fromLibrary},
      {"asin", "x", device, false, fromLibrary},
      {"acos", "x", device, false, fromLibrary},
      {"atan", "x", device, false, fromLibrary},
      {"atan2", "y, x", device, false, fromLibrary},
      {"sinh", "x", device, false, fromLibrary},
      {"cosh", "x", device, false, fromLibrary},
      {"asinh", "x", device, false, fromLibrary},
      {"acosh", "x", device, false, fromLibrary},
      {"atanh", "x", device, false, fromLibrary},
      {"sinpi", "x", device, false, fromLibrary},
      {"cospi", "x", device, false, fromLibrary},
      {"expm1", "x", device, false, fromLibrary},
      {"log1p", "x", device, false, fromLibrary},
      {"log10", "x", device, false, fromLibrary},
      {"exp10", "x", device, false, fromLibrary},
      {"erfc", "x", device, false, fromLibrary},
      {"erfinv", "x", device, false, fromLibrary},
      {"lgamma", "x", device, false, fromLibrary},
      {"tgamma", "x", device, false, fromLibrary},
      {"cbrt", "x", device, false, fromLibrary},
      {"rcbrt", "x", device, false, fromLibrary},
      {"hypot", "x, y", device, false, fromLibrary},
      {"rhypot", "x, y", device, false, fromLibrary},
      {"norm3d", "x, y, z", device, false, fromLibrary},
      {"rnorm3d", "x, y, z", device, false, fromLibrary},
      {"norm4d", "x, y, z, w", device, false, fromLibrary},
      {"rnorm4d", "x, y, z, w", device, false, fromLibrary},
      {"pow", "x, y", device, false, power},
      {"fmod", "x, y", device, false, fromLibrary},
      {"remainder", "x, y", device, false, fromLibrary},
      {"fdim", "x, y", device, false, fromLibrary},
      {"nextafter", "x, y", device, false, fromLibrary},
      {"ilogb", "x", device, false, fromLibrary},
      {"logb", "x", device, false, fromLibrary},
      {"signbit", "x", device, false, fromLibrary},
      {"rsqrt_rn", "x", device, false, fromLibrary},
      {"rcp_rn", "x", device, false, fromLibrary},
      {"saturatef", "x", device, false, fromLibrary},
      {"trunc", "x", device, false, instruction<Math::trunc>},
      {"rint", "x", device, false, instruction<Math::roundEven>},
      {"nearbyint", "x", device, false, instruction<Math::roundEven>},
      {"round", "x", device, false, instruction<Math::round>},
      {"llrint", "x", device, false, toNearestInt<Math::roundEven>},
      {"llround", "x", device, false, toNearestInt<Math::round>},
      {"isnan", "x", device, false, isNan},
      {"isinf", "x", device, false, isInfinite},
      {"isfinited", "x", device, false, isFinite},
      {"finitef", "x", device, false, isFinite},
      {"copysign", "x, y", device, false, copySign},
      {"fma_rn", "x, y, z", device, false, fma},
      {"fast_expf", "x", device, false, fastExp},
      {"fast_exp2f", "x", device, false, fastExp2},
      {"fast_exp10f", "x", device, false, fastExp10},
      {"fast_logf", "x", device, false, fast},
      {"fast_log2f", "x", device, false, fast},
      {"fast_log10f", "x", device, false, fast},
      {"fast_sinf", "x", device, false, fast},
      {"fast_cosf", "x", device, false, fast},
      {"fast_tanf", "x", device, false, fast},
      {"fast_tanhf", "x", device, false, fast},
      {"fast_powf", "x, y", device, false, fast},
      {"fast_dividef", "x, y", device, false, divide},
#define MISSING(name) {name, "*arguments", device, false, missing}
      MISSING("j0"),
      MISSING("j1"),
      MISSING("jn"),
      MISSING("y0"),
      MISSING("y1"),
      MISSING("yn"),
      MISSING("cyl_bessel_i0"),
      MISSING("cyl_bessel_i1"),
      MISSING("erfcx"),
      MISSING("erfcinv"),
      MISSING("normcdf"),
      MISSING("normcdfinv"),
      MISSING("rcp64h"),
#undef MISSING
#define DIRECTED(stem)                                                                             \
  {stem "_rz", "*arguments", device, false, directed},                                             \
      {stem "_rd", "*arguments", device, false, directed},                                         \
      {stem "_ru", "*arguments", device, false, directed}
      DIRECTED("add"),
      DIRECTED("sub"),
      DIRECTED("mul"),
      DIRECTED("fma"),
      DIRECTED("div"),
      DIRECTED("rcp"),
      DIRECTED("sqrt"),
      DIRECTED("int2float"),
      DIRECTED("uint2float"),
      DIRECTED("ll2float"),
      DIRECTED("ull2float"),
      DIRECTED("ll2double"),
      DIRECTED("ull2double"),
      {"double2float_rd", "x", device, false, directed},
      {"double2float_ru", "x", device, false, directed},
#undef DIRECTED
  };
  return table;
}

} // namespace teeny::lang
