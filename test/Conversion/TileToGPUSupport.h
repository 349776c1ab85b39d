// Runs kernels over tiles through the whole GPU code generation and on a machine that interprets
// PTX.
#pragma once

#include "../Target/PtxMachine.h"

#include <string>
#include <vector>

namespace teeny::test {

// The PTX of a module of tile kernels with layouts. Throws what was reported, if compiling fails.
std::string compileToPtx(const std::string &module, const std::string &target = "sm_90a");

// Writes the text of a kernel on tiles of two dims (or one, with n = 1 left out).
class KernelText {
public:
  explicit KernelText(int warps) : warps(warps) {}

  // Declares an argument and returns its name.
  std::string argument(const std::string &name, const std::string &type);
  // Adds a line; `$` stands for a new value, whose name is returned.
  std::string add(std::string line);
  // A tile of pointers to the elements of an m x n row-major array, or of m elements.
  std::string pointers(const std::string &base, const std::string &element, int m, int n,
                       const std::string &layout);
  std::string load(const std::string &base, const std::string &element, int m, int n,
                   const std::string &layout);
  void store(const std::string &base, const std::string &value, const std::string &element, int m,
             int n, const std::string &layout);
  // The module with this one kernel, @kernel.
  std::string str() const;

private:
  int warps, next = 0;
  std::string signature, body;
};

// "tensor<16x8xf32, #layout>", without n where n is 0.
std::string tileType(int m, int n, const std::string &element, const std::string &layout);

// Integers without a pattern that a wrong layout would keep, from -500 to 499.
std::vector<int32_t> scrambled(size_t count);

// Runs @kernel as one program, with a buffer that it reads and one that it writes.
template <typename In, typename Out>
std::vector<Out> run(const KernelText &kernel, std::vector<In> in, size_t outs,
                     const std::string &target = "sm_90a") {
  PtxMachine machine(compileToPtx(kernel.str(), target));
  std::vector<Out> out(outs, Out(77));
  machine.run("kernel", {1, 1, 1}, {machine.buffer(in), machine.buffer(out)});
  return out;
}

// Layouts for 4 warps, of which each test tries all.
extern const std::vector<std::string> layouts1D, layouts2D;

} // namespace teeny::test
