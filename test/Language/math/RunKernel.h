// A kernel in the language, compiled and run on this machine's CPU, and on the machine that
// interprets PTX: for tests of numbers.
#pragma once

#include "Language/LanguageSupport.h"
#include "Target/PtxMachine.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace teeny::test {

class HostLibrary;

// Compiles `kernel` of a file. Fails the test, with what was reported, if that does not work.
class KernelOnCpu {
public:
  KernelOnCpu(const std::string &text, const std::string &specs,
              const std::string &target = "x86-64-v3");
  ~KernelOnCpu();
  // Pointers and scalars in the order of the parameters.
  template <typename... Arguments> void run(int programs, Arguments... arguments) const {
    call(programs, {slot(arguments)...});
  }

private:
  template <typename T> static uint64_t slot(T value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  }
  void call(int programs, std::vector<uint64_t> slots) const;
  std::unique_ptr<HostLibrary> library;
  int64_t scratch = 0;
};

// The PTX of `kernel`.
std::string compileToPtx(const std::string &text, const std::string &specs,
                         const std::string &target = "sm_80");

} // namespace teeny::test
