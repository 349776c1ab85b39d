#include "Target/ParseLLVM.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

teeny::test::ParsedModule::ParsedModule(const std::string &text)
    : context(mlir::MLIRContext::Threading::DISABLED) {
  context.loadDialect<mlir::LLVM::LLVMDialect>();
  module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  REQUIRE(module);
}
