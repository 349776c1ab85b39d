// The functions that the compiler knows: one table row each, with the signature that errors quote.
//
// Functions that the language can express itself (tl.sum, tl.cdiv, tl.sort, ...) are not here but
// in its library, kernels/lang/*.py.
#pragma once

#include "Language/Values.h"

namespace teeny::lang {

class Generator;
class Call;

struct Builtin {
  enum Where : uint8_t {
    language = 1,    // tl.NAME
    math = 2,        // tl.math.NAME
    libdevice = 4,   // libdevice.NAME
    python = 8,      // NAME
    triton = 16,     // triton.NAME
    member = 32,     // VALUE.NAME(...): the first parameter is the value
    descriptor = 64, // the same of tensor descriptors
    host = 128,      // of Python's modules and types: "math.log2", "str.split"
  };
  const char *name;
  // "pointer, mask=None, *shape": parameters in order; a default means that it may be left out.
  const char *signature;
  uint8_t where;
  // Whether its result is known at compile time if its arguments are, so that it can be used
  // outside of kernels.
  bool compileTime;
  Value (*generate)(Call &call);
  // Without it a call that does nothing with the result is an error; says why.
  const char *mustUse = nullptr;

  std::string fullName() const; // "tl.load", "libdevice.tanh", "range"
};

// The rows of one family; Builtins*.cpp define them.
llvm::ArrayRef<Builtin> pythonBuiltins();
llvm::ArrayRef<Builtin> hostBuiltins();
llvm::ArrayRef<Builtin> memoryBuiltins();
llvm::ArrayRef<Builtin> descriptorBuiltins();
llvm::ArrayRef<Builtin> assemblyBuiltins();
llvm::ArrayRef<Builtin> shapeBuiltins();
llvm::ArrayRef<Builtin> mathBuiltins();
llvm::ArrayRef<Builtin> floatBuiltins();
llvm::ArrayRef<Builtin> reductionBuiltins();

const Builtin *findBuiltin(llvm::StringRef name, uint8_t where);
std::vector<std::string> builtinNames(uint8_t where);

} // namespace teeny::lang
