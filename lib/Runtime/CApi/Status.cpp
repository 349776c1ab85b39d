#include "Runtime/CApi/Status.h"

#include <new>

namespace teeny::rt {

// The text of the last failure: the string, or where there was no memory for one, a constant.
static thread_local std::string lastText;
static thread_local const char *lastError = "";

teeny_status fail(teeny_status status, const std::string &message) noexcept {
  try {
    lastText = message;
    lastError = lastText.c_str();
  } catch (...) {
    lastError = "out of memory while reporting an error";
  }
  return status;
}

static teeny_status statusOf(ErrorCode code) {
  switch (code) {
  case ErrorCode::invalid:
    return TEENY_INVALID;
  case ErrorCode::unsupported:
    return TEENY_UNSUPPORTED;
  case ErrorCode::notFound:
    return TEENY_NOT_FOUND;
  case ErrorCode::outOfRange:
    return TEENY_OUT_OF_RANGE;
  case ErrorCode::outOfMemory:
    return TEENY_OUT_OF_MEMORY;
  case ErrorCode::environment:
    return TEENY_ENVIRONMENT;
  case ErrorCode::io:
    return TEENY_IO;
  }
  return TEENY_INTERNAL;
}

teeny_status fail(const Error &error) noexcept { return fail(statusOf(error.code), error.message); }

teeny_status failWithException() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    lastError = "out of memory";
    return TEENY_OUT_OF_MEMORY;
  } catch (const std::exception &exception) {
    lastError = "internal error";
    try {
      return fail(TEENY_INTERNAL, std::string("internal error: ") + exception.what());
    } catch (...) {
      return TEENY_INTERNAL;
    }
  } catch (...) {
    lastError = "internal error";
    return TEENY_INTERNAL;
  }
}

} // namespace teeny::rt

extern "C" {

const char *teeny_version(void) { return TEENY_VERSION; }

const char *teeny_last_error(void) { return teeny::rt::lastError; }

const char *teeny_status_name(teeny_status status) {
  switch (status) {
  case TEENY_OK:
    return "ok";
  case TEENY_INVALID:
    return "invalid";
  case TEENY_UNSUPPORTED:
    return "unsupported";
  case TEENY_NOT_FOUND:
    return "not found";
  case TEENY_OUT_OF_RANGE:
    return "out of range";
  case TEENY_OUT_OF_MEMORY:
    return "out of memory";
  case TEENY_ENVIRONMENT:
    return "environment";
  case TEENY_IO:
    return "io";
  case TEENY_INTERNAL:
    return "internal";
  }
  return "unknown";
}

} // extern "C"
