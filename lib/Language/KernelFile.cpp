#include "Language/Imports.h"
#include "Language/Language.h"
#include "Language/Module.h"

#include "llvm/ADT/STLExtras.h"

namespace teeny {

using namespace lang;

std::vector<const ast::FunctionStmt *> ParsedFile::functions() const {
  std::vector<const ast::FunctionStmt *> result;
  auto visit = [&](auto &self, const ast::Block &block) -> void {
    for (const ast::StmtPtr &statement : block) {
      auto *function = llvm::dyn_cast<ast::FunctionStmt>(statement.get());
      if (function && function->role == ast::FunctionStmt::kernel)
        result.push_back(function);
      if (auto *branch = llvm::dyn_cast<ast::IfStmt>(statement.get())) {
        self(self, branch->body);
        self(self, branch->orelse);
      }
      if (auto *attempt = llvm::dyn_cast<ast::TryStmt>(statement.get())) {
        self(self, attempt->body);
        self(self, attempt->handlers);
        self(self, attempt->orelse);
      }
    }
  };
  visit(visit, statements);
  return result;
}

std::string ParsedFile::shown(const ast::FunctionStmt &function) const {
  bool device = llvm::StringRef(source->name).starts_with("lang/libdevice");
  llvm::StringRef name = function.name;
  if (isLibrary && name.consume_front("helper_"))
    return ("triton_helpers." + name).str();
  return (isLibrary ? device ? "libdevice." : "tl." : "") + function.name;
}

bool lang::isConstexprAnnotation(const ast::Expr *annotation) {
  if (!annotation)
    return false;
  if (auto *name = llvm::dyn_cast<ast::NameExpr>(annotation))
    return name->name == "constexpr";
  if (auto *attribute = llvm::dyn_cast<ast::AttributeExpr>(annotation))
    return attribute->name == "constexpr";
  if (auto *text = llvm::dyn_cast<ast::StringExpr>(annotation))
    return llvm::StringRef(text->value).trim().ends_with("constexpr");
  return false;
}

// `tl.int64`, `"i64"`, `tl.float32`: a type; `int`, `float` and `tl.tensor` say less than the
// caller knows.
static std::optional<ScalarType> annotatedType(const ast::Expr *annotation) {
  if (auto *attribute = llvm::dyn_cast_or_null<ast::AttributeExpr>(annotation))
    return ScalarType::parse(attribute->name);
  auto *text = llvm::dyn_cast_or_null<ast::StringExpr>(annotation);
  if (!text)
    return std::nullopt;
  llvm::StringRef name = llvm::StringRef(text->value).trim();
  return ScalarType::parse(name.contains('.') ? name.rsplit('.').second : name);
}

// An expression as it is written, on its first line.
static std::string textOf(const Source &source, const ast::Expr *expr) {
  if (!expr)
    return "";
  return source.line(expr->span.line).substr(expr->span.column - 1, expr->span.length).str();
}

// Whether @triton.jit(do_not_specialize=[...]) or do_not_specialize_on_alignment lists the
// parameter, by name or number.
static bool isUnspecialized(const ast::FunctionStmt &function, size_t index) {
  for (const ast::ExprPtr &decorator : function.decorators) {
    auto *call = llvm::dyn_cast<ast::CallExpr>(decorator.get());
    if (!call)
      continue;
    for (const ast::Keyword &keyword : call->keywords) {
      auto *list = llvm::dyn_cast<ast::TupleExpr>(keyword.value.get());
      if (!list ||
          (keyword.name != "do_not_specialize" && keyword.name != "do_not_specialize_on_alignment"))
        continue;
      for (const ast::ExprPtr &item : list->items) {
        auto *name = llvm::dyn_cast<ast::StringExpr>(item.get());
        auto *number = llvm::dyn_cast<ast::IntegerExpr>(item.get());
        if ((name && name->value == function.parameters[index].name) ||
            (number && number->value == lang::Integer(index)))
          return true;
      }
    }
  }
  return false;
}

static bool isTuner(const ast::Expr &decorator) {
  auto *call = llvm::dyn_cast<ast::CallExpr>(&decorator);
  llvm::StringRef name = ast::lastName(call ? call->callee.get() : nullptr);
  return name == "autotune" || name == "heuristics";
}

const KernelParameter *KernelInfo::find(llvm::StringRef name) const {
  for (const KernelParameter &parameter : parameters)
    if (parameter.name == name)
      return &parameter;
  return nullptr;
}

KernelFile::KernelFile() = default;
KernelFile::~KernelFile() = default;

std::unique_ptr<KernelFile> KernelFile::parse(const Source *source, Diagnostics &diagnostics,
                                              Sources *sources) {
  unsigned before = diagnostics.errorCount();
  std::unique_ptr<KernelFile> result(new KernelFile());
  result->file = std::make_unique<ParsedFile>();
  result->file->source = source;
  result->file->statements = parseFile(*source, diagnostics);
  if (sources)
    importFiles(*result->file, *sources, result->imported, diagnostics);
  if (diagnostics.errorCount() != before)
    return nullptr;
  auto place = [&](Span span) {
    SourceLocation location;
    location.source = source;
    location.line = span.line;
    location.column = span.column;
    location.length = span.length;
    return location;
  };
  for (const ast::FunctionStmt *function : result->file->functions()) {
    KernelInfo info;
    info.name = function->name;
    for (const ast::ExprPtr &decorator : function->decorators)
      info.isTuned |= isTuner(*decorator);
    info.location = place(function->span);
    for (const auto &[index, parameter] : llvm::enumerate(function->parameters)) {
      const ast::Expr *annotation = parameter.annotation.get();
      KernelParameter entry;
      entry.name = parameter.name;
      entry.location = place(parameter.span);
      entry.isConstexpr = isConstexprAnnotation(annotation);
      entry.hasDefault = parameter.defaultValue != nullptr;
      entry.alignmentMatters = !isUnspecialized(*function, index);
      entry.annotation = entry.isConstexpr ? std::nullopt : annotatedType(annotation);
      entry.annotationText = textOf(*source, annotation);
      entry.defaultText = textOf(*source, parameter.defaultValue.get());
      info.parameters.push_back(std::move(entry));
    }
    result->infos.push_back(std::move(info));
  }
  return result;
}

const KernelInfo *KernelFile::find(llvm::StringRef name) const {
  for (const KernelInfo &info : infos)
    if (info.name == name)
      return &info;
  return nullptr;
}

void KernelFile::suggestKernel(Diagnostic &error, llvm::StringRef name) const {
  std::vector<std::string> names;
  for (const KernelInfo &info : infos)
    names.push_back(info.name);
  std::string near = nearest(name, names);
  if (!near.empty())
    error.didYouMean(near);
  else if (names.empty())
    error.suggest("the file has no function decorated with @triton.jit");
  else
    error.suggest("the file has " + listed(names));
}

const Source *KernelFile::source() const { return file->source; }

} // namespace teeny
