// Kernel files as scopes: what a name means outside of functions.
#pragma once

#include "Language/Parser.h"
#include "Language/Values.h"

#include <map>

namespace teeny::lang {

// A file and its syntax.
class ParsedFile {
public:
  const Source *source = nullptr;
  ast::Block statements;
  std::map<std::string, const ParsedFile *> imports; // files beside it, as its imports name them
  bool isLibrary =
      false; // shipped with the compiler: errors in it are shown where the user's code calls it

  // All kernel functions, those under `if` and `try` included.
  std::vector<const ast::FunctionStmt *> functions() const;
  // How errors name a function of the file: in the library as users write it, "tl.sum".
  std::string shown(const ast::FunctionStmt &function) const;
};

// The library: files of functions that the language defines in itself (kernels/lang/*.py), which
// see each other. The file that defines one, parsed; null if none does. May be called from any
// thread.
const ParsedFile *libraryFileOf(llvm::StringRef function);
// The name in the library of what a module calls `name`.
std::string libraryName(llvm::StringRef path, llvm::StringRef name);
// Whether a function of the library is a member of a module: of `tl`, `tl.math` or `libdevice`.
bool isLibraryMember(llvm::StringRef path, llvm::StringRef function);

// A file's global names while a kernel is generated. Filled in by the generator.
class Module {
public:
  explicit Module(const ParsedFile &file) : file(file) {}
  const ParsedFile &file;
  std::map<std::string, Value> names;
};

// The member of a module that the compiler knows, or an invalid Value.
Value moduleMember(llvm::StringRef path, llvm::StringRef name);
// Names to suggest instead of an unknown member.
std::vector<std::string> moduleMembers(llvm::StringRef path);
// Whether it is one of Python's, of which little is known.
bool isPythonModule(llvm::StringRef path);
// A constant of such a module: math.pi, torch.float16, torch.finfo(...).max; else invalid.
Value hostConstant(llvm::StringRef path, llvm::StringRef name);
// The extension of Triton that a module is of, as errors name it; "" for others.
std::string extensionOf(llvm::StringRef path);
// Why a name of tl is not there, or what to use instead; "" if there is nothing to say.
std::string replacementOf(llvm::StringRef name);
// What `import PATH` means: a known module, or Unknown.
Value importModule(llvm::StringRef path);

// The name of a module in another: "." and "utils" make ".utils".
std::string memberModule(llvm::StringRef module, llvm::StringRef name);

// Whether an annotation says `tl.constexpr`, in any spelling.
bool isConstexprAnnotation(const ast::Expr *annotation);

} // namespace teeny::lang
