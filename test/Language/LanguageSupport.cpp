#include "LanguageSupport.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace teeny::test {

ConstValue parseConstant(llvm::StringRef text) {
  int64_t integer;
  double number;
  if (text == "None")
    return std::monostate();
  if (text == "True" || text == "False")
    return text == "True";
  if (!text.getAsInteger(0, integer))
    return integer;
  if (!text.getAsDouble(number))
    return number;
  if (text.consume_front("tl."))
    if (std::optional<ScalarType> type = ScalarType::parse(text))
      return *type;
  return text.trim('\'').str();
}

static ParamSpec parseSpec(llvm::StringRef name, llvm::StringRef text) {
  ParamSpec spec;
  spec.name = name.str();
  llvm::StringRef rest = text;
  bool pointer = rest.consume_front("*");
  spec.readOnly = pointer && rest.consume_front("k");
  llvm::SmallVector<llvm::StringRef> parts;
  rest.split(parts, ':');
  auto [typeAndRange, known] = parts[0].split('!');
  auto [typeText, range] = typeAndRange.split('@');
  std::optional<ScalarType> type = ScalarType::parse(typeText);
  if (!type) {
    spec.kind = ParamSpec::constexprValue;
    spec.value = parseConstant(text);
    return spec;
  }
  spec.kind = pointer ? ParamSpec::pointer : ParamSpec::scalar;
  spec.type = *type;
  int64_t number;
  if (!known.empty() && !known.getAsInteger(10, number))
    spec.known = number;
  if (!range.empty()) {
    auto [low, high] = range.split("..");
    std::pair<int64_t, int64_t> bounds;
    if (!low.getAsInteger(10, bounds.first) && !high.getAsInteger(10, bounds.second))
      spec.range = bounds;
  }
  for (llvm::StringRef part : llvm::ArrayRef(parts).drop_front()) {
    if (part == "noalias")
      spec.noalias = true;
    else if (!part.getAsInteger(10, number))
      spec.divisibility = number;
  }
  return spec;
}

std::vector<ParamSpec> parseSpecs(llvm::StringRef text) {
  std::vector<ParamSpec> specs;
  llvm::SmallVector<llvm::StringRef> items;
  text.split(items, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef item : items) {
    auto [name, spec] = item.split('=');
    specs.push_back(parseSpec(name.trim(), spec.trim()));
  }
  return specs;
}

static Compiled compile(Sources &sources, const Source *source, llvm::StringRef function,
                        llvm::ArrayRef<ParamSpec> specs, const GenerateOptions &options,
                        CompileFlags flags) {
  Diagnostics diagnostics;
  mlir::MLIRContext context;
  context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, mlir::func::FuncDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  std::unique_ptr<KernelFile> file = KernelFile::parse(source, diagnostics, &sources);
  mlir::func::FuncOp kernel;
  if (file)
    kernel = generateKernel(*file, function, specs, options, *module, diagnostics);
  Compiled result;
  llvm::raw_string_ostream(result.diagnostics) << [&] {
    std::string rendered;
    llvm::raw_string_ostream stream(rendered);
    diagnostics.render(stream);
    return rendered;
  }();
  if (!kernel)
    return result;
  bool valid = succeeded(mlir::verify(*module));
  if (valid && flags.canonicalize) {
    mlir::PassManager passes(&context);
    passes.addPass(mlir::createCanonicalizerPass());
    passes.addPass(mlir::createCSEPass());
    valid = succeeded(passes.run(*module));
  }
  result.outcome = valid ? Compiled::generated : Compiled::invalid;
  mlir::OpPrintingFlags printing;
  printing.enableDebugInfo(flags.locations, /*prettyForm=*/false);
  if (!valid)
    printing.assumeVerified();
  llvm::raw_string_ostream stream(result.ir);
  module->print(stream, printing);
  return result;
}

Compiled compile(const std::string &name, const std::string &text, llvm::StringRef function,
                 llvm::ArrayRef<ParamSpec> specs, const GenerateOptions &options,
                 CompileFlags flags) {
  Sources sources;
  return compile(sources, sources.add(name, text), function, specs, options, flags);
}

Compiled compileFile(const std::string &path, llvm::StringRef function,
                     llvm::ArrayRef<ParamSpec> specs) {
  Sources sources;
  std::string error;
  const Source *source = sources.readFile(path, error);
  return source ? compile(sources, source, function, specs, {}, {})
                : Compiled{Compiled::refused, "", error};
}

} // namespace teeny::test
