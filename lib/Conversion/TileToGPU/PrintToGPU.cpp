// tile.print and tile.assert: calls of the two functions that the driver has for kernels,
// `vprintf` and `__assertfail`. Test: test/Conversion/TileToGPUPrint.mlir.
//
// Every element is printed once, by the first of the threads that hold it, with the program's id
// and the element's place:
//
//   pid (0, 0, 0) idx (12) x: 0.500000
#include "Conversion/TileToGPU/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;
using tile::LinearLayout;

namespace {
// Calls from one place of a kernel into functions that the driver links.
class DriverCall {
public:
  DriverCall(Emit &emit, Operation *op)
      : emit(emit), builder(emit.builder), loc(emit.loc), module(op->getParentOfType<ModuleOp>()),
        generic(LLVM::LLVMPointerType::get(builder.getContext())) {}

  LLVM::LLVMFuncOp function(StringRef name, Type result, ArrayRef<Type> parameters) {
    if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
      return known;
    OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
    return LLVM::LLVMFuncOp::create(outside, loc, name,
                                    LLVM::LLVMFunctionType::get(result, parameters));
  }

  // The address of a constant text, which ends in a zero.
  Value text(StringRef kernel, StringRef value) {
    std::string bytes = value.str() + '\0';
    std::string name;
    LLVM::GlobalOp global;
    for (unsigned i = 0; !global; ++i) {
      name = (kernel + "_text" + Twine(i)).str();
      auto known = module.lookupSymbol<LLVM::GlobalOp>(name);
      if (known &&
          dyn_cast_or_null<StringAttr>(known.getValueOrNull()) != builder.getStringAttr(bytes))
        continue;
      OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
      auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
      global = known ? known
                     : LLVM::GlobalOp::create(
                           outside, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                           builder.getStringAttr(bytes), /*alignment=*/1, unsigned(Space::global));
    }
    return LLVM::AddrSpaceCastOp::create(builder, loc, generic,
                                         emit.addressOf(name, Space::global));
  }

  // Memory of this thread with the values in it, as C passes a varying number of them.
  Value arguments(Operation *op, ValueRange values) {
    SmallVector<Type> types(llvm::map_range(values, [](Value value) { return value.getType(); }));
    auto type = LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
    Value memory;
    {
      OpBuilder::InsertionGuard guard(builder);
      auto kernel = op->getParentOfType<FunctionOpInterface>();
      builder.setInsertionPointToStart(&kernel.getFunctionBody().front());
      memory = LLVM::AllocaOp::create(builder, loc, generic, type, emit.i32(1), /*alignment=*/8);
    }
    for (auto [i, value] : llvm::enumerate(values)) {
      Value place = LLVM::GEPOp::create(builder, loc, generic, type, memory,
                                        ArrayRef<LLVM::GEPArg>{0, int32_t(i)});
      LLVM::StoreOp::create(builder, loc, value, place);
    }
    return memory;
  }

  Emit &emit;
  OpBuilder &builder;
  Location loc;
  ModuleOp module;
  Type generic;
};

// What printf is given for a scalar, and how it is told to print it.
struct Printed {
  Value value;
  std::string format;
};
} // namespace

static Printed printed(Emit &emit, Value value, bool hex, bool isSigned) {
  OpBuilder &b = emit.builder;
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return {emit.pointerToInt(value), "0x%016llx"};
  Type type = value.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type) && hex) { // the bits
    type = b.getIntegerType(bits);
    value = arith::BitcastOp::create(b, emit.loc, type, value);
  } else if (isa<FloatType>(type)) {
    if (bits < 64)
      value = arith::ExtFOp::create(b, emit.loc, b.getF64Type(), value);
    return {value, "%f"};
  }
  if (bits < 32) {
    if (isSigned && !hex)
      value = arith::ExtSIOp::create(b, emit.loc, b.getI32Type(), value);
    else
      value = arith::ExtUIOp::create(b, emit.loc, b.getI32Type(), value);
  }
  std::string length = bits > 32 ? "ll" : "";
  if (hex)
    return {value, "0x%0" + std::to_string(std::max(1u, bits / 4)) + length + "x"};
  return {value, "%" + length + (isSigned ? "i" : "u")};
}

// '%' is printed as it is.
static std::string escaped(StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '%' ? std::string("%%") : std::string(1, c);
  return result;
}

namespace {
class PrintPattern final : public TilePattern<tile::PrintOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::PrintOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emit emit(rewriter, op.getLoc());
    if (op.getSources().empty())
      inThread(emit, firstThread(emit), [&] { call(emit, op, {}, escaped(op.getPrefix())); });
    for (auto [number, values] : llvm::enumerate(adaptor.getSources())) {
      Type type = op.getSources()[number].getType();
      std::string prefix = escaped(op.getPrefix());
      if (op.getSources().size() > 1)
        prefix += "(operand " + std::to_string(number) + ") ";
      bool isSigned = op.getIsSigned()[number];
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor) {
        inThread(emit, firstThread(emit), [&] {
          Printed item = printed(emit, values.front(), op.getHex(), isSigned);
          call(emit, op, {item.value}, " idx ()" + prefix + item.format);
        });
        continue;
      }
      LinearLayout layout = linearLayout(type);
      uint64_t copies = layout.freeBits(tile::Dim::reg);
      ThreadIndex index(emit, layout);
      // The thread's part of the indices, before the branches.
      for (unsigned dim = 0; dim < tensor.getRank(); ++dim)
        index.get(0, tile::tensorDim(dim));
      inThread(emit, isCanonicalThread(emit, layout), [&] {
        for (auto [i, value] : llvm::enumerate(values)) {
          if (i & copies)
            continue;
          SmallVector<Value> arguments;
          std::string place;
          for (unsigned dim = 0; dim < tensor.getRank(); ++dim) {
            arguments.push_back(index.get(i, tile::tensorDim(dim)));
            size_t digits = std::to_string(tensor.getDimSize(dim) - 1).size();
            place += (dim ? ", %" : "%") + std::to_string(digits) + "u";
          }
          Printed item = printed(emit, value, op.getHex(), isSigned);
          arguments.push_back(item.value);
          call(emit, op, arguments, " idx (" + place + ")" + prefix + item.format);
        }
      });
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static Value firstThread(Emit &emit) {
    return arith::CmpIOp::create(emit.builder, emit.loc, arith::CmpIPredicate::eq, emit.threadId(),
                                 emit.i32(0));
  }

  static void inThread(Emit &emit, Value condition, llvm::function_ref<void()> body) {
    if (!condition)
      return body();
    auto branch = scf::IfOp::create(emit.builder, emit.loc, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(emit.builder);
    emit.builder.setInsertionPointToStart(branch.thenBlock());
    body();
  }

  static void call(Emit &emit, tile::PrintOp op, ValueRange values, const std::string &format) {
    DriverCall driver(emit, op);
    SmallVector<Value> arguments;
    for (unsigned axis = 0; axis < 3; ++axis)
      arguments.push_back(emit.programId(axis));
    llvm::append_range(arguments, values);
    auto kernel = op->getParentOfType<FunctionOpInterface>();
    Value text = driver.text(kernel.getName(), "pid (%u, %u, %u)" + format + "\n");
    LLVM::LLVMFuncOp printf =
        driver.function("vprintf", emit.builder.getI32Type(), {driver.generic, driver.generic});
    LLVM::CallOp::create(emit.builder, emit.loc, printf,
                         ValueRange{text, driver.arguments(op, arguments)});
  }
};

class AssertPattern final : public TilePattern<tile::AssertOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::AssertOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emit emit(rewriter, op.getLoc());
    Value holds;
    for (Value condition : adaptor.getCondition())
      holds = emit.both(holds, condition);
    Value fails = arith::XOrIOp::create(rewriter, op.getLoc(), holds, emit.i1(true));
    auto branch = scf::IfOp::create(rewriter, op.getLoc(), fails, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      DriverCall driver(emit, op);
      auto kernel = op->getParentOfType<FunctionOpInterface>();
      Type address = driver.generic, i32 = rewriter.getI32Type(), i64 = rewriter.getI64Type();
      LLVM::LLVMFuncOp fail =
          driver.function("__assertfail", LLVM::LLVMVoidType::get(rewriter.getContext()),
                          {address, address, i32, address, i64});
      Value message = driver.text(kernel.getName(), op.getMessage());
      Value file = driver.text(kernel.getName(), op.getFile());
      Value function = driver.text(kernel.getName(), op.getFunction());
      LLVM::CallOp::create(rewriter, op.getLoc(), fail,
                           ValueRange{message, file, emit.i32(op.getLine()), function,
                                      emit.i64(/*bytes of a character=*/1)});
    }
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void teeny::gpu::populatePrintPatterns(KernelContext &context, RewritePatternSet &patterns) {
  patterns.add<PrintPattern, AssertPattern>(context, patterns.getContext());
}
