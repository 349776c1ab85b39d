#include "Support/Targets.h"

#include <catch2/catch.hpp>

using namespace teeny;

static std::string names(llvm::StringRef list) {
  Result<std::vector<Target>> targets = parseTargets(list);
  if (!targets)
    return "error: " + targets.error().message;
  std::string text;
  for (const Target &target : *targets)
    text += (text.empty() ? "" : " ") + target.name;
  return text;
}

TEST_CASE("lists of targets") {
  CHECK(names("sm_90a,compute_80,cpu") == "sm_90a compute_80 x86-64 x86-64-v3 x86-64-v4");
  CHECK(names(" sm_80 , sm_80,compute_80,sm_80") == "sm_80 compute_80");
  CHECK(names("x86-64-v3,cpu") == "x86-64-v3 x86-64 x86-64-v4");
  CHECK(names("aarch64") == "aarch64");
}

TEST_CASE("unknown targets are errors that list what there is") {
  std::string gpus =
      "sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_100, sm_103, sm_110, sm_120, sm_121";
  CHECK(names("sm_85") == "error: unknown target 'sm_85'; there are " + gpus);
  CHECK(names("sm_") == "error: unknown target 'sm_'; there are " + gpus);
  CHECK(names("sm_080") == "error: unknown target 'sm_080'; there are " + gpus);
  CHECK(names("sm_90b") == "error: unknown target 'sm_90b'; there are " + gpus);
  CHECK(names("sm_99999999999999999999") ==
        "error: unknown target 'sm_99999999999999999999'; there are " + gpus);
  CHECK(names("sm_80a") == "error: target 'sm_80a' does not exist: features of one architecture "
                           "begin with sm_90a");
  CHECK(names("compute_90a") == "error: target 'compute_90a': PTX with features of one "
                                "architecture runs nowhere else; use 'sm_90a'");
  std::string all = "; there are sm_NN and sm_NNa (cubin), compute_NN (PTX), x86-64, x86-64-v3, "
                    "x86-64-v4, aarch64, and cpu (the three x86-64 levels)";
  CHECK(names("x86-64-v2") == "error: unknown target 'x86-64-v2'; did you mean 'x86-64-v3'?");
  CHECK(names("cpu,native") == "error: unknown target 'native'" + all);
  CHECK(names("") == "error: an empty name in the list of targets ''");
  CHECK(names("sm_80,,cpu") == "error: an empty name in the list of targets 'sm_80,,cpu'");
}

static Target one(llvm::StringRef name) {
  Result<Target> target = parseTarget(name);
  REQUIRE(target);
  return *target;
}

TEST_CASE("what targets are to LLVM and ptxas") {
  CHECK(one("sm_90a").processor() == "sm_90a");
  CHECK(one("compute_80").processor() == "sm_80");
  CHECK(one("x86-64-v3").processor() == "x86-64-v3");
  CHECK(one("sm_90a").kind == Target::Kind::cubin);
  CHECK(one("compute_80").kind == Target::Kind::ptx);
  CHECK(one("aarch64").kind == Target::Kind::cpu);
  CHECK(one("sm_90").ptxVersion() == 81);
  CHECK(one("sm_90a").ptxVersion() == 81);
  CHECK(one("compute_89").ptxVersion() == 78);
  CHECK(one("compute_75").ptxVersion() == 65);
  for (const GpuFacts &facts : allGpuFacts())
    CHECK(facts.minPtx <= maxPtxVersion);
}

TEST_CASE("features of one architecture need its `a`") {
  CHECK(one("sm_90a").wgmma());
  CHECK_FALSE(one("sm_90").wgmma());
  CHECK_FALSE(one("compute_90").wgmma());
  CHECK_FALSE(one("sm_100a").wgmma());
  CHECK(one("sm_100a").tcgen05());
  CHECK_FALSE(one("sm_120a").tcgen05());
  CHECK_FALSE(one("x86-64").wgmma());
}

// The published tables, by capability.
TEST_CASE("shared memory, warps and blocks") {
  struct Row {
    int capability, optInKiB, warps, blocks;
  };
  for (const Row &row :
       {Row{75, 64, 32, 16}, Row{80, 163, 64, 32}, Row{86, 99, 48, 16}, Row{87, 163, 48, 16},
        Row{89, 99, 48, 24}, Row{90, 227, 64, 32}, Row{100, 227, 64, 32}, Row{103, 227, 64, 32},
        Row{110, 227, 48, 24}, Row{120, 99, 48, 24}, Row{121, 99, 48, 24}}) {
    const GpuFacts *facts = gpuFacts(row.capability);
    REQUIRE(facts);
    CAPTURE(row.capability);
    CHECK(facts->sharedPerBlockOptIn == row.optInKiB * 1024);
    CHECK(facts->sharedPerBlock == 48 * 1024);
    CHECK(facts->maxWarpsPerSM == row.warps);
    CHECK(facts->maxBlocksPerSM == row.blocks);
    CHECK(facts->warpSize == 32);
    CHECK(facts->maxThreadsPerBlock == 1024);
    CHECK(facts->maxRegistersPerThread == 255);
  }
  CHECK(gpuFacts(88) == nullptr);
}

static bool hasMma(int capability, MmaType type, int k) {
  for (const MmaShape &shape : gpuFacts(capability)->mmaShapes)
    if (shape.type == type && shape.m == 16 && shape.n == 8 && shape.k == k)
      return true;
  return false;
}

TEST_CASE("instructions appear with the architecture that brought them") {
  CHECK(gpuFacts(75)->ldmatrix);
  CHECK_FALSE(gpuFacts(75)->cpAsync);
  CHECK(gpuFacts(80)->cpAsync);
  CHECK_FALSE(gpuFacts(89)->stmatrix);
  CHECK(gpuFacts(90)->stmatrix);
  CHECK(gpuFacts(121)->stmatrix);
  CHECK_FALSE(gpuFacts(89)->tma);
  CHECK(gpuFacts(90)->tma);
  CHECK_FALSE(gpuFacts(89)->vectorAtomics);
  CHECK(gpuFacts(90)->vectorAtomics);
  CHECK_FALSE(gpuFacts(90)->f32x2);
  CHECK(gpuFacts(100)->f32x2);
  CHECK(hasMma(75, MmaType::f16, 8));
  CHECK_FALSE(hasMma(75, MmaType::f16, 16));
  CHECK_FALSE(hasMma(75, MmaType::bf16, 8));
  CHECK(hasMma(80, MmaType::bf16, 16));
  CHECK(hasMma(80, MmaType::tf32, 8));
  CHECK_FALSE(hasMma(86, MmaType::e4m3, 32));
  CHECK(hasMma(89, MmaType::e4m3, 32));
  CHECK_FALSE(hasMma(89, MmaType::f64, 16));
  CHECK(hasMma(90, MmaType::f64, 16));
}
