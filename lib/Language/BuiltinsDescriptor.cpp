// Tensor descriptors: an array in memory of which windows are read and written. They are block
// pointers whose offsets come with each access: elements outside of the array are not touched.
#include "Language/Call.h"

#include <cmath>

namespace teeny::lang {
namespace {

Value makeDescriptor(Call &call) {
  static const llvm::StringRef paddings[] = {"zero", "nan"};
  Tensor base = call.tensor(0);
  if (!base)
    return {};
  if (!base.type.element.isPointer() || base.type.isTile())
    return call.fail(call.parameter(0) + " must be a pointer, found " + base.type.name());
  std::optional<llvm::SmallVector<int64_t>> block = call.integers(3);
  std::optional<unsigned> padding = block ? call.word(4, paddings, 0) : std::nullopt;
  if (!padding || !call.semantics.checkShape(*block))
    return {};
  auto shape = call.scalars(1), strides = call.scalars(2);
  if (!shape || !strides)
    return {};
  if (block->empty() || block->size() > 5)
    return call.fail("a tensor descriptor has 1 to 5 dims, found " + std::to_string(block->size()));
  if (shape->size() != block->size() || strides->size() != block->size())
    return call.fail("shape, strides and block_shape of " + call.builtin.fullName() +
                     " must have one length; found " + std::to_string(shape->size()) + ", " +
                     std::to_string(strides->size()) + " and " + std::to_string(block->size()));
  ElementType element = base.type.element.pointee();
  if (element.isPointer())
    return call.fail("a tensor descriptor of pointers");
  if (*padding == 1 && !element.isFloat())
    return call.fail("padding_option 'nan' of " + element.name() + ", which is no float");
  Value last = call[2].tuple() ? call[2].tuple()->items.back() : call[2];
  if (last.asInteger() && *last.asInteger() != 1)
    return call.fail("the last stride of a tensor descriptor is 1, found " + last.describe());
  auto result = std::make_shared<BlockPointer>();
  result->base = base;
  result->shape = std::move(*shape);
  result->strides = std::move(*strides);
  result->block.assign(block->begin(), block->end());
  result->isDescriptor = true;
  result->padsWithNan = *padding == 1;
  return Value(std::shared_ptr<const BlockPointer>(std::move(result)));
}

// The window at the offsets of the call.
std::optional<BlockPointer> windowOf(Call &call) {
  const BlockPointer *descriptor = call[0].blockPointer();
  if (!descriptor || !descriptor->isDescriptor) {
    bool isPointer = call[0].tensor() && call[0].tensor()->type.element.isPointer();
    call.fail(call.builtin.fullName() + " takes a tensor descriptor, found " + call[0].describe(),
              isPointer ? "descriptors that the host makes are not supported; make one with "
                          "tl.make_tensor_descriptor"
                        : "tl.make_tensor_descriptor makes one");
    return std::nullopt;
  }
  auto offsets = call.scalars(1);
  if (!offsets)
    return std::nullopt;
  if (offsets->size() != descriptor->block.size()) {
    call.fail(call.builtin.fullName() + " of a descriptor of " +
              std::to_string(descriptor->block.size()) + " dims at " +
              std::to_string(offsets->size()) + " offsets");
    return std::nullopt;
  }
  BlockPointer window = *descriptor;
  window.offsets = std::move(*offsets);
  return window;
}

llvm::SmallVector<int64_t> allDims(const BlockPointer &window) {
  llvm::SmallVector<int64_t> dims;
  for (size_t dim = 0; dim != window.block.size(); ++dim)
    dims.push_back(int64_t(dim));
  return dims;
}

Value loadWindow(Call &call) {
  std::optional<BlockPointer> window = windowOf(call);
  if (!window)
    return {};
  ElementType element = window->elementType().element;
  Emitter &emit = call.semantics.emit;
  Tensor padding{window->padsWithNan ? emit.constant(element, std::nan(""))
                                     : emit.constant(element, Integer(0)),
                 Type(element)};
  return call.semantics.loadBlock(*window, allDims(*window), padding);
}

Value storeWindow(Call &call) {
  std::optional<BlockPointer> window = windowOf(call);
  Tensor value = window ? call.tensor(2) : Tensor();
  if (!value)
    return {};
  if (!value.type.isTile() || llvm::ArrayRef(value.type.shape) != llvm::ArrayRef(window->block))
    return call.fail(call.builtin.fullName() + " of " + value.type.name() +
                     " through a descriptor of blocks of " + shapeText(window->block));
  if (!call.semantics.storeBlock(*window, value, allDims(*window)))
    return {};
  return Value::none();
}

Value notSupported(Call &call) {
  return call.fail(call.builtin.fullName() + " of a tensor descriptor is not supported",
                   "load and store are; or use pointers");
}

} // namespace

llvm::ArrayRef<Builtin> descriptorBuiltins() {
  using B = Builtin;
  static const char *const make = "base, shape, strides, block_shape, padding_option='zero'";
  static const char *const load = "desc, offsets", *const store = "desc, offsets, value";
  static const Builtin table[] = {
      {"make_tensor_descriptor", make, B::language, false, makeDescriptor},
      {"_experimental_make_tensor_descriptor", make, B::language, false, makeDescriptor},
      {"load_tensor_descriptor", load, B::language, false, loadWindow},
      {"store_tensor_descriptor", store, B::language, false, storeWindow},
      {"_experimental_descriptor_load", "desc, offsets, block_shape=None, dtype=None", B::language,
       false, loadWindow},
      {"_experimental_descriptor_store", "desc, value, offsets", B::language, false,
       [](Call &call) {
         Value value = call[1];
         call.replace(1, call[2]);
         call.replace(2, std::move(value));
         return storeWindow(call);
       }},
      {"load", load, B::descriptor, false, loadWindow},
      {"store", store, B::descriptor, false, storeWindow},
      {"gather", "desc, *arguments", B::descriptor, false, notSupported},
      {"scatter", "desc, *arguments", B::descriptor, false, notSupported},
      {"atomic_add", "desc, *arguments", B::descriptor, false, notSupported},
      {"atomic_min", "desc, *arguments", B::descriptor, false, notSupported},
      {"atomic_max", "desc, *arguments", B::descriptor, false, notSupported},
      {"atomic_and", "desc, *arguments", B::descriptor, false, notSupported},
      {"atomic_or", "desc, *arguments", B::descriptor, false, notSupported},
      {"atomic_xor", "desc, *arguments", B::descriptor, false, notSupported},
  };
  return table;
}

} // namespace teeny::lang
