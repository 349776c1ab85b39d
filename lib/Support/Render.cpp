// Prints diagnostics: the header line, the source line with what is meant underlined, JSON path,
// hint, notes. Tested by test/Support/DiagnosticsTest.cpp.
#include "Support/Diagnostics.h"

#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>

using namespace teeny;

namespace {

constexpr size_t maxColumns = 100; // of a source line
constexpr llvm::StringLiteral ellipsis = "...";

// One character of the source as it is shown.
struct Cell {
  std::string text;
  unsigned columns;
  size_t begin, end; // bytes of the line
};

Cell cellAt(llvm::StringRef line, size_t at) {
  if (line[at] == '\t')
    return {"    ", 4, at, at + 1};
  size_t size = llvm::getNumBytesForUTF8(line[at]);
  llvm::StringRef character = line.substr(at, size);
  int columns = llvm::sys::unicode::columnWidthUTF8(character);
  if (character.size() != size || columns < 0) {
    bool whole = columns != llvm::sys::unicode::ErrorInvalidUTF8 && character.size() == size;
    return {"\xEF\xBF\xBD", 1, at, at + (whole ? size : 1)};
  }
  return {character.str(), unsigned(columns), at, at + size};
}

// A line is cut into cells only around the column of interest, so that a line of many megabytes
// costs no more than a short one: 4 bytes a character at most.
std::vector<Cell> cellsAround(llvm::StringRef line, size_t focus, bool &cutBefore, bool &cutAfter) {
  constexpr size_t reach = 4 * maxColumns;
  size_t begin = focus > reach ? focus - reach : 0, end = std::min(line.size(), focus + reach);
  while (begin > 0 && (line[begin] & 0xC0) == 0x80)
    ++begin;
  std::vector<Cell> cells;
  for (size_t at = begin; at < end; at = cells.back().end)
    cells.push_back(cellAt(line, at));

  // From the focus, grow to the left to a third of the width, then to the right, then left again.
  size_t first = 0;
  while (first < cells.size() && cells[first].end <= focus)
    ++first;
  size_t last = first;
  unsigned used = 0;
  auto grow = [&](unsigned limit, bool left) {
    while (left ? first > 0 : last < cells.size()) {
      unsigned columns = cells[left ? first - 1 : last].columns;
      if (used + columns > limit)
        return;
      used += columns;
      left ? --first : ++last;
    }
  };
  grow(maxColumns / 3, true);
  grow(maxColumns, false);
  grow(maxColumns, true);
  cutBefore = first > 0 || begin > 0;
  cutAfter = last < cells.size() || end < line.size();
  return {cells.begin() + first, cells.begin() + last};
}

class Renderer {
public:
  Renderer(llvm::raw_ostream &os, bool colours) : os(os), colours(colours) {}

  void entry(Severity severity, const SourceLocation &at, const std::string &message,
             const std::string &hint) {
    if (at.source) {
      std::string place = at.source->name + ":";
      if (at.line)
        place += std::to_string(at.line) + ":" +
                 (at.column ? std::to_string(at.column) + ":" : std::string());
      bold(place);
      os << ' ';
    }
    switch (severity) {
    case Severity::error:
      paint("1;31", "error:");
      break;
    case Severity::warning:
      paint("1;35", "warning:");
      break;
    case Severity::note:
      paint("1;36", "note:");
      break;
    }
    os << ' ';
    bold(printable(message));
    os << '\n';
    if (at.source && at.line)
      excerpt(at);
    if (!at.jsonPath.empty())
      os << "  at " << printable(at.jsonPath) << '\n';
    if (!hint.empty())
      os << "  hint: " << printable(hint) << '\n';
  }

private:
  void paint(llvm::StringRef code, llvm::StringRef text) {
    if (colours)
      os << "\x1b[" << code << 'm' << text << "\x1b[0m";
    else
      os << text;
  }
  void bold(llvm::StringRef text) { paint("1", text); }

  // Messages quote what users wrote: no control characters reach the terminal.
  static std::string printable(llvm::StringRef text) {
    constexpr size_t longest = 2000;
    std::string shown;
    for (size_t at = 0; at < text.size() && shown.size() < longest;) {
      Cell cell = cellAt(text, at);
      shown += cell.text;
      at = cell.end;
    }
    return text.size() > longest ? shown + ellipsis.str() : shown;
  }

  void excerpt(const SourceLocation &at) {
    llvm::StringRef line = at.source->line(at.line);
    size_t focus = at.column ? std::min<size_t>(at.column - 1, line.size()) : 0;
    size_t focusEnd = std::max<size_t>(focus + 1, std::min<size_t>(focus + at.length, line.size()));
    bool cutBefore, cutAfter;
    std::vector<Cell> cells = cellsAround(line, focus, cutBefore, cutAfter);

    std::string text = cutBefore ? ellipsis.str() : "";
    std::string marks(text.size(), ' ');
    bool marked = false;
    auto mark = [&](size_t columns) {
      for (size_t i = 0; i < columns; ++i, marked = true)
        marks += marked ? '~' : '^';
    };
    for (const Cell &cell : cells) {
      text += cell.text;
      if (cell.end <= focus)
        marks.append(cell.columns, ' ');
      else if (cell.begin < focusEnd)
        mark(cell.columns);
    }
    if (!marked)
      mark(1); // at the end of the line
    if (cutAfter)
      text += ellipsis;

    std::string number = std::to_string(at.line);
    os << "  " << number << " |" << (text.empty() ? "" : " ") << llvm::StringRef(text).rtrim(' ')
       << '\n';
    if (at.column) {
      os << "  " << std::string(number.size(), ' ') << " | ";
      size_t caret = marks.find('^');
      os << marks.substr(0, caret);
      paint("1;32", marks.substr(caret));
      os << '\n';
    }
  }

  llvm::raw_ostream &os;
  bool colours;
};

} // namespace

void Diagnostics::render(llvm::raw_ostream &os, bool colours) const {
  Renderer renderer(os, colours);
  for (const Diagnostic &diagnostic : list) {
    renderer.entry(diagnostic.severity, diagnostic.location, diagnostic.message, diagnostic.hint);
    for (const Note &note : diagnostic.notes)
      renderer.entry(Severity::note, note.location, note.message, "");
  }
  if (dropped)
    os << dropped << " more not shown\n";
}
