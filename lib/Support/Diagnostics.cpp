#include "Support/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <numeric>

using namespace teeny;

const std::vector<size_t> &Source::starts() const {
  std::call_once(startsFound, [this] {
    lineStarts.push_back(0);
    for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
      lineStarts.push_back(at + 1);
  });
  return lineStarts;
}

llvm::StringRef Source::line(unsigned number) const {
  if (number == 0 || number > starts().size())
    return {};
  size_t begin = starts()[number - 1];
  size_t end = number < starts().size() ? starts()[number] - 1 : text.size();
  llvm::StringRef found = llvm::StringRef(text).slice(begin, end);
  found.consume_back("\r");
  return found;
}

std::pair<unsigned, unsigned> Source::lineAndColumn(size_t offset) const {
  auto after = std::upper_bound(starts().begin(), starts().end(), offset);
  return {after - starts().begin(), offset - after[-1] + 1};
}

Diagnostic &Diagnostic::note(SourceLocation at, std::string text) {
  notes.push_back({std::move(at), std::move(text)});
  return *this;
}

Diagnostic &Diagnostic::didYouMean(llvm::StringRef name) {
  return name.empty() ? *this : suggest("did you mean '" + name.str() + "'?");
}

Diagnostic &Diagnostic::suggest(std::string text) {
  hint = std::move(text);
  return *this;
}

const Source *Sources::add(std::string name, std::string text) {
  sources.push_back(std::make_unique<Source>());
  sources.back()->name = std::move(name);
  sources.back()->text = std::move(text);
  return sources.back().get();
}

// Read piece by piece rather than by the size that the system states: pipes state none, and devices
// may never end.
const Source *Sources::readFile(llvm::StringRef path, std::string &error, size_t maxBytes) {
  llvm::Expected<llvm::sys::fs::file_t> file = llvm::sys::fs::openNativeFileForRead(path);
  if (!file) {
    error = llvm::toString(file.takeError());
    return nullptr;
  }
  std::string text;
  error.clear();
  for (std::vector<char> piece(1 << 16); error.empty();) {
    llvm::Expected<size_t> got = llvm::sys::fs::readNativeFile(*file, piece);
    if (!got)
      error = llvm::toString(got.takeError());
    else if (text.size() + *got > maxBytes)
      error = "larger than " + std::to_string(maxBytes) + " bytes";
    else if (*got == 0)
      break;
    else
      text.append(piece.data(), *got);
  }
  llvm::sys::fs::closeFile(*file);
  return error.empty() ? add(path.str(), std::move(text)) : nullptr;
}

const Source *Sources::find(llvm::StringRef name) const {
  for (const auto &source : sources)
    if (source->name == name)
      return source.get();
  return nullptr;
}

Diagnostic &Diagnostics::error(SourceLocation at, std::string message) {
  ++errors;
  return report(Severity::error, std::move(at), std::move(message));
}

Diagnostic &Diagnostics::warning(SourceLocation at, std::string message) {
  return report(Severity::warning, std::move(at), std::move(message));
}

void Diagnostics::append(Diagnostics other, const Note *note) {
  unsigned unkept = other.errors;
  for (Diagnostic &diagnostic : other.list) {
    if (note)
      diagnostic.notes.push_back(*note);
    unkept -= diagnostic.severity == Severity::error;
    errors += diagnostic.severity == Severity::error;
    report(diagnostic.severity, {}, {}) = std::move(diagnostic);
  }
  errors += unkept;
  dropped += other.dropped;
}

Diagnostic &Diagnostics::report(Severity severity, SourceLocation at, std::string message) {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.location = std::move(at);
  diagnostic.message = std::move(message);
  if (list.size() == maxKept) {
    ++dropped;
    return surplus = std::move(diagnostic);
  }
  return list.emplace_back(std::move(diagnostic));
}

// How many letters are wrong: one too many, one too few, one for another, or two neighbours in the
// wrong order. Optimal string alignment, the restricted form of Damerau's distance: each row of the
// table is made from the two before it.
static unsigned distanceOf(llvm::StringRef a, llvm::StringRef b) {
  std::vector<unsigned> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  auto same = [&](size_t i, size_t j) { return llvm::toLower(a[i]) == llvm::toLower(b[j]); };
  for (size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({last[j] + !same(i, j), last[j + 1] + 1, row[j] + 1});
      if (i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j))
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
    before = std::exchange(last, row);
  }
  return last.back();
}

static bool beginAlike(llvm::StringRef a, llvm::StringRef b) {
  return llvm::toLower(a.front()) == llvm::toLower(b.front());
}

std::string teeny::nearest(llvm::StringRef name, llvm::ArrayRef<std::string> candidates) {
  constexpr size_t longest = 100; // the distance costs the product of the lengths
  if (name.empty() || name.size() > longest)
    return {};
  std::string best;
  unsigned bestDistance = (name.size() + 2) / 3 + 1;
  for (const std::string &candidate : candidates) {
    const size_t more = std::max(candidate.size(), name.size());
    const size_t less = std::min(candidate.size(), name.size());
    if (candidate.empty() || candidate.size() > longest || more - less > bestDistance)
      continue;
    unsigned distance = distanceOf(name, candidate);
    // Of equally near ones the first that begins alike: the first letter is seldom the wrong one.
    const bool isBetter =
        distance < bestDistance || (distance == bestDistance && !best.empty() &&
                                    beginAlike(name, candidate) && !beginAlike(name, best));
    // Nothing of the name would be left: "x" is not a misspelt "y".
    if (isBetter && distance < more) {
      best = candidate;
      bestDistance = distance;
      if (distance == 0) // but for upper and lower case
        break;
    }
  }
  return best;
}

std::string teeny::listed(llvm::ArrayRef<std::string> items, bool quoted) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i)
      text += i + 1 == items.size() ? " and " : ", ";
    text += quoted ? "'" + items[i] + "'" : items[i];
  }
  return text;
}

std::string teeny::counted(size_t count, llvm::StringRef noun) {
  return std::to_string(count) + " " + noun.str() + (count == 1 ? "" : "s");
}
