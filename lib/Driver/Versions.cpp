#include "Driver/Versions.h"

#include "Driver/Driver.h"
#include "Target/PTX/PTX.h"

#include "llvm/Config/llvm-config.h"

#include <dlfcn.h>

using namespace teeny;

// What `ptxas --version` ends with, "V13.0.88", without the V; the whole text if it ends otherwise.
static std::string numberIn(const std::string &version) {
  size_t at = version.rfind('V');
  return at == std::string::npos ? version : version.substr(at + 1);
}

Result<Provenance> teeny::provenance(const std::string &assembler) {
  Provenance versions = {{"teenyc", TEENY_VERSION}, {"llvm", LLVM_VERSION_STRING}};
  if (!assembler.empty()) {
    Result<std::string> version = ptx::assemblerVersion(assembler);
    if (!version)
      return version.error();
    versions.emplace_back("ptxas", numberIn(*version));
  }
  return versions;
}

std::string teeny::teenyVersion() { return TEENY_VERSION; }

// A line on a program of NVIDIA's toolkit.
static std::string toolLine(const std::string &name, const Result<std::string> &path,
                            const std::string &without) {
  if (!path)
    return name + " not found: " + without + "\n";
  Result<std::string> version = ptx::assemblerVersion(*path);
  return name + " " + (version ? numberIn(*version) : "of unknown version") + " (" + *path + ")\n";
}

// The driver is asked for its version, which takes no device: cuDriverGetVersion gives 13000 for
// 13.0.
static std::string driverLine() {
  const char *const without = "CUDA driver not found: bundles run on the CPU here";
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return without;
  auto ask = reinterpret_cast<int (*)(int *)>(dlsym(library, "cuDriverGetVersion"));
  int version = 0;
  if (!ask || ask(&version) != 0)
    return without;
  return "CUDA driver " + std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10) + " (libcuda.so.1)";
}

std::string teeny::versionText() {
  return "teenyc " + teenyVersion() + "\nLLVM " + LLVM_VERSION_STRING + "\n" +
         toolLine("ptxas", ptx::findAssembler(), "no cubins (sm_NN), but PTX (compute_NN)") +
         toolLine("nvdisasm", ptx::findDisassembler(), "no machine code as text (dump --sass)") +
         toolLine("nvcc", ptx::findProgram("nvcc"), "nothing needs it") + driverLine();
}
