// What libFuzzer calls; TEENY_FUZZ_TARGET is the name of the target.
#include "Fuzz.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  teeny::fuzz::TEENY_FUZZ_TARGET({reinterpret_cast<const char *>(data), size});
  return 0;
}
