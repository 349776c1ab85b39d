// The C++ wrapper, on the shared library: this program links nothing else of the project's.
#include "teeny/runtime.hpp"

#include <cstdio>
#include <cstring>

namespace rt = teeny::runtime;

static int failures = 0;
static void expect(bool condition, const char *what) {
  if (condition)
    return;
  std::fprintf(stderr, "failed: %s\n", what);
  ++failures;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  rt::Bundle bundle = rt::Bundle::open(argv[1]);
  bundle.verify();
  expect(bundle.name() == "saxpy", "the name");
  expect(bundle.inputs() == 2 && bundle.outputs() == 1 && bundle.dims() == 1, "the counts");
  expect(std::string(bundle.input(1).name) == "y", "an input");
  expect(std::string(bundle.dim(0).name) == "B" && bundle.dim(0).max == 64, "a dim");
  expect(bundle.outputShape(0, {{"B", 5}}) == std::vector<int64_t>{5, 3, 8}, "a shape");
  expect(bundle.plan({{"B", 5}}).launches == 1, "a plan");

  teeny_session_options options = TEENY_SESSION_OPTIONS_INIT;
  options.device = "cpu";
  rt::Session session(bundle, &options);
  std::vector<float> x(48, 3.0f), y(48, 0.5f);
  session.bindInput("x", {x.data(), TEENY_F32, {2, 3, 8}});
  session.bindInput("y", {y.data(), TEENY_F32, {2, 3, 8}});
  session.run();
  expect(session.dim("B") == 2, "the value of a dim");
  expect(session.outputShape("out") == std::vector<int64_t>{2, 3, 8}, "the shape of an output");
  expect(session.read<float>("out") == std::vector<float>(48, 6.5f), "numbers");
  expect(session.statistics().launches == 1, "statistics");
  std::vector<float> out(48);
  session.bindOutput("out", {out.data(), TEENY_F32, {2, 3, 8}});
  rt::Session moved = std::move(session);
  moved.run();
  expect(out == std::vector<float>(48, 6.5f), "a bound output");

  try {
    moved.bindInput("x", {x.data(), TEENY_F16, {2, 3, 8}});
    expect(false, "an exception");
  } catch (const rt::Failure &failure) {
    expect(failure.status() == TEENY_INVALID, "the status of an exception");
    expect(std::strstr(failure.what(), "the dtype is f16, expected f32"), "its text");
  }
  return failures != 0;
}
