#include "Graph/Import/FormatReader.h"

#include "TensorFile/SafeTensors.h"

#include "llvm/ADT/StringExtras.h"

using namespace teeny;

bool NameTable::add(const std::string &name, const std::string &what, const SourceLocation &at,
                    Diagnostics &diagnostics) {
  auto [known, isNew] = entries.try_emplace(name, Entry{what, at});
  if (isNew) {
    order.push_back(name);
    return true;
  }
  diagnostics
      .error(at, "the name '" + name + "' of " + what + " is already that of " + known->second.what)
      .note(known->second.at, "the first is here");
  return false;
}

llvm::StringRef NameTable::what(llvm::StringRef name) const {
  auto known = entries.find(name);
  return known == entries.end() ? llvm::StringRef() : llvm::StringRef(known->second.what);
}

std::vector<std::string> teeny::typeNames() {
  std::vector<const char *> names = dtypeNames();
  return {names.begin(), names.end()};
}

Diagnostic &FormatReader::error(const JsonField &at, std::string message) {
  return diagnostics.error(at->location(), std::move(message));
}

mlir::Location FormatReader::mlirLoc(const JsonField &field) {
  return field->location().toMLIR(context);
}

SourceLocation FormatReader::inside(const JsonField &field, size_t offset, size_t length) {
  SourceLocation at = field->location();
  bool plain = at.length == field->rawString().size() + 2; // nothing in it is escaped
  if (plain && offset <= field->rawString().size()) {
    at.column += 1 + offset;
    at.length = length;
  }
  return at;
}

std::optional<std::string> FormatReader::readLabel(const JsonField &field) {
  constexpr size_t longest = 200;
  std::optional<std::string> name = field.string();
  if (!name)
    return std::nullopt;
  auto isControl = [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; };
  if (name->empty())
    error(field, "a name must not be empty");
  else if (name->size() > longest)
    error(field, "a name has at most " + std::to_string(longest) + " bytes, found " +
                     std::to_string(name->size()));
  else if (llvm::any_of(*name, isControl))
    error(field, "a name must not have control characters");
  else
    return name;
  return std::nullopt;
}

std::optional<std::string> FormatReader::readIdentifier(const JsonField &field) {
  std::optional<std::string> name = readLabel(field);
  if (!name || Expr::isName(*name))
    return name;
  error(field, "'" + *name + "' is not a name for expressions")
      .suggest("letters, digits and '_', not beginning with a digit, and no word of the "
               "expression language");
  return std::nullopt;
}

std::optional<Expr> FormatReader::readExpr(const JsonField &field) {
  if (!field)
    return std::nullopt;
  if (field->isInteger())
    return Expr(field->rawInteger());
  if (!field->isString()) {
    error(field,
          field->called() + " must be an integer or an expression, found " + field->describe());
    return std::nullopt;
  }
  Result<Expr> expr = Expr::parse(std::string_view(field->rawString()));
  if (expr && expr->symbols().empty() && !expr->constant()) {
    // It is about nothing and has no value, ever.
    auto nothing = [](const std::string &) { return std::nullopt; };
    error(field, "in an expression: " + expr->evaluate(nothing).error().message);
    return std::nullopt;
  }
  if (expr)
    return *expr;
  // "column 5: expected ...": the column becomes ours.
  llvm::StringRef message = expr.error().message;
  size_t column = 0;
  if (message.consume_front("column ") && !message.consumeInteger(10, column) &&
      message.consume_front(": "))
    diagnostics.error(inside(field, column - 1, 1), "in an expression: " + message.str());
  else
    error(field, "in an expression: " + expr.error().message);
  return std::nullopt;
}

// Where `name` stands as a word in `text`.
static size_t findWord(llvm::StringRef text, llvm::StringRef name) {
  auto inWord = [&](size_t at) {
    return at < text.size() && (llvm::isAlnum(text[at]) || text[at] == '_');
  };
  size_t at = text.find(name);
  while (at != llvm::StringRef::npos && ((at > 0 && inWord(at - 1)) || inWord(at + name.size())))
    at = text.find(name, at + 1);
  return at;
}

bool FormatReader::checkNames(const JsonField &field, const Expr &expr, const char *kind,
                              llvm::function_ref<bool(llvm::StringRef)> known,
                              llvm::function_ref<std::vector<std::string>()> candidates) {
  bool good = true;
  for (const std::string &name : expr.symbols()) {
    if (known(name))
      continue;
    good = false;
    SourceLocation at = field->location();
    if (field->isString())
      at = inside(field, findWord(field->rawString(), name), name.size());
    std::string meant = diagnostics.isFull() ? "" : nearest(name, candidates());
    diagnostics.error(at, "unknown " + std::string(kind) + " '" + name + "'").didYouMean(meant);
  }
  return good;
}

bool FormatReader::checkRank(const JsonField &shape, size_t rank) {
  if (rank <= maxTensorRank)
    return true;
  error(shape, "a tensor has at most " + std::to_string(maxTensorRank) + " dims, found " +
                   std::to_string(rank));
  return false;
}

std::optional<DType> FormatReader::readDtype(const JsonField &field) {
  std::optional<std::string> name = field.string();
  if (!name || !checkDtype(field, *name, {}))
    return std::nullopt;
  return dtypeByName(*name);
}

bool FormatReader::checkDtype(const JsonField &field, llvm::StringRef name,
                              llvm::ArrayRef<std::string> variables) {
  if (dtypeByName(std::string_view(name)) || llvm::is_contained(variables, name))
    return true;
  std::vector<std::string> candidates = typeNames();
  candidates.insert(candidates.end(), variables.begin(), variables.end());
  std::string meant = nearest(name, candidates);
  Diagnostic &report = error(field, "unknown type '" + name.str() + "'").didYouMean(meant);
  if (meant.empty())
    report.suggest("there are " + listed(candidates, false));
  return false;
}
