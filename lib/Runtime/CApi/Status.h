// Where C++ ends: results become status codes, and no exception gets through.
#pragma once

#include "Base/Result.h"
#include "teeny/runtime.h"

namespace teeny::rt {

// Keeps the text for teeny_last_error. Never throws.
teeny_status fail(teeny_status status, const std::string &message) noexcept;
teeny_status fail(const Error &error) noexcept;
// For the exception being handled.
teeny_status failWithException() noexcept;

// Runs the body of an API function, which returns a Status.
template <typename Body> teeny_status guarded(Body body) noexcept {
  try {
    Status status = body();
    return status ? TEENY_OK : fail(status.error());
  } catch (...) {
    return failWithException();
  }
}

inline Error nullArgument(const char *name) {
  return {ErrorCode::invalid, std::string("the argument '") + name + "' is NULL"};
}

} // namespace teeny::rt

#define TEENY_REQUIRE(argument)                                                                    \
  if (!(argument))                                                                                 \
  return ::teeny::rt::nullArgument(#argument)
