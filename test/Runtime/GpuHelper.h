// What the tests of the CUDA device share: they say that they are skipped where there is no GPU,
// and also run with a fake driver (FakeCuda.cpp).
#pragma once

#include "Runtime/ApiHelper.h"
#include "Runtime/CUDA/Driver.h"

#include <dlfcn.h>
#include <iostream>

namespace teeny::test {

inline std::span<const std::byte> textBytes(std::string_view text) {
  return {reinterpret_cast<const std::byte *>(text.data()), text.size()};
}

// Whether there is a GPU; says so if not.
inline const rt::cuda::Driver *gpu() {
  Result<const rt::cuda::Driver *> driver = rt::cuda::Driver::get();
  if (driver)
    return *driver;
  std::cout << "skipped: " << driver.error().message << std::endl;
  return nullptr;
}

// The fake driver counts its objects: at the end of a test there must be as many as at the begin.
class NothingLeaks {
public:
  NothingLeaks() : before(count()) {}
  ~NothingLeaks() { CHECK(count() == before); }

private:
  static int count() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    auto function =
        library ? reinterpret_cast<int (*)()>(dlsym(library, "fakeCudaObjects")) : nullptr;
    int objects = function ? function() : 0;
    if (library)
      dlclose(library);
    return objects;
  }
  const int before;
};

} // namespace teeny::test
