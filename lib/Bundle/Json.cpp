#include "Bundle/Json.h"

#include <vector>

namespace teeny {
namespace {

using Json = nlohmann::json;

// Builds values as the events come; the open arrays and objects are on a stack. A container does
// not grow while one inside it is open, so the pointers stay valid.
class Builder : public nlohmann::json_sax<Json> {
public:
  Json root;
  Error error;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(int64_t value) override { return add(value); }
  bool number_unsigned(uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string &) override { return add(value); }
  bool string(std::string &value) override { return add(std::move(value)); }
  bool binary(Json::binary_t &) override { return fail(ErrorCode::invalid, "binary data"); }
  bool start_object(size_t) override { return open(Json::object()); }
  bool start_array(size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string &text) override {
    if (stack.back()->contains(text))
      return fail(
          ErrorCode::invalid,
          "key " + Json(text.substr(0, 200)).dump(-1, ' ', true, Json::error_handler_t::replace) +
              " appears twice in an object");
    lastKey = text;
    return true;
  }

  bool parse_error(size_t position, const std::string &,
                   const nlohmann::detail::exception &) override {
    return fail(ErrorCode::invalid, "malformed JSON at byte " + std::to_string(position));
  }

private:
  bool fail(ErrorCode code, std::string message) {
    error = {code, std::move(message)};
    return false;
  }

  bool add(Json value) { return put(std::move(value)) != nullptr; }

  bool open(Json value) {
    if (stack.size() == maxJsonDepth)
      return fail(ErrorCode::unsupported,
                  "nested deeper than " + std::to_string(maxJsonDepth) + " levels");
    Json *at = put(std::move(value));
    if (at)
      stack.push_back(at);
    return at != nullptr;
  }

  bool close() {
    stack.pop_back();
    return true;
  }

  Json *put(Json value) {
    if (++count > maxJsonValues) {
      fail(ErrorCode::unsupported, "more than " + std::to_string(maxJsonValues) + " values");
      return nullptr;
    }
    if (stack.empty()) {
      root = std::move(value);
      return &root;
    }
    if (stack.back()->is_array()) {
      stack.back()->push_back(std::move(value));
      return &stack.back()->back();
    }
    return &((*stack.back())[lastKey] = std::move(value));
  }

  std::vector<Json *> stack;
  std::string lastKey;
  size_t count = 0;
};

} // namespace

Result<Json> parseJson(std::string_view text) {
  if (text.size() > maxJsonBytes)
    return Error{ErrorCode::unsupported, "JSON of " + std::to_string(text.size()) +
                                             " bytes, at most " + std::to_string(maxJsonBytes) +
                                             " are read"};
  Builder builder;
  if (!Json::sax_parse(text.begin(), text.end(), &builder))
    return builder.error;
  return std::move(builder.root);
}

} // namespace teeny
