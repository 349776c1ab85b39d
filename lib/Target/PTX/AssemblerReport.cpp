#include "Target/PTX/PTX.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"

using namespace teeny::ptx;
using llvm::StringRef;

// The number before `unit`, as in "Used 27 registers, 1024 bytes smem"; 0 where it is not named.
static int numberBefore(StringRef line, StringRef unit) {
  size_t at = line.find(unit);
  if (at == StringRef::npos)
    return 0;
  StringRef before = line.take_front(at).rtrim();
  StringRef digits = before.take_back(before.size() - (before.find_last_not_of("0123456789") + 1));
  int number = 0;
  return digits.getAsInteger(10, number) ? 0 : number;
}

static StringRef quoted(StringRef line) { return line.split('\'').second.split('\'').first; }

AssemblerReport teeny::ptx::parseAssemblerOutput(const std::string &text) {
  AssemblerReport report;
  llvm::Regex numbered("\\(C[0-9]+\\)");
  KernelReport properties; // of a function that is not an entry: not kept
  KernelReport *current = &properties;
  llvm::SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  for (StringRef line : lines) {
    line = line.trim();
    if (line.contains("warning") || numbered.match(line)) {
      report.warnings.push_back(line.str());
    } else if (line.contains("Compiling entry function")) {
      report.kernels.push_back({});
      current = &report.kernels.back();
      current->kernel = quoted(line).str();
    } else if (size_t at = line.find("Function properties for "); at != StringRef::npos) {
      StringRef name = line.drop_front(at + 24).trim();
      bool entry = !report.kernels.empty() && report.kernels.back().kernel == name;
      current = entry ? &report.kernels.back() : &properties;
    } else if (line.contains("bytes stack frame")) {
      current->stackBytes = numberBefore(line, " bytes stack frame");
      current->spillStoreBytes = numberBefore(line, " bytes spill stores");
      current->spillLoadBytes = numberBefore(line, " bytes spill loads");
    } else if (line.contains("Used ") && line.contains(" registers") && !report.kernels.empty()) {
      current = &report.kernels.back(); // printed last, whatever functions came between
      current->registers = numberBefore(line, " registers");
      current->barriers = numberBefore(line, " barriers");
      current->sharedBytes = numberBefore(line, " bytes smem");
    }
  }
  return report;
}
