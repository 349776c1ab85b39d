// Kernels without a graph in tests: compiled by the driver for a signature, launched on the CPU
// through the C API.
#pragma once

#include "RunModel.h"
#include "teeny/runtime.hpp"

#include <string>
#include <vector>

namespace teeny::test {

// Compiles "FILE.py::FUNC" for each signature into a bundle in the folder and returns its path;
// fails the test with what the compiler said if it does not compile.
std::string compileKernels(const Folder &folder, std::vector<std::string> kernels,
                           std::vector<std::string> signatures,
                           std::vector<std::string> targets = {"cpu"},
                           std::vector<std::string> ranges = {});

// Two threads; code of `target`, or the best there is.
runtime::Session cpuSession(const runtime::Bundle &bundle, const char *target = nullptr);

template <typename T>
runtime::Argument tensor(const std::string &name, std::vector<T> &data, teeny_dtype dtype) {
  return runtime::Argument::tensor(name, {data.data(), dtype, {int64_t(data.size())}});
}
inline runtime::Argument integer(const std::string &name, int64_t value) {
  return runtime::Argument::integer(name, value);
}

} // namespace teeny::test
