// Builds small bundles for tests: a manifest piece by piece, and the code of its kernels.
#pragma once

#include "Bundle/BundleFile.h"
#include "teeny/runtime.h"

#include <memory>
#include <string>
#include <vector>

namespace teeny::test {

inline Expr expr(const std::string &text) { return *Expr::parse(text); }

// The bytes of the shared library made from kernels.c.
const std::vector<std::byte> &kernelLibrary();

class TestBundle {
public:
  explicit TestBundle(const std::string &name = "test") { manifest.name = name; }

  Manifest manifest;

  void dim(const std::string &name, int64_t min, int64_t max, int64_t multipleOf = 1) {
    manifest.dims.push_back({name, min, max, multipleOf});
  }
  // A tensor of the model and its buffer; the result is the index of the buffer.
  size_t input(const std::string &name, DType dtype, const std::vector<std::string> &shape);
  size_t output(const std::string &name, DType dtype, const std::vector<std::string> &shape);
  // Another output that is the same buffer.
  void outputOf(size_t buffer, const std::string &name, DType dtype,
                const std::vector<std::string> &shape);
  template <typename T>
  size_t param(const std::string &name, DType dtype, const std::vector<T> &values) {
    auto begin = reinterpret_cast<const std::byte *>(values.data());
    return paramBytes(name, dtype, values.size(), {begin, begin + values.size() * sizeof(T)});
  }
  size_t temporary(const std::string &name, const std::string &bytes, int64_t first, int64_t last,
                   bool zeroed = false);
  // A temporary that is a part of another buffer.
  size_t part(const std::string &name, size_t of, const std::string &offset,
              const std::string &bytes, int64_t first, int64_t last);

  // "x" a buffer that is read, "out!" one that is written, "n:i32" a scalar.
  size_t kernel(const std::string &name, const std::vector<std::string> &params);
  // Makes a kernel one that may be launched by itself: a type for each parameter, as in a
  // signature, with what is required of it: "*fp32:16", "i32:8@0..100".
  void types(size_t kernel, const std::vector<std::string> &types);
  // Code for a kernel, under its own name as the symbol. Code of kernels.c for a CPU target; text
  // of PTX or bytes of a cubin for a GPU.
  void cpuCode(size_t kernel, int64_t scratchBytes = 0, const std::string &target = hostTarget());
  void gpuCode(size_t kernel, const std::string &target, std::span<const std::byte> bytes,
               int64_t sharedBytes = 0, const std::string &ptxVersion = "7.0");

  // Arguments: "@3" is buffer 3, "@3+N*4" at an offset, "#1.5" a float, else an integer expression.
  // Adds a variant to a launch of this name, or a new launch.
  void launch(const std::string &name, size_t kernel, const std::vector<std::string> &grid,
              const std::vector<std::string> &args, const std::string &guard = "1");

  std::vector<std::byte> bytes() const; // a failed check is a failed test
  static std::string hostTarget();      // "x86-64" or "aarch64"

private:
  size_t paramBytes(const std::string &name, DType dtype, size_t count,
                    std::vector<std::byte> data);
  void useTarget(const std::string &target);
  size_t tensor(std::vector<ManifestTensor> &list, ManifestBuffer::Kind kind,
                const std::string &name, DType dtype, const std::vector<std::string> &shape);

  struct Weight {
    std::string name;
    DType dtype;
    int64_t count;
    std::vector<std::byte> data;
  };
  struct Code {
    std::string file;
    std::vector<std::byte> data;
  };
  std::vector<Weight> weights;
  std::vector<Code> codes;
};

// A model of one launch: out = a * x + y, x and y of shape (B, 3, 8), for 0 <= B <= 64.
TestBundle saxpyBundle(float a = 2.0f);

} // namespace teeny::test
