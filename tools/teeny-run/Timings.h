// Repeated runs and their times.
#pragma once

#include "Options.h"

#include "teeny/runtime.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>

namespace runner {

// One line of the table.
struct TimingRow {
  std::string name, detail;  // of a launch: its name, and kernel, target and grid
  std::vector<double> times; // microseconds, one a run; sorted
};

struct Timings {
  int runs = 0;
  // "wall": from the call of the runtime to its return, copies included; "device": the launches
  // together; then, with --timings, each launch, measured in runs of its own.
  std::vector<TimingRow> rows;
};

// What is timed: runs the session's model or one of its kernels, and waits.
using Run = std::function<void()>;

// Leaves the session after its last run.
Timings measure(teeny::runtime::Session &session, const Options &options, const Run &run);

void print(const Timings &timings); // min, median and max of each row
nlohmann::ordered_json toJson(const Timings &timings);

} // namespace runner
