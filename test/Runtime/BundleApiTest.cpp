// Opening, describing, verifying and planning.
#include "Runtime/ApiHelper.h"

#include "Base/Sha256.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <random>

using namespace teeny;
using namespace teeny::test;

TEST_CASE("accessors and JSON describe a bundle") {
  TestBundle model = saxpyBundle();
  model.dim("K", 4, 128, 4);
  model.input("z", DType::bf16, {"2*K + 1"});
  model.param<uint16_t>("w", DType::f16, std::vector<uint16_t>(10));
  model.manifest.requirements.push_back({expr("K > B"), "K must exceed B"});
  model.manifest.provenance = {{"teenyc", "0.1.0"}, {"llvm", "22.1.8"}};
  BundleHandle bundle = open(model);

  CHECK(std::string(teeny_bundle_name(bundle.get())) == "saxpy");
  REQUIRE(teeny_dim_count(bundle.get()) == 2);
  teeny_dim_info dim;
  ok(teeny_get_dim(bundle.get(), 1, &dim));
  CHECK((std::string(dim.name) == "K" && dim.min == 4 && dim.max == 128 && dim.multiple_of == 4));
  REQUIRE(teeny_input_count(bundle.get()) == 3);
  teeny_tensor_info info;
  ok(teeny_get_input(bundle.get(), 2, &info));
  CHECK((std::string(info.name) == "z" && info.dtype == TEENY_BF16 && info.rank == 1));
  CHECK(std::string(info.shape[0]) == "2*K + 1");
  ok(teeny_get_input(bundle.get(), 0, &info));
  REQUIRE(info.rank == 3);
  CHECK(std::string(info.shape[0]) == "B");
  CHECK(std::string(info.shape[1]) == "3");
  REQUIRE(teeny_output_count(bundle.get()) == 1);
  ok(teeny_get_output(bundle.get(), 0, &info));
  CHECK(std::string(info.name) == "out");
  REQUIRE(teeny_target_count(bundle.get()) == 1);
  const char *target = nullptr;
  ok(teeny_get_target(bundle.get(), 0, &target));
  CHECK(target == TestBundle::hostTarget());
  REQUIRE(teeny_kernel_count(bundle.get()) == 1);
  teeny_kernel_info kernel;
  ok(teeny_get_kernel(bundle.get(), 0, &kernel));
  CHECK((std::string(kernel.name) == "saxpy" && std::string(kernel.source) == "kernels.c"));
  REQUIRE(kernel.code_count == 1);
  CHECK(kernel.targets[0] == TestBundle::hostTarget());
  CHECK(failure(teeny_get_kernel(bundle.get(), 1, &kernel)) ==
        "not found: there is no kernel 1: the bundle has 1");

  auto json = nlohmann::json::parse(teeny_describe_json(bundle.get()));
  CHECK(json["name"] == "saxpy");
  CHECK(json["dims"][1]["multiple_of"] == 4);
  CHECK(json["requirements"][0]["message"] == "K must exceed B");
  CHECK(json["inputs"][2]["shape"] == nlohmann::json::array({"2*K + 1"}));
  CHECK(json["inputs"][2]["dtype"] == "bf16");
  CHECK(json["targets"] == nlohmann::json::array({TestBundle::hostTarget()}));
  CHECK(json["kernels"][0]["params"][2]["written"] == true);
  CHECK(json["kernels"][0]["code"][0]["sha256"] == sha256Hex(kernelLibrary()));
  CHECK(json["launches"][0]["variants"][0]["grid"][0] == "cdiv(3*B, 16)");
  CHECK(json["sizes"]["param_bytes"] == 20);
  CHECK(json["sizes"]["code_bytes"] == kernelLibrary().size());
  CHECK(json["provenance"]["llvm"] == "22.1.8");
  ok(teeny_verify(bundle.get()));
}

TEST_CASE("planning gives memory, launches and shapes for dims") {
  TestBundle model;
  model.dim("N", 0, 1 << 20);
  size_t x = model.input("x", DType::f32, {"N"});
  size_t out = model.output("out", DType::f32, {"N", "2"});
  size_t t = model.temporary("t", "4*N", 0, 1);
  size_t u = model.temporary("u", "8*N", 1, 2);
  size_t kernel = model.kernel("saxpy", {"x", "y", "out!", "n:i32", "a:f32"});
  model.cpuCode(kernel);
  auto at = [](size_t buffer) { return "@" + std::to_string(buffer); };
  model.launch("a", kernel, {"cdiv(N, 128)"}, {at(x), at(x), at(t), "N", "#1"});
  model.launch("b", kernel, {"cdiv(N, 128)"}, {at(t), at(t), at(u), "N", "#1"});
  model.launch("c", kernel, {"N // 1000"}, {at(u), at(u), at(out), "2*N", "#1"});
  BundleHandle bundle = open(model);
  teeny_dim_value dims[] = {{"N", 256}};
  teeny_plan_info plan;
  ok(teeny_plan(bundle.get(), dims, 1, &plan));
  CHECK(plan.arena_bytes == 256 * 12); // both live in launch b
  CHECK(plan.param_bytes == 0);
  CHECK(plan.launches == 2); // N // 1000 == 0
  int64_t shape[2];
  ok(teeny_output_shape(bundle.get(), 0, dims, 1, shape, 2));
  CHECK((shape[0] == 256 && shape[1] == 2));
  ok(teeny_input_shape(bundle.get(), 0, dims, 1, shape, 1));
  CHECK(shape[0] == 256);
  CHECK(failure(teeny_input_shape(bundle.get(), 0, dims, 1, shape, 2)) ==
        "invalid: the rank is 2, expected 1");
  CHECK(failure(teeny_plan(bundle.get(), nullptr, 0, &plan)) ==
        "invalid: the dim 'N' has no value");
  dims[0].value = -1;
  CHECK(failure(teeny_plan(bundle.get(), dims, 1, &plan)) ==
        "out of range: N = -1 is outside 0 to 1048576");
  dims[0].name = "M";
  CHECK(failure(teeny_plan(bundle.get(), dims, 1, &plan)) ==
        "not found: the bundle has no dim 'M'");
}

TEST_CASE("grids and offsets that dims make impossible are errors of the plan") {
  TestBundle model;
  model.dim("N", 0, INT64_MAX);
  size_t x = model.input("x", DType::u8, {"N"});
  size_t out = model.output("out", DType::u32, {"8"});
  size_t kernel = model.kernel("copy_word", {"x", "out!"});
  model.cpuCode(kernel);
  auto at = [](size_t buffer) { return "@" + std::to_string(buffer); };
  model.launch("k", kernel, {"6 - N"}, {at(x), at(out) + "+N * 8"});
  BundleHandle bundle = open(model);
  auto plan = [&](int64_t n) {
    teeny_dim_value dims[] = {{"N", n}};
    teeny_plan_info info;
    return teeny_plan(bundle.get(), dims, 1, &info);
  };
  ok(plan(4));
  CHECK(failure(plan(5)) ==
        "out of range: launch 'k': argument 'out': the offset 8*N = 40 is outside "
        "the buffer 'out' of 32 bytes");
  CHECK(failure(plan(7)) ==
        "out of range: launch 'k': grid[0] is 6 - N = -1, outside 0 to 2147483647");
  model.manifest.launches[0].variants[0].grid = {expr("N"), expr("N"), expr("N")};
  bundle = open(model);
  CHECK(failure(plan(1 << 22)) == "out of range: launch 'k': the grid has too many programs");
  CHECK(failure(plan(int64_t(1) << 31)) ==
        "out of range: launch 'k': grid[0] is N = 2147483648, outside 0 to 2147483647");
  model.manifest.launches[0].variants[0].grid = {expr("N * N"), expr("1"), expr("1")};
  bundle = open(model);
  CHECK(failure(plan(int64_t(1) << 40)).find("out of range: launch 'k': grid[0]: ") == 0);
}

TEST_CASE("the SHA-256 that is expected is checked") {
  std::vector<std::byte> bytes = saxpyBundle().bytes();
  std::string hash = sha256Hex(bytes), upper = hash;
  for (char &c : upper)
    c = static_cast<char>(toupper(c));
  teeny_bundle *bundle = nullptr;
  auto openWith = [&](const std::string &expected) {
    teeny_status status = teeny_open_memory(bytes.data(), bytes.size(), expected.c_str(), &bundle);
    if (status == TEENY_OK)
      teeny_close(bundle);
    return status;
  };
  ok(openWith(hash));
  ok(openWith(upper));
  std::string other = hash;
  other[5] = other[5] == '0' ? '1' : '0';
  CHECK(failure(openWith(other)) ==
        "invalid: the bundle in memory: the SHA-256 is " + hash + ", expected " + other);
  CHECK(failure(openWith("abc")) == "invalid: the bundle in memory: the expected SHA-256 'abc' is "
                                    "not 64 hexadecimal digits");

  std::string path = "bundle_api_test.bundle";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  ok(teeny_open_file(path.c_str(), hash.c_str(), &bundle));
  teeny_close(bundle);
  CHECK(failure(teeny_open_file(path.c_str(), other.c_str(), &bundle)) ==
        "invalid: " + path + ": the SHA-256 is " + hash + ", expected " + other);
  std::remove(path.c_str());
}

TEST_CASE("a session outlives its bundle, and a bundle its memory") {
  std::vector<std::byte> bytes = saxpyBundle().bytes();
  BundleHandle bundle = open(bytes);
  std::fill(bytes.begin(), bytes.end(), std::byte(0xff));
  SessionHandle run = session(bundle);
  bundle.reset();
  std::vector<float> x = ramp(24, 0, 1);
  ok(bindInput(run, "x", x.data(), TEENY_F32, {1, 3, 8}));
  ok(bindInput(run, "y", x.data(), TEENY_F32, {1, 3, 8}));
  ok(teeny_run(run.get()));
  CHECK(read<float>(run, "out", 24)[5] == 15.0f);
}

// Damaged bundles: whatever the bytes, opening, describing, verifying and planning return.
static void look(const std::vector<std::byte> &bytes) {
  teeny_bundle *bundle = nullptr;
  if (teeny_open_memory(bytes.data(), bytes.size(), nullptr, &bundle) != TEENY_OK) {
    REQUIRE(std::string(teeny_last_error()) != "");
    return;
  }
  BundleHandle closer(bundle);
  REQUIRE_NOTHROW(nlohmann::json::parse(teeny_describe_json(bundle)));
  (void)teeny_verify(bundle);
  std::vector<teeny_dim_value> dims;
  for (size_t i = 0; i < teeny_dim_count(bundle); ++i) {
    teeny_dim_info info;
    ok(teeny_get_dim(bundle, i, &info));
    dims.push_back({info.name, info.max});
  }
  teeny_plan_info plan;
  (void)teeny_plan(bundle, dims.data(), dims.size(), &plan);
}

TEST_CASE("damaged bundles are survived") {
  TestBundle model = saxpyBundle();
  model.param<float>("w", DType::f32, ramp(64, 0, 1));
  const std::vector<std::byte> good = model.bytes();
  std::mt19937 random(20240229);
  SECTION("every short prefix of the header") {
    for (size_t length = 0; length < 600; ++length)
      look({good.begin(), good.begin() + length});
  }
  SECTION("bytes changed in the header and the manifest") {
    std::string_view text(reinterpret_cast<const char *>(good.data()), good.size());
    REQUIRE(text.find("\"launches\"") != std::string_view::npos);
    for (int i = 0; i < 3000; ++i) {
      std::vector<std::byte> bytes = good;
      size_t begin = i % 2 ? text.find("\"launches\"") : 0;
      for (int changes = 1 + i % 4; changes > 0; --changes)
        bytes[begin + random() % std::min<size_t>(3000, bytes.size() - begin)] =
            std::byte(random() % 128);
      look(bytes);
    }
  }
  SECTION("noise") {
    for (int i = 0; i < 200; ++i) {
      std::vector<std::byte> bytes(random() % 4096);
      for (std::byte &byte : bytes)
        byte = std::byte(random());
      look(bytes);
    }
  }
}
