// Builds a JsonDocument from the events of nlohmann's parser, which knows the grammar, UTF-8 and
// numbers. It does not tell where a token stands; that follows from the end of the token before.
// Tested by test/Support/JsonTest.cpp.
#include "Support/Json.h"

#include "llvm/ADT/StringMap.h"

#include <nlohmann/json.hpp>

using namespace teeny;

namespace teeny {

class JsonBuilder final : public nlohmann::json_sax<nlohmann::json> {
public:
  JsonBuilder(JsonDocument &document, const Source *source, Diagnostics &diagnostics,
              const JsonLimits &limits)
      : document(document), text(source->text), diagnostics(diagnostics), limits(limits) {
    document.from = source;
    if (text.starts_with("\xEF\xBB\xBF"))
      lastEnd = 3;
  }

  bool null() override { return add(JsonValue::Kind::null, nextToken() + 4); }
  bool boolean(bool value) override {
    size_t end = nextToken() + (value ? 4 : 5);
    return add(JsonValue::Kind::boolean, end) && (last->boolean = value, true);
  }
  bool number_integer(int64_t value) override {
    return add(JsonValue::Kind::integer, number()) && (last->integer = value, true);
  }
  bool number_unsigned(uint64_t value) override {
    if (value > uint64_t(INT64_MAX))
      return number_float(double(value), "");
    return number_integer(int64_t(value));
  }
  bool number_float(double value, const std::string &) override {
    return add(JsonValue::Kind::number, number()) && (last->number = value, true);
  }
  bool string(std::string &value) override {
    return add(JsonValue::Kind::string, quoted()) && (last->text = std::move(value), true);
  }
  bool binary(nlohmann::json::binary_t &) override { return false; } // not in texts
  bool start_object(size_t) override { return open(JsonValue::Kind::object); }
  bool start_array(size_t) override { return open(JsonValue::Kind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string &name) override {
    size_t begin = nextToken();
    keyRange = {begin, quoted()};
    pendingKey = std::move(name);
    lastEnd = keyRange.second;
    auto [known, isNew] = stack.back().keys.try_emplace(pendingKey, keyRange);
    duplicate = !isNew;
    if (duplicate) {
      const JsonValue &parent = *stack.back().value;
      SourceLocation second = parent.place(keyRange.first, keyRange.second);
      SourceLocation first = parent.place(known->second.first, known->second.second);
      second.jsonPath = first.jsonPath = nextPath();
      diagnostics.error(second, "duplicate key '" + pendingKey + "'")
          .note(first, "the first is here");
    }
    return true;
  }

  bool parse_error(size_t position, const std::string &,
                   const nlohmann::json::exception &error) override;

private:
  struct Open {
    JsonValue *value;
    llvm::StringMap<std::pair<size_t, size_t>> keys; // of an object: where each key stands
  };

  size_t nextToken() const {
    size_t at = text.find_first_not_of(" \t\r\n,:", lastEnd);
    return std::min(at, text.size());
  }
  // Ends of the token that comes next.
  size_t number() const {
    size_t at = nextToken();
    auto skip = [&](llvm::StringRef any) {
      at = std::min(text.find_first_not_of(any, at), text.size());
    };
    auto take = [&](llvm::StringRef any) {
      return at < text.size() && any.contains(text[at]) && ++at;
    };
    take("-");
    if (!take("0")) // what follows a leading 0 is no part of the number
      skip("0123456789");
    if (take("."))
      skip("0123456789");
    if (take("eE") && (take("+-"), true))
      skip("0123456789");
    return at;
  }
  size_t quoted() const {
    size_t at = nextToken() + 1;
    for (; at < text.size() && text[at] != '"'; ++at)
      at += text[at] == '\\';
    return std::min(at + 1, text.size());
  }

  std::string nextPath() const {
    if (stack.empty())
      return "";
    const JsonValue &parent = *stack.back().value;
    std::string path = parent.path();
    if (parent.isArray())
      return path + "[" + std::to_string(parent.items.size()) + "]";
    return pendingKey.empty() ? path : (path.empty() ? "" : path + ".") + pendingKey;
  }

  SourceLocation placeAt(size_t offset) const {
    SourceLocation place;
    place.source = document.from;
    std::tie(place.line, place.column) = document.from->lineAndColumn(offset);
    place.jsonPath = nextPath();
    return place;
  }

  bool add(JsonValue::Kind kind, size_t end) {
    size_t begin = nextToken();
    if (document.values.size() == limits.values) {
      diagnostics.error(placeAt(begin),
                        "more than " + std::to_string(limits.values) + " values in one file");
      return false;
    }
    last = &document.values.emplace_back();
    last->document = &document;
    last->type = kind;
    last->begin = begin;
    last->end = end;
    if (!stack.empty()) {
      JsonValue *parent = stack.back().value;
      last->parent = parent;
      last->index = parent->items.size();
      if (parent->isObject()) {
        last->memberKey = std::move(pendingKey);
        last->keyBegin = keyRange.first;
        last->keyEnd = keyRange.second;
      }
      if (parent->isArray() || !duplicate)
        parent->items.push_back(last);
    }
    pendingKey.clear();
    lastEnd = end;
    return true;
  }

  bool open(JsonValue::Kind kind) {
    if (stack.size() == limits.depth) {
      diagnostics.error(placeAt(nextToken()),
                        "nested deeper than " + std::to_string(limits.depth) + " levels");
      return false;
    }
    if (!add(kind, nextToken() + 1))
      return false;
    stack.push_back({last, {}});
    return true;
  }

  bool close() {
    lastEnd = nextToken() + 1;
    stack.back().value->end = lastEnd;
    stack.pop_back();
    return true;
  }

  JsonDocument &document;
  llvm::StringRef text;
  Diagnostics &diagnostics;
  const JsonLimits &limits;
  size_t lastEnd = 0;
  std::string pendingKey;
  std::pair<size_t, size_t> keyRange;
  bool duplicate = false;
  std::vector<Open> stack;
  JsonValue *last = nullptr;
};

} // namespace teeny

// The parser's text reads "[id] parse error at line 1, column 9: syntax error while parsing value -
// REASON; last read: '...'; expected WHAT"; place and excerpt are ours, so REASON and WHAT remain.
bool JsonBuilder::parse_error(size_t position, const std::string &,
                              const nlohmann::json::exception &error) {
  llvm::StringRef what = error.what();
  llvm::StringRef reason = what.substr(what.find(": ") + 2);
  if (size_t at = reason.find(" - "); at != llvm::StringRef::npos)
    reason = reason.substr(at + 3);
  // What was last read may hold anything, so "; expected" is looked for from the end.
  llvm::StringRef expected;
  size_t lastRead = reason.find("; last read: "), at = reason.rfind("; expected ");
  if (at != llvm::StringRef::npos && lastRead != llvm::StringRef::npos && at > lastRead)
    expected = reason.substr(at);
  reason = reason.substr(0, lastRead);

  size_t offset = std::min(position ? position - 1 : 0, text.size());
  bool ended = offset == text.size();
  bool isPunctuation = !ended && llvm::StringRef(",:[]{}").contains(text[offset]);
  if (!ended && !isPunctuation && !reason.starts_with("invalid string"))
    offset = nextToken();

  std::string message = ("malformed JSON: " + reason + expected).str();
  llvm::StringRef rest = text.substr(offset);
  std::string hint;
  for (llvm::StringRef name :
       {"NaN", "-NaN", "Inf", "-Inf", "Infinity", "-Infinity", "nan", "inf", "-inf"})
    if (rest.starts_with(name))
      message = "malformed JSON: " + name.str() + " is not a JSON number";
  if (rest.starts_with("/") || rest.starts_with("#"))
    hint = "JSON has no comments";
  else if (rest.starts_with("'"))
    hint = "strings stand in double quotes";
  else if (isPunctuation && (rest[0] == ']' || rest[0] == '}') &&
           text.substr(0, offset).rtrim().ends_with(","))
    hint = "no comma after the last one";
  Diagnostic &report = diagnostics.error(placeAt(offset), std::move(message));
  if (ended && !stack.empty())
    report.note(stack.back().value->location(), "opened here");
  report.suggest(std::move(hint));
  return false;
}

std::unique_ptr<JsonDocument> teeny::parseJson(const Source *source, Diagnostics &diagnostics,
                                               const JsonLimits &limits) {
  assert(source->text.size() < UINT32_MAX && "text too large");
  auto document = std::make_unique<JsonDocument>();
  unsigned before = diagnostics.errorCount();
  // nlohmann's parser takes a NUL byte for the end.
  if (size_t at = source->text.find('\0'); at != std::string::npos) {
    SourceLocation place;
    place.source = source;
    std::tie(place.line, place.column) = source->lineAndColumn(at);
    diagnostics.error(place, "malformed JSON: a NUL byte");
    return nullptr;
  }
  JsonBuilder builder(*document, source, diagnostics, limits);
  nlohmann::json::sax_parse(source->text.begin(), source->text.end(), &builder);
  if (diagnostics.errorCount() != before)
    return nullptr;
  return document;
}
