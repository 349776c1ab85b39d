// Between our locations and diagnostics and those of MLIR.
#include "Support/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/StringExtras.h"

using namespace teeny;

mlir::Location SourceLocation::toMLIR(mlir::MLIRContext *context) const {
  if (!source)
    return mlir::UnknownLoc::get(context);
  mlir::Location place = mlir::FileLineColLoc::get(context, source->name, line, column);
  if (jsonPath.empty())
    return place;
  return mlir::NameLoc::get(mlir::StringAttr::get(context, jsonPath), place);
}

namespace {

// Bytes of the JSON string, word, number or single character that begins at `column` of `line`.
unsigned tokenLength(llvm::StringRef line, unsigned column) {
  if (column == 0 || column > line.size())
    return 1;
  llvm::StringRef rest = line.drop_front(column - 1);
  if (rest[0] == '"') {
    for (size_t at = 1; at < rest.size(); ++at) {
      if (rest[at] == '\\')
        ++at;
      else if (rest[at] == '"')
        return at + 1;
    }
    return rest.size();
  }
  size_t word = 0;
  while (word < rest.size() && (llvm::isAlnum(rest[word]) || rest[word] == '_' ||
                                (word > 0 && rest[word] == '.') || rest[word] == '-'))
    ++word;
  return std::max<size_t>(word, 1);
}

// The frames of a call chain, innermost first; one frame where there is no chain.
void frames(mlir::Location location, std::vector<mlir::Location> &out) {
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location)) {
    frames(call.getCallee(), out);
    frames(call.getCaller(), out);
  } else {
    out.push_back(location);
  }
}

// The place of one frame.
SourceLocation placeOf(mlir::Location location, const Sources &sources) {
  if (auto named = llvm::dyn_cast<mlir::NameLoc>(location)) {
    SourceLocation place = placeOf(named.getChildLoc(), sources);
    if (place.source && place.jsonPath.empty())
      place.jsonPath = named.getName().str();
    return place;
  }
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location)) {
    for (mlir::Location part : fused.getLocations())
      if (SourceLocation place = fromMLIR(part, sources); place.source)
        return place;
    return {};
  }
  auto file = llvm::dyn_cast<mlir::FileLineColRange>(location);
  if (!file)
    return {};
  SourceLocation place;
  place.source = sources.find(file.getFilename());
  if (!place.source)
    return {};
  place.line = file.getStartLine();
  place.column = file.getStartColumn();
  place.length = tokenLength(place.source->line(place.line), place.column);
  return place;
}

} // namespace

SourceLocation teeny::fromMLIR(mlir::Location location, const Sources &sources) {
  std::vector<mlir::Location> chain;
  frames(location, chain);
  return placeOf(chain.front(), sources);
}

struct MLIRDiagnosticHandler::State {
  State(mlir::MLIRContext *context, Diagnostics &diagnostics, const Sources &sources)
      : handler(context,
                [&diagnostics, &sources](mlir::Diagnostic &found) {
                  std::vector<mlir::Location> chain;
                  frames(found.getLocation(), chain);
                  SourceLocation place = placeOf(chain.front(), sources);
                  std::string text = found.str();
                  if (!place.source && !llvm::isa<mlir::UnknownLoc>(chain.front())) {
                    std::string shown;
                    llvm::raw_string_ostream(shown) << chain.front();
                    text = shown + ": " + text;
                  }
                  bool isError = found.getSeverity() == mlir::DiagnosticSeverity::Error;
                  Diagnostic &report = isError ? diagnostics.error(place, std::move(text))
                                               : diagnostics.warning(place, std::move(text));
                  for (size_t i = 1; i < chain.size(); ++i)
                    report.note(placeOf(chain[i], sources), "called from here");
                  for (mlir::Diagnostic &note : found.getNotes()) {
                    std::string text = note.str();
                    if (llvm::StringRef hint = text; hint.consume_front("hint: "))
                      report.suggest(hint.str());
                    else
                      report.note(fromMLIR(note.getLocation(), sources), std::move(text));
                  }
                  return mlir::success();
                }),
        context(context), printedOps(context->shouldPrintOpOnDiagnostic()) {
    context->printOpOnDiagnostic(false);
  }
  ~State() { context->printOpOnDiagnostic(printedOps); }

  mlir::ScopedDiagnosticHandler handler;
  mlir::MLIRContext *context;
  bool printedOps;
};

MLIRDiagnosticHandler::MLIRDiagnosticHandler(mlir::MLIRContext *context, Diagnostics &diagnostics,
                                             const Sources &sources)
    : state(std::make_unique<State>(context, diagnostics, sources)) {}

MLIRDiagnosticHandler::~MLIRDiagnosticHandler() = default;
