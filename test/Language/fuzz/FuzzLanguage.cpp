// Fuzzes the front end of the kernel language: any text is lexed, parsed, and each kernel in it
// generated, with types for its parameters that follow from their names. Whatever the text says,
// the result is tile IR that verifies, or errors.
#include "Language/Language.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <cstdlib>

using namespace teeny;

namespace {

mlir::MLIRContext &context() {
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  static bool loaded = [] {
    context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                        mlir::scf::SCFDialect, mlir::func::FuncDialect>();
    return true;
  }();
  (void)loaded;
  return context;
}

ParamSpec specOf(const KernelParameter &parameter) {
  using lang::ScalarType;
  static const ScalarType pointees[] = {ScalarType::fp32, ScalarType::fp16,  ScalarType::int32,
                                        ScalarType::fp64, ScalarType::int64, ScalarType::fp8e5,
                                        ScalarType::uint8};
  unsigned hash = 0;
  for (char c : parameter.name)
    hash = hash * 31 + uint8_t(c);
  ParamSpec spec;
  spec.name = parameter.name;
  if (parameter.isConstexpr) {
    spec.kind = ParamSpec::constexprValue;
    spec.value = int64_t(16);
    return spec;
  }
  llvm::StringRef name = parameter.name;
  spec.kind = name.size() == 1 ? name < "h" ? ParamSpec::pointer : ParamSpec::scalar
              : name.contains("ptr") || name.starts_with("out") ? ParamSpec::pointer
                                                                : ParamSpec::scalar;
  if (name.size() == 1 && name >= "u" && name <= "z")
    spec.kind = ParamSpec::pointer;
  spec.type = spec.kind == ParamSpec::pointer
                  ? pointees[name.contains("ptr") ? 0 : hash % std::size(pointees)]
                  : ScalarType(ScalarType::int32);
  spec.divisibility = hash % 3 == 0 ? 16 : 1;
  return spec;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Sources sources;
  Diagnostics diagnostics;
  const Source *source =
      sources.add("fuzz.py", std::string(reinterpret_cast<const char *>(data), size));
  std::unique_ptr<KernelFile> file = KernelFile::parse(source, diagnostics);
  for (size_t i = 0; file && i != file->kernels().size(); ++i) {
    const KernelInfo &kernel = file->kernels()[i];
    std::vector<ParamSpec> specs;
    for (const KernelParameter &parameter : kernel.parameters)
      specs.push_back(specOf(parameter));
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::ModuleOp::create(mlir::UnknownLoc::get(&context()));
    Diagnostics reported;
    mlir::func::FuncOp function = generateKernel(*file, kernel.name, specs, {}, *module, reported);
    // Either a kernel that is valid, or what is wrong with it.
    if (!function && !reported.hasErrors())
      std::abort();
    if (function && (reported.hasErrors() || mlir::failed(mlir::verify(*module))))
      std::abort();
    std::string text;
    llvm::raw_string_ostream stream(text);
    reported.render(stream);
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  diagnostics.render(stream);
  return 0;
}
