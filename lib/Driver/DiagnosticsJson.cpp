#include "Driver/DiagnosticsJson.h"

using namespace teeny;

// Messages quote what users wrote, which may be any bytes.
static void text(llvm::StringRef key, llvm::StringRef value, llvm::json::OStream &json) {
  json.attribute(key, llvm::json::fixUTF8(value));
}

static void place(const SourceLocation &at, llvm::json::OStream &json) {
  if (!at.source)
    return;
  text("file", at.source->name, json);
  if (at.line)
    json.attribute("line", at.line);
  if (at.line && at.column) {
    json.attribute("column", at.column);
    json.attribute("length", at.length);
  }
  if (!at.jsonPath.empty())
    text("path", at.jsonPath, json);
}

void teeny::writeJson(const Diagnostics &diagnostics, llvm::json::OStream &json) {
  static constexpr const char *severities[] = {"error", "warning", "note"};
  for (const Diagnostic &diagnostic : diagnostics.all())
    json.object([&] {
      json.attribute("severity", severities[int(diagnostic.severity)]);
      text("message", diagnostic.message, json);
      place(diagnostic.location, json);
      if (!diagnostic.hint.empty())
        text("hint", diagnostic.hint, json);
      json.attributeArray("notes", [&] {
        for (const Note &note : diagnostic.notes)
          json.object([&] {
            text("message", note.message, json);
            place(note.location, json);
          });
      });
    });
}

void teeny::writeJson(const Error &error, llvm::json::OStream &json) {
  json.object([&] {
    json.attribute("severity", "error");
    text("message", error.message, json);
    json.attributeArray("notes", [] {});
  });
}
