#include "Driver/SignatureTable.h"

#include "Bundle/ParamType.h"

#include "llvm/Support/MathExtras.h"

using namespace teeny;

static void printParam(const KernelParam &param, int64_t offset, llvm::raw_ostream &os) {
  os << "  " << param.name << ": " << param.type << " at byte " << offset;
  const bool isBuffer = param.kind == KernelParam::Kind::buffer;
  if (isBuffer)
    os << ", " << (param.written ? "written" : "read");
  if (param.range)
    os << ", " << param.range->first << " to " << param.range->second;
  if (param.multipleOf != 1)
    os << ", a multiple of " << param.multipleOf << (isBuffer ? " bytes" : "");
  os << "\n";
}

static void printCode(const CodeObject &code, llvm::raw_ostream &os) {
  os << "  " << code.target << ": entry " << code.symbol << ", ";
  if (isGpuTarget(code.target))
    os << "block " << code.threads << " x 1 x 1, " << code.sharedBytes
       << " bytes of dynamic shared memory, PTX " << code.ptxVersion << "\n";
  else
    os << code.scratchBytes << " bytes of scratch memory per thread\n";
}

void teeny::printSignature(const ManifestKernel &kernel, llvm::raw_ostream &os) {
  int64_t end = 0;
  for (const KernelParam &param : kernel.params) {
    const int64_t bytes = paramBytes(param.kind);
    const int64_t offset = int64_t(llvm::alignTo(end, bytes));
    printParam(param, offset, os);
    end = offset + bytes;
  }
  os << "  " << end << " bytes of parameters, none hidden; on a CPU one slot of 8 bytes each\n";
  for (const KernelConstant &constant : kernel.constants)
    os << "  compiled for " << constant.name << " = " << constant.value << "\n";
  os << "  grid: programs along x, y, z (blocks of a GPU), up to 2147483647, 65535, 65535\n";
  for (const CodeObject &code : kernel.code)
    printCode(code, os);
}
