// The program's place in the grid, memory, and what the source promises about values.
#include "Language/Call.h"
#include "Language/Generator.h"

namespace teeny::lang {
namespace {

std::optional<unsigned> gridAxis(Call &call) {
  std::optional<Integer> axis = call.integer(0);
  if (axis && (*axis < 0 || *axis > 2)) {
    call.fail("the axis of " + call.builtin.fullName() + " is 0, 1 or 2, found " + toString(*axis));
    return std::nullopt;
  }
  return axis ? std::optional<unsigned>(unsigned(*axis)) : std::nullopt;
}

Value programId(Call &call) {
  std::optional<unsigned> axis = gridAxis(call);
  return axis ? Tensor{call.semantics.emit.programId(*axis), Type(ScalarType::int32)} : Tensor();
}

Value numPrograms(Call &call) {
  std::optional<unsigned> axis = gridAxis(call);
  return axis ? Tensor{call.semantics.emit.numPrograms(*axis), Type(ScalarType::int32)} : Tensor();
}

// What the call says about caches, for the accesses emitted while this lives.
class WithHints {
public:
  WithHints(Call &call, unsigned modifier, unsigned policy, bool isLoad)
      : emit(call.semantics.emit) {
    static const llvm::StringRef loads[] = {".ca", ".cg", ".cv"},
                                 stores[] = {".wb", ".cg", ".cs", ".wt"};
    static const llvm::StringRef policies[] = {"evict_last", "evict_first", "evict_normal"};
    llvm::ArrayRef<llvm::StringRef> modifiers =
        isLoad ? llvm::ArrayRef(loads) : llvm::ArrayRef(stores);
    constexpr unsigned none = 9;
    std::optional<unsigned> cache = call.word(modifier, modifiers, none);
    std::optional<unsigned> eviction = cache ? call.word(policy, policies, none) : std::nullopt;
    valid = eviction.has_value();
    if (valid && *cache != none)
      emit.access.cache = modifiers[*cache].drop_front().str();
    if (valid && *eviction < 2)
      emit.access.eviction = policies[*eviction].str();
  }
  ~WithHints() { emit.access = {}; }

  bool valid;

private:
  Emitter &emit;
};

// The dims named by boundary_check.
std::optional<llvm::SmallVector<int64_t>> boundaryDims(Call &call, unsigned index,
                                                       const BlockPointer &pointer) {
  if (!call.has(index))
    return llvm::SmallVector<int64_t>();
  std::optional<llvm::SmallVector<int64_t>> dims = call.integers(index);
  if (!dims)
    return std::nullopt;
  for (size_t i = 0; i != dims->size(); ++i) {
    int64_t dim = (*dims)[i];
    if (dim < 0 || dim >= int64_t(pointer.block.size())) {
      call.fail("dim " + std::to_string(dim) + " in " + call.parameter(index) +
                " is out of range for a block pointer of " + std::to_string(pointer.block.size()) +
                " dims");
      return std::nullopt;
    }
    if (llvm::is_contained(llvm::ArrayRef(*dims).take_front(i), dim)) {
      call.fail("dim " + std::to_string(dim) + " is twice in " + call.parameter(index));
      return std::nullopt;
    }
  }
  return dims;
}

// Reports that descriptors have accesses of their own.
bool isDescriptor(Call &call) {
  const BlockPointer *pointer = call[0].blockPointer();
  if (pointer && pointer->isDescriptor)
    call.fail(call.builtin.fullName() + " takes pointers, found " + call[0].describe(),
              "a descriptor has its own: desc.load([...]), desc.store([...], value)");
  return pointer && pointer->isDescriptor;
}

bool isEmptyTuple(const Value &value) { return value.tuple() && value.tuple()->items.empty(); }

Value load(Call &call) {
  static const llvm::StringRef paddings[] = {"zero", "nan"};
  WithHints hints(call, 5, 6, /*isLoad=*/true);
  if (!hints.valid)
    return {};
  std::optional<unsigned> padding = call.word(4, paddings, 2);
  std::optional<bool> isVolatile = call.boolean(7, false);
  if (!padding || !isVolatile)
    return {};
  call.semantics.emit.access.isVolatile = *isVolatile;
  if (isDescriptor(call))
    return {};
  if (const BlockPointer *pointer = call[0].blockPointer()) {
    if (call.has(1) || call.has(2))
      return call.fail("tl.load by a block pointer takes no 'mask' or 'other'",
                       "use boundary_check and padding_option");
    std::optional<llvm::SmallVector<int64_t>> boundary = boundaryDims(call, 3, *pointer);
    if (!boundary)
      return {};
    ElementType element = pointer->elementType().element;
    Tensor fill;
    if (*padding == 1 && !element.isFloat())
      return call.fail("padding_option 'nan' of " + element.name() + ", which is no float");
    if (*padding != 2 && !boundary->empty())
      fill = *padding == 0
                 ? Tensor{call.semantics.emit.constant(element, Integer(0)), Type(element)}
                 : Tensor{call.semantics.emit.constant(element, std::nan("")), Type(element)};
    return call.semantics.loadBlock(*pointer, *boundary, fill);
  }
  if ((call.has(3) && !isEmptyTuple(call[3])) || *padding != 2)
    return call.fail("boundary_check and padding_option are for block pointers, found " +
                         call[0].describe(),
                     "use mask and other");
  bool valid = true;
  Tensor pointer = call.tensor(0);
  Tensor mask = call.optionalTensor(1, valid), other = call.optionalTensor(2, valid);
  return pointer && valid ? call.semantics.load(pointer, mask, other) : Tensor();
}

Value store(Call &call) {
  WithHints hints(call, 4, 5, /*isLoad=*/false);
  if (!hints.valid)
    return {};
  Tensor value = call.tensor(1);
  if (!value)
    return {};
  if (isDescriptor(call))
    return {};
  if (const BlockPointer *pointer = call[0].blockPointer()) {
    if (call.has(2))
      return call.fail("tl.store by a block pointer takes no 'mask'", "use boundary_check");
    std::optional<llvm::SmallVector<int64_t>> boundary = boundaryDims(call, 3, *pointer);
    if (!boundary || !call.semantics.storeBlock(*pointer, value, *boundary))
      return {};
    return Value::none();
  }
  if (call.has(3) && !isEmptyTuple(call[3]))
    return call.fail("boundary_check is for block pointers, found " + call[0].describe(),
                     "use mask");
  bool valid = true;
  Tensor pointer = call.tensor(0);
  Tensor mask = call.optionalTensor(2, valid);
  if (!pointer || !valid || !call.semantics.store(pointer, value, mask))
    return {};
  return Value::none();
}

//===-- Block pointers ------------------------------------------------------------------------===//

Value makeBlockPointer(Call &call) {
  Tensor base = call.tensor(0);
  if (!base)
    return {};
  if (!base.type.element.isPointer() || base.type.isTile())
    return call.fail("'base' of tl.make_block_ptr must be a pointer, found " + base.type.name());
  auto result = std::make_shared<BlockPointer>();
  std::optional<llvm::SmallVector<int64_t>> block = call.integers(4), order = call.integers(5);
  if (!block || !order || !call.semantics.checkShape(*block))
    return {};
  auto shape = call.scalars(1), strides = call.scalars(2), offsets = call.scalars(3);
  if (!shape || !strides || !offsets)
    return {};
  size_t rank = block->size();
  if (shape->size() != rank || strides->size() != rank || offsets->size() != rank ||
      order->size() != rank)
    return call.fail(
        "shape, strides, offsets, block_shape and order of tl.make_block_ptr must have one length; "
        "found " +
        std::to_string(shape->size()) + ", " + std::to_string(strides->size()) + ", " +
        std::to_string(offsets->size()) + ", " + std::to_string(rank) + " and " +
        std::to_string(order->size()));
  llvm::SmallVector<int64_t> sorted(*order);
  llvm::sort(sorted);
  for (size_t i = 0; i != rank; ++i)
    if (sorted[i] != int64_t(i))
      return call.fail("'order' of tl.make_block_ptr must be a permutation of the dims, found " +
                       shapeText(*order));
  result->base = base;
  result->shape = std::move(*shape);
  result->strides = std::move(*strides);
  result->offsets = std::move(*offsets);
  result->block.assign(block->begin(), block->end());
  result->order.assign(order->begin(), order->end());
  return Value(std::shared_ptr<const BlockPointer>(std::move(result)));
}

Value advance(Call &call) {
  const BlockPointer *pointer = call[0].blockPointer();
  if (!pointer || pointer->isDescriptor)
    return call.fail("tl.advance moves block pointers, found " + call[0].describe(),
                     "to move other pointers, add an offset");
  auto offsets = call.scalars(1);
  if (!offsets)
    return {};
  if (offsets->size() != pointer->offsets.size())
    return call.fail("tl.advance of a block pointer of " + std::to_string(pointer->offsets.size()) +
                     " dims by " + std::to_string(offsets->size()) + " offsets");
  auto result = std::make_shared<BlockPointer>(*pointer);
  for (size_t i = 0; i != offsets->size(); ++i) {
    const Value &list = call[1];
    const Value &item = list.tuple() ? list.tuple()->items[i] : list;
    if (item.asInteger() == Integer(0))
      continue;
    Tensor &offset = result->offsets[i];
    offset.value = call.semantics.emit.arith(Arith::addi, offset.value, (*offsets)[i].value);
  }
  return Value(std::shared_ptr<const BlockPointer>(std::move(result)));
}

//===-- Atomics -------------------------------------------------------------------------------===//

bool memoryModel(Call &call, unsigned sem, unsigned scope, MemoryOrder &order, MemoryScope &among) {
  static const llvm::StringRef orders[] = {"relaxed", "acquire", "release", "acq_rel"};
  static const llvm::StringRef scopes[] = {"cta", "gpu", "sys"};
  std::optional<unsigned> whichOrder = call.word(sem, orders, 3),
                          whichScope = call.word(scope, scopes, 1);
  if (!whichOrder || !whichScope)
    return false;
  order = MemoryOrder(*whichOrder);
  among = MemoryScope(*whichScope);
  return true;
}

Value atomic(Call &call) {
  MemoryOrder order;
  MemoryScope scope;
  bool valid = memoryModel(call, 3, 4, order, scope);
  Tensor pointer = valid ? call.tensor(0) : Tensor();
  Tensor mask = pointer ? call.optionalTensor(2, valid) : Tensor();
  if (!pointer || !valid)
    return {};
  llvm::StringRef name = call.builtin.name;
  name.consume_front("atomic_");
  return call.semantics.atomic(name, pointer, call[1], mask, order, scope);
}

Value compareAndSwap(Call &call) {
  MemoryOrder order;
  MemoryScope scope;
  Tensor pointer = memoryModel(call, 3, 4, order, scope) ? call.tensor(0) : Tensor();
  return pointer ? call.semantics.compareAndSwap(pointer, call[1], call[2], order, scope)
                 : Tensor();
}

//===-- Promises ------------------------------------------------------------------------------===//

Value hint(Call &call, const char *name) {
  Tensor value = call.tensor(0);
  std::optional<llvm::SmallVector<int64_t>> values = value ? call.integers(1) : std::nullopt;
  if (!values)
    return {};
  if (values->size() != std::max(value.type.rank(), 1u))
    return call.fail(call.builtin.fullName() + " of " + value.type.name() +
                     " takes one value for each dim, found " + std::to_string(values->size()));
  for (int64_t number : *values)
    if (number <= 0)
      return call.fail(call.parameter(1) + " must be positive, found " + std::to_string(number));
  call.semantics.emit.hint(value.value, name, *values);
  return value;
}

Value multipleOf(Call &call) { return hint(call, "tile.divisibility"); }
Value maxContiguous(Call &call) { return hint(call, "tile.contiguity"); }
Value maxConstancy(Call &call) { return hint(call, "tile.constancy"); }

// A promise that no analysis uses so far: checked like any condition, then dropped.
Value assume(Call &call) {
  std::optional<bool> known = call.generator.constantTruth(call[0]);
  if (known && !*known)
    return call.fail("tl.assume of a condition that is false");
  if (!known && !call.tensor(0))
    return {};
  return Value::none();
}

Value barrier(Call &call) {
  call.semantics.emit.barrier();
  return Value::none();
}

} // namespace

llvm::ArrayRef<Builtin> memoryBuiltins() {
  using B = Builtin;
  constexpr uint8_t both = B::language | B::member;
  static const char *const atomicSignature = "pointer, val, mask=None, sem=None, scope=None";
  static const Builtin table[] = {
      {"program_id", "axis", B::language, false, programId},
      {"num_programs", "axis", B::language, false, numPrograms},
      {"load",
       "pointer, mask=None, other=None, boundary_check=(), padding_option='', cache_modifier='', "
       "eviction_policy='', volatile=False",
       both, false, load},
      {"store",
       "pointer, value, mask=None, boundary_check=(), cache_modifier='', eviction_policy=''", both,
       false, store},
      {"make_block_ptr", "base, shape, strides, offsets, block_shape, order", B::language, false,
       makeBlockPointer},
      {"advance", "base, offsets", both, false, advance,
       "tl.advance returns the moved pointer; assign it: 'p = tl.advance(p, ...)'"},
      {"atomic_add", atomicSignature, both, false, atomic},
      {"atomic_xchg", atomicSignature, both, false, atomic},
      {"atomic_max", atomicSignature, both, false, atomic},
      {"atomic_min", atomicSignature, both, false, atomic},
      {"atomic_and", atomicSignature, both, false, atomic},
      {"atomic_or", atomicSignature, both, false, atomic},
      {"atomic_xor", atomicSignature, both, false, atomic},
      {"atomic_cas", "pointer, cmp, val, sem=None, scope=None", both, false, compareAndSwap},
      {"multiple_of", "input, values", B::language, false, multipleOf},
      {"max_contiguous", "input, values", B::language, false, maxContiguous},
      {"max_constancy", "input, values", B::language, false, maxConstancy},
      {"assume", "condition", B::language, false, assume},
      {"debug_barrier", "", B::language, false, barrier},
  };
  return table;
}

} // namespace teeny::lang
