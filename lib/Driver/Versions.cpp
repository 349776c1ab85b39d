#include "Driver/Versions.h"

#include "Driver/Driver.h"
#include "Target/PTX/PTX.h"

#include "llvm/Config/llvm-config.h"

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

std::string teeny::versionText() {
  std::string text =
      std::string("teenyc ") + TEENY_VERSION + "\nLLVM " + LLVM_VERSION_STRING + "\n";
  Result<std::string> assembler = ptx::findAssembler();
  if (!assembler)
    return text + "ptxas not found: no cubins (sm_NN), but PTX (compute_NN)";
  Result<std::string> version = ptx::assemblerVersion(*assembler);
  return text + "ptxas " +
         (version ? numberIn(*version) + " (" + *assembler + ")" : version.error().message);
}
