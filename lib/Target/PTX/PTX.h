// From a module in MLIR's LLVM dialect to PTX text, and from PTX to machine code by NVIDIA's
// assembler.
//
// Everything happens in memory but for the assembler, a child process that works in a private
// temporary folder under fixed file names, so that its output does not depend on where it ran.
// Texts and cubins are deterministic for one version of LLVM and one of the assembler.
#pragma once

#include "Support/Targets.h"

#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
}

namespace teeny::ptx {

// Translates a module in the LLVM dialect to optimised PTX for a GPU target. Multiplications and
// additions become one instruction only where both carry `contract`; loops are unrolled but not
// vectorised. What LLVM's code generator refuses is an error of code `unsupported` with its text;
// so are more bytes of parameters than a kernel can have.
// `llvmText`, if given, gets the optimised LLVM IR. May be called from any thread.
Result<std::string> translate(mlir::ModuleOp module, const Target &target,
                              std::string *llvmText = nullptr);

// What the assembler says about one kernel. Sizes are in bytes; those of the stack and of spills
// are per thread.
struct KernelReport {
  std::string kernel;
  int registers = 0;
  int barriers = 0;
  int stackBytes = 0;
  int spillStoreBytes = 0;
  int spillLoadBytes = 0;
  int sharedBytes = 0; // static shared memory
};

struct AssemblerReport {
  std::vector<KernelReport> kernels;
  // Warnings and the advice lines that have a number (C7508, C7510, ...), as printed.
  std::vector<std::string> warnings;
};

struct Assembled {
  std::string cubin;
  AssemblerReport report;
};

// The assembler's path: `option` if not empty, else $TEENY_PTXAS, $CUDA_HOME/bin, $PATH,
// /usr/local/cuda/bin. An environment error, which names what to install, where there is none.
Result<std::string> findAssembler(const std::string &option = "");

// The disassembler's, likewise, with $TEENY_NVDISASM.
Result<std::string> findDisassembler(const std::string &option = "");
// That of another program of the toolkit.
Result<std::string> findProgram(const std::string &name);

// "Cuda compilation tools, release 13.0, V13.0.88": for the provenance of what it made.
// The other programs answer alike.
Result<std::string> assemblerVersion(const std::string &assembler);

// Assembles PTX for a GPU target. What the assembler refuses is an error of code `invalid`, and
// what it does not finish in 600 seconds, or $TEENY_PTXAS_SECONDS, one of code `unsupported`.
Result<Assembled> assemble(const std::string &assembler, const std::string &ptx,
                           const Target &target);

// The report in what `ptxas -v` prints.
AssemblerReport parseAssemblerOutput(const std::string &text);

// Machine code as text, by nvdisasm.
Result<std::string> disassemble(const std::string &cubin, const std::string &option = "");

} // namespace teeny::ptx
