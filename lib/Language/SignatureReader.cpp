#include "Language/SignatureReader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>

namespace teeny::lang {

static constexpr size_t maxTextLength = 200; // of a value

namespace {

// The types of a signature, under the names that it has for them.
struct TypeName {
  const char *name;
  ScalarType::Kind kind;
  bool scalar; // else only behind a pointer
};
constexpr TypeName typeNames[] = {
    {"i1", ScalarType::int1, true},      {"i8", ScalarType::int8, true},
    {"i16", ScalarType::int16, true},    {"i32", ScalarType::int32, true},
    {"i64", ScalarType::int64, true},    {"u8", ScalarType::uint8, true},
    {"u16", ScalarType::uint16, true},   {"u32", ScalarType::uint32, true},
    {"u64", ScalarType::uint64, true},   {"fp8e4nv", ScalarType::fp8e4nv, false},
    {"fp8e5", ScalarType::fp8e5, false}, {"fp16", ScalarType::fp16, true},
    {"bf16", ScalarType::bf16, true},    {"fp32", ScalarType::fp32, true},
    {"fp64", ScalarType::fp64, true},
};

const TypeName *findType(llvm::StringRef name) {
  const TypeName *found =
      llvm::find_if(typeNames, [&](const TypeName &type) { return name == type.name; });
  return found == std::end(typeNames) ? nullptr : found;
}

} // namespace

llvm::StringRef signatureTypeName(ScalarType type) {
  for (const TypeName &entry : typeNames)
    if (type == entry.kind)
      return entry.name;
  return "";
}

static std::vector<std::string> namesOfTypes() {
  std::vector<std::string> names;
  for (const TypeName &type : typeNames)
    names.push_back(type.name);
  return names;
}

void SignatureReader::skipItem() {
  unsigned depth = 0;
  while (!atEnd()) {
    const Token token = next();
    if (token.is("(") || token.is("[") || token.is("{"))
      ++depth;
    else if (depth && (token.is(")") || token.is("]") || token.is("}")))
      --depth;
    else if (!depth && token.is(","))
      return;
  }
}

// After a type: `:16` or `:1`.
bool SignatureReader::hint(SignatureItem &item) {
  if (!accept(":"))
    return true;
  item.hintSpan = peek().span;
  std::optional<Integer> value;
  if (peek().kind == Token::integer)
    value = parseInteger(peek().text);
  if (!value || (*value != 16 && *value != 1)) {
    fail(here(),
         "expected the hint ':16' (a multiple of 16) or ':1' (the value 1), found " + found());
    return false;
  }
  next();
  item.hint = int64_t(*value);
  return true;
}

bool SignatureReader::type(SignatureItem &item) {
  item.isType = true;
  if (peek().is("**")) {
    fail(here(), "pointers to pointers are not supported");
    return false;
  }
  item.isPointer = accept("*");
  const Token token = peek();
  llvm::StringRef name = token.kind == Token::name ? token.text : "";
  const TypeName *type = findType(name);
  if (!type && item.isPointer && name.starts_with("k")) {
    type = findType(name.drop_front());
    item.readOnly = type != nullptr;
  }
  if (!type) {
    Diagnostic &error = fail(here(), name.empty() ? "expected a type after '*', found " + found()
                                                  : "unknown type '" + name.str() + "'");
    std::string near = nearest(name, namesOfTypes());
    if (std::optional<ScalarType> known = ScalarType::parse(name))
      near = signatureTypeName(*known).str();
    if (!near.empty())
      error.didYouMean(near);
    else
      error.suggest("types are " + llvm::join(namesOfTypes(), " ") + ", and *TYPE for pointers");
    return false;
  }
  next();
  item.type = ScalarType(type->kind);
  if (!item.isPointer && !type->scalar) {
    fail(place(token.span),
         "a parameter cannot be an " + name.str() + " scalar; only pointers to it can be")
        .suggest("write '*" + name.str() + "' for a pointer");
    return false;
  }
  return hint(item);
}

bool SignatureReader::number(bool negative, ConstValue &value) {
  const Token token = peek();
  double sign = negative ? -1 : 1;
  if (token.kind == Token::floating) {
    value = sign * parseFloating(token.text);
  } else if (token.is("inf")) {
    value = sign * std::numeric_limits<double>::infinity();
  } else if (token.is("nan")) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (token.kind == Token::integer) {
    std::optional<Integer> integer = parseInteger(token.text);
    if (integer && negative)
      integer = -*integer;
    if (!integer || *integer < INT64_MIN || *integer > INT64_MAX) {
      fail(here(), "integer '" + token.text.str() + "' does not fit in 64 bits");
      return false;
    }
    value = int64_t(*integer);
  } else {
    fail(here(), "expected a number, found " + found());
    return false;
  }
  next();
  return true;
}

bool SignatureReader::value(ConstValue &value) {
  const Token token = peek();
  if (accept("-"))
    return number(true, value);
  if (accept("+"))
    return number(false, value);
  if (token.kind == Token::integer || token.kind == Token::floating || token.is("inf") ||
      token.is("nan"))
    return number(false, value);
  if (token.kind == Token::string) {
    StringLiteral literal = parseString(token.text);
    if (literal.isFormatted || literal.isBytes) {
      fail(here(), "expected plain text in quotes, found " + found());
      return false;
    }
    value = literal.text;
    if (literal.text.size() > maxTextLength) {
      fail(here(), "text of " + std::to_string(literal.text.size()) + " bytes, at most " +
                       std::to_string(maxTextLength) + " are allowed");
      return false;
    }
    next();
    return true;
  }
  if (accept("True")) {
    value = true;
    return true;
  }
  if (accept("False")) {
    value = false;
    return true;
  }
  if (accept("None")) {
    value = std::monostate();
    return true;
  }
  if (token.is("tl") && tokens[position + 1].is(".")) {
    position += 2;
    std::optional<ScalarType> type =
        peek().kind == Token::name ? ScalarType::parse(peek().text) : std::nullopt;
    if (!type || type->languageName() != peek().text) {
      fail(here(),
           "expected a type of the language after 'tl.', such as tl.float32, found " + found());
      return false;
    }
    next();
    value = *type;
    return true;
  }
  fail(here(), "expected a value, found " + found())
      .suggest("values are True, False, None, numbers, 'text' and types such as tl.float32");
  return false;
}

bool SignatureReader::item(SignatureItem &item) {
  if (atName()) {
    item.nameSpan = peek().span;
    item.name = next().text.str();
    next();
  }
  const Token token = peek();
  bool isValueName = token.is("True") || token.is("False") || token.is("None") || token.is("inf") ||
                     token.is("nan") || token.is("tl");
  bool isType = token.is("*") || token.is("**") || (token.kind == Token::name && !isValueName);
  if (atEnd() || token.is(",")) {
    fail(here(), "expected a type or a value, found " + found());
    return false;
  }
  if (!(isType ? type(item) : value(item.value)))
    return false;
  item.span = upTo(token.span);
  if (!atEnd() && !peek().is(",")) {
    fail(here(), "expected a comma or the end, found " + found());
    return false;
  }
  return true;
}

bool SignatureReader::integer(int64_t &value, const char *what) {
  ConstValue number;
  bool negative = accept("-");
  if (peek().kind != Token::integer) {
    fail(here(), std::string("expected ") + what + ", found " + found());
    return false;
  }
  if (!this->number(negative, number))
    return false;
  value = std::get<int64_t>(number);
  return true;
}

} // namespace teeny::lang
