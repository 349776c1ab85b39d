// A shared library in memory, opened, for tests that run code for this machine.
#pragma once

#include <string>
#include <vector>

namespace teeny::test {

class HostLibrary {
public:
  explicit HostLibrary(const std::string &bytes); // fails the test where it cannot be opened
  ~HostLibrary();
  HostLibrary(const HostLibrary &) = delete;

  void *address(const char *symbol) const;
  template <typename Function> Function *function(const char *symbol) const {
    return reinterpret_cast<Function *>(address(symbol));
  }

private:
  void *handle = nullptr;
};

// Names of the x86 targets whose code this machine runs.
std::vector<std::string> runnableTargets();

} // namespace teeny::test
