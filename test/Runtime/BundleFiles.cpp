// Bundles as files, for the tests that are programs in other languages; written to the current
// folder by `teeny_run_tool "[.bundles]"`. Their code is for CPUs, and PTX that the fake driver
// knows.
#include "Base/File.h"
#include "Runtime/GpuHelper.h"
#include "Runtime/smoke_ptx.h"

using namespace teeny;
using namespace teeny::test;

static void write(const std::string &name, const TestBundle &bundle) {
  Status status = writeFile(name + ".bundle", bundle.bytes());
  INFO(name);
  REQUIRE(status);
}

TEST_CASE("bundles for programs", "[.bundles]") {
  TestBundle model = saxpyBundle(2.0f);
  model.gpuCode(0, "compute_80", textBytes(smokePtx));
  write("saxpy", model);

  // For each type: an output with the bits of its input, 4 bytes or one element.
  TestBundle types("types");
  auto at = [](size_t buffer) { return "@" + std::to_string(buffer); };
  size_t word = types.kernel("copy_word", {"in", "out!"});
  types.cpuCode(word);
  for (DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2,
                      DType::i64, DType::i32, DType::i16, DType::i8, DType::u64, DType::u32,
                      DType::u16, DType::u8, DType::boolean}) {
    const std::string type = name(dtype);
    const int64_t size = byteSize(dtype);
    // copy_word moves 4 bytes a launch.
    const std::string count = std::to_string(size < 8 ? 4 / size : 1);
    size_t in = types.input("in_" + type, dtype, {count});
    size_t out = types.output("out_" + type, dtype, {count});
    types.launch(type, word, {"1"}, {at(in), at(out)});
    if (size == 8)
      types.launch(type + "_2", word, {"1"}, {at(in) + "+4", at(out) + "+4"});
  }
  write("types", types);

  TestBundle kernels("kernels");
  size_t kernel = kernels.kernel("saxpy", {"x", "y", "out!", "n:i32", "a:f32"});
  kernels.types(kernel, {"*fp32:4", "*fp32:4", "*fp32:4", "i32@0..1000", "fp32"});
  kernels.manifest.kernels[kernel].constants = {{"BLOCK", "128"}};
  kernels.cpuCode(kernel);
  kernels.gpuCode(kernel, "compute_80", textBytes(smokePtx));
  size_t params = kernels.kernel("params", {"out!", "flag:i1", "byte:i8", "short:i16", "word:i32",
                                            "long:i64", "single:f32", "double:f64"});
  kernels.types(params, {"*fp64:8", "i1", "u8", "i16", "u32", "u64", "fp32", "fp64"});
  kernels.cpuCode(params);
  kernels.gpuCode(params, "compute_80", textBytes(smokePtx));
  write("kernels", kernels);
}
