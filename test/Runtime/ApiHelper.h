// The C API for tests: failures become failed tests, and handles close themselves.
#pragma once

#include "Runtime/TestBundle.h"

#include <catch2/catch.hpp>

namespace teeny::test {

inline void ok(teeny_status status) {
  INFO(teeny_status_name(status) << ": " << teeny_last_error());
  REQUIRE(status == TEENY_OK);
}

// "invalid: the text".
inline std::string failure(teeny_status status) {
  REQUIRE(status != TEENY_OK);
  return std::string(teeny_status_name(status)) + ": " + teeny_last_error();
}

struct CloseBundle {
  void operator()(teeny_bundle *bundle) const { teeny_close(bundle); }
};
struct DestroySession {
  void operator()(teeny_session *session) const { teeny_session_destroy(session); }
};
using BundleHandle = std::unique_ptr<teeny_bundle, CloseBundle>;
using SessionHandle = std::unique_ptr<teeny_session, DestroySession>;

inline BundleHandle open(const std::vector<std::byte> &bytes) {
  teeny_bundle *bundle = nullptr;
  ok(teeny_open_memory(bytes.data(), bytes.size(), nullptr, &bundle));
  return BundleHandle(bundle);
}
inline BundleHandle open(const TestBundle &bundle) { return open(bundle.bytes()); }

inline SessionHandle session(const BundleHandle &bundle, const char *device = "cpu",
                             int threads = 2, const char *target = nullptr, bool graphs = true) {
  teeny_session_options options = TEENY_SESSION_OPTIONS_INIT;
  options.device = device;
  options.threads = threads;
  options.target = target;
  options.no_graphs = !graphs;
  teeny_session *session = nullptr;
  ok(teeny_session_create(bundle.get(), &options, &session));
  return SessionHandle(session);
}

// Shape and data of a tensor to bind.
struct Bound {
  teeny_tensor tensor;
  std::vector<int64_t> shape;
  Bound(const void *data, teeny_dtype dtype, std::vector<int64_t> sizes,
        teeny_memory memory = TEENY_HOST)
      : shape(std::move(sizes)) {
    tensor = {const_cast<void *>(data), dtype, memory, shape.size(), shape.data(), nullptr};
  }
};

inline teeny_status bindInput(const SessionHandle &session, const char *name, const void *data,
                              teeny_dtype dtype, std::vector<int64_t> shape) {
  Bound bound(data, dtype, std::move(shape));
  return teeny_bind_input(session.get(), name, &bound.tensor);
}
inline teeny_status bindOutput(const SessionHandle &session, const char *name, void *data,
                               teeny_dtype dtype, std::vector<int64_t> shape) {
  Bound bound(data, dtype, std::move(shape));
  return teeny_bind_output(session.get(), name, &bound.tensor);
}

template <typename T>
std::vector<T> read(const SessionHandle &session, const char *name, size_t count) {
  std::vector<T> data(count);
  ok(teeny_read_output(session.get(), name, data.data(), count * sizeof(T)));
  return data;
}

// start, start + step, ...
inline std::vector<float> ramp(size_t count, float start, float step) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = start + step * static_cast<float>(i);
  return values;
}

} // namespace teeny::test
