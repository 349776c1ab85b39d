// A call of a builtin: its arguments by position in the signature, and readers that report what is
// wrong.
#pragma once

#include "Language/Builtins.h"
#include "Language/Semantics.h"

namespace teeny::lang {

// Arguments as written.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keywords;
};

// What is wrong with the number and names of the arguments of a call.
struct Misfit {
  std::string message, hint;
};
std::optional<Misfit> misfit(const Builtin &builtin, size_t positional,
                             llvm::ArrayRef<std::string> keywords);
std::optional<Misfit> misfit(FunctionRef function, size_t positional,
                             llvm::ArrayRef<std::string> keywords);

class Call {
public:
  Call(Generator &generator, Semantics &semantics, const Builtin &builtin)
      : generator(generator), semantics(semantics), builtin(builtin) {}

  // Sorts arguments into the signature's parameters; reports and returns false if they do not fit.
  bool bind(Arguments arguments);

  bool has(unsigned index) const {
    return index < values.size() && values[index] && !values[index].isNone();
  }
  const Value &operator[](unsigned index) const { return values[index]; }
  void replace(unsigned index, Value value) { values[index] = std::move(value); }
  // What `*name` takes, which is the last parameter.
  llvm::ArrayRef<Value> rest() const { return variadic; }

  // Each reports and returns nothing if the argument is something else. The optional ones take a
  // default for an argument that was left out or is None.
  Tensor tensor(unsigned index);
  Tensor optionalTensor(unsigned index, bool &valid);
  std::optional<Integer> integer(unsigned index);
  std::optional<Integer> integer(unsigned index, Integer otherwise);
  std::optional<bool> boolean(unsigned index, bool otherwise);
  std::optional<std::string> string(unsigned index, llvm::StringRef otherwise);
  std::optional<ElementType> elementType(unsigned index);
  // Integers from a tuple, a list, or the single integer.
  std::optional<llvm::SmallVector<int64_t>> integers(const Value &value, const std::string &what);
  std::optional<llvm::SmallVector<int64_t>> integers(unsigned index);
  // `f(x, 1, 2)` and `f(x, (1, 2))` alike.
  std::optional<llvm::SmallVector<int64_t>> restIntegers();
  // Scalars of int64 from a tuple or list of integers, known or not, or the single integer.
  std::optional<llvm::SmallVector<Tensor, 3>> scalars(unsigned index);
  // An axis of a tile of this rank, counted from the end if negative.
  std::optional<unsigned> axis(const Value &value, unsigned rank);
  // One of the given words.
  std::optional<unsigned> word(unsigned index, llvm::ArrayRef<llvm::StringRef> words,
                               unsigned otherwise);

  // Reports; the result is invalid.
  Value fail(std::string message, std::string hint = "");
  std::string parameter(unsigned index) const; // "'mask' of tl.load"

  Generator &generator;
  Semantics &semantics;
  const Builtin &builtin;

private:
  std::vector<std::string> names;
  std::vector<Value> values;
  std::vector<Value> variadic;
};

} // namespace teeny::lang
