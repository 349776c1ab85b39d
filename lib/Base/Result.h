// The error type of the plain C++ libraries: a value or an error with a text for people.
//
// A text is lower case, has no final period, and says what was found and what would be right. The
// code tells who must act: the one who wrote the input (invalid, unsupported, notFound) or the one
// who set up the machine (environment).
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace teeny {

enum class ErrorCode {
  invalid,     // malformed or contradicting input
  unsupported, // well formed, but not for this version or device
  notFound,    // a name or file that does not exist
  outOfRange,  // a size or dim outside its declared range, or an overflow
  outOfMemory,
  environment, // something to install, or a device that is not there
  io,
};

struct Error {
  ErrorCode code = ErrorCode::invalid;
  std::string message;

  // The same error with where it happened put in front: "manifest: launches[0]: ...".
  Error in(const std::string &where) const { return {code, where + ": " + message}; }
};

// A T or an Error. Must be tested before it is read.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() { return *checked(); }
  const T &operator*() const { return *const_cast<Result *>(this)->checked(); }
  T *operator->() { return checked(); }
  const T *operator->() const { return const_cast<Result *>(this)->checked(); }
  const Error &error() const {
    assert(state.index() == 1 && "no error to read");
    return *std::get_if<1>(&state);
  }

private:
  T *checked() {
    assert(state.index() == 0 && "result read without a test");
    return std::get_if<0>(&state);
  }
  std::variant<T, Error> state;
};

// Success or an Error.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Error error) : failure(std::move(error)) {}

  explicit operator bool() const { return !failure; } // true on success
  const Error &error() const {
    assert(failure && "no error to read");
    return *failure;
  }

private:
  std::optional<Error> failure;
};

} // namespace teeny
