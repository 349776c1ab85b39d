// JSON in which every value knows where it stands.
//
// parseJson reads a whole text and refuses what the formats of this project refuse everywhere:
// duplicate keys, nesting deeper than 64, NaN and Infinity, text after the value, invalid UTF-8,
// more values than a stated number. Integers keep all 64 bits. Errors go to Diagnostics with the
// place and the JSON path.
//
// A document owns its values; a JsonValue is a reference that is valid as long as the document.
// Readers look at values through accessors that report what is wrong:
//
//   JsonObject node(value, diagnostics);            // an error unless it is an object
//   auto name = node.required("name").string();     // an error unless present, and a string
//   auto doc = node.optional("doc").string();       // nullopt if absent
//   node.finish();                                  // keys not asked for are errors
//
// An accessor of an absent value gives nullopt and reports nothing more, so that one mistake is
// reported once and reading goes on.
#pragma once

#include "Support/Diagnostics.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <deque>
#include <optional>

namespace teeny {

class JsonDocument;
class JsonBuilder;

struct JsonLimits {
  unsigned depth = 64;
  size_t values = size_t(1) << 20;
};

class JsonValue {
public:
  enum class Kind { null, boolean, integer, number, string, array, object };

  Kind kind() const { return type; }
  bool isNull() const { return type == Kind::null; }
  bool isInteger() const { return type == Kind::integer; }
  bool isString() const { return type == Kind::string; }
  bool isArray() const { return type == Kind::array; }
  bool isObject() const { return type == Kind::object; }

  // Elements of an array or values of an object's members, in source order; else empty.
  llvm::ArrayRef<const JsonValue *> children() const { return items; }
  const JsonValue *member(llvm::StringRef key) const; // of an object; null if absent

  SourceLocation location() const;
  SourceLocation keyLocation() const; // of the member's key; the value's own without one
  llvm::StringRef key() const { return memberKey; } // empty for elements and the root
  std::string path() const;                         // "nodes[0].op"; "" for the root
  std::string describe() const;                     // "a string", "the number 1.5", "null"
  // What messages call it: its key in quotes, or key and index: 'min', 'shape[1]'.
  std::string called() const;

  // The payload; the kind must fit.
  bool rawBoolean() const;
  int64_t rawInteger() const;
  double rawNumber() const; // of an integer or a number
  llvm::StringRef rawString() const;

private:
  friend class JsonBuilder;
  friend class JsonDocument;
  SourceLocation place(size_t begin, size_t end) const;

  const JsonDocument *document = nullptr;
  const JsonValue *parent = nullptr;
  Kind type = Kind::null;
  uint32_t begin = 0, end = 0; // bytes of the source
  uint32_t keyBegin = 0, keyEnd = 0;
  uint32_t index = 0; // in the parent
  union {
    bool boolean;
    int64_t integer;
    double number;
  };
  std::string text; // of a string
  std::string memberKey;
  std::vector<const JsonValue *> items;
};

class JsonDocument {
public:
  const JsonValue &root() const { return values.front(); }
  const Source &source() const { return *from; }

private:
  friend class JsonBuilder;
  const Source *from = nullptr;
  std::deque<JsonValue> values;
};

// The document, or null with the reasons in `diagnostics`. `source` must be smaller than 4 GiB.
std::unique_ptr<JsonDocument> parseJson(const Source *source, Diagnostics &diagnostics,
                                        const JsonLimits &limits = {});

// A value that may be absent, read as what it should be. Each accessor reports an error and gives
// nullopt if the value is of another kind.
class JsonField {
public:
  JsonField(const JsonValue *value, Diagnostics &diagnostics)
      : value(value), diagnostics(&diagnostics) {}

  explicit operator bool() const { return value; }
  const JsonValue *operator->() const { return value; }
  const JsonValue *get() const { return value; }

  std::optional<std::string> string() const;
  std::optional<int64_t> integer() const; // 1.0 and 1e3 are no integers
  std::optional<int64_t> integer(int64_t min, int64_t max) const;
  std::optional<double> number() const;
  std::optional<bool> boolean() const;
  std::optional<std::vector<JsonField>> array() const;
  // Members with their keys, in source order.
  std::optional<std::vector<JsonField>> object() const;

  Diagnostics &reporter() const { return *diagnostics; }

private:
  bool is(JsonValue::Kind kind, const char *what) const;
  const JsonValue *value;
  Diagnostics *diagnostics;
};

// An object read key by key.
class JsonObject {
public:
  // `what` is named in errors: "a node", "the graph".
  JsonObject(const JsonField &field, std::string what);

  explicit operator bool() const { return value; } // there is an object to read
  JsonField required(llvm::StringRef key);
  JsonField optional(llvm::StringRef key);
  // Reports each key that was not asked for, with the nearest of those that were, and each required
  // key that is missing. Whether there was nothing to report.
  bool finish();

  const JsonValue *operator->() const { return value; }

private:
  const JsonValue *value = nullptr;
  Diagnostics *diagnostics;
  std::string what;
  std::vector<std::string> asked, missing;
};

} // namespace teeny
