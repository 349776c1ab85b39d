// C++ for runtime.h: objects that close themselves, and exceptions for failures. Header only;
// C++17.
//
//     namespace rt = teeny::runtime;
//     rt::Bundle bundle = rt::Bundle::open("model.bundle");
//     rt::Session session(bundle);
//     session.bindInput("x", {x.data(), TEENY_F32, {batch, 16}});
//     session.run();
//     std::vector<float> y = session.read<float>("y");
//
// The rules of runtime.h hold, on threads and on who owns what.
#pragma once

#include "teeny/runtime.h"

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace teeny::runtime {

// A failed call; what() is the text of teeny_last_error.
class Failure : public std::runtime_error {
public:
  explicit Failure(teeny_status status) : std::runtime_error(teeny_last_error()), code(status) {}
  teeny_status status() const { return code; }

private:
  teeny_status code;
};

inline void check(teeny_status status) {
  if (status != TEENY_OK)
    throw Failure(status);
}

using Dims = std::vector<std::pair<std::string, int64_t>>;

class Bundle {
public:
  // `sha256`: the hash that the file must have; empty: any.
  static Bundle open(const std::string &path, const std::string &sha256 = "") {
    teeny_bundle *bundle = nullptr;
    check(teeny_open_file(path.c_str(), sha256.empty() ? nullptr : sha256.c_str(), &bundle));
    return Bundle(bundle);
  }
  static Bundle copyOf(const void *data, size_t size, const std::string &sha256 = "") {
    teeny_bundle *bundle = nullptr;
    check(teeny_open_memory(data, size, sha256.empty() ? nullptr : sha256.c_str(), &bundle));
    return Bundle(bundle);
  }

  void verify() const { check(teeny_verify(get())); }
  std::string name() const { return teeny_bundle_name(get()); }
  std::string describe() const { return teeny_describe_json(get()); }

  size_t dims() const { return teeny_dim_count(get()); }
  size_t inputs() const { return teeny_input_count(get()); }
  size_t outputs() const { return teeny_output_count(get()); }
  teeny_dim_info dim(size_t index) const {
    teeny_dim_info info;
    check(teeny_get_dim(get(), index, &info));
    return info;
  }
  teeny_tensor_info input(size_t index) const {
    teeny_tensor_info info;
    check(teeny_get_input(get(), index, &info));
    return info;
  }
  teeny_tensor_info output(size_t index) const {
    teeny_tensor_info info;
    check(teeny_get_output(get(), index, &info));
    return info;
  }

  teeny_plan_info plan(const Dims &dims) const {
    teeny_plan_info info;
    auto values = valuesOf(dims);
    check(teeny_plan(get(), values.data(), values.size(), &info));
    return info;
  }
  std::vector<int64_t> inputShape(size_t index, const Dims &dims) const {
    std::vector<int64_t> shape(input(index).rank);
    auto values = valuesOf(dims);
    check(
        teeny_input_shape(get(), index, values.data(), values.size(), shape.data(), shape.size()));
    return shape;
  }
  std::vector<int64_t> outputShape(size_t index, const Dims &dims) const {
    std::vector<int64_t> shape(output(index).rank);
    auto values = valuesOf(dims);
    check(
        teeny_output_shape(get(), index, values.data(), values.size(), shape.data(), shape.size()));
    return shape;
  }

  teeny_bundle *get() const { return handle.get(); }

private:
  explicit Bundle(teeny_bundle *bundle) : handle(bundle) {}
  static std::vector<teeny_dim_value> valuesOf(const Dims &dims) {
    std::vector<teeny_dim_value> values;
    for (const auto &[name, value] : dims)
      values.push_back({name.c_str(), value});
    return values;
  }
  struct Close {
    void operator()(teeny_bundle *bundle) const { teeny_close(bundle); }
  };
  std::unique_ptr<teeny_bundle, Close> handle;
};

// A tensor to bind: the data must outlive the binding.
struct Tensor {
  const void *data = nullptr; // written only where it is bound to an output
  teeny_dtype dtype = TEENY_F32;
  std::vector<int64_t> shape;
  teeny_memory memory = TEENY_HOST;
};

// An argument of a kernel that is launched by itself; without a name, its place counts.
struct Argument {
  std::string name;
  teeny_argument_kind kind = TEENY_ARGUMENT_INT;
  Tensor memory; // of a pointer; what is written goes there
  int64_t bits = 0;
  double number = 0;

  static Argument tensor(std::string name, Tensor memory) {
    return {std::move(name), TEENY_ARGUMENT_TENSOR, std::move(memory)};
  }
  static Argument integer(std::string name, int64_t value) {
    return {std::move(name), TEENY_ARGUMENT_INT, {}, value};
  }
  static Argument unsignedInteger(std::string name, uint64_t value) {
    return {std::move(name), TEENY_ARGUMENT_UINT, {}, static_cast<int64_t>(value)};
  }
  static Argument real(std::string name, double value) {
    return {std::move(name), TEENY_ARGUMENT_FLOAT, {}, 0, value};
  }
};

class Session {
public:
  explicit Session(const Bundle &bundle, const teeny_session_options *options = nullptr) {
    teeny_session *session = nullptr;
    check(teeny_session_create(bundle.get(), options, &session));
    handle.reset(session);
  }

  std::string device() const { return teeny_session_device(get()); }

  void bindInput(const std::string &name, const Tensor &tensor) {
    teeny_tensor view = viewOf(tensor);
    check(teeny_bind_input(get(), name.c_str(), &view));
  }
  void bindOutput(const std::string &name, const Tensor &tensor) {
    teeny_tensor view = viewOf(tensor);
    check(teeny_bind_output(get(), name.c_str(), &view));
  }
  void unbindOutput(const std::string &name) {
    check(teeny_bind_output(get(), name.c_str(), nullptr));
  }

  void prepare() { check(teeny_prepare(get())); }
  void run() { check(teeny_run(get())); }
  void runOnStream(void *stream) { check(teeny_run_on_stream(get(), stream)); }

  void launch(const std::string &kernel, const std::array<int32_t, 3> &grid,
              const std::vector<Argument> &arguments) {
    std::vector<teeny_tensor> views;
    std::vector<teeny_argument> list;
    views.reserve(arguments.size()); // the list points to them
    for (const Argument &argument : arguments) {
      views.push_back(viewOf(argument.memory));
      list.push_back({argument.name.empty() ? nullptr : argument.name.c_str(), argument.kind,
                      &views.back(), argument.bits, argument.number});
    }
    check(teeny_launch_kernel(get(), kernel.c_str(), grid.data(), list.data(), list.size()));
  }

  int64_t dim(const std::string &name) const {
    int64_t value = 0;
    check(teeny_get_dim_value(get(), name.c_str(), &value));
    return value;
  }
  teeny_tensor output(const std::string &name) const {
    teeny_tensor tensor;
    check(teeny_get_output_tensor(get(), name.c_str(), &tensor));
    return tensor;
  }
  std::vector<int64_t> outputShape(const std::string &name) const {
    teeny_tensor tensor = output(name);
    return {tensor.shape, tensor.shape + tensor.rank};
  }
  // A copy of an output in host memory; T must have the size of its elements.
  template <typename T> std::vector<T> read(const std::string &name) {
    teeny_tensor tensor = output(name);
    if (teeny_dtype_size(tensor.dtype) != sizeof(T))
      throw std::invalid_argument("elements of output '" + name + "' have another size");
    size_t elements = 1;
    for (size_t axis = 0; axis < tensor.rank; ++axis)
      elements *= static_cast<size_t>(tensor.shape[axis]);
    std::vector<T> data(elements);
    check(teeny_read_output(get(), name.c_str(), data.data(), elements * sizeof(T)));
    return data;
  }

  void setTimings(teeny_timings timings) { check(teeny_set_timings(get(), timings)); }
  teeny_run_statistics statistics() {
    teeny_run_statistics statistics;
    check(teeny_get_statistics(get(), &statistics));
    return statistics;
  }
  teeny_launch_info launch(size_t index) {
    teeny_launch_info info;
    check(teeny_get_launch(get(), index, &info));
    return info;
  }

  teeny_session *get() const { return handle.get(); }

private:
  static teeny_tensor viewOf(const Tensor &tensor) {
    return {const_cast<void *>(tensor.data),
            tensor.dtype,
            tensor.memory,
            tensor.shape.size(),
            tensor.shape.data(),
            nullptr};
  }
  struct Destroy {
    void operator()(teeny_session *session) const { teeny_session_destroy(session); }
  };
  std::unique_ptr<teeny_session, Destroy> handle;
};

} // namespace teeny::runtime
