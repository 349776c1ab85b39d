#include "Runtime/CUDA/Targets.h"
#include "Runtime/CPU/CpuLevel.h"
#include "Runtime/CPU/SharedObject.h"
#include "Runtime/TestBundle.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>

using namespace teeny;
using namespace teeny::rt;

TEST_CASE("GPU targets are read") {
  auto sm90a = cuda::parseGpuTarget("sm_90a");
  REQUIRE(sm90a);
  REQUIRE((!sm90a->ptx && sm90a->major == 9 && sm90a->minor == 0 && sm90a->suffix == 'a'));
  auto compute120 = cuda::parseGpuTarget("compute_120");
  REQUIRE(compute120);
  REQUIRE((compute120->ptx && compute120->major == 12 && compute120->minor == 0));
  REQUIRE(compute120->suffix == 0);
  for (const char *text : {"", "sm_", "sm_9", "sm_9x", "sm_90b", "sm_1200", "compute90", "x86-64",
                           "sm_-90", "sm_a", "compute_ 80", "SM_90"})
    REQUIRE_FALSE(cuda::parseGpuTarget(text));
}

TEST_CASE("which GPU code runs on which device") {
  struct Case {
    const char *target;
    int major, minor;
    bool runs;
  };
  // From the CUDA programming guide: binary and PTX compatibility, architecture- and
  // family-specific.
  const Case cases[] = {
      {"sm_90a", 9, 0, true},      {"sm_90a", 10, 0, false},       {"sm_90", 9, 0, true},
      {"sm_80", 8, 6, true},       {"sm_86", 8, 0, false},         {"sm_80", 9, 0, false},
      {"sm_75", 8, 0, false},      {"compute_80", 7, 5, false},    {"compute_80", 8, 0, true},
      {"compute_80", 9, 0, true},  {"compute_86", 8, 0, false},    {"compute_89", 12, 0, true},
      {"compute_90a", 9, 0, true}, {"compute_90a", 10, 0, false},  {"sm_100f", 10, 3, true},
      {"sm_100f", 12, 0, false},   {"compute_100f", 12, 0, false}, {"compute_100f", 10, 3, true},
      {"sm_103a", 10, 0, false},   {"sm_121", 12, 0, false},       {"sm_120", 12, 1, true},
  };
  for (const Case &one : cases) {
    CAPTURE(one.target, one.major, one.minor);
    REQUIRE((cuda::gpuTargetRank(one.target, one.major, one.minor) > 0) == one.runs);
  }
}

TEST_CASE("the best GPU code wins") {
  auto rank = [](const char *target) { return cuda::gpuTargetRank(target, 9, 0); };
  REQUIRE(rank("sm_90a") > rank("sm_90"));
  REQUIRE(rank("sm_90") > rank("compute_90a"));
  REQUIRE(rank("compute_90a") > rank("compute_90"));
  REQUIRE(rank("compute_90") > rank("compute_80"));
  REQUIRE(cuda::gpuTargetRank("sm_86", 8, 9) > cuda::gpuTargetRank("sm_80", 8, 9));
  REQUIRE(cuda::gpuTargetRank("sm_80", 8, 9) > cuda::gpuTargetRank("compute_89", 8, 9));
}

#if defined(__x86_64__)
// The operating system's list of what the CPU has, as an oracle.
TEST_CASE("the CPU level agrees with the operating system") {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line) && !line.starts_with("flags"))
    ;
  if (line.empty()) {
    WARN("/proc/cpuinfo lists no flags");
    return;
  }
  auto has = [&](const std::string &names) {
    std::istringstream words(names);
    for (std::string word; words >> word;)
      if ((line + " ").find(" " + word + " ") == std::string::npos)
        return false;
    return true;
  };
  bool v2 = has("pni ssse3 cx16 sse4_1 sse4_2 popcnt lahf_lm");
  bool v3 = v2 && has("fma movbe avx f16c bmi1 avx2 bmi2 abm");
  bool v4 = v3 && has("avx512f avx512dq avx512cd avx512bw avx512vl");
  REQUIRE(cpuTargetRank("x86-64") == 1);
  REQUIRE(cpuTargetRank("x86-64-v2") == (v2 ? 2 : 0));
  REQUIRE(cpuTargetRank("x86-64-v3") == (v3 ? 3 : 0));
  REQUIRE(cpuTargetRank("x86-64-v4") == (v4 ? 4 : 0));
  REQUIRE(bestCpuTarget() == (v4 ? "x86-64-v4" : v3 ? "x86-64-v3" : v2 ? "x86-64-v2" : "x86-64"));
  for (const char *other : {"", "x86-64-v5", "x86", "aarch64", "sm_90", "cpu"})
    REQUIRE(cpuTargetRank(other) == 0);
}
#endif

TEST_CASE("code is loaded from a sealed memory file and from a temporary file") {
  const auto &bytes = test::kernelLibrary();
  for (auto load : {SharedObject::loadFromMemoryFile, SharedObject::loadFromTemporaryFile,
                    SharedObject::load}) {
    Result<std::shared_ptr<SharedObject>> object = load(bytes, "kernels");
    if (!object)
      FAIL(object.error().message);
    REQUIRE((*object)->symbol("saxpy"));
    REQUIRE_FALSE((*object)->symbol("no_such_symbol"));
  }
}

TEST_CASE("loading again gives a copy of its own, even under the same descriptor number") {
  const auto &bytes = test::kernelLibrary();
  auto first = SharedObject::load(bytes, "first"), second = SharedObject::load(bytes, "second");
  REQUIRE((first && second));
  REQUIRE((*first)->symbol("saxpy") != (*second)->symbol("saxpy"));
}

TEST_CASE("what is no shared library is an error that names it") {
  std::vector<std::byte> bytes(100, std::byte('x'));
  auto object = SharedObject::load(bytes, "teeny/code/k.so");
  REQUIRE_FALSE(object);
  REQUIRE(object.error().code == ErrorCode::environment);
  REQUIRE(object.error().message.find("cannot load the code 'teeny/code/k.so': ") == 0);
}
