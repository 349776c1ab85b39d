#include "TileToGPUSupport.h"

#include "Conversion/TileToGPU/TileToGPU.h"
#include "Target/PTX/PTX.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace teeny;
using namespace teeny::test;

std::string teeny::test::compileToPtx(const std::string &text, const std::string &targetName) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context
      .loadDialect<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                   mlir::math::MathDialect, mlir::scf::SCFDialect, tile::TileDialect>();
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return mlir::success();
  });
  Result<Target> target = parseTarget(targetName);
  if (!target)
    throw PtxError(target.error().message);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    throw PtxError(errors + text);
  mlir::PassManager passes(&context);
  addTileToGPUPasses(passes, *target);
  if (mlir::failed(passes.run(*module)))
    throw PtxError(errors);
  Result<std::string> ptx = ptx::translate(*module, *target);
  if (!ptx)
    throw PtxError(ptx.error().message);
  return *ptx;
}

std::string teeny::test::tileType(int m, int n, const std::string &element,
                                  const std::string &layout) {
  return "tensor<" + std::to_string(m) + "x" + (n ? std::to_string(n) + "x" : "") + element + ", " +
         layout + ">";
}

std::string KernelText::argument(const std::string &name, const std::string &type) {
  signature += (signature.empty() ? "%" : ", %") + name + ": " + type;
  return "%" + name;
}

std::string KernelText::add(std::string line) {
  std::string name = "%v" + std::to_string(next++);
  for (size_t at; (at = line.find('$')) != std::string::npos;)
    line.replace(at, 1, name);
  body += "    " + line + "\n";
  return name;
}

std::string KernelText::pointers(const std::string &base, const std::string &element, int m, int n,
                                 const std::string &layout) {
  std::string offsets, type = tileType(m, n, "i32", layout);
  if (n == 0) {
    offsets = add("$ = tile.arange 0 to " + std::to_string(m) + " : " + type);
  } else {
    auto index = [&](int size, int dim) {
      std::string slice =
          "#tile.slice<dim = " + std::to_string(1 - dim) + ", parent = " + layout + ">";
      std::string line = tileType(size, 0, "i32", slice);
      std::string expanded =
          dim == 0 ? tileType(size, 1, "i32", layout) : tileType(1, size, "i32", layout);
      std::string range = add("$ = tile.arange 0 to " + std::to_string(size) + " : " + line);
      std::string wide = add("$ = tile.expand_dims " + range + " at " + std::to_string(1 - dim) +
                             " : " + line + " -> " + expanded);
      return add("$ = tile.broadcast " + wide + " : " + expanded + " -> " + type);
    };
    std::string row = index(m, 0), column = index(n, 1);
    std::string stride = add("$ = arith.constant dense<" + std::to_string(n) + "> : " + type);
    std::string begin = add("$ = arith.muli " + row + ", " + stride + " : " + type);
    offsets = add("$ = arith.addi " + begin + ", " + column + " : " + type);
  }
  std::string pointer = "!tile.ptr<" + element + ">", pointerTile = tileType(m, n, pointer, layout);
  std::string bases = add("$ = tile.splat " + base + " : " + pointer + " -> " + pointerTile);
  return add("$ = tile.addptr " + bases + ", " + offsets + " : " + pointerTile + ", " + type);
}

std::string KernelText::load(const std::string &base, const std::string &element, int m, int n,
                             const std::string &layout) {
  std::string from = pointers(base, element, m, n, layout);
  return add("$ = tile.load " + from + " : " +
             tileType(m, n, "!tile.ptr<" + element + ">", layout));
}

void KernelText::store(const std::string &base, const std::string &value,
                       const std::string &element, int m, int n, const std::string &layout) {
  std::string to = pointers(base, element, m, n, layout);
  add("tile.store " + to + ", " + value + " : " +
      tileType(m, n, "!tile.ptr<" + element + ">", layout));
}

std::string KernelText::str() const {
  return "module {\n  func.func @kernel(" + signature +
         ") attributes {tile.kernel, tile.num_warps = " + std::to_string(warps) + " : i32} {\n" +
         body + "    return\n  }\n}\n";
}

std::vector<int32_t> teeny::test::scrambled(size_t count) {
  std::vector<int32_t> list(count);
  uint32_t state = 12345;
  for (int32_t &value : list) {
    state = state * 1664525 + 1013904223;
    value = int32_t(state >> 16) % 1000 - 500;
  }
  return list;
}

static std::string blocked(const std::string &registers, const std::string &lanes,
                           const std::string &warps, const std::string &order) {
  return "#tile.blocked<registers = [" + registers + "], lanes = [" + lanes + "], warps = [" +
         warps + "], order = [" + order + "]>";
}

const std::vector<std::string> teeny::test::layouts1D = {
    blocked("1", "32", "4", "0"), blocked("4", "32", "4", "0"),
    "#tile.slice<dim = 0, parent = " + blocked("1, 2", "4, 8", "2, 2", "1, 0") + ">"};

const std::vector<std::string> teeny::test::layouts2D = {
    blocked("1, 4", "4, 8", "4, 1", "1, 0"), blocked("4, 1", "8, 4", "1, 4", "0, 1"),
    blocked("2, 2", "2, 16", "2, 2", "1, 0"), blocked("1, 1", "32, 1", "2, 2", "0, 1"),
    "#tile.mma<version = 2, warps = [2, 2], instruction = [16, 8]>"};
