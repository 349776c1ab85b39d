#include "Target/HostLibrary.h"

#include <catch2/catch.hpp>

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace teeny::test;

HostLibrary::HostLibrary(const std::string &bytes) {
  int file = memfd_create("teeny-test", MFD_CLOEXEC);
  REQUIRE(file >= 0);
  REQUIRE(write(file, bytes.data(), bytes.size()) == ssize_t(bytes.size()));
  handle = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  INFO((handle ? "" : dlerror()));
  REQUIRE(handle);
  close(file);
}

HostLibrary::~HostLibrary() { dlclose(handle); }

void *HostLibrary::address(const char *symbol) const {
  void *found = dlsym(handle, symbol);
  REQUIRE(found);
  return found;
}

std::vector<std::string> teeny::test::runnableTargets() {
  std::vector<std::string> targets;
#if defined(__x86_64__)
  targets.push_back("x86-64");
  if (__builtin_cpu_supports("x86-64-v3"))
    targets.push_back("x86-64-v3");
  if (__builtin_cpu_supports("x86-64-v4"))
    targets.push_back("x86-64-v4");
#elif defined(__aarch64__)
  targets.push_back("aarch64");
#endif
  return targets;
}
