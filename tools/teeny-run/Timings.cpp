#include "Timings.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace runner {

namespace rt = teeny::runtime;

static double median(const std::vector<double> &sorted) {
  size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

static std::string detailOf(const teeny_launch_info &info) {
  return std::string(info.kernel) + " " + info.target + " [" + std::to_string(info.grid[0]) + ", " +
         std::to_string(info.grid[1]) + ", " + std::to_string(info.grid[2]) + "]";
}

static void measureRuns(rt::Session &session, int runs, const Run &run, Timings &timings) {
  session.setTimings(TEENY_TIMINGS_RUN);
  TimingRow wall{"wall", "", {}}, device{"device", "", {}};
  for (int i = 0; i < runs; ++i) {
    auto begin = std::chrono::steady_clock::now();
    run();
    auto end = std::chrono::steady_clock::now();
    wall.times.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
    device.times.push_back(session.statistics().device_us);
  }
  timings.rows.push_back(wall);
  timings.rows.push_back(device);
}

static void measureLaunches(rt::Session &session, int runs, const Run &run, Timings &timings) {
  session.setTimings(TEENY_TIMINGS_LAUNCHES);
  std::vector<TimingRow> launches;
  for (int i = 0; i < runs; ++i) {
    run();
    const size_t count = session.statistics().launches;
    launches.resize(count);
    for (size_t j = 0; j < count; ++j) {
      teeny_launch_info info = session.launch(j);
      launches[j].name = info.name;
      launches[j].detail = detailOf(info);
      launches[j].times.push_back(info.device_us);
    }
  }
  for (TimingRow &row : launches)
    timings.rows.push_back(std::move(row));
}

Timings measure(rt::Session &session, const Options &options, const Run &run) {
  Timings timings;
  timings.runs = std::max(options.repeat, 1);
  for (int i = 0; i < options.warmup; ++i)
    run();
  measureRuns(session, timings.runs, run, timings);
  if (options.timings)
    measureLaunches(session, timings.runs, run, timings);
  for (TimingRow &row : timings.rows)
    std::sort(row.times.begin(), row.times.end());
  return timings;
}

void print(const Timings &timings) {
  size_t width = 4;
  for (const TimingRow &row : timings.rows)
    width = std::max(width, row.name.size());
  const int column = static_cast<int>(width);
  std::printf("%-*s  %10s  %10s  %10s  us\n", column, "", "min", "median", "max");
  for (const TimingRow &row : timings.rows)
    std::printf("%-*s  %10.2f  %10.2f  %10.2f  %s\n", column, row.name.c_str(), row.times.front(),
                median(row.times), row.times.back(), row.detail.c_str());
}

nlohmann::ordered_json toJson(const Timings &timings) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const TimingRow &row : timings.rows) {
    nlohmann::ordered_json json = {{"name", row.name}};
    if (!row.detail.empty())
      json["detail"] = row.detail;
    json["min_us"] = row.times.front();
    json["median_us"] = median(row.times);
    json["max_us"] = row.times.back();
    rows.push_back(json);
  }
  return {{"runs", timings.runs}, {"rows", rows}};
}

} // namespace runner
