// Attributes and subscripts of values.
#include "Language/Generator.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace teeny::lang {

static Value shapeTuple(llvm::ArrayRef<int64_t> shape) {
  std::vector<Value> items;
  for (int64_t dim : shape)
    items.push_back(Value::integer(dim));
  return Value::tuple(std::move(items));
}

static Value bound(const Value &self, Value function) {
  auto method = std::make_shared<BoundMethod>();
  method->self = self;
  method->function = std::move(function);
  return Value(std::shared_ptr<const BoundMethod>(std::move(method)));
}

// What `T.is_...()` of a type says.
static std::optional<bool> typeQuestion(const Type &type, llvm::StringRef name) {
  ElementType element = type.element;
  if (name == "is_block")
    return type.isTile();
  if (name == "is_ptr")
    return element.isPointer() && !type.isTile();
  if (name == "is_const")
    return element.isPointer() && element.readOnly;
  bool scalar = !type.isTile() && !element.isPointer();
  ScalarType kind = element.scalar;
  if (name == "is_floating")
    return scalar && kind.isFloat();
  if (name == "is_standard_floating")
    return scalar && kind.isStandardFloat();
  if (name == "is_fp8")
    return scalar && kind.isFloat8();
  if (name == "is_int")
    return scalar && kind.isInteger();
  if (name == "is_int_signed")
    return scalar && kind.isSigned();
  if (name == "is_int_unsigned")
    return scalar && kind.isUnsigned();
  if (name == "is_bool")
    return scalar && kind.isBool();
  if (name.consume_front("is_"))
    if (std::optional<ScalarType> asked = ScalarType::parse(name); asked && asked->name() == name)
      return scalar && kind == *asked;
  return std::nullopt;
}

Value Generator::typeAttribute(const Type &type, const std::string &name) {
  ElementType element = type.element;
  if (name == "element_ty") {
    if (type.isTile())
      return Value::type(Type(element));
    if (element.isPointer())
      return Value::type(Type(element.pointee()));
    fail("'element_ty' of " + type.name() + ", which is no pointer");
    return {};
  }
  if (name == "scalar")
    return Value::type(Type(element));
  if (name == "shape" && type.isTile())
    return shapeTuple(type.shape);
  if (name == "numel" && type.isTile())
    return Value::integer(type.elements());
  if (name == "primitive_bitwidth")
    return Value::integer(element.bits());
  if (name == "itemsize")
    return Value::integer(element.bits() / 8);
  if (name == "int_bitwidth" && element.isInteger())
    return Value::integer(element.bits());
  if (name == "fp_mantissa_width" && element.isFloat())
    return Value::integer(element.scalar.mantissaBits());
  if (name == "name")
    return Value::string(type.name());
  if (name == "value")
    return Value::type(type);
  // Methods of a type take no arguments: what they return is what a call of them yields.
  std::optional<Value> result;
  if (std::optional<bool> answer = typeQuestion(type, name))
    result = Value::boolean(*answer);
  else if (name == "get_block_shapes" && type.isTile())
    result = shapeTuple(type.shape);
  else if (name == "get_int_max_value" && element.isInteger())
    result = Value::integer(element.scalar.maximum());
  else if (name == "get_int_min_value" && element.isInteger())
    result = Value::integer(element.scalar.minimum());
  if (result)
    return bound(*result, Value::none());
  fail("the type " + type.name() + " has no attribute '" + name + "'");
  return {};
}

Value Generator::descriptorAttribute(const Value &base, const BlockPointer &descriptor,
                                     const std::string &name) {
  auto tuple = [](llvm::ArrayRef<Tensor> items) {
    return Value::tuple(std::vector<Value>(items.begin(), items.end()));
  };
  if (name == "dtype")
    return Value::type(descriptor.elementType());
  if (name == "block_shape")
    return shapeTuple(descriptor.block);
  if (name == "block_type" || name == "type")
    return Value::type(descriptor.elementType().withShape(descriptor.block));
  if (name == "shape")
    return tuple(descriptor.shape);
  if (name == "strides")
    return tuple(descriptor.strides);
  if (const Builtin *builtin = findBuiltin(name, Builtin::descriptor))
    return bound(base, Constant(BuiltinRef{builtin}));
  fail(base.describe() + " has no attribute '" + name + "'",
       "it has load, store, dtype, block_shape, shape and strides");
  return {};
}

Value Generator::attributeIfAny(const Value &base, const std::string &name) {
  bool failedBefore = failed;
  ++quiet;
  Value found = attribute(base, name);
  --quiet;
  failed = failedBefore;
  return found.constantOf<Unknown>() ? Value() : found;
}

Value Generator::attribute(const Value &base, const std::string &name) {
  if (auto *module = base.constantOf<ModuleRef>()) {
    if (module->importer)
      if (Value inner = packageMember(*module, name))
        return inner;
    if (module->file)
      return fileMember(*module->file, name);
    if (Value found = member(module->path, name))
      return found;
    if (isPythonModule(module->path)) {
      fail("'" + module->path + "." + name + "' is not known at compile time");
      return {};
    }
    std::string shown = module->path == "triton.language" ? "tl" : module->path;
    if (std::string extension = extensionOf(module->path + "." + name); !extension.empty()) {
      fail("'" + name + "' is of " + extension + ", which the language does not have");
      return {};
    }
    bool isTritons = shown == "tl" || module->path == "triton.language.extra.cuda";
    std::string replacement = isTritons ? replacementOf(name) : "";
    if (!replacement.empty()) {
      fail("'" + shown + "' has no '" + name + "'", replacement);
      return {};
    }
    std::string near = nearest(name, moduleMembers(module->path));
    fail("'" + shown + "' has no '" + name + "'",
         near.empty() ? "" : "did you mean '" + shown + "." + near + "'?");
    return {};
  }
  if (auto *unknown = base.constantOf<Unknown>()) {
    if (quiet)
      return Constant(Unknown{unknown->why});
    fail(unknown->why);
    return {};
  }
  if (const Type *type = base.asType())
    return typeAttribute(*type, name);
  if (name == "value" && base.constant())
    return base;
  if (const TupleValue *pair = base.tuple();
      pair && pair->items.size() == 2 && pair->items[0].dict() && pair->items[1].dict()) {
    // A triton.Config.
    if (name == "kwargs")
      return pair->items[0];
    if (const Value *option = pair->items[1].dict()->find(name))
      return *option;
  }
  if (base.asString() || base.dict())
    if (const Builtin *builtin =
            findBuiltin((base.dict() ? "dict." : "str.") + name, Builtin::host))
      return bound(base, Constant(BuiltinRef{builtin}));
  const Tensor *tensor = base.tensor();
  if (tensor) {
    if (name == "dtype")
      return Value::type(Type(tensor->type.element));
    if (name == "type")
      return Value::type(tensor->type);
    if (name == "shape")
      return shapeTuple(tensor->type.shape);
    if (name == "numel")
      return Value::integer(tensor->type.elements());
    if (name == "T") {
      if (tensor->type.rank() != 2) {
        fail("'.T' of " + tensor->type.name() + ", which has not two dims",
             "use .permute(...) or tl.trans");
        return {};
      }
      return semantics().permute(*tensor, {1, 0});
    }
  }
  if (const BlockPointer *pointer = base.blockPointer()) {
    if (pointer->isDescriptor)
      return descriptorAttribute(base, *pointer, name);
    if (name == "dtype" || name == "type")
      return Value::type(Type(pointer->base.type.element));
  }
  if (tensor || base.blockPointer() || base.isNumber()) {
    if (const Builtin *builtin = findBuiltin(name, Builtin::member))
      return bound(base, Constant(BuiltinRef{builtin}));
    if (Value function = member("triton.language", name))
      if (function.constantOf<FunctionRef>())
        return bound(base, function);
  }
  std::vector<std::string> members = builtinNames(Builtin::member);
  for (const char *field : {"dtype", "type", "shape", "numel", "T"})
    members.push_back(field);
  std::string near = tensor ? nearest(name, members) : "";
  fail(base.describe() + " has no attribute '" + name + "'",
       near.empty() ? "" : "did you mean '" + near + "'?");
  return {};
}

// A tuple's items between the bounds of a slice, as Python counts them.
static std::optional<std::vector<Value>> sliceOf(const std::vector<Value> &items,
                                                 const SliceValue &slice) {
  Integer size = Integer(items.size());
  auto bound = [&](const Value &value, Integer otherwise) -> std::optional<Integer> {
    if (value.isNone())
      return otherwise;
    std::optional<Integer> integer = value.asInteger();
    if (integer && *integer < 0)
      *integer += size;
    return integer;
  };
  std::optional<Integer> step = slice.step.isNone() ? Integer(1) : slice.step.asInteger();
  if (!step || *step == 0)
    return std::nullopt;
  bool forward = *step > 0;
  std::optional<Integer> start = bound(slice.start, forward ? 0 : size - 1);
  std::optional<Integer> stop = bound(slice.stop, forward ? size : -1);
  if (!start || !stop)
    return std::nullopt;
  std::vector<Value> result;
  Integer first = forward ? std::max(*start, Integer(0)) : std::min(*start, size - 1);
  for (Integer i = first; forward ? i < std::min(*stop, size) : i > std::max(*stop, Integer(-1));
       i += *step)
    result.push_back(items[size_t(i)]);
  return result;
}

Value Generator::subscript(const Value &base, const Value &index) {
  if (const DictValue *dict = base.dict()) {
    const Value *found = index.asString() ? dict->find(*index.asString()) : nullptr;
    if (!found)
      fail("the dict has no " + index.describe());
    return found ? *found : Value();
  }
  if (const TupleValue *tuple = base.tuple()) {
    if (const SliceValue *slice = index.slice()) {
      std::optional<std::vector<Value>> items = sliceOf(tuple->items, *slice);
      if (items)
        return Value::tuple(std::move(*items), tuple->isList);
      fail("the bounds of a slice must be integers known at compile time");
      return {};
    }
    std::optional<Integer> position = index.asInteger();
    Integer size = Integer(tuple->items.size());
    if (!position) {
      fail("the index of " + base.describe() + " must be known at compile time, found " +
           index.describe());
      return {};
    }
    if (*position < -size || *position >= size) {
      fail("index " + toString(*position) + " of " + base.describe() + " items is out of range");
      return {};
    }
    return tuple->items[size_t(*position < 0 ? *position + size : *position)];
  }
  const Tensor *tensor = base.tensor();
  if (!tensor) {
    fail(base.describe() + " cannot be indexed");
    return {};
  }
  std::vector<Value> single{index};
  const std::vector<Value> &indices = index.tuple() ? index.tuple()->items : single;
  unsigned kept = 0;
  Tensor result = *tensor;
  for (unsigned dim = 0; dim != indices.size(); ++dim) {
    const SliceValue *slice = indices[dim].slice();
    if (indices[dim].isNone()) {
      result = semantics().expandDims(result, dim);
    } else if (slice && slice->start.isNone() && slice->stop.isNone() && slice->step.isNone()) {
      if (++kept > tensor->type.rank()) {
        fail("more ':' than the " + std::to_string(tensor->type.rank()) + " dims of " +
             tensor->type.name());
        return {};
      }
    } else {
      fail("a tile can be indexed with ':' and None only, found " + indices[dim].describe(),
           "to read elements of memory, add offsets to a pointer and use tl.load");
      return {};
    }
  }
  return result;
}

} // namespace teeny::lang
