// Generates the tile IR of one kernel for tests: teeny-language-test FILE.py::FUNCTION
// [NAME=SPEC,...]...
//
// SPEC is a type as in a launch signature, "*fp32:16" or "i32", with what is known of the argument
// after it
// ("i32@0..100" a range, "i32!7" a known value, "*fp32:16:noalias"), or else a compile-time value:
// 128, 1.5, True, None, tl.float16, 'text'. Prints the module, or the diagnostics and exits with 1.
#include "Language/Language.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

using namespace teeny;

static ConstValue constantOf(llvm::StringRef text) {
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
    spec.value = constantOf(text);
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

int main(int argc, char **argv) {
  if (argc < 2) {
    llvm::errs() << "usage: teeny-language-test FILE.py::FUNCTION [NAME=SPEC,...]... [--ieee] "
                    "[--locations]\n";
    return 2;
  }
  auto [path, function] = llvm::StringRef(argv[1]).split("::");
  std::vector<ParamSpec> specs;
  GenerateOptions options;
  bool locations = false;
  for (int i = 2; i != argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument == "--ieee") {
      options.fp32Dot = lang::DotPrecision::ieee;
      continue;
    }
    if (argument == "--locations") {
      locations = true;
      continue;
    }
    if (argument.consume_front("--global=")) {
      auto [name, value] = argument.split('=');
      options.globals[name.str()] = constantOf(value);
      continue;
    }
    llvm::SmallVector<llvm::StringRef> items;
    argument.split(items, ',', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef item : items) {
      auto [name, text] = item.split('=');
      specs.push_back(parseSpec(name, text));
    }
  }

  Sources sources;
  Diagnostics diagnostics;
  std::string error;
  const Source *read = sources.readFile(path, error);
  if (!read) {
    llvm::errs() << error << "\n";
    return 2;
  }
  // Named without its folder, so that expected texts hold anywhere.
  llvm::StringRef base = path.rsplit('/').second.empty() ? path : path.rsplit('/').second;
  const Source *source = sources.add(base.str(), read->text);

  mlir::MLIRContext context;
  context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, mlir::func::FuncDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  std::unique_ptr<KernelFile> file = KernelFile::parse(source, diagnostics);
  mlir::func::FuncOp kernel;
  if (file)
    kernel = generateKernel(*file, function, specs, options, *module, diagnostics);
  diagnostics.render(llvm::errs());
  if (!kernel)
    return 1;
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(locations, /*prettyForm=*/true);
  bool valid = succeeded(mlir::verify(*module));
  if (!valid)
    flags.assumeVerified();
  module->print(llvm::outs(), flags);
  return valid ? 0 : 3;
}
