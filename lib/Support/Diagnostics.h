// Errors for people: where, what was found, what would be right.
//
// A diagnostic has a place in a source (a JSON file or a kernel), a message, a hint, and notes with
// places of their own (a call chain, the declaration that disagrees). Diagnostics collects them;
// the tool renders them once:
//
//   model.json:12:27: error: unknown op 'yolo.detect_decod'
//     12 |   {"name": "boxes", "op": "yolo.detect_decod", "inputs": ["ltrb"]}
//        |                           ^~~~~~~~~~~~~~~~~~~
//     at nodes[0].op
//     hint: did you mean 'yolo.detect_decode'?
//
// A message is lower case and has no final period. Notes follow the hint, each rendered in the same
// way. A line that is too long is cut around the caret; tabs become spaces; bytes that do not print
// become U+FFFD.
#pragma once

#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
}

namespace teeny {

// A text with the name it is shown under. Owned by a Sources, which outlives everything that points
// to it.
struct Source {
  std::string name;
  std::string text;

  // Line `number` (from 1) without its end; empty where there is none.
  llvm::StringRef line(unsigned number) const;

  // Line and column (from 1, in bytes) of the byte at `offset`, which may be the end of the text.
  std::pair<unsigned, unsigned> lineAndColumn(size_t offset) const;

private:
  const std::vector<size_t> &starts() const;
  mutable std::vector<size_t> lineStarts; // found on first use, by any thread
  mutable std::once_flag startsFound;
};

// A place in a source. Lines and columns count from 1, columns in bytes; line 0 is the source as a
// whole, column 0 the line as a whole.
struct SourceLocation {
  const Source *source = nullptr;
  unsigned line = 0, column = 0;
  unsigned length = 1;  // in bytes, of what the caret underlines, on this line
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
  // "did you mean 'name'?"; nothing if `name` is empty, as nearest() gives it where nothing is
  // near.
  Diagnostic &didYouMean(llvm::StringRef name);
  Diagnostic &suggest(std::string text); // any other hint
};

// All sources read in one run, by name.
class Sources {
public:
  // Keeps a text; the pointer stays valid as long as this object.
  const Source *add(std::string name, std::string text);
  // Reads a file; null with `error` set if it cannot be read or is larger than `maxBytes`.
  const Source *readFile(llvm::StringRef path, std::string &error,
                         size_t maxBytes = size_t(256) << 20);
  const Source *find(llvm::StringRef name) const;

private:
  std::vector<std::unique_ptr<Source>> sources;
};

class Diagnostics {
public:
  // Of a flood, the first are enough: further ones are counted but not kept.
  static constexpr size_t maxKept = 100;

  // The reference is valid until the next report.
  Diagnostic &error(SourceLocation at, std::string message);
  Diagnostic &warning(SourceLocation at, std::string message);

  // Takes over all of another's, after its own; `note`, if given, is added to each.
  void append(Diagnostics other, const Note *note = nullptr);

  bool hasErrors() const { return errors != 0; }
  // Whether what is reported now is only counted: not worth looking for suggestions.
  bool isFull() const { return list.size() == maxKept; }
  unsigned errorCount() const { return errors; }
  const std::vector<Diagnostic> &all() const { return list; }
  void render(llvm::raw_ostream &os, bool colours = false) const;

private:
  Diagnostic &report(Severity severity, SourceLocation at, std::string message);
  std::vector<Diagnostic> list;
  Diagnostic surplus;
  unsigned errors = 0, dropped = 0;
};

// While it lives, diagnostics of `context` (verifiers, passes) become ours; locations are looked up
// in `sources`, and operations are not printed. A note that begins with "hint: " becomes the hint;
// callers in a call chain notes.
class MLIRDiagnosticHandler {
public:
  MLIRDiagnosticHandler(mlir::MLIRContext *context, Diagnostics &diagnostics,
                        const Sources &sources);
  ~MLIRDiagnosticHandler();

private:
  struct State;
  std::unique_ptr<State> state;
};

// The place of an MLIR location in `sources`: the innermost place of a call chain; what is
// underlined is the token found there. Its source is null where the location names none of them.
SourceLocation fromMLIR(mlir::Location location, const Sources &sources);

// The candidate nearest to `name` by edit distance, if it is near enough to be what was meant; else
// empty.
std::string nearest(llvm::StringRef name, llvm::ArrayRef<std::string> candidates);

// "a", "a and b", "a, b and c"; each item in quotes if `quoted`.
std::string listed(llvm::ArrayRef<std::string> items, bool quoted = true);

// "1 dim", "2 dims".
std::string counted(size_t count, llvm::StringRef noun);

} // namespace teeny
