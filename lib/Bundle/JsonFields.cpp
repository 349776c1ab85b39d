#include "Bundle/JsonFields.h"

#include <algorithm>
#include <limits>

namespace teeny {
namespace {

using Json = nlohmann::json;

std::string described(const Json &value) {
  if (value.is_object())
    return "an object";
  if (value.is_array())
    return "an array";
  if (!value.is_string())
    return value.dump();
  const std::string &text = value.get_ref<const std::string &>();
  return Json(text.size() > 100 ? text.substr(0, 100) + "..." : text)
      .dump(-1, ' ', true, Json::error_handler_t::replace);
}

} // namespace

std::string JsonPlace::text() const {
  std::string outer = parent ? parent->text() : "";
  if (!key)
    return parent ? outer + "[" + std::to_string(index) + "]" : outer;
  return outer.empty() ? key : outer + "." + key;
}

void JsonContext::fail(const JsonPlace &at, const std::string &message, ErrorCode code) {
  if (error)
    return;
  std::string where = at.text();
  error = {code, where.empty() ? message : where + ": " + message};
}

void JsonValue::fail(const std::string &expected) const {
  context.fail(place, expected + ", found " + described(*json));
}

int64_t JsonValue::integer() const {
  if (!json)
    return 0;
  if (!json->is_number_integer() ||
      (json->is_number_unsigned() && json->get<uint64_t>() > uint64_t(INT64_MAX))) {
    fail("expected an integer of 64 bits");
    return 0;
  }
  return json->get<int64_t>();
}

std::string JsonValue::text() const {
  if (!json)
    return {};
  if (!json->is_string()) {
    fail("expected a string");
    return {};
  }
  return json->get<std::string>();
}

bool JsonValue::boolean() const {
  if (!json)
    return false;
  if (!json->is_boolean()) {
    fail("expected true or false");
    return false;
  }
  return json->get<bool>();
}

double JsonValue::real() const {
  if (!json)
    return 0;
  if (json->is_number())
    return json->get<double>();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (*json == "inf")
    return infinity;
  if (*json == "-inf")
    return -infinity;
  if (*json != "nan")
    fail("expected a number, \"inf\", \"-inf\" or \"nan\"");
  return std::numeric_limits<double>::quiet_NaN();
}

Expr JsonValue::expr() const {
  if (!json || json->is_number_integer())
    return integer();
  if (!json->is_string()) {
    fail("expected an integer or an expression");
    return 0;
  }
  Result<Expr> e = Expr::parse(json->get_ref<const std::string &>());
  if (e)
    return *e;
  context.fail(place, "expression " + described(*json) + ": " + e.error().message, e.error().code);
  return 0;
}

size_t JsonValue::word(std::span<const char *const> words) const {
  std::string found = text();
  for (size_t i = 0; i < words.size(); ++i)
    if (found == words[i])
      return i;
  std::string expected;
  for (const char *one : words)
    expected += (expected.empty() ? "" : ", ") + std::string(one);
  if (json)
    fail("expected one of " + expected);
  return 0;
}

size_t JsonValue::reference(const std::map<std::string, size_t> &names, const char *what) const {
  auto at = names.find(text());
  if (at != names.end())
    return at->second;
  if (json)
    context.fail(place, std::string("no ") + what + " has the name " + described(*json),
                 ErrorCode::notFound);
  return 0;
}

bool JsonValue::isArray() const {
  if (!json || context.error)
    return false;
  if (!json->is_array())
    fail("expected an array");
  return json->is_array();
}

bool JsonValue::isObject() const {
  if (!json || context.error)
    return false;
  if (!json->is_object())
    fail("expected an object");
  return json->is_object();
}

bool JsonFields::has(const char *key) {
  asked.push_back(key);
  return object.json->contains(key);
}

JsonValue JsonFields::operator[](const char *key) {
  if (!has(key))
    object.context.fail(object.place, std::string("no \"") + key + "\"");
  const Json *value = object.context.error ? nullptr : &object.json->find(key).value();
  return JsonValue(object.context, value, {&object.place, key, 0});
}

void JsonFields::fail(const std::string &message) { object.context.fail(object.place, message); }

void JsonFields::refuseOthers() {
  for (auto member = object.json->begin(); member != object.json->end(); ++member)
    if (std::find(asked.begin(), asked.end(), member.key()) == asked.end())
      fail("unknown key " + described(Json(member.key())));
}

} // namespace teeny
