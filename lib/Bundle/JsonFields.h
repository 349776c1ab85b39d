// Typed reading of a JSON document, with the place in every error. Internal to lib/Bundle.
//
// The first error wins: after it everything reads as a default, so that code need not test each
// step.
#pragma once

#include "Bundle/Json.h"
#include "Expr/Expr.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace teeny {

// Where in the document, as a chain from the inside out.
struct JsonPlace {
  const JsonPlace *parent = nullptr;
  const char *key = nullptr; // a member; else the element `index`
  size_t index = 0;

  std::string text() const; // "launches[3].variants[0]"; empty for the whole
};

struct JsonContext {
  std::optional<Error> error;
  void fail(const JsonPlace &at, const std::string &message, ErrorCode code = ErrorCode::invalid);
};

class JsonFields;

// One value, read as what it must be.
class JsonValue {
public:
  JsonValue(JsonContext &context, const nlohmann::json *json, JsonPlace place)
      : context(context), json(json), place(place) {}

  int64_t integer() const;
  std::string text() const;
  bool boolean() const;
  double real() const; // also "inf", "-inf" and "nan"
  Expr expr() const;   // an integer or a text
  // The position of the word in `words`.
  size_t word(std::span<const char *const> words) const;
  // The index that belongs to the name; `what` says what has such names.
  size_t reference(const std::map<std::string, size_t> &names, const char *what) const;

  // Calls `read(value)` for each element.
  template <typename Read> void each(Read read) const {
    if (!isArray())
      return;
    for (size_t i = 0; i < json->size() && !context.error; ++i)
      read(JsonValue(context, &(*json)[i], {&place, nullptr, i}));
  }

  // Calls `read(fields)`, then refuses keys that were not asked for.
  template <typename Read> void object(Read read) const;

private:
  friend class JsonFields;
  bool isArray() const;
  bool isObject() const;
  void fail(const std::string &expected) const;

  JsonContext &context;
  const nlohmann::json *json; // null after an error
  JsonPlace place;
};

// The members of an object, each read by asking for its key.
class JsonFields {
public:
  explicit JsonFields(const JsonValue &object) : object(object) {}

  bool has(const char *key);
  JsonValue operator[](const char *key);
  void fail(const std::string &message);
  void refuseOthers();

private:
  const JsonValue &object;
  std::vector<std::string_view> asked;
};

template <typename Read> void JsonValue::object(Read read) const {
  if (!isObject())
    return;
  JsonFields fields(*this);
  read(fields);
  fields.refuseOthers();
}

} // namespace teeny
