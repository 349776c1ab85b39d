// tl.inline_asm_elementwise. What LLVM would give up on is found here: constraints that do not fit
// the operands, and places in the text that name no operand.
#include "Language/Call.h"

#include "llvm/ADT/StringExtras.h"

namespace teeny::lang {
namespace {

// Registers that `pack` elements take, and how wide each is.
struct Registers {
  unsigned count, bits;
};

Registers registersOf(ElementType element, unsigned pack) {
  unsigned bits = element.isBool() ? 8 : element.bits();
  unsigned together = bits < 32 ? std::min(pack, 32 / bits) : 1;
  return {pack / together, std::max(16u, bits * together)};
}

// The width that a constraint's letter stands for; 0 if it is none.
unsigned widthOf(char letter) {
  switch (letter) {
  case 'h':
    return 16;
  case 'r':
  case 'f':
    return 32;
  case 'l':
  case 'd':
    return 64;
  default:
    return 0;
  }
}

class AssemblyCall {
public:
  AssemblyCall(Call &call) : call(call) {}

  Value run() {
    std::optional<std::string> text = required(0), constraints = text ? required(1) : std::nullopt;
    std::optional<bool> isPure = constraints ? call.boolean(4, true) : std::nullopt;
    std::optional<Integer> packed = isPure ? call.integer(5) : std::nullopt;
    if (!packed)
      return {};
    if (*packed < 1 || *packed > 32 || (*packed & (*packed - 1)))
      return call.fail(call.parameter(5) + " must be 1, 2, 4, 8, 16 or 32, found " +
                       toString(*packed));
    pack = unsigned(*packed);
    if (!takeSources() || !takeResults() || !checkConstraints(*constraints) || !checkText(*text))
      return {};
    llvm::SmallVector<mlir::Value> values;
    for (const Tensor &source : sources)
      values.push_back(source.value);
    llvm::SmallVector<mlir::Value> made =
        call.semantics.emit.inlineAssembly(*text, clean, int(pack), *isPure, values, results);
    std::vector<Value> items;
    for (auto [value, type] : llvm::zip(made, results))
      items.push_back(Tensor{value, type});
    return call[3].tuple() ? Value::tuple(std::move(items)) : items.front();
  }

private:
  std::optional<std::string> required(unsigned index) {
    const std::string *text = call[index].asString();
    if (text)
      return *text;
    call.fail(call.parameter(index) + " must be a string, found " + call[index].describe());
    return std::nullopt;
  }

  bool takeSources() {
    std::vector<Value> single{call[2]};
    for (const Value &item : call[2].tuple() ? call[2].tuple()->items : single) {
      Tensor source = call.semantics.toTensor(item);
      if (!source)
        return false;
      sources.push_back(source);
    }
    return call.semantics.broadcastAll(sources, "tl.inline_asm_elementwise");
  }

  bool takeResults() {
    std::vector<Value> single{call[3]};
    for (const Value &item : call[3].tuple() ? call[3].tuple()->items : single) {
      const Type *type = item.asType();
      if (!type || type->isTile() || type->element.isPointer() ||
          type->element.scalar == ScalarType::voidType) {
        call.fail(call.parameter(3) + " must be a type or a tuple of them, found " +
                  item.describe());
        return false;
      }
      results.push_back(*type);
      if (!sources.empty())
        results.back() = type->withShape(sources.front().type.shape);
    }
    if (results.empty())
      call.fail(call.parameter(3) + " names no type: there is at least one result");
    return !results.empty();
  }

  bool checkConstraints(const std::string &text) {
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(text).split(parts, ',');
    std::vector<std::pair<std::string, unsigned>> expected; // what it is, bits
    unsigned outputs = 0;
    auto expect = [&](const std::string &what, ElementType element) {
      Registers registers = registersOf(element, pack);
      for (unsigned i = 0; i != registers.count; ++i)
        expected.push_back({what + " (" + element.name() + ")", registers.bits});
    };
    for (auto [i, type] : llvm::enumerate(results))
      expect("result " + std::to_string(i), type.element);
    outputs = unsigned(expected.size());
    for (auto [i, source] : llvm::enumerate(sources))
      expect("operand " + std::to_string(i), source.type.element);
    operands = unsigned(expected.size());

    size_t at = 0;
    for (llvm::StringRef part : parts) {
      part = part.trim();
      clean += (clean.empty() ? "" : ",") + part.str();
      if (part.starts_with("~{") && part.ends_with("}") && at == expected.size())
        continue;
      if (at == expected.size())
        return report("constraint '" + part.str() + "' is for nothing: there are " +
                      std::to_string(outputs) + " of results and " +
                      std::to_string(operands - outputs) + " of operands");
      const auto &[what, bits] = expected[at];
      llvm::StringRef letters = part;
      bool isOutput = letters.consume_front("=");
      letters.consume_front("&");
      if (isOutput != (at < outputs))
        return report(
            "constraint '" + part.str() + "' of " + what +
            (isOutput ? " begins with '=', which is for results" : " must begin with '='"));
      unsigned tied = 0;
      if (!isOutput && !letters.getAsInteger(10, tied)) {
        if (tied >= outputs || expected[tied].second != bits)
          return report("constraint '" + part.str() + "' of " + what +
                        " ties it to no result of its width");
      } else if (letters.size() != 1 || !widthOf(letters.front())) {
        return report("constraint '" + part.str() + "' of " + what +
                      " is none of h (16 bits), r, f (32 bits), l, d (64 bits)");
      } else if (widthOf(letters.front()) != bits) {
        return report("constraint '" + part.str() + "' of " + what + " is of " +
                      std::to_string(widthOf(letters.front())) + " bits, its register has " +
                      std::to_string(bits));
      }
      ++at;
    }
    if (at != expected.size())
      return report("no constraint for " + expected[at].first);
    return true;
  }

  // $0, ${0}, and $$ for a dollar.
  bool checkText(const std::string &text) {
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '$')
        continue;
      llvm::StringRef rest = llvm::StringRef(text).drop_front(i + 1);
      if (rest.starts_with("$")) {
        ++i;
        continue;
      }
      bool brace = rest.consume_front("{");
      llvm::StringRef digits = rest.take_while(llvm::isDigit);
      unsigned number = 0;
      if (digits.empty() || digits.getAsInteger(10, number) || number >= operands ||
          (brace && !rest.drop_front(digits.size()).starts_with("}")))
        return report("'$" + std::string(brace ? "{" : "") + rest.take_front(8).str() +
                      "' in the text names none of the " + std::to_string(operands) +
                      " registers, $0 to $" + std::to_string(operands - 1));
    }
    if (text.find('\0') != std::string::npos)
      return report("the text has a null character");
    return true;
  }

  bool report(std::string message) {
    call.fail("tl.inline_asm_elementwise: " + message);
    return false;
  }

  Call &call;
  unsigned pack = 1, operands = 0;
  llvm::SmallVector<Tensor> sources;
  llvm::SmallVector<Type> results;
  std::string clean; // the constraints without blanks
};

Value inlineAssembly(Call &call) { return AssemblyCall(call).run(); }

} // namespace

llvm::ArrayRef<Builtin> assemblyBuiltins() {
  static const Builtin table[] = {
      {"inline_asm_elementwise", "asm, constraints, args, dtype, is_pure, pack", Builtin::language,
       false, inlineAssembly},
  };
  return table;
}

} // namespace teeny::lang
