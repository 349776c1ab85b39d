#include "Conversion/TileToGPU/GpuEmit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace teeny::gpu;

Type teeny::gpu::pointerType(MLIRContext *context, Space space) {
  return LLVM::LLVMPointerType::get(context, unsigned(space));
}

unsigned teeny::gpu::storageBits(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return 64;
  return std::max(8u, type.getIntOrFloatBitWidth());
}

//===-- Constants and integers ----------------------------------------------------------------===//

Value Emit::integer(Type type, int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
}
Value Emit::i32(int64_t value) { return integer(builder.getI32Type(), value); }
Value Emit::i64(int64_t value) { return integer(builder.getI64Type(), value); }
Value Emit::i1(bool value) { return integer(builder.getI1Type(), value); }

Value Emit::zero(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::ZeroOp::create(builder, loc, type);
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

Value Emit::poison(Type type) { return LLVM::PoisonOp::create(builder, loc, type); }

Value Emit::both(Value mask, Value other) {
  return mask ? arith::AndIOp::create(builder, loc, mask, other) : other;
}

//===-- Instructions --------------------------------------------------------------------------===//

Value Emit::intrinsic(StringRef name, Type result, ValueRange arguments) {
  auto call = LLVM::CallIntrinsicOp::create(
      builder, loc, TypeRange(result ? TypeRange(result) : TypeRange()),
      builder.getStringAttr(name), arguments, LLVM::FastmathFlagsAttr());
  return result ? call->getResult(0) : Value();
}

static SmallVector<Value> fields(OpBuilder &builder, Location loc, Value structure,
                                 unsigned count) {
  SmallVector<Value> values;
  for (unsigned i = 0; i < count; ++i)
    values.push_back(LLVM::ExtractValueOp::create(builder, loc, structure, i));
  return values;
}

SmallVector<Value> Emit::intrinsicStruct(StringRef name, TypeRange results, ValueRange arguments) {
  auto type = LLVM::LLVMStructType::getLiteral(builder.getContext(), llvm::to_vector(results));
  return fields(builder, loc, intrinsic(name, type, arguments), results.size());
}

SmallVector<Value> Emit::assembly(StringRef text, StringRef constraints, TypeRange results,
                                  ValueRange operands, bool sideEffects) {
  Type type;
  if (results.size() == 1)
    type = results[0];
  else if (results.size() > 1)
    type = LLVM::LLVMStructType::getLiteral(builder.getContext(), llvm::to_vector(results));
  auto op = LLVM::InlineAsmOp::create(builder, loc, type ? TypeRange(type) : TypeRange(), operands,
                                      text, constraints, sideEffects, /*is_align_stack=*/false,
                                      LLVM::tailcallkind::TailCallKind::None,
                                      LLVM::AsmDialectAttr(), ArrayAttr());
  if (results.size() <= 1)
    return SmallVector<Value>(op->getResults());
  return fields(builder, loc, op->getResult(0), results.size());
}

Value Emit::fma(Value a, Value b, Value c) { return LLVM::FMAOp::create(builder, loc, a, b, c); }

Value Emit::vector(ValueRange parts) {
  Value vector = poison(VectorType::get(parts.size(), parts.front().getType()));
  for (auto [i, part] : llvm::enumerate(parts))
    vector = LLVM::InsertElementOp::create(builder, loc, vector, part, i32(i));
  return vector;
}

SmallVector<Value> Emit::members(Value vector, unsigned count) {
  SmallVector<Value> values;
  for (unsigned i = 0; i < count; ++i)
    values.push_back(LLVM::ExtractElementOp::create(builder, loc, vector, i32(i)));
  return values;
}

Value Emit::pack(ValueRange parts) {
  unsigned bits = storageBits(parts.front().getType()) * parts.size();
  Type wide = builder.getIntegerType(bits);
  if (parts.size() == 1)
    return toStorage(parts.front());
  SmallVector<Value> stored;
  for (Value part : parts)
    stored.push_back(toStorage(part));
  return LLVM::BitcastOp::create(builder, loc, wide, vector(stored));
}

SmallVector<Value> Emit::unpack(Value word, Type part) {
  unsigned bits = storageBits(part);
  unsigned count = word.getType().getIntOrFloatBitWidth() / bits;
  if (count == 1)
    return {fromStorage(word, part)};
  Value vector = LLVM::BitcastOp::create(
      builder, loc, VectorType::get(count, builder.getIntegerType(bits)), word);
  SmallVector<Value> parts = members(vector, count);
  for (Value &value : parts)
    value = fromStorage(value, part);
  return parts;
}

//===-- Place of the thread and other threads -------------------------------------------------===//

Value Emit::threadId() {
  return intrinsic("llvm.nvvm.read.ptx.sreg.tid.x", builder.getI32Type(), {});
}
static std::string axisName(StringRef prefix, unsigned axis) {
  return (prefix + "." + StringRef("xyz").substr(axis, 1)).str();
}
Value Emit::programId(unsigned axis) {
  return intrinsic(axisName("llvm.nvvm.read.ptx.sreg.ctaid", axis), builder.getI32Type(), {});
}
Value Emit::numPrograms(unsigned axis) {
  return intrinsic(axisName("llvm.nvvm.read.ptx.sreg.nctaid", axis), builder.getI32Type(), {});
}

void Emit::barrier() { intrinsic("llvm.nvvm.barrier.cta.sync.aligned.all", {}, {i32(0)}); }

// Shuffles move 32 bits: narrower values are extended, wider ones go in two halves.
static Value shuffle(Emit &emit, StringRef kind, Value value, Value lane, int64_t clamp) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Type i32 = builder.getI32Type(), type = value.getType();
  auto move = [&](Value word) {
    return emit.intrinsic(("llvm.nvvm.shfl.sync." + kind + ".i32").str(), i32,
                          {emit.i32(-1), word, lane, emit.i32(clamp)});
  };
  Value bits = emit.toStorage(value);
  Type storage = bits.getType();
  unsigned width = storage.getIntOrFloatBitWidth();
  if (width < 32)
    bits = arith::TruncIOp::create(builder, loc, storage,
                                   move(arith::ExtUIOp::create(builder, loc, i32, bits)));
  else if (width == 32)
    bits = move(bits);
  else {
    SmallVector<Value> halves = emit.unpack(bits, i32);
    for (Value &half : halves)
      half = move(half);
    bits = emit.pack(halves);
  }
  return emit.fromStorage(bits, type);
}

Value Emit::shuffleXor(Value value, unsigned distance) {
  return shuffle(*this, "bfly", value, i32(distance), 31);
}
Value Emit::shuffleFrom(Value value, Value lane) { return shuffle(*this, "idx", value, lane, 31); }
Value Emit::shuffleUp(Value value, unsigned distance) {
  return shuffle(*this, "up", value, i32(distance), 0);
}

//===-- Pointers ------------------------------------------------------------------------------===//

Value Emit::toStorage(Value value) {
  Type type = value.getType();
  if (isa<LLVM::LLVMPointerType>(type))
    return pointerToInt(value);
  Type storage = builder.getIntegerType(storageBits(type));
  if (type == storage)
    return value;
  if (isa<FloatType>(type))
    return arith::BitcastOp::create(builder, loc, storage, value);
  return arith::ExtUIOp::create(builder, loc, storage, value);
}

Value Emit::fromStorage(Value bits, Type type) {
  if (bits.getType() == type)
    return bits;
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::IntToPtrOp::create(builder, loc, type, bits);
  if (isa<FloatType>(type))
    return arith::BitcastOp::create(builder, loc, type, bits);
  // A truth value is true where any bit of its byte is.
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, bits, zero(bits.getType()));
}

Value Emit::elementPointer(Value pointer, Type element, Value index) {
  Type storage = builder.getIntegerType(storageBits(element));
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), storage, pointer,
                             ArrayRef<LLVM::GEPArg>{index});
}

Value Emit::bytePointer(Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), builder.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(int32_t(bytes))});
}

Value Emit::pointerToInt(Value pointer) {
  return LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), pointer);
}
Value Emit::intToPointer(Value integer, Space space) {
  return LLVM::IntToPtrOp::create(builder, loc, pointerType(builder.getContext(), space), integer);
}
Value Emit::addressOf(StringRef global, Space space) {
  return LLVM::AddressOfOp::create(builder, loc, pointerType(builder.getContext(), space), global);
}

//===-- Memory --------------------------------------------------------------------------------===//

namespace {
// How an access of some bytes is cut into registers.
struct Words {
  Words(unsigned elementBits, unsigned count) {
    unsigned total = elementBits * count;
    assert(total <= 128 && llvm::isPowerOf2_32(total) && "no single access");
    bits = std::min(std::max(elementBits, 32u), total);
    number = total / bits;
    perWord = count / number;
  }
  std::string suffix() const {
    return (number > 1 ? ".v" + std::to_string(number) : "") + ".b" + std::to_string(bits);
  }
  // Inline assembly has no registers of 8 bits.
  unsigned registerBits() const { return std::max(bits, 16u); }
  char constraint() const { return bits == 64 ? 'l' : bits == 32 ? 'r' : 'h'; }

  unsigned bits, number, perWord;
};
} // namespace

// "{$0, $1}", or "$0".
static std::string operandList(unsigned first, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return count > 1 ? "{" + text + "}" : text;
}

static Value resize(Emit &emit, Value value, unsigned bits) {
  Type type = emit.builder.getIntegerType(bits);
  unsigned from = value.getType().getIntOrFloatBitWidth();
  if (from < bits)
    return arith::ExtUIOp::create(emit.builder, emit.loc, type, value);
  if (from > bits)
    return arith::TruncIOp::create(emit.builder, emit.loc, type, value);
  return value;
}

static std::string mnemonic(StringRef base, Space space, const CacheHints &hints) {
  return (base + (hints.isVolatile ? ".volatile" : "") +
          (space == Space::shared ? ".shared" : ".global") + hints.qualifiers)
      .str();
}

// Addresses of shared memory are 32 bits wide.
static std::pair<Value, char> addressOperand(Emit &emit, Space space, Value address) {
  if (space == Space::global)
    return {address, 'l'};
  return {LLVM::PtrToIntOp::create(emit.builder, emit.loc, emit.builder.getI32Type(), address),
          'r'};
}

SmallVector<Value> Emit::load(Space space, Value address, Type element, unsigned count, Value mask,
                              ValueRange other, const CacheHints &hints) {
  Words words(storageBits(element), count);
  Type word = builder.getIntegerType(words.bits);
  SmallVector<Value> loaded;
  if (!mask && hints.qualifiers.empty()) {
    Type type = words.number > 1 ? Type(VectorType::get(words.number, word)) : word;
    Value all = LLVM::LoadOp::create(builder, loc, type, address, words.bits / 8 * words.number,
                                     hints.isVolatile,
                                     /*isNonTemporal=*/false, /*isInvariant=*/hints.readOnly);
    if (words.number == 1)
      loaded.push_back(all);
    else
      loaded = members(all, words.number);
  } else {
    // @p ld.global.v2.b32 {$0, $1}, [$2];   with $0 and $1 preset to what remains without p
    auto [pointer, pointerKind] = addressOperand(*this, space, address);
    unsigned n = words.number;
    std::string text = mnemonic("ld", space, hints) +
                       (hints.readOnly && hints.qualifiers.empty() ? ".nc" : "") + words.suffix() +
                       " " + operandList(0, n) + ", [$" + std::to_string(n) + "];";
    std::string constraints;
    for (unsigned i = 0; i < n; ++i)
      constraints += std::string("=") + words.constraint() + ",";
    constraints += pointerKind;
    SmallVector<Value> operands{pointer};
    if (mask) {
      text = "@$" + std::to_string(n + 1) + " " + text;
      constraints += ",b";
      operands.push_back(mask);
      for (unsigned i = 0; i < n; ++i) {
        constraints += "," + std::to_string(i);
        Value preset =
            other.empty() ? zero(word) : pack(other.slice(i * words.perWord, words.perWord));
        operands.push_back(resize(*this, preset, words.registerBits()));
      }
    }
    SmallVector<Type> types(n, builder.getIntegerType(words.registerBits()));
    loaded = assembly(text, constraints, types, operands, /*sideEffects=*/true);
    for (Value &value : loaded)
      value = resize(*this, value, words.bits);
  }
  SmallVector<Value> values;
  for (Value value : loaded)
    llvm::append_range(values, unpack(value, element));
  return values;
}

void Emit::store(Space space, Value address, ValueRange values, Value mask,
                 const CacheHints &hints) {
  Words words(storageBits(values.front().getType()), values.size());
  SmallVector<Value> packed;
  for (unsigned i = 0; i < words.number; ++i)
    packed.push_back(pack(values.slice(i * words.perWord, words.perWord)));
  if (!mask && hints.qualifiers.empty()) {
    Value all = packed.front();
    if (words.number > 1)
      all = vector(packed);
    LLVM::StoreOp::create(builder, loc, all, address, words.bits / 8 * words.number,
                          hints.isVolatile);
    return;
  }
  auto [pointer, pointerKind] = addressOperand(*this, space, address);
  std::string text = mnemonic("st", space, hints) + words.suffix() + " [$0], " +
                     operandList(1, words.number) + ";";
  std::string constraints(1, pointerKind);
  SmallVector<Value> operands{pointer};
  for (Value &word : packed) {
    constraints += std::string(",") + words.constraint();
    operands.push_back(resize(*this, word, words.registerBits()));
  }
  if (mask) {
    text = "@$" + std::to_string(words.number + 1) + " " + text;
    constraints += ",b";
    operands.push_back(mask);
  }
  assembly(text, constraints + ",~{memory}", {}, operands, /*sideEffects=*/true);
}

SmallVector<Value> Emit::atomicAdd(Value address, ValueRange values, Value mask, StringRef order,
                                   StringRef scope, bool isUsed) {
  // @p red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};
  // @p atom.relaxed.gpu.global.add.v4.f32 {$0, $1, $2, $3}, [$4], {$5, $6, $7, $8};
  Type element = values.front().getType();
  unsigned perWord = 32 / storageBits(element), number = values.size() / perWord;
  // A reduction acquires nothing.
  bool reduces = !isUsed && (order == "relaxed" || order == "release");
  unsigned results = reduces ? 0 : number;
  std::string vector = number > 1 ? ".v" + std::to_string(number) : "";
  std::string type = element.isF32() ? vector + ".f32"
                                     : ".noftz" + vector + (element.isF16() ? ".f16x2" : ".bf16x2");
  std::string text = ((reduces ? "red." : "atom.") + order + "." + scope + ".global.add").str() +
                     type + " " + (reduces ? "" : operandList(0, results) + ", ") + "[$" +
                     std::to_string(results) + "], " + operandList(results + 1, number) + ";";

  std::string constraints;
  for (unsigned i = 0; i < results; ++i)
    constraints += "=r,";
  constraints += "l";
  SmallVector<Value> operands{address};
  for (unsigned i = 0; i < number; ++i) {
    constraints += ",r";
    operands.push_back(pack(values.slice(i * perWord, perWord)));
  }
  if (mask) {
    text = "@$" + std::to_string(results + 1 + number) + " " + text;
    constraints += ",b";
    operands.push_back(mask);
    for (unsigned i = 0; i < results; ++i) {
      constraints += "," + std::to_string(i);
      operands.push_back(i32(0));
    }
  }
  SmallVector<Type> types(results, builder.getI32Type());
  SmallVector<Value> old;
  for (Value word : assembly(text, constraints + ",~{memory}", types, operands,
                             /*sideEffects=*/true))
    if (isUsed)
      llvm::append_range(old, unpack(word, element));
  return old;
}

void Emit::copyAsync(Value to, Value from, unsigned bytes, Value mask) {
  // Whole lines of 16 bytes go past the L1 cache.
  std::string name = (bytes == 16 ? "llvm.nvvm.cp.async.cg" : "llvm.nvvm.cp.async.ca") +
                     std::string(".shared.global.") + std::to_string(bytes);
  SmallVector<Value> arguments{to, from};
  if (mask) {
    name += ".s";
    arguments.push_back(arith::SelectOp::create(builder, loc, mask, i32(bytes), i32(0)));
  }
  intrinsic(name, {}, arguments);
}
void Emit::commitCopies() { intrinsic("llvm.nvvm.cp.async.commit.group", {}, {}); }
void Emit::waitCopies(unsigned pending) {
  intrinsic("llvm.nvvm.cp.async.wait.group", {}, {i32(pending)});
}

void Emit::fenceForWarpgroups() {
  assembly("fence.proxy.async.shared::cta;", "~{memory}", {}, {}, /*sideEffects=*/true);
}
Value Emit::sharedAddress(Value pointer) {
  return LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), pointer);
}

SmallVector<Value> Emit::loadMatrices(Value address, unsigned count, bool transposed) {
  std::string name = "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                     (transposed ? ".trans" : "") + ".b16";
  SmallVector<Type> types(count, builder.getI32Type());
  if (count == 1)
    return {intrinsic(name, types[0], {address})};
  return intrinsicStruct(name, types, {address});
}
