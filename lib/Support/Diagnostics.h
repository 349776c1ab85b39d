// Errors for people: where, what was found, what would be right.
//
// A diagnostic has a place in a source (a JSON file or a kernel), a message, notes with places of their own (a call chain,
// the declaration that disagrees) and a hint. Diagnostics collects them; the tool renders them once:
//
//   model.json:12:20: error: unknown op 'yolo.detect_decod'
//     12 |   {"name": "boxes", "op": "yolo.detect_decod", "inputs": ["ltrb"]}
//        |                           ^~~~~~~~~~~~~~~~~~~
//     at nodes[0].op
//     hint: did you mean 'yolo.detect_decode'?
//
// A message is lower case and has no final period.
#pragma once

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
}

namespace teeny {

// A text with the name it is shown under. Owned by a Sources, which outlives everything that points to it.
struct Source {
  std::string name;
  std::string text;

  // Line `number` (from 1) without its end; empty where there is none.
  llvm::StringRef line(unsigned number) const;
};

// A place in a source. Lines and columns count from 1, columns in bytes; line 0 is the source as a whole.
struct SourceLocation {
  const Source *source = nullptr;
  unsigned line = 0, column = 0;
  unsigned length = 1;  // of what the caret underlines, on this line
  std::string jsonPath; // "nodes[0].op", for JSON sources

  // As an MLIR location: FileLineColLoc, inside a NameLoc with the JSON path where there is one.
  mlir::Location toMLIR(mlir::MLIRContext *context) const;
};

enum class Severity { error, warning, note };

struct Note {
  SourceLocation location;
  std::string message;
};

struct Diagnostic {
  Severity severity = Severity::error;
  SourceLocation location;
  std::string message;
  std::vector<Note> notes;
  std::string hint;

  Diagnostic &note(SourceLocation at, std::string text);
  Diagnostic &suggest(std::string text);
};

// All sources read in one run, by name.
class Sources {
public:
  // Keeps a text; the pointer stays valid as long as this object.
  const Source *add(std::string name, std::string text);
  // Reads a file; null with `error` set if it cannot be read or is larger than `maxBytes`.
  const Source *readFile(llvm::StringRef path, std::string &error, size_t maxBytes = size_t(256) << 20);
  const Source *find(llvm::StringRef name) const;

private:
  std::vector<std::unique_ptr<Source>> sources;
};

class Diagnostics {
public:
  // The reference is valid until the next report.
  Diagnostic &error(SourceLocation at, std::string message);
  Diagnostic &warning(SourceLocation at, std::string message);

  bool hasErrors() const { return errors != 0; }
  unsigned errorCount() const { return errors; }
  const std::vector<Diagnostic> &all() const { return list; }
  void render(llvm::raw_ostream &os, bool colours = false) const;

private:
  std::vector<Diagnostic> list;
  unsigned errors = 0;
};

// While it lives, diagnostics of `context` (verifiers, passes) become ours; locations are looked up in `sources`.
class MLIRDiagnosticHandler {
public:
  MLIRDiagnosticHandler(mlir::MLIRContext *context, Diagnostics &diagnostics, const Sources &sources);
  ~MLIRDiagnosticHandler();

private:
  struct State;
  std::unique_ptr<State> state;
};

// The candidate nearest to `name` by edit distance, if it is near enough to be what was meant; else empty.
std::string nearest(llvm::StringRef name, llvm::ArrayRef<std::string> candidates);

} // namespace teeny
