// Expressions.
#include "Language/Constants.h"
#include "Language/Generator.h"

#include "llvm/ADT/STLExtras.h"

namespace teeny::lang {

using namespace ast;

std::optional<bool> Generator::constantTruth(const Value &value) {
  if (const Constant *constant = value.constant())
    return truth(*constant);
  if (const TupleValue *tuple = value.tuple())
    return !tuple->items.empty();
  return std::nullopt;
}

Value Generator::materialize(const Value &value) {
  if (value.isNumber())
    return semantics().toTensor(value);
  const TupleValue *tuple = value.tuple();
  if (!tuple)
    return value;
  std::vector<Value> items;
  for (const Value &item : tuple->items) {
    items.push_back(materialize(item));
    if (!items.back())
      return {};
  }
  return Value::tuple(std::move(items), tuple->isList);
}

// How many values there are in these and what is in them, up to `most`. A tuple that is in another
// one twice counts twice, as whatever takes it apart sees it twice.
static size_t partsOf(llvm::ArrayRef<Value> items, size_t most) {
  size_t count = 0;
  for (const Value &item : items) {
    if (count >= most)
      break;
    const TupleValue *inner = item.tuple();
    count += inner ? 1 + partsOf(inner->items, most - count) : 1;
  }
  return count;
}

constexpr size_t maxTuple = 65536;

static Value newTuple(Generator &generator, std::vector<Value> items, bool isList) {
  if (partsOf(items, maxTuple + 1) <= maxTuple)
    return Value::tuple(std::move(items), isList);
  generator.fail("a tuple of more than " + std::to_string(maxTuple) + " values");
  return {};
}

Value Generator::binary(ast::BinaryOp op, const Value &lhs, const Value &rhs) {
  if (!lhs || !rhs)
    return {};
  if (lhs.tensor() || rhs.tensor())
    return semantics().binary(op, lhs, rhs);
  if (lhs.constant() && rhs.constant()) {
    std::string error;
    if (std::optional<Constant> result = evaluate(op, *lhs.constant(), *rhs.constant(), error))
      return *result;
    fail(error);
    return {};
  }
  const TupleValue *left = lhs.tuple(), *right = rhs.tuple();
  if (left && right && op == BinaryOp::add) {
    std::vector<Value> items = left->items;
    items.insert(items.end(), right->items.begin(), right->items.end());
    return newTuple(*this, std::move(items), left->isList);
  }
  if (left && op == BinaryOp::mul)
    if (std::optional<Integer> count = rhs.asInteger()) {
      if (*count > 1024) {
        fail("a tuple repeated " + toString(*count) + " times");
        return {};
      }
      std::vector<Value> items;
      for (Integer i = 0; i < *count && items.size() <= maxTuple; ++i)
        items.insert(items.end(), left->items.begin(), left->items.end());
      return newTuple(*this, std::move(items), left->isList);
    }
  fail("'" + spelling(op).str() + "' is not defined for " + lhs.describe() + " and " +
       rhs.describe());
  return {};
}

static std::optional<Compare> comparison(CompareOp op) {
  if (op > CompareOp::ge)
    return std::nullopt;
  static const Compare table[] = {Compare::eq, Compare::ne, Compare::lt,
                                  Compare::le, Compare::gt, Compare::ge};
  return table[unsigned(op)];
}

Value Generator::compare(CompareOp op, const Value &lhs, const Value &rhs) {
  if (!lhs || !rhs)
    return {};
  bool identity = op == CompareOp::is || op == CompareOp::isNot;
  bool membership = op == CompareOp::in || op == CompareOp::notIn;
  if (identity && !(lhs.constant() && rhs.constant()))
    return Value::boolean((op == CompareOp::is) == identical(lhs, rhs));
  if (membership && rhs.tuple()) {
    for (const Value &item : rhs.tuple()->items)
      if (lhs.constant() && item.constant()) {
        std::string ignored;
        std::optional<Constant> same =
            evaluate(CompareOp::eq, *lhs.constant(), *item.constant(), ignored);
        if (same && truth(*same) == true)
          return Value::boolean(op == CompareOp::in);
      }
    return Value::boolean(op == CompareOp::notIn);
  }
  // Comparing a tile with None, a string or a type is decided here: it is never equal.
  auto isWord = [](const Value &value) { return value.constant() && !value.isNumber(); };
  bool equality = op == CompareOp::eq || op == CompareOp::ne;
  if (equality && ((lhs.tensor() && isWord(rhs)) || (rhs.tensor() && isWord(lhs))))
    return Value::boolean(op == CompareOp::ne);
  if ((lhs.tensor() || rhs.tensor()) && !membership)
    return semantics().compare(*comparison(op), lhs, rhs);
  if (lhs.constant() && rhs.constant()) {
    std::string error;
    if (std::optional<Constant> result = evaluate(op, *lhs.constant(), *rhs.constant(), error))
      return *result;
    fail(error);
    return {};
  }
  if (equality)
    return Value::boolean((op == CompareOp::eq) == identical(lhs, rhs));
  // Tuples, such as versions, by the first items that differ.
  const TupleValue *left = lhs.tuple(), *right = rhs.tuple();
  if (left && right && !membership && !identity) {
    size_t i = 0, sizes[] = {left->items.size(), right->items.size()};
    while (i < std::min(sizes[0], sizes[1]) && identical(left->items[i], right->items[i]))
      ++i;
    if (i < sizes[0] && i < sizes[1])
      return compare(op, left->items[i], right->items[i]);
    return compare(op, Value::integer(Integer(sizes[0])), Value::integer(Integer(sizes[1])));
  }
  fail("'" + spelling(op).str() + "' is not defined for " + lhs.describe() + " and " +
       rhs.describe());
  return {};
}

// Values known at compile time decide as far as they can; the rest is one logical operation.
static Value booleanChain(Generator &generator, const BooleanExpr &expr) {
  std::vector<Tensor> unknown;
  Value last;
  for (const ExprPtr &operand : expr.values) {
    last = generator.expression(*operand);
    if (!last)
      return {};
    if (const Tensor *tensor = last.tensor()) {
      unknown.push_back(*tensor);
      continue;
    }
    std::optional<bool> value = generator.constantTruth(last);
    if (!value) {
      generator.fail(std::string("'") + (expr.isAnd ? "and" : "or") + "' takes conditions, found " +
                     last.describe());
      return {};
    }
    if (*value != expr.isAnd)
      return last;
  }
  if (unknown.empty())
    return last;
  Tensor result = unknown.back();
  for (size_t i = unknown.size() - 1; i-- != 0 && result;)
    result = generator.semantics().logical(expr.isAnd, unknown[i], result);
  return result;
}

// A value in a message: constants as Python shows them; of run-time values the type is known.
static std::string shown(const Value &value) {
  if (const Constant *constant = value.constant())
    return text(*constant);
  const TupleValue *tuple = value.tuple();
  if (!tuple)
    return value.describe();
  std::string items;
  for (const Value &item : tuple->items) {
    if (items.size() > maxString)
      break;
    items += (items.empty() ? "" : ", ") + shown(item);
  }
  return tuple->isList ? "[" + items + "]" : "(" + items + ")";
}

static Value formattedString(Generator &generator, const FormattedStringExpr &expr) {
  std::string result;
  for (const FormattedStringExpr::Part &part : expr.parts) {
    if (!part.value) {
      result += part.text;
      continue;
    }
    Value value = generator.expression(*part.value);
    if (!value)
      return {};
    std::optional<std::string> text;
    if (value.constant())
      text = formatted(*value.constant(), part.conversion, part.format);
    else
      text = shown(value);
    if (!text) {
      generator.fail("the format '" + part.format + "' is not supported for " + value.describe());
      return {};
    }
    result += *text;
    if (result.size() > maxString) {
      generator.fail(tooLongString());
      return {};
    }
  }
  return Value::string(result);
}

Value Generator::conditional(const ConditionalExpr &expr) {
  Value test = expression(*expr.test);
  if (!test)
    return {};
  if (std::optional<bool> known = constantTruth(test))
    return expression(known.value() ? *expr.body : *expr.orelse);
  if (!test.tensor()) {
    fail("a condition must be a scalar or known at compile time, found " + test.describe());
    return {};
  }
  Tensor condition = *test.tensor();
  if (condition.type.elements() != 1) {
    fail("the condition of 'x if c else y' is " + condition.type.name() + ", not a scalar",
         "to choose element by element, use tl.where(c, x, y)");
    return {};
  }
  Semantics meaning = semantics();
  condition = meaning.toBool(meaning.toScalar(condition));
  if (!condition)
    return {};
  Value values[2];
  std::vector<DetachedRegion> regions;
  for (unsigned i = 0; i != 2; ++i) {
    regions.push_back(emit.enterRegion({}));
    Value value = expression(i == 0 ? *expr.body : *expr.orelse);
    values[i] = value ? materialize(value) : Value();
    emit.leaveRegion();
    if (!values[i])
      return {};
  }
  if (!interchangeable(values[0], values[1])) {
    fail("the two values of 'x if c else y' differ in type: " + values[0].describe() + " and " +
         values[1].describe());
    return {};
  }
  llvm::SmallVector<mlir::Value> yes, no;
  flatten(values[0], yes);
  flatten(values[1], no);
  llvm::SmallVector<mlir::Value> results =
      emit.branch(condition.value, std::move(regions[0]), yes, std::move(regions[1]), no);
  llvm::ArrayRef<mlir::Value> parts = results;
  return rebuild(values[0], parts);
}

static Value tupleOf(Generator &generator, const TupleExpr &expr) {
  std::vector<Value> items;
  for (const ExprPtr &item : expr.items) {
    auto *starred = llvm::dyn_cast<StarredExpr>(item.get());
    Value value = generator.expression(starred ? *starred->value : *item);
    if (!value)
      return {};
    if (!starred) {
      items.push_back(std::move(value));
      continue;
    }
    if (!value.tuple()) {
      generator.fail("'*' takes a tuple, found " + value.describe());
      return {};
    }
    items.insert(items.end(), value.tuple()->items.begin(), value.tuple()->items.end());
  }
  return newTuple(generator, std::move(items), expr.isList);
}

// The items of the clauses from `clause` on.
bool Generator::comprehension(const ListCompExpr &list, size_t clause, std::vector<Value> &items) {
  if (clause == list.clauses.size()) {
    if (items.size() == maxUnrolled) {
      fail("a comprehension of more than " + std::to_string(maxUnrolled) + " items");
      return false;
    }
    items.push_back(expression(*list.element));
    return bool(items.back());
  }
  const ListCompExpr::Clause &over = list.clauses[clause];
  Value iterable = expression(*over.iterable);
  if (!iterable)
    return false;
  if (!iterable.tuple()) {
    fail("a comprehension goes over a tuple, found " + iterable.describe());
    return false;
  }
  for (const Value &item : iterable.tuple()->items) {
    if (!assign(*over.target, item))
      return false;
    bool holds = true;
    for (size_t i = 0; holds && i != over.conditions.size(); ++i) {
      Value condition = expression(*over.conditions[i]);
      std::optional<bool> known = condition ? constantTruth(condition) : std::nullopt;
      if (!known) {
        fail("a condition known only at run time");
        return false;
      }
      holds = *known;
    }
    if (holds && !comprehension(list, clause + 1, items))
      return false;
  }
  return true;
}

static Value dictOf(Generator &generator, const DictExpr &expr) {
  auto dict = std::make_shared<DictValue>();
  for (const auto &[keyExpr, valueExpr] : expr.items) {
    Value key = keyExpr ? generator.expression(*keyExpr) : Value();
    Value value = !keyExpr || key ? generator.expression(*valueExpr) : Value();
    if (!value)
      return {};
    auto set = [&](const std::string &name, const Value &item) {
      if (const Value *known = dict->find(name))
        *const_cast<Value *>(known) = item;
      else
        dict->items.emplace_back(name, item);
    };
    if (!keyExpr && value.dict()) {
      for (const auto &[name, item] : value.dict()->items)
        set(name, item);
    } else if (key.asString()) {
      set(*key.asString(), value);
    } else {
      generator.fail("the keys of a dict are strings, found " + (keyExpr ? key : value).describe());
      return {};
    }
  }
  return Value(std::shared_ptr<const DictValue>(std::move(dict)));
}

Value Generator::expression(const Expr &expr) {
  At here(*this, expr.span);
  switch (expr.kind) {
  case Expr::Name:
    return lookup(llvm::cast<NameExpr>(expr).name);
  case Expr::Integer:
    return Value::integer(llvm::cast<IntegerExpr>(expr).value);
  case Expr::Floating:
    return Value::floating(llvm::cast<FloatingExpr>(expr).value);
  case Expr::String:
    return Value::string(llvm::cast<StringExpr>(expr).value);
  case Expr::FormattedString:
    return formattedString(*this, llvm::cast<FormattedStringExpr>(expr));
  case Expr::Constant:
    switch (llvm::cast<ConstantExpr>(expr).which) {
    case ConstantExpr::trueValue:
      return Value::boolean(true);
    case ConstantExpr::falseValue:
      return Value::boolean(false);
    case ConstantExpr::none:
      return Value::none();
    case ConstantExpr::ellipsis:
      fail("'...' is not in the language");
      return {};
    }
    return {};
  case Expr::Tuple:
    return tupleOf(*this, llvm::cast<TupleExpr>(expr));
  case Expr::ListComp: {
    auto &list = llvm::cast<ListCompExpr>(expr);
    if (!list.isSimple() && !isCompileTime()) {
      fail(std::string(list.isList ? "a nested or filtered comprehension"
                                   : "a generator expression") +
           " is not in the language");
      return {};
    }
    std::vector<Value> items;
    if (!comprehension(list, 0, items))
      return {};
    return newTuple(*this, std::move(items), /*isList=*/true);
  }
  case Expr::Dict:
    if (isCompileTime())
      return dictOf(*this, llvm::cast<DictExpr>(expr));
    fail("a dict or set is not in the language");
    return {};
  case Expr::Lambda:
    if (isCompileTime())
      return Constant(LambdaRef{llvm::cast<LambdaExpr>(&expr), frame->module});
    fail("'lambda' is not in the language");
    return {};
  case Expr::Unary: {
    auto &unary = llvm::cast<UnaryExpr>(expr);
    Value operand = expression(*unary.operand);
    if (!operand)
      return {};
    if (const Tensor *tensor = operand.tensor())
      return semantics().unary(unary.op, *tensor);
    if (unary.op == UnaryOp::logicalNot)
      if (std::optional<bool> value = constantTruth(operand))
        return Value::boolean(!*value);
    std::string error =
        "unary '" + spelling(unary.op).str() + "' is not defined for " + operand.describe();
    if (operand.constant())
      if (std::optional<Constant> result = evaluate(unary.op, *operand.constant(), error))
        return *result;
    fail(error);
    return {};
  }
  case Expr::Binary: {
    auto &node = llvm::cast<BinaryExpr>(expr);
    Value lhs = expression(*node.lhs);
    Value rhs = lhs ? expression(*node.rhs) : Value();
    return binary(node.op, lhs, rhs);
  }
  case Expr::Boolean:
    return booleanChain(*this, llvm::cast<BooleanExpr>(expr));
  case Expr::Compare: {
    auto &node = llvm::cast<CompareExpr>(expr);
    if (node.ops.size() > 1) {
      fail("comparisons cannot be chained", "write 'a < b and b < c'");
      return {};
    }
    Value lhs = expression(*node.operands[0]);
    Value rhs = lhs ? expression(*node.operands[1]) : Value();
    return compare(node.ops[0], lhs, rhs);
  }
  case Expr::Conditional:
    return conditional(llvm::cast<ConditionalExpr>(expr));
  case Expr::Call: {
    auto &node = llvm::cast<CallExpr>(expr);
    Value callee = expression(*node.callee);
    if (!callee)
      return {};
    Arguments arguments;
    for (const ExprPtr &argument : node.arguments) {
      auto *starred = llvm::dyn_cast<StarredExpr>(argument.get());
      Value value = expression(starred ? *starred->value : *argument);
      if (!value)
        return {};
      if (!starred) {
        arguments.positional.push_back(std::move(value));
        continue;
      }
      if (!value.tuple()) {
        fail("'*' takes a tuple, found " + value.describe());
        return {};
      }
      for (const Value &item : value.tuple()->items)
        arguments.positional.push_back(item);
    }
    for (const Keyword &keyword : node.keywords) {
      Value value = expression(*keyword.value);
      if (!value)
        return {};
      if (keyword.name.empty()) {
        fail("'**' arguments are not in the language", "name the arguments");
        return {};
      }
      arguments.keywords.emplace_back(keyword.name, std::move(value));
    }
    return call(callee, std::move(arguments));
  }
  case Expr::Attribute: {
    auto &node = llvm::cast<AttributeExpr>(expr);
    Value base = expression(*node.base);
    if (!base)
      return {};
    Span place = node.nameSpan.line == expr.span.line ? node.nameSpan : expr.span;
    At there(*this, place);
    return attribute(base, node.name);
  }
  case Expr::Subscript: {
    auto &node = llvm::cast<SubscriptExpr>(expr);
    Value base = expression(*node.base);
    Value index = base ? expression(*node.index) : Value();
    return index ? subscript(base, index) : Value();
  }
  case Expr::Slice: {
    auto &node = llvm::cast<SliceExpr>(expr);
    auto slice = std::make_shared<SliceValue>();
    slice->start = node.start ? expression(*node.start) : Value::none();
    slice->stop = node.stop ? expression(*node.stop) : Value::none();
    slice->step = node.step ? expression(*node.step) : Value::none();
    if (!slice->start || !slice->stop || !slice->step)
      return {};
    return Value(std::shared_ptr<const SliceValue>(std::move(slice)));
  }
  case Expr::Starred:
    fail("'*' can stand only before an argument or an item of a tuple");
    return {};
  case Expr::Unsupported:
    fail(llvm::cast<UnsupportedExpr>(expr).what + " is not in the language");
    return {};
  }
  return {};
}

} // namespace teeny::lang
