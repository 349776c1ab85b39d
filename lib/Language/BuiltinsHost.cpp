// What module level needs of Python and its libraries: enough for constants, for conditions on
// versions and on what exists, and for the choices of autotuners. All is known at compile time.
#include "Language/Call.h"
#include "Language/Constants.h"
#include "Language/Generator.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

namespace teeny::lang {
namespace {

Value hasAttribute(Call &call) {
  const std::string *name = call[1].asString();
  if (!name)
    return call.fail("hasattr takes a name, found " + call[1].describe());
  if (auto *module = call[0].constantOf<ModuleRef>(); module && isPythonModule(module->path))
    if (!call.generator.member(module->path, *name))
      return call.fail("whether '" + module->path + "' has '" + *name +
                       "' is not known at compile time");
  if (call[0].constantOf<Unknown>())
    return call.fail("a value unknown at compile time is asked for an attribute");
  return Value::boolean(bool(call.generator.attributeIfAny(call[0], *name)));
}

Value getAttribute(Call &call) {
  const std::string *name = call[1].asString();
  if (!name)
    return call.fail("getattr takes a name, found " + call[1].describe());
  if (call[2])
    if (Value found = call.generator.attributeIfAny(call[0], *name); !found)
      return call[2];
  return call.generator.attribute(call[0], *name);
}

// A program is compiled as with no variable set, whatever the machine has.
Value environment(Call &call) { return call[1] ? call[1] : Value::none(); }

// "3.6.0+cu12" as (3, 6, 0), which compares as versions do.
Value version(Call &call) {
  std::optional<std::string> text = call.string(0, "");
  if (!text)
    return {};
  std::vector<Value> items;
  for (llvm::StringRef part : llvm::split(*text, '.')) {
    unsigned number = 0;
    if (part.consumeInteger(10, number))
      break;
    items.push_back(Value::integer(number));
    if (!part.empty())
      break;
  }
  if (items.empty())
    return call.fail("'" + *text + "' is no version");
  return Value::tuple(std::move(items));
}

Value split(Call &call) {
  const std::string *text = call[0].asString();
  std::optional<std::string> separator = call.string(1, " ");
  if (!text || !separator || separator->empty())
    return call.fail("split takes a separator");
  std::vector<Value> items;
  for (llvm::StringRef part : llvm::split(*text, *separator))
    items.push_back(Value::string(part.str()));
  return Value::tuple(std::move(items), /*isList=*/true);
}

// Whether a string begins or ends with another; its letters in one case.
Value startsWith(Call &call) {
  std::optional<std::string> part = call.string(1, "");
  return part ? Value::boolean(llvm::StringRef(*call[0].asString()).starts_with(*part)) : Value();
}
Value endsWith(Call &call) {
  std::optional<std::string> part = call.string(1, "");
  return part ? Value::boolean(llvm::StringRef(*call[0].asString()).ends_with(*part)) : Value();
}
Value lower(Call &call) { return Value::string(llvm::StringRef(*call[0].asString()).lower()); }
Value upper(Call &call) { return Value::string(llvm::StringRef(*call[0].asString()).upper()); }

Value dictGet(Call &call) {
  const std::string *name = call[1].asString();
  const Value *found = name ? call[0].dict()->find(*name) : nullptr;
  return found ? *found : call[2] ? call[2] : Value::none();
}

Value mapped(Call &call) {
  if (!call[1].tuple())
    return call.fail("map goes over a tuple, found " + call[1].describe());
  std::vector<Value> items;
  for (const Value &item : call[1].tuple()->items) {
    Arguments arguments;
    arguments.positional.push_back(item);
    items.push_back(call.generator.call(call[0], std::move(arguments)));
    if (!items.back())
      return {};
  }
  return Value::tuple(std::move(items), /*isList=*/true);
}

Value filtered(Call &call) {
  if (!call[1].tuple())
    return call.fail("filter goes over a tuple, found " + call[1].describe());
  std::vector<Value> items;
  for (const Value &item : call[1].tuple()->items) {
    Arguments arguments;
    arguments.positional.push_back(item);
    Value kept = call.generator.call(call[0], std::move(arguments));
    std::optional<bool> known = kept ? call.generator.constantTruth(kept) : std::nullopt;
    if (!known)
      return call.fail("what filter keeps is not known at compile time");
    if (*known)
      items.push_back(item);
  }
  return Value::tuple(std::move(items), /*isList=*/true);
}

std::optional<double> number(Call &call) {
  std::optional<double> value = call[0].asFloat();
  if (!value)
    call.fail(call.builtin.fullName() + " takes a number known at compile time, found " +
              call[0].describe());
  return value;
}

template <double (*function)(double)> Value mathOf(Call &call) {
  std::optional<double> value = number(call);
  double result = value ? function(*value) : 0;
  if (value && std::isnan(result) && !std::isnan(*value))
    return call.fail("math domain error");
  return value ? Value::floating(result) : Value();
}

template <double (*function)(double)> Value integerOf(Call &call) {
  std::optional<double> value = number(call);
  double result = value ? function(*value) : 0;
  if (value && !(std::fabs(result) < 0x1p126))
    return call.fail("a number too large for an integer");
  return value ? Value::integer(Integer(result)) : Value();
}

Value logarithm(Call &call) {
  std::optional<double> value = number(call), base;
  if (!value)
    return {};
  if (call.has(1) && !(base = call[1].asFloat()))
    return call.fail("the base of a logarithm must be a number");
  double result = std::log(*value) / (base ? std::log(*base) : 1);
  return std::isfinite(result) ? Value::floating(result) : call.fail("math domain error");
}

Value power(Call &call) {
  std::optional<double> base = call[0].asFloat(), exponent = call[1].asFloat();
  if (!base || !exponent)
    return call.fail("math.pow takes numbers");
  return Value::floating(std::pow(*base, *exponent));
}

template <ast::CompareOp op> Value comparison(Call &call) {
  return call.generator.compare(op, call[0], call[1]);
}

// Limits of a type, as a module with the type in its name.
Value limits(Call &call, const char *kind) {
  const Type *type = call[0].asType();
  if (!type || type->isTile() || type->element.isPointer())
    return call.fail(call.builtin.fullName() + " takes a dtype, found " + call[0].describe());
  return Constant(ModuleRef{(llvm::Twine("torch.") + kind + "." + type->name()).str()});
}
Value floatLimits(Call &call) { return limits(call, "finfo"); }
Value integerLimits(Call &call) { return limits(call, "iinfo"); }

// A choice of an autotuner: a tuple of its values and its options, two dicts.
Value config(Call &call) {
  auto options = std::make_shared<DictValue>();
  for (unsigned index : {1, 2})
    if (call.has(index))
      options->items.emplace_back(index == 1 ? "num_warps" : "num_stages", call[index]);
  Value values = call[0];
  if (!values || values.isNone())
    values = Value(std::make_shared<const DictValue>());
  if (!values.dict())
    return call.fail("triton.Config takes a dict, found " + values.describe());
  return Value::tuple({values, Value(std::shared_ptr<const DictValue>(std::move(options)))});
}

// One program is made for all targets, so that a question for a certain one is answered with no.
Value isCuda(Call &) { return Value::boolean(true); }
Value isNotThis(Call &) { return Value::boolean(false); }

double ceilOf(double value) { return std::ceil(value); }
double floorOf(double value) { return std::floor(value); }
double truncOf(double value) { return std::trunc(value); }
double sqrtOf(double value) { return std::sqrt(value); }
double expOf(double value) { return std::exp(value); }
double log2Of(double value) { return std::log2(value); }
double log10Of(double value) { return std::log10(value); }
double tanhOf(double value) { return std::tanh(value); }

} // namespace

Value hostConstant(llvm::StringRef path, llvm::StringRef name) {
  if (path == "math") {
    std::optional<double> value = llvm::StringSwitch<std::optional<double>>(name)
                                      .Case("pi", M_PI)
                                      .Case("e", M_E)
                                      .Case("tau", 2 * M_PI)
                                      .Case("inf", HUGE_VAL)
                                      .Case("nan", std::nan(""))
                                      .Default(std::nullopt);
    return value ? Value::floating(*value) : Value();
  }
  if (path == "torch") {
    llvm::StringRef type = llvm::StringSwitch<llvm::StringRef>(name)
                               .Cases({"float16", "half"}, "fp16")
                               .Case("bfloat16", "bf16")
                               .Cases({"float32", "float"}, "fp32")
                               .Cases({"float64", "double"}, "fp64")
                               .Case("float8_e4m3fn", "fp8e4nv")
                               .Case("float8_e5m2", "fp8e5")
                               .Cases({"int8", "int16", "int32", "int64", "uint8"}, name)
                               .Default("");
    std::optional<ScalarType> known = ScalarType::parse(type);
    return known ? Value::type(Type(*known)) : Value();
  }
  auto [module, type] = path.rsplit('.');
  std::optional<ScalarType> known = ScalarType::parse(type);
  if (module == "torch.iinfo" && known && known->isInteger()) {
    if (name == "max" || name == "min")
      return Value::integer(name == "max" ? known->maximum() : known->minimum());
    return name == "bits" ? Value::integer(known->bits()) : Value();
  }
  if (module != "torch.finfo" || !known || !known->isFloat())
    return {};
  // The largest value, the last place of 1, the smallest normal value.
  struct Limits {
    double largest, epsilon, smallest;
  };
  auto limits = llvm::StringSwitch<std::optional<Limits>>(known->name())
                    .Case("fp64", Limits{0x1.fffffffffffffp1023, 0x1p-52, 0x1p-1022})
                    .Case("fp32", Limits{0x1.fffffep127, 0x1p-23, 0x1p-126})
                    .Case("bf16", Limits{0x1.fep127, 0x1p-7, 0x1p-126})
                    .Case("fp16", Limits{65504, 0x1p-10, 0x1p-14})
                    .Case("fp8e4nv", Limits{448, 0x1p-3, 0x1p-6})
                    .Case("fp8e5", Limits{57344, 0x1p-2, 0x1p-14})
                    .Default(std::nullopt);
  if (!limits)
    return {};
  if (name == "max" || name == "min")
    return Value::floating(name == "max" ? limits->largest : -limits->largest);
  if (name == "eps")
    return Value::floating(limits->epsilon);
  return name == "tiny" || name == "smallest_normal" ? Value::floating(limits->smallest) : Value();
}

llvm::ArrayRef<Builtin> hostBuiltins() {
  using B = Builtin;
  static const Builtin table[] = {
      {"hasattr", "object, name", B::python, true, hasAttribute},
      {"getattr", "object, name, default=None", B::python, true, getAttribute},
      {"map", "function, values", B::python, true, mapped},
      {"filter", "function, values", B::python, true, filtered},
      {"Config",
       "kwargs=None, num_warps=None, num_stages=None, num_ctas=None, maxnreg=None, pre_hook=None, "
       "ir_override=None",
       B::triton, true, config},
      {"triton.language.target_info.is_cuda", "", B::host, true, isCuda},
      {"triton.language.target_info.is_hip", "", B::host, true, isNotThis},
      {"triton.language.target_info.is_hip_cdna3", "", B::host, true, isNotThis},
      {"triton.language.target_info.is_hip_cdna4", "", B::host, true, isNotThis},
      {"triton.language.target_info.cuda_capability_geq", "major, minor=0", B::host, true,
       isNotThis},
      {"os.getenv", "name, default=None", B::host, true, environment},
      {"os.environ.get", "name, default=None", B::host, true, environment},
      {"packaging.version.parse", "text", B::host, true, version},
      {"packaging.version.Version", "text", B::host, true, version},
      {"operator.ge", "a, b", B::host, true, comparison<ast::CompareOp::ge>},
      {"operator.gt", "a, b", B::host, true, comparison<ast::CompareOp::gt>},
      {"operator.le", "a, b", B::host, true, comparison<ast::CompareOp::le>},
      {"operator.lt", "a, b", B::host, true, comparison<ast::CompareOp::lt>},
      {"operator.eq", "a, b", B::host, true, comparison<ast::CompareOp::eq>},
      {"operator.ne", "a, b", B::host, true, comparison<ast::CompareOp::ne>},
      {"str.split", "self, separator=None", B::host, true, split},
      {"str.startswith", "self, prefix", B::host, true, startsWith},
      {"str.endswith", "self, suffix", B::host, true, endsWith},
      {"str.lower", "self", B::host, true, lower},
      {"str.upper", "self", B::host, true, upper},
      {"dict.get", "self, name, default=None", B::host, true, dictGet},
      {"math.log", "x, base=None", B::host, true, logarithm},
      {"math.log2", "x", B::host, true, mathOf<log2Of>},
      {"math.log10", "x", B::host, true, mathOf<log10Of>},
      {"math.exp", "x", B::host, true, mathOf<expOf>},
      {"math.tanh", "x", B::host, true, mathOf<tanhOf>},
      {"math.sqrt", "x", B::host, true, mathOf<sqrtOf>},
      {"math.pow", "x, y", B::host, true, power},
      {"math.ceil", "x", B::host, true, integerOf<ceilOf>},
      {"math.floor", "x", B::host, true, integerOf<floorOf>},
      {"math.trunc", "x", B::host, true, integerOf<truncOf>},
      {"torch.finfo", "type", B::host, true, floatLimits},
      {"torch.iinfo", "type", B::host, true, integerLimits},
  };
  return table;
}

} // namespace teeny::lang
