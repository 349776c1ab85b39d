// Kernels from tile IR as text, compiled for this machine and called, for tests of numbers.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace teeny::test {

class HostLibrary;

// What a compilation gave besides code.
struct CompiledText {
  std::string error; // diagnostics, empty if it worked
  std::string structure, llvm, assembly, library;
  int64_t scratchBytes = 0;
};

// `structureOnly` stops with loops and arithmetic, in `structure`.
CompiledText compileTileIR(const std::string &text, const std::string &target,
                           bool structureOnly = false);

class CpuKernel {
public:
  CpuKernel(const std::string &text, const std::string &target); // fails the test on errors
  ~CpuKernel();

  // Runs all programs of the grid, in ranges of at most `atOnce`.
  template <typename... Arguments>
  void run(std::array<int32_t, 3> grid, Arguments... arguments) const {
    std::vector<uint64_t> slots = {slot(arguments)...};
    call(grid, slots);
  }
  int64_t atOnce = INT64_MAX;
  int64_t scratchBytes() const { return scratch; }

private:
  std::unique_ptr<HostLibrary> library;
  int64_t scratch = 0;

  template <typename T> static uint64_t slot(T value) {
    uint64_t bits = ~uint64_t(0); // garbage above the value must not matter
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
      return uint64_t(int64_t(value));
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  }
  void call(std::array<int32_t, 3> grid, const std::vector<uint64_t> &slots) const;
};

} // namespace teeny::test
