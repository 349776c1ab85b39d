// What a session asks of its device, seen by a device that only writes it down.
#include "Runtime/Session.h"
#include "Runtime/Open.h"
#include "Runtime/TestBundle.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <map>
#include <sstream>

using namespace teeny;
using namespace teeny::rt;
using namespace teeny::test;

namespace {

// Shared with the device, which the session owns.
struct Log {
  std::vector<std::string> events;
  std::map<uint64_t, size_t> memory;     // what is allocated
  std::map<uint64_t, std::string> names; // of addresses that the test knows
  size_t freeBytes = SIZE_MAX;
  int waits = 0;

  std::string address(uint64_t value) const {
    auto after = names.upper_bound(value);
    if (after == names.begin())
      return "?";
    auto [begin, name] = *std::prev(after);
    return name + (value == begin ? "" : "+" + std::to_string(value - begin));
  }
  std::vector<std::string> take() { return std::exchange(events, {}); }
};

class RecordingDevice final : public Device {
public:
  RecordingDevice(Log &log, bool host) : log(log), host(host) {}
  ~RecordingDevice() override { REQUIRE(log.memory.empty()); }

  std::string describe() const override { return "recorder"; }
  int rank(std::string_view target) const override {
    return target == "x86-64" || target == "aarch64" ? 1 : target == "sm_80" ? 5 : 0;
  }
  bool usesHostMemory() const override { return host; }
  Status load(std::span<const ChosenCode> kernels) override {
    for (const ChosenCode &code : kernels)
      log.events.push_back("load " + code.kernel->name + " " + code.code->target);
    return {};
  }
  // Addresses that nothing else has, never reused: 1 << 40, 2 << 40, ...
  Result<uint64_t> allocate(size_t bytes) override {
    if (bytes > log.freeBytes)
      return Error{ErrorCode::outOfMemory, "no room"};
    uint64_t address = ++count << 40;
    log.memory[address] = bytes;
    log.events.push_back("allocate " + std::to_string(bytes));
    log.names[address] = "m" + std::to_string(count);
    return address;
  }
  void release(uint64_t address) override {
    REQUIRE(log.memory.erase(address) == 1);
    log.events.push_back("release " + log.address(address));
  }
  Status upload(uint64_t to, std::span<const std::byte> data) override {
    log.events.push_back("upload " + log.address(to) + " " + std::to_string(data.size()));
    return {};
  }
  Status download(void *to, uint64_t from, size_t bytes) override {
    log.events.push_back("download " + log.address(from) + " " + std::to_string(bytes));
    memset(to, 7, bytes);
    return {};
  }
  Status wait() override {
    ++log.waits;
    return {};
  }
  Result<RunTimes> times() override { return RunTimes(); }

  Status run(const Program &program, const RunRequest &) override {
    for (const auto *steps : {&program.before, &program.body, &program.after})
      for (const Step &step : *steps)
        log.events.push_back(text(step, program));
    return {};
  }

private:
  std::string text(const Step &step, const Program &program) {
    std::ostringstream out;
    if (step.kind == Step::Kind::copy)
      out << "copy " << log.address(step.from.address) << " -> " << log.address(step.to.address)
          << " " << step.bytes;
    else if (step.kind == Step::Kind::zero)
      out << "zero " << log.address(step.to.address) << " " << step.bytes;
    else {
      out << "launch " << step.launch << " kernel " << step.kernel << " grid " << step.grid[0]
          << "," << step.grid[1] << "," << step.grid[2] << " (";
      for (size_t i = 0; i < step.argCount; ++i) {
        uint64_t arg = program.args[step.firstArg + i];
        out << (i ? ", " : "");
        if (arg >> 32 && arg >> 63 == 0)
          out << log.address(arg);
        else
          out << static_cast<int64_t>(arg);
      }
      out << ")";
    }
    return out.str();
  }

  Log &log;
  const bool host;
  uint64_t count = 0;
};

std::unique_ptr<rt::Session> makeSession(const TestBundle &model, Log &log, bool host = false) {
  std::vector<std::byte> bytes = model.bytes();
  auto bundle = openBundleCopy(bytes, nullptr);
  REQUIRE(bundle);
  auto session = rt::Session::create(*bundle, std::make_unique<RecordingDevice>(log, host), "");
  if (!session)
    FAIL(session.error().message);
  return std::move(*session);
}

Binding binding(uint64_t address, std::vector<int64_t> shape, bool host = false) {
  Binding result;
  result.data = {address, host};
  result.shape = std::move(shape);
  return result;
}

// t = f(x, w); z zeroed; u is a part of t; two variants of the second launch; the third has an
// empty grid.
TestBundle model() {
  TestBundle bundle;
  bundle.dim("N", 0, 1 << 20);
  size_t x = bundle.input("x", DType::f32, {"N"});
  size_t w = bundle.param("w", DType::f32, std::vector<float>(100));
  size_t v = bundle.param("v", DType::f32, std::vector<float>(10));
  size_t t = bundle.temporary("t", "4*N", 0, 1);
  size_t u = bundle.part("u", t, "2*N", "2*N", 1, 1);
  size_t z = bundle.temporary("z", "4*N", 1, 2, true);
  size_t out = bundle.output("out", DType::f32, {"N"});
  size_t first = bundle.kernel("saxpy", {"x", "y", "out!", "n:i32", "a:f32"});
  size_t second = bundle.kernel("copy_word", {"counter", "out!"});
  bundle.cpuCode(first);
  bundle.cpuCode(second);
  auto at = [](size_t buffer, std::string offset = "") {
    return "@" + std::to_string(buffer) + offset;
  };
  bundle.launch("a", first, {"cdiv(N, 128)", "2"}, {at(x), at(w, "+8"), at(t), "-N", "#1"});
  bundle.launch("b", second, {"N"}, {at(u), at(z, "+N")}, "N > 100");
  bundle.launch("b", first, {"1"}, {at(v), at(u), at(z), "N", "#0"});
  bundle.launch("c", second, {"N // 1000"}, {at(z), at(out)});
  return bundle;
}

} // namespace

TEST_CASE("code is loaded and weights are placed when the session is made") {
  Log log;
  auto session = makeSession(model(), log);
  std::string target = TestBundle::hostTarget();
  REQUIRE(log.take() == std::vector<std::string>{"load saxpy " + target, "load copy_word " + target,
                                                 "allocate 552", "upload m1 400",
                                                 "upload m1+512 40"});
}

TEST_CASE("the best code that the device runs is chosen") {
  Log log;
  TestBundle both = model();
  both.gpuCode(0, "sm_80", std::as_bytes(std::span("cubin")));
  both.gpuCode(1, "sm_90", std::as_bytes(std::span("cubin")));
  auto session = makeSession(both, log);
  REQUIRE(log.events[0] == "load saxpy sm_80");
  REQUIRE(log.events[1] == "load copy_word " + TestBundle::hostTarget());
}

TEST_CASE("steps come in order, with addresses, offsets and signed integers") {
  Log log;
  auto session = makeSession(model(), log);
  log.take();
  uint64_t x = 0x7000'0000'0000, out = 0x7100'0000'0000;
  log.names[x] = "x";
  log.names[out] = "out";
  session->bindInput(0, binding(x, {256}));
  session->bindOutput(0, binding(out, {256}));
  REQUIRE(session->run({}));
  // In the arena, z lies above t: both live in launch 1. The float 1.0f is 1065353216.
  REQUIRE(log.take() ==
          std::vector<std::string>{
              "allocate 2048", "launch 0 kernel 0 grid 2,2,1 (x, m1+8, m2, -256, 1065353216)",
              "zero m2+1024 1024", "launch 1 kernel 1 grid 256,1,1 (m2+512, m2+1280)"});
  REQUIRE(session->plan().launches == 2);

  SECTION("the same again allocates nothing") {
    REQUIRE(session->run({}));
    REQUIRE(log.take().size() == 3);
  }
  SECTION("smaller dims take the other variant, and the same memory") {
    session->bindInput(0, binding(x, {64}));
    session->bindOutput(0, binding(out, {64}));
    REQUIRE(session->run({}));
    REQUIRE(log.take() == std::vector<std::string>{
                              "launch 0 kernel 0 grid 1,2,1 (x, m1+8, m2, -64, 1065353216)",
                              "zero m2+256 256",
                              "launch 1 kernel 0 grid 1,1,1 (m1+512, m2+128, m2+256, 64, 0)"});
  }
  SECTION("larger dims take larger memory") {
    session->bindInput(0, binding(x, {2000}));
    session->bindOutput(0, binding(out, {2000}));
    REQUIRE(session->run({}));
    std::vector<std::string> events = log.take();
    REQUIRE(events[0] == "release m2");
    REQUIRE(events[1].starts_with("allocate "));
    REQUIRE(events.back() == "launch 2 kernel 1 grid 2,1,1 (m3+8192, out)");
  }
  SECTION("empty dims launch nothing but what has a grid") {
    session->bindInput(0, binding(0, {0}));
    session->bindOutput(0, std::nullopt);
    REQUIRE(session->run({}));
    for (const std::string &event : log.take())
      REQUIRE(event.starts_with("launch 1 kernel 0 grid 1,1,1"));
  }
}

TEST_CASE("what the device cannot use in place goes through the staging area") {
  Log log;
  auto session = makeSession(model(), log);
  log.take();
  uint64_t x = 0x7000'0000'0004, out = 0x7100'0000'0000; // x is not aligned to 16
  log.names[x] = "x";
  log.names[out] = "out";
  session->bindInput(0, binding(x, {2000}));
  session->bindOutput(0, binding(out, {2000}, true)); // host memory for a device
  REQUIRE(session->run({}));
  std::vector<std::string> events = log.take();
  REQUIRE(events[1] == "allocate 16192"); // x, then out at the next multiple of 256
  REQUIRE(events[2] == "copy x -> m3 8000");
  REQUIRE(events[3] == "launch 0 kernel 0 grid 16,2,1 (m3, m1+8, m2, -2000, 1065353216)");
  REQUIRE(events[6] == "launch 2 kernel 1 grid 2,1,1 (m2+8192, m3+8192)");
  REQUIRE(events[7] == "copy m3+8192 -> out 8000");
  REQUIRE(session->copiedIn() == 8000);
  REQUIRE(session->copiedOut() == 8000);
}

TEST_CASE("an input that overlaps an output is copied first") {
  Log log;
  auto session = makeSession(model(), log);
  log.take();
  uint64_t memory = 0x7000'0000'0000;
  log.names[memory] = "memory";
  session->bindInput(0, binding(memory + 4096, {2000}));
  session->bindOutput(0, binding(memory, {2000}));
  REQUIRE(session->run({}));
  std::vector<std::string> events = log.take();
  REQUIRE(events[2] == "copy memory+4096 -> m3 8000");
  REQUIRE(events.back() == "launch 2 kernel 1 grid 2,1,1 (m2+8192, memory)");
}

TEST_CASE(
    "nothing is allocated for dims that are wrong, and the session survives a lack of memory") {
  Log log;
  auto session = makeSession(model(), log);
  log.take();
  uint64_t x = 0x7000'0000'0000;
  session->bindInput(0, binding(x, {(1 << 20) + 1}));
  REQUIRE_FALSE(session->run({}));
  REQUIRE(log.take().empty());
  session->bindInput(0, binding(x, {1 << 20}));
  log.freeBytes = 4096;
  Status status = session->run({});
  REQUIRE_FALSE(status);
  REQUIRE(status.error().code == ErrorCode::outOfMemory);
  REQUIRE(status.error().message == "the temporary memory: no room");
  session->bindInput(0, binding(x, {128}));
  REQUIRE(session->run({}));
}

TEST_CASE("what a binding owns is given back after the work that uses it") {
  Log log;
  static int released;
  released = 0;
  {
    auto session = makeSession(model(), log);
    auto owned = [](uint64_t address) {
      Binding result = binding(address, {16});
      result.owned = Owned(&released, [](void *count) { ++*static_cast<int *>(count); });
      return result;
    };
    session->bindInput(0, owned(0x7000'0000'0000));
    session->bindOutput(0, owned(0x7100'0000'0000));
    REQUIRE(released == 0);
    REQUIRE(session->run({}));
    int before = log.waits;
    session->bindInput(0, owned(0x7200'0000'0000));
    REQUIRE(released == 1);
    REQUIRE(log.waits == before + 1);
  }
  REQUIRE(released == 3);
}
