// The x86-64 levels are those of the System V ABI supplement: each is a list of CPUID bits, and the
// operating system must save the registers that they need (XCR0).
#include "Runtime/CPU/CpuLevel.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <cstdint>
#include <initializer_list>

namespace teeny::rt {

#if defined(__x86_64__)

namespace {
struct CpuId {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  CpuId(uint32_t leaf, uint32_t subleaf) {
    __get_cpuid_count(leaf, subleaf, &eax, &ebx, &ecx, &edx); // zeros where there is no such leaf
  }
};
} // namespace

static bool has(uint32_t word, std::initializer_list<int> bits) {
  for (int bit : bits)
    if (!((word >> bit) & 1))
      return false;
  return true;
}

// The register state that the operating system saves.
static uint64_t savedState(const CpuId &basic) {
  if (!has(basic.ecx, {27})) // OSXSAVE
    return 0;
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t(high) << 32) | low;
}

static int detectLevel() {
  CpuId basic(1, 0), features(7, 0), extended(0x80000001, 0);
  uint64_t saved = savedState(basic);

  // v2: SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT; LAHF.
  if (!has(basic.ecx, {0, 9, 13, 19, 20, 23}) || !has(extended.ecx, {0}))
    return 1;
  // v3: FMA, MOVBE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT; the SSE and AVX state.
  if (!has(basic.ecx, {12, 22, 28, 29}) || !has(features.ebx, {3, 5, 8}) ||
      !has(extended.ecx, {5}) || (saved & 0x6) != 0x6)
    return 2;
  // v4: AVX512 F, DQ, CD, BW, VL; the mask and upper vector state.
  if (!has(features.ebx, {16, 17, 28, 30, 31}) || (saved & 0xe6) != 0xe6)
    return 3;
  return 4;
}

static constexpr std::string_view levels[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};

static int level() {
  static const int detected = detectLevel();
  return detected;
}

#elif defined(__aarch64__)

static constexpr std::string_view levels[] = {"aarch64"};
static int level() { return 1; }

#else
#error "the CPU device knows x86-64 and aarch64"
#endif

int cpuTargetRank(std::string_view target) {
  for (int i = 0; i < level(); ++i)
    if (levels[i] == target)
      return i + 1;
  return 0;
}

std::string_view bestCpuTarget() { return levels[level() - 1]; }

} // namespace teeny::rt
