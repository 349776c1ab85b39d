// Where the time of a compilation goes: for --time.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace teeny {

// Made when the process begins its work; what came before, loading libraries for the most part, is
// taken from its CPU time.
class TimePhases {
public:
  TimePhases();

  // What was done since the last call, or the beginning. `apart`: how much of it other programs
  // took, in milliseconds.
  void finished(llvm::StringRef name, double apart = 0);

  // A line for each, in milliseconds, then the sum without what other programs took.
  void print(llvm::raw_ostream &os) const;

private:
  struct Entry {
    std::string name;
    double milliseconds, apart;
  };
  std::vector<Entry> entries;
  std::chrono::steady_clock::time_point last;
};

} // namespace teeny
