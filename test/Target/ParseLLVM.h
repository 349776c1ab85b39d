// A module in the LLVM dialect from text, for tests.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace teeny::test {

class ParsedModule {
public:
  explicit ParsedModule(const std::string &text); // fails the test on errors
  mlir::ModuleOp get() { return module.get(); }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace teeny::test
