#include "Language/Signature.h"

#include "Language/SignatureReader.h"
#include "Language/Values.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace teeny {

using namespace lang;

//===-- Items and parameters ------------------------------------------------------------------===//

namespace {

class SignatureBinder {
public:
  SignatureBinder(const Source *text, const KernelInfo &kernel, Diagnostics &diagnostics)
      : reader(text, diagnostics), kernel(kernel), bound(kernel.parameters.size()) {}

  std::optional<std::vector<ParamSpec>> run();

private:
  bool readItem();
  std::optional<size_t> parameterOf(const SignatureItem &item);
  bool bind(const SignatureItem &item, const KernelParameter &parameter, ParamSpec &spec);
  bool bindHint(const SignatureItem &item, const KernelParameter &parameter, ParamSpec &spec);
  Diagnostic &fail(Span at, const KernelParameter &parameter, std::string message) {
    return reader.fail(reader.place(at), std::move(message))
        .note(parameter.location, "the parameter");
  }

  SignatureReader reader;
  const KernelInfo &kernel;
  std::vector<std::optional<ParamSpec>> bound; // by parameter
  size_t next = 0;                             // parameter of an item without a name
  bool named = false, tooMany = false;
};

} // namespace

static std::string quoted(const std::string &name) { return "'" + name + "'"; }

std::optional<size_t> SignatureBinder::parameterOf(const SignatureItem &item) {
  if (item.name.empty()) {
    if (named) {
      reader.fail(reader.place(item.span), "an item without a name follows one with a name")
          .suggest("write NAME= before it");
      return std::nullopt;
    }
    if (next == bound.size()) {
      if (!std::exchange(tooMany, true))
        reader
            .fail(reader.place(item.span), "too many items: " + quoted(kernel.name) + " has " +
                                               counted(bound.size(), "parameter"))
            .note(kernel.location, "the kernel");
      return std::nullopt;
    }
    return next++;
  }
  named = true;
  for (size_t i = 0; i < bound.size(); ++i) {
    const KernelParameter &parameter = kernel.parameters[i];
    if (parameter.name != item.name)
      continue;
    if (i < next || bound[i]) {
      fail(item.nameSpan, parameter, "parameter " + quoted(item.name) + " is given twice");
      return std::nullopt;
    }
    return i;
  }
  std::vector<std::string> names;
  for (const KernelParameter &parameter : kernel.parameters)
    names.push_back(parameter.name);
  reader
      .fail(reader.place(item.nameSpan),
            quoted(kernel.name) + " has no parameter " + quoted(item.name))
      .didYouMean(nearest(item.name, names))
      .note(kernel.location, "the kernel");
  return std::nullopt;
}

bool SignatureBinder::bindHint(const SignatureItem &item, const KernelParameter &parameter,
                               ParamSpec &spec) {
  if (!item.hint)
    return true;
  std::string hint = "':" + std::to_string(*item.hint) + "'";
  if (*item.hint == 16) {
    if (!item.isPointer && (!item.type.isInteger() || item.type.isBool())) {
      fail(item.hintSpan, parameter,
           "the hint " + hint + " is for integers and pointers, but parameter " +
               quoted(parameter.name) + " is " + item.type.name().str());
      return false;
    }
    spec.divisibility = 16;
    return true;
  }
  if (item.isPointer || !item.type.isInteger() || item.type.isBool()) {
    fail(item.hintSpan, parameter,
         "the hint " + hint + " is for integers, but parameter " + quoted(parameter.name) + " is " +
             (item.isPointer ? "a pointer" : item.type.name().str()));
    return false;
  }
  spec.kind = ParamSpec::constexprValue;
  spec.value = int64_t(1);
  return true;
}

bool SignatureBinder::bind(const SignatureItem &item, const KernelParameter &parameter,
                           ParamSpec &spec) {
  spec.name = parameter.name;
  if (!item.isType) {
    spec.kind = ParamSpec::constexprValue;
    spec.value = item.value;
    return true;
  }
  if (parameter.isConstexpr && item.hint != 1) {
    Diagnostic &error =
        fail(item.span, parameter,
             "parameter " + quoted(parameter.name) + " is constexpr, so a value is needed here");
    if (!item.isPointer)
      error.suggest("a type as a value is written tl." + item.type.languageName().str());
    return false;
  }
  if (parameter.annotation && (item.isPointer || item.type != *parameter.annotation)) {
    fail(item.span, parameter,
         "parameter " + quoted(parameter.name) + " is annotated " + parameter.annotationText)
        .suggest("write '" + signatureTypeName(*parameter.annotation).str() + "'");
    return false;
  }
  spec.kind = item.isPointer ? ParamSpec::pointer : ParamSpec::scalar;
  spec.type = item.type;
  spec.readOnly = item.readOnly;
  // A pointer to elements is a multiple of their size.
  if (item.isPointer)
    spec.divisibility = std::max(1u, item.type.bits() / 8);
  return bindHint(item, parameter, spec);
}

bool SignatureBinder::readItem() {
  SignatureItem item;
  if (!reader.item(item)) {
    // The item still stands for a parameter, so that no second error says that it is missing.
    if (item.name.empty() && !named && next < bound.size())
      bound[next++].emplace();
    else if (!item.name.empty())
      if (std::optional<size_t> index = parameterOf(item))
        bound[*index].emplace();
    reader.skipItem();
    return false;
  }
  std::optional<size_t> index = parameterOf(item);
  bool ok = index.has_value();
  if (index) {
    bound[*index].emplace();
    ok = bind(item, kernel.parameters[*index], *bound[*index]);
  }
  if (reader.accept(",") && reader.atEnd()) {
    reader.fail(reader.placeOfEnd(), "expected a type or a value after the comma, found the end");
    return false;
  }
  return ok;
}

std::optional<std::vector<ParamSpec>> SignatureBinder::run() {
  bool ok = true;
  while (!reader.atEnd())
    ok &= readItem();
  std::vector<ParamSpec> specs;
  std::vector<const KernelParameter *> missing;
  for (size_t i = 0; i < bound.size(); ++i)
    if (bound[i])
      specs.push_back(std::move(*bound[i]));
    else if (!kernel.parameters[i].hasDefault &&
             !(kernel.isTuned && kernel.parameters[i].isConstexpr))
      missing.push_back(&kernel.parameters[i]);
  // After a mistake with names, what seems to be missing may be there under another.
  if (!missing.empty() && (ok || !named)) {
    std::vector<std::string> names;
    for (const KernelParameter *parameter : missing)
      names.push_back(parameter->name);
    Diagnostic &error =
        reader.fail(reader.placeOfEnd(), std::string("the signature says nothing of parameter") +
                                             (names.size() > 1 ? "s " : " ") + listed(names) +
                                             " of " + quoted(kernel.name));
    error.note(missing.front()->location, missing.front()->isConstexpr
                                              ? "the parameter, which needs a value"
                                              : "the parameter, which needs a type");
    ok = false;
  }
  if (!ok)
    return std::nullopt;
  return specs;
}

std::optional<std::vector<ParamSpec>> parseSignature(const Source *text, const KernelInfo &kernel,
                                                     Diagnostics &diagnostics) {
  return SignatureBinder(text, kernel, diagnostics).run();
}

std::string signatureType(const ParamSpec &parameter) {
  return (parameter.kind == ParamSpec::pointer ? "*" : "") +
         signatureTypeName(parameter.type).str();
}

//===-- Ranges and globals --------------------------------------------------------------------===//

std::optional<NamedRange> parseRange(const Source *text, Diagnostics &diagnostics) {
  SignatureReader reader(text, diagnostics);
  if (!reader.atName()) {
    reader.fail(reader.here(), "expected NAME=LOW:HIGH, found " + reader.found());
    return std::nullopt;
  }
  NamedRange range;
  range.place = reader.place(reader.peek().span);
  range.name = reader.next().text.str();
  reader.next();
  auto bound = [&](std::optional<int64_t> &value, SourceLocation &place) {
    Span start = reader.peek().span;
    int64_t number = 0;
    if (!reader.integer(number, "an integer"))
      return false;
    value = number;
    place = reader.place(reader.upTo(start));
    return true;
  };
  if (!reader.peek().is(":") && !bound(range.low, range.lowPlace))
    return std::nullopt;
  if (!reader.accept(":")) {
    reader.fail(reader.here(), "expected ':' and the largest value, found " + reader.found());
    return std::nullopt;
  }
  if (!reader.atEnd() && !bound(range.high, range.highPlace))
    return std::nullopt;
  if (!reader.atEnd()) {
    reader.fail(reader.here(), "expected the end, found " + reader.found());
    return std::nullopt;
  }
  if (range.low && range.high && *range.low > *range.high) {
    reader.fail(range.highPlace, "the largest value, " + std::to_string(*range.high) +
                                     ", is less than the smallest, " + std::to_string(*range.low));
    return std::nullopt;
  }
  return range;
}

bool applyRange(const NamedRange &range, const KernelInfo &kernel,
                std::vector<ParamSpec> &parameters, Diagnostics &diagnostics) {
  const KernelParameter *parameter = kernel.find(range.name);
  assert(parameter && "the kernel has the parameter");
  auto fail = [&](const SourceLocation &place, std::string message) {
    diagnostics.error(place, std::move(message)).note(parameter->location, "the parameter");
    return false;
  };
  std::string name = quoted(range.name);
  auto spec = llvm::find_if(parameters, [&](const ParamSpec &p) { return p.name == range.name; });
  if (spec == parameters.end() || spec->kind == ParamSpec::constexprValue)
    return fail(range.place,
                "parameter " + name + " is known at compile time, and so has no range");
  if (spec->kind == ParamSpec::pointer || !spec->type.isInteger())
    return fail(range.place, "parameter " + name + " is " +
                                 (spec->kind == ParamSpec::pointer ? "a pointer" : "no integer") +
                                 "; only integers have a range");
  if (spec->range)
    return fail(range.place, "the range of " + name + " is given twice");
  Integer least = spec->type.minimum(), most = std::min<Integer>(spec->type.maximum(), INT64_MAX);
  auto fits = [&](std::optional<int64_t> bound, const SourceLocation &place) {
    return !bound || (*bound >= least && *bound <= most) ||
           fail(place, std::to_string(*bound) + " is no " + signatureType(*spec) + ", which is " +
                           toString(least) + " to " + toString(most));
  };
  if (!fits(range.low, range.lowPlace) || !fits(range.high, range.highPlace))
    return false;
  spec->range = {range.low.value_or(int64_t(least)), range.high.value_or(int64_t(most))};
  return true;
}

std::optional<std::pair<std::string, ConstValue>>
parseGlobal(const Source *text, const Source &file, Diagnostics &diagnostics) {
  SignatureReader reader(text, diagnostics);
  if (!reader.atName()) {
    reader.fail(reader.here(), "expected NAME=VALUE, found " + reader.found());
    return std::nullopt;
  }
  std::pair<std::string, ConstValue> global;
  SourceLocation place = reader.place(reader.peek().span);
  global.first = reader.next().text.str();
  reader.next();
  if (!reader.value(global.second))
    return std::nullopt;
  if (!reader.atEnd()) {
    reader.fail(reader.here(), "expected the end, found " + reader.found());
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const Token &token : tokenize(file.text))
    if (token.kind == Token::name)
      names.push_back(token.text.str());
  if (!llvm::is_contained(names, global.first)) {
    reader.fail(place, "'" + file.name + "' does not mention '" + global.first + "'")
        .didYouMean(nearest(global.first, names));
    return std::nullopt;
  }
  return global;
}

std::string constText(const ConstValue &value) {
  if (std::holds_alternative<std::monostate>(value))
    return "None";
  if (auto *boolean = std::get_if<bool>(&value))
    return *boolean ? "True" : "False";
  if (auto *integer = std::get_if<int64_t>(&value))
    return std::to_string(*integer);
  if (auto *number = std::get_if<double>(&value))
    return lang::text(Constant(*number));
  if (auto *string = std::get_if<std::string>(&value)) {
    std::string quoted = "'";
    for (char c : *string)
      if (uint8_t(c) < ' ' || c == '\x7f')
        quoted += "\\x" + llvm::toHex(llvm::StringRef(&c, 1), /*LowerCase=*/true);
      else
        quoted += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
    return quoted + "'";
  }
  return "tl." + std::get<ScalarType>(value).languageName().str();
}

} // namespace teeny
