// The front end of the kernel language: a kernel file, what its kernels take, and tile IR from one
// of them.
//
//   Sources sources;
//   const Source *text = sources.add("add.py", ...);
//   std::unique_ptr<KernelFile> file = KernelFile::parse(text, diagnostics);
//   mlir::func::FuncOp kernel = generateKernel(*file, "add_kernel", parameters, options, module,
//   diagnostics);
//
// The language is Triton's (3.6). A kernel is generated for one choice of types and compile-time
// values, which `parameters` gives by name, in any order.
#pragma once

#include "Language/Emitter.h"
#include "Language/Types.h"
#include "Support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <variant>

namespace teeny {

namespace lang {
class ParsedFile;
}
class Sources;

using lang::ScalarType;

// A value known at compile time, of a constexpr parameter or global. The first alternative is None.
using ConstValue = std::variant<std::monostate, bool, int64_t, double, std::string, ScalarType>;

// What the file says of a parameter of a kernel.
struct KernelParameter {
  std::string name;
  SourceLocation location;
  bool isConstexpr = false;
  bool hasDefault = false;              // may be left unbound
  bool alignmentMatters = true;         // false if @triton.jit says not to specialise for it
  std::optional<ScalarType> annotation; // `x: tl.int64`: its type, whatever the caller has
  std::string annotationText;           // as written, empty without one
  std::string defaultText;              // likewise
};

struct KernelInfo {
  std::string name;
  SourceLocation location;
  std::vector<KernelParameter> parameters;
  bool isTuned = false; // @triton.autotune or @triton.heuristics give some of them values

  const KernelParameter *find(llvm::StringRef name) const;
};

// A file of kernels, parsed. Errors in a function are found when it is generated, but for syntax.
class KernelFile {
public:
  // Null, with errors reported, if a kernel function has a syntax error. With `sources`, files of
  // helpers that it imports from its folder are read through them.
  static std::unique_ptr<KernelFile> parse(const Source *source, Diagnostics &diagnostics,
                                           Sources *sources = nullptr);
  ~KernelFile();

  // The functions decorated with @triton.jit, in order; helpers of kernels are among them.
  llvm::ArrayRef<KernelInfo> kernels() const { return infos; }
  const KernelInfo *find(llvm::StringRef name) const;
  // Ends the error that there is no kernel of this name: which may be meant, or which there are.
  void suggestKernel(Diagnostic &error, llvm::StringRef name) const;
  const Source *source() const;
  const lang::ParsedFile &parsed() const { return *file; }

private:
  KernelFile();
  std::unique_ptr<lang::ParsedFile> file;
  std::map<std::string, std::unique_ptr<lang::ParsedFile>> imported;
  std::vector<KernelInfo> infos;
};

// What a caller binds to a parameter.
struct ParamSpec {
  enum Kind { pointer, scalar, constexprValue, tile };
  std::string name;
  Kind kind = scalar;
  ScalarType type; // of the scalar, of what the pointer points to, or of the tile's elements
  llvm::SmallVector<int64_t> shape; // of a tile: for functions that are put into kernels
  int64_t divisibility = 1;         // of the value, or of the address in bytes
  std::optional<std::pair<int64_t, int64_t>> range; // of an integer, inclusive
  std::optional<int64_t> known; // the value of an integer: becomes a constant, not a parameter
  bool noalias = false;
  bool readOnly = false; // a pointer that must not be stored through
  ConstValue value;      // of a constexprValue, which any parameter may be given
};

struct GenerateOptions {
  std::string symbolName; // empty: the function's name
  int numWarps = 4;
  bool checkAssertions = false;              // @triton.jit(debug=True) does the same for its kernel
  std::map<std::string, ConstValue> globals; // override or supply the file's globals
  // Precision of dots of f32 operands; without a value the source decides, which means tf32 unless
  // it says otherwise.
  std::optional<lang::DotPrecision> fp32Dot;
};

// Adds the kernel to `into`; null, with errors reported, if it cannot be compiled.
mlir::func::FuncOp generateKernel(const KernelFile &file, llvm::StringRef function,
                                  llvm::ArrayRef<ParamSpec> parameters,
                                  const GenerateOptions &options, mlir::ModuleOp into,
                                  Diagnostics &diagnostics);

} // namespace teeny
