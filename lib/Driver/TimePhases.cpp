#include "Driver/TimePhases.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <ctime>

using namespace teeny;

TimePhases::TimePhases() : last(std::chrono::steady_clock::now()) {
  entries.push_back({"start", 1000.0 * double(std::clock()) / CLOCKS_PER_SEC, 0});
}

void TimePhases::finished(llvm::StringRef name, double apart) {
  auto now = std::chrono::steady_clock::now();
  entries.push_back(
      {name.str(), std::chrono::duration<double, std::milli>(now - last).count(), apart});
  last = now;
}

void TimePhases::print(llvm::raw_ostream &os) const {
  double total = 0;
  for (const Entry &entry : entries) {
    os << llvm::format("%-16s %8.1f ms", entry.name.c_str(), entry.milliseconds);
    if (entry.apart > 0)
      os << llvm::format(", of which %.1f in the assembler", entry.apart);
    os << "\n";
    total += entry.milliseconds - entry.apart;
  }
  os << llvm::format("%-16s %8.1f ms\n", "teenyc", total);
}
