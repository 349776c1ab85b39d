// What teeny-run is asked to do. Failures are exceptions: teeny::runtime::Failure of the runtime,
// and UserError for the rest.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace runner {

struct Options {
  std::string bundle;
  std::string sha256; // expected; empty: any
  std::string device; // empty: the best
  std::string target; // empty: any
  int threads = 0;
  bool graphs = true;
  std::map<std::string, std::string> inputs; // name -> npy file
  std::vector<std::pair<std::string, std::string>> outputs;
  std::vector<std::pair<std::string, int64_t>> dims;
  std::optional<uint64_t> seed; // fill inputs that have no file
  // A single kernel, where there is a grid.
  std::string kernel; // empty: the only one
  std::vector<int32_t> grid;
  std::vector<std::pair<std::string, std::string>> args;
  int repeat = 0;       // timed runs; 0: one that is not timed
  int warmup = 3;       // before them
  bool timings = false; // of each launch
  bool describe = false;
  bool verify = false;
  bool json = false;
};

// A file or argument of the user that does not fit.
class UserError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// All print to standard output.
void describe(const Options &options);
void run(const Options &options);
void launch(const Options &options);
void verify(const Options &options);

} // namespace runner
