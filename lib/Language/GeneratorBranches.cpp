// Branches on run-time conditions, and early returns under them.
#include "Language/Generator.h"

namespace teeny::lang {

// Generates `todo` into a region of its own, from the current scope, which is left as it was.
std::optional<Generator::Side> Generator::side(Todo todo, bool tail) {
  Scope before = frame->scope;
  Flow flowBefore = frame->flow;
  frame->flow = Flow();
  Side result{emit.enterRegion({}), {}, {}};
  bool valid = run(std::move(todo), tail);
  emit.leaveRegion();
  result.scope = std::move(frame->scope);
  result.flow = std::move(frame->flow);
  frame->scope = std::move(before);
  frame->flow = std::move(flowBefore);
  if (!valid)
    return std::nullopt;
  return result;
}

// Generates more into a side that has not returned.
bool Generator::goOn(Side &side, Todo todo, bool tail) {
  std::swap(frame->scope, side.scope);
  std::swap(frame->flow, side.flow);
  emit.reenterRegion(side.region);
  bool valid = run(std::move(todo), tail);
  emit.leaveRegion();
  std::swap(frame->scope, side.scope);
  std::swap(frame->flow, side.flow);
  return valid;
}

bool Generator::branch(const ast::IfStmt &statement, Tensor condition, Todo &todo, bool tail) {
  Scope before = frame->scope;
  bool last = tail && todo.empty();
  Todo body, orelse;
  push(body, statement.body);
  push(orelse, statement.orelse);
  std::optional<Side> yes = side(std::move(body), last);
  std::optional<Side> no = yes ? side(std::move(orelse), last) : std::nullopt;
  if (!no)
    return false;
  // If one side has returned and the other goes on, what follows belongs to the other alone.
  bool yesReturned = yes->flow.state == Flow::returned,
       noReturned = no->flow.state == Flow::returned;
  Side *goingOn = yesReturned ? &*no : &*yes;
  if (yesReturned != noReturned && goingOn->flow.state == Flow::running && !todo.empty()) {
    if (!goOn(*goingOn, std::move(todo), tail))
      return false;
    todo.clear();
    last = tail;
  }
  return join(condition, std::move(*yes), std::move(*no), before, last, statement.span);
}

// After a branch of which one side may have returned: what follows is done only if it has not.
bool Generator::guard(Todo todo, bool tail) {
  Semantics meaning = semantics();
  Flow flow = frame->flow;
  Tensor goesOn = meaning.unary(ast::UnaryOp::logicalNot, flow.flag);
  Scope before = frame->scope;
  std::optional<Side> rest = side(std::move(todo), tail);
  if (!rest)
    return false;
  Side done{emit.enterRegion({}), frame->scope, {}};
  emit.leaveRegion();
  done.flow.state = Flow::returned;
  done.flow.result = flow.result;
  frame->flow = Flow();
  return join(goesOn, std::move(*rest), std::move(done), before, tail, where);
}

namespace {

// The values that the two sides of a branch yield.
class Yields {
public:
  explicit Yields(Emitter &emit) : emit(emit) {}

  // Adds a value of both sides, of one type.
  void add(const Value &yes, const Value &no) {
    flatten(yes, ofYes);
    flatten(no, ofNo);
  }
  // Adds a value that one side has; the other, which never uses it, gives zeros.
  void addOneSided(const Value &value, bool isYes) {
    flatten(value, isYes ? ofYes : ofNo);
    zeros.resize(std::max(ofYes.size(), ofNo.size()), false);
    llvm::SmallVector<mlir::Value> &other = isYes ? ofNo : ofYes;
    for (size_t i = other.size(); i != zeros.size(); ++i)
      other.push_back(nullptr);
  }
  // Fills in the zeros of one side, in its region.
  void fill(DetachedRegion &region, llvm::SmallVectorImpl<mlir::Value> &parts,
            llvm::ArrayRef<mlir::Value> types) {
    emit.reenterRegion(region);
    for (size_t i = 0; i != parts.size(); ++i)
      if (!parts[i])
        parts[i] = emit.zeroLike(types[i]);
    emit.leaveRegion();
  }

  Emitter &emit;
  llvm::SmallVector<mlir::Value> ofYes, ofNo;

private:
  llvm::SmallVector<bool> zeros;
};

} // namespace

static std::string lineOf(Span place) { return "line " + std::to_string(place.line); }

bool Generator::join(Tensor condition, Side yes, Side no, const Scope &before, bool tail,
                     Span place) {
  bool yesLive = yes.flow.state != Flow::returned, noLive = no.flow.state != Flow::returned;
  Yields yields(emit);
  Scope merged;
  std::vector<std::pair<std::string, const Value *>> results; // names and a value of their type
  auto same = [&](const Scope &scope, const std::string &name, const Value &value) {
    auto found = scope.find(name);
    return found != scope.end() && identical(found->second, value);
  };

  // Variables, where anything can still read them.
  if (!tail && (yesLive || noLive)) {
    const Scope &first = yesLive ? yes.scope : no.scope;
    for (const auto &[name, value] : first) {
      if (same(before, name, value) && (!noLive || !yesLive || same(no.scope, name, value))) {
        merged[name] = value;
      } else if (yesLive != noLive) {
        yields.addOneSided(value, yesLive);
        results.emplace_back(name, &value);
      } else {
        auto other = no.scope.find(name);
        if (other == no.scope.end()) {
          merged[name] = Constant(Unknown{"'" + name + "' has a value on one path of the 'if' at " +
                                          lineOf(place) + " only"});
        } else if (identical(value, other->second)) {
          merged[name] = value;
        } else if (interchangeable(value, other->second)) {
          yields.add(value, other->second);
          results.emplace_back(name, &value);
        } else {
          auto initial = before.find(name);
          bool wasRunTime = initial != before.end() && initial->second.tensor();
          std::string why = "'" + name + "' is " + value.describe() + " or " +
                            other->second.describe() +
                            ", depending on the path taken by the 'if' at " + lineOf(place);
          if (wasRunTime) {
            At here(*this, place);
            fail(why, "give it the same type on both paths, with .to(...)");
            noteAssignment(name);
            return false;
          }
          merged[name] = initial != before.end() && initial->second.isNone()
                             ? initial->second
                             : Value(Constant(Unknown{why}));
        }
      }
    }
    if (yesLive && noLive)
      for (const auto &[name, value] : no.scope)
        if (!yes.scope.count(name))
          merged[name] = Constant(Unknown{"'" + name + "' has a value on one path of the 'if' at " +
                                          lineOf(place) + " only"});
  }

  // What has been returned.
  bool yesRuns = yes.flow.state == Flow::running, noRuns = no.flow.state == Flow::running;
  Flow flow;
  const Value *result = nullptr;
  if (!(yesRuns && noRuns)) {
    flow.state = tail || (!yesLive && !noLive) ? Flow::returned : Flow::maybe;
    const Value &a = yes.flow.result, &b = no.flow.result;
    if (!yesRuns && !noRuns) {
      if (!interchangeable(a, b)) {
        At here(*this, place);
        fail("the function returns " + a.describe() + " on one path of this 'if' and " +
                 b.describe() + " on the other",
             "make the types agree with .to(...)");
        return false;
      }
      yields.add(a, b);
      result = &a;
    } else {
      result = yesRuns ? &b : &a;
      yields.addOneSided(*result, !yesRuns);
    }
  }
  if (flow.state == Flow::maybe) {
    auto flagOf = [&](Side &side) -> mlir::Value {
      if (side.flow.state == Flow::maybe)
        return side.flow.flag.value;
      emit.reenterRegion(side.region);
      mlir::Value flag =
          emit.constant(ScalarType::int1, Integer(side.flow.state == Flow::returned));
      emit.leaveRegion();
      return flag;
    };
    yields.ofYes.push_back(flagOf(yes));
    yields.ofNo.push_back(flagOf(no));
  }

  llvm::SmallVector<mlir::Value> yesParts = yields.ofYes, noParts = yields.ofNo;
  yields.fill(yes.region, yesParts, yields.ofNo);
  yields.fill(no.region, noParts, yields.ofYes);
  llvm::SmallVector<mlir::Value> values =
      emit.branch(condition.value, std::move(yes.region), yesParts, std::move(no.region), noParts);

  llvm::ArrayRef<mlir::Value> parts = values;
  for (const auto &[name, like] : results)
    merged[name] = rebuild(*like, parts);
  if (result)
    flow.result = rebuild(*result, parts);
  if (flow.state == Flow::maybe)
    flow.flag = Tensor{parts.front(), Type(ScalarType::int1)};
  if (!tail)
    frame->scope = std::move(merged);
  frame->flow = std::move(flow);
  return true;
}

} // namespace teeny::lang
