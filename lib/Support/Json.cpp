#include "Support/Json.h"

#include "llvm/ADT/STLExtras.h"

using namespace teeny;

const JsonValue *JsonValue::member(llvm::StringRef key) const {
  if (isObject())
    for (const JsonValue *item : items)
      if (item->memberKey == key)
        return item;
  return nullptr;
}

SourceLocation JsonValue::place(size_t from, size_t to) const {
  SourceLocation at;
  at.source = &document->source();
  std::tie(at.line, at.column) = at.source->lineAndColumn(from);
  at.length = to - from;
  at.jsonPath = path();
  return at;
}

// Of an array or object only the bracket is underlined: the rest may be many lines.
SourceLocation JsonValue::location() const {
  return place(begin, isArray() || isObject() ? begin + 1 : end);
}

SourceLocation JsonValue::keyLocation() const {
  return keyEnd ? place(keyBegin, keyEnd) : location();
}

std::string JsonValue::path() const {
  if (!parent)
    return "";
  std::string path = parent->path();
  if (parent->isArray())
    return path + "[" + std::to_string(index) + "]";
  return (path.empty() ? "" : path + ".") + memberKey;
}

std::string JsonValue::called() const {
  if (!parent)
    return "the file";
  std::string steps;
  const JsonValue *at = this;
  for (; at->parent && at->parent->isArray(); at = at->parent)
    steps = "[" + std::to_string(at->index) + "]" + steps;
  return "'" + at->memberKey + steps + "'";
}

std::string JsonValue::describe() const {
  constexpr size_t longest = 40;
  llvm::StringRef written = llvm::StringRef(document->source().text).slice(begin, end);
  std::string shown =
      written.size() > longest ? written.take_front(longest).str() + "..." : written.str();
  switch (type) {
  case Kind::null:
    return "null";
  case Kind::boolean:
    return boolean ? "true" : "false";
  case Kind::integer:
  case Kind::number:
    return shown;
  case Kind::string:
    return "the string " + shown;
  case Kind::array:
    return "an array";
  case Kind::object:
    return "an object";
  }
  return "";
}

bool JsonValue::rawBoolean() const {
  assert(type == Kind::boolean);
  return boolean;
}

int64_t JsonValue::rawInteger() const {
  assert(type == Kind::integer);
  return integer;
}

double JsonValue::rawNumber() const {
  assert(type == Kind::integer || type == Kind::number);
  return type == Kind::integer ? double(integer) : number;
}

llvm::StringRef JsonValue::rawString() const {
  assert(type == Kind::string);
  return text;
}

bool JsonField::is(JsonValue::Kind kind, const char *what) const {
  if (!value)
    return false;
  if (value->kind() == kind)
    return true;
  diagnostics->error(value->location(),
                     value->called() + " must be " + what + ", found " + value->describe());
  return false;
}

std::optional<std::string> JsonField::string() const {
  if (!is(JsonValue::Kind::string, "a string"))
    return std::nullopt;
  return value->rawString().str();
}

std::optional<int64_t> JsonField::integer() const {
  if (!is(JsonValue::Kind::integer, "an integer of 64 bits"))
    return std::nullopt;
  return value->rawInteger();
}

std::optional<int64_t> JsonField::integer(int64_t min, int64_t max) const {
  std::optional<int64_t> found = integer();
  if (!found || (*found >= min && *found <= max))
    return found;
  std::string allowed = max == INT64_MAX
                            ? "at least " + std::to_string(min)
                            : "from " + std::to_string(min) + " to " + std::to_string(max);
  diagnostics->error(value->location(),
                     value->called() + " must be " + allowed + ", found " + value->describe());
  return std::nullopt;
}

std::optional<double> JsonField::number() const {
  if (value && value->isInteger())
    return value->rawNumber();
  if (!is(JsonValue::Kind::number, "a number"))
    return std::nullopt;
  return value->rawNumber();
}

std::optional<bool> JsonField::boolean() const {
  if (!is(JsonValue::Kind::boolean, "true or false"))
    return std::nullopt;
  return value->rawBoolean();
}

static std::vector<JsonField> fieldsOf(const JsonValue &value, Diagnostics &diagnostics) {
  std::vector<JsonField> fields;
  for (const JsonValue *child : value.children())
    fields.emplace_back(child, diagnostics);
  return fields;
}

std::optional<std::vector<JsonField>> JsonField::array() const {
  if (!is(JsonValue::Kind::array, "an array"))
    return std::nullopt;
  return fieldsOf(*value, *diagnostics);
}

std::optional<std::vector<JsonField>> JsonField::object() const {
  if (!is(JsonValue::Kind::object, "an object"))
    return std::nullopt;
  return fieldsOf(*value, *diagnostics);
}

JsonObject::JsonObject(const JsonField &field, std::string what)
    : diagnostics(&field.reporter()), what(std::move(what)) {
  if (!field)
    return;
  if (field->isObject())
    value = field.get();
  else
    diagnostics->error(field->location(),
                       this->what + " must be an object, found " + field->describe());
}

JsonField JsonObject::optional(llvm::StringRef key) {
  asked.push_back(key.str());
  return {value ? value->member(key) : nullptr, *diagnostics};
}

JsonField JsonObject::required(llvm::StringRef key) {
  JsonField field = optional(key);
  if (value && !field)
    missing.push_back(key.str());
  return field;
}

// A missing key and a misspelt one are one mistake where the one is near the other.
bool JsonObject::finish() {
  if (!value)
    return false;
  bool good = missing.empty();
  for (const JsonValue *child : value->children()) {
    if (llvm::is_contained(asked, child->key()))
      continue;
    std::string meant = diagnostics->isFull() ? "" : nearest(child->key(), asked);
    diagnostics->error(child->keyLocation(), "unknown key '" + child->key().str() + "' in " + what)
        .didYouMean(meant);
    llvm::erase(missing, meant);
    good = false;
  }
  for (const std::string &key : missing)
    diagnostics->error(value->location(), what + " needs '" + key + "'");
  return good;
}
