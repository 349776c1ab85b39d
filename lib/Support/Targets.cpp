#include "Support/Targets.h"

#include "Support/Suggest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace teeny;

// Warps, registers, blocks and shared memory: CUDA C++ Programming Guide 13, "Technical
// Specifications per Compute Capability", and cuda_occupancy.h of toolkit 13.0 (a block may have
// all shared memory of an SM but 1 KiB; on 7.5 all of it). PTX versions and which instructions
// exist: tried with ptxas 13.0 one by one, and PTX ISA 9.0.

static constexpr MmaShape turingShapes[] = {
    {MmaType::f16, 16, 8, 8},
    {MmaType::s8, 8, 8, 16},
};
static constexpr MmaShape ampereShapes[] = {
    {MmaType::f16, 16, 8, 16}, {MmaType::f16, 16, 8, 8},  {MmaType::bf16, 16, 8, 16},
    {MmaType::bf16, 16, 8, 8}, {MmaType::tf32, 16, 8, 8}, {MmaType::tf32, 16, 8, 4},
    {MmaType::f64, 8, 8, 4},   {MmaType::s8, 16, 8, 32},  {MmaType::s8, 16, 8, 16},
    {MmaType::s8, 8, 8, 16},
};
static constexpr MmaShape adaShapes[] = {
    {MmaType::f16, 16, 8, 16}, {MmaType::f16, 16, 8, 8},   {MmaType::bf16, 16, 8, 16},
    {MmaType::bf16, 16, 8, 8}, {MmaType::tf32, 16, 8, 8},  {MmaType::tf32, 16, 8, 4},
    {MmaType::f64, 8, 8, 4},   {MmaType::s8, 16, 8, 32},   {MmaType::s8, 16, 8, 16},
    {MmaType::s8, 8, 8, 16},   {MmaType::e4m3, 16, 8, 32},
};
static constexpr MmaShape hopperShapes[] = {
    {MmaType::f16, 16, 8, 16}, {MmaType::f16, 16, 8, 8},   {MmaType::bf16, 16, 8, 16},
    {MmaType::bf16, 16, 8, 8}, {MmaType::tf32, 16, 8, 8},  {MmaType::tf32, 16, 8, 4},
    {MmaType::f64, 16, 8, 16}, {MmaType::f64, 16, 8, 8},   {MmaType::f64, 16, 8, 4},
    {MmaType::f64, 8, 8, 4},   {MmaType::s8, 16, 8, 32},   {MmaType::s8, 16, 8, 16},
    {MmaType::s8, 8, 8, 16},   {MmaType::e4m3, 16, 8, 32},
};

static constexpr int64_t KiB = 1024;

static GpuFacts turing() {
  GpuFacts facts = {};
  facts.capability = 75;
  facts.warpSize = 32;
  facts.maxThreadsPerBlock = 1024;
  facts.maxRegistersPerThread = 255;
  facts.registersPerSM = 64 * 1024;
  facts.maxWarpsPerSM = 32;
  facts.maxBlocksPerSM = 16;
  facts.sharedPerBlock = 48 * KiB;
  facts.sharedPerBlockOptIn = 64 * KiB;
  facts.sharedPerSM = 64 * KiB;
  facts.minPtx = 65; // 6.3 knows the target, 6.5 its matrix instructions
  facts.mmaShapes = turingShapes;
  facts.ldmatrix = true;
  return facts;
}

// Each architecture as what it adds to the one before.
static std::vector<GpuFacts> makeGpuFacts() {
  std::vector<GpuFacts> all = {turing()};
  auto next = [&](int capability, int minPtx, int warps, int blocks,
                  int64_t sharedPerSM) -> auto & {
    GpuFacts facts = all.back();
    facts.capability = capability;
    facts.minPtx = minPtx;
    facts.maxWarpsPerSM = warps;
    facts.maxBlocksPerSM = blocks;
    facts.sharedPerSM = sharedPerSM;
    facts.sharedPerBlockOptIn = sharedPerSM - KiB;
    return all.emplace_back(facts);
  };
  all.reserve(16); // `next` gives references into it
  GpuFacts &ampere = next(80, 70, 64, 32, 164 * KiB);
  ampere.mmaShapes = ampereShapes;
  ampere.cpAsync = true;
  next(86, 71, 48, 16, 100 * KiB);
  next(87, 74, 48, 16, 164 * KiB);
  GpuFacts &ada = next(89, 78, 48, 24, 100 * KiB);
  ada.mmaShapes = adaShapes;
  ada.fp8Conversion = true;
  // 7.8 knows the target, 8.0 sm_90a, 8.1 its vectors of atomics.
  GpuFacts &hopper = next(90, 81, 64, 32, 228 * KiB);
  hopper.mmaShapes = hopperShapes;
  hopper.bf16Arithmetic = hopper.stmatrix = hopper.clusters = hopper.tma = true;
  hopper.vectorAtomics = true;
  next(100, 86, 64, 32, 228 * KiB).f32x2 = true;
  next(103, 88, 64, 32, 228 * KiB);
  next(110, 90, 48, 24, 228 * KiB);
  next(120, 87, 48, 24, 100 * KiB);
  next(121, 88, 48, 24, 100 * KiB);
  return all;
}

llvm::ArrayRef<GpuFacts> teeny::allGpuFacts() {
  static const std::vector<GpuFacts> all = makeGpuFacts();
  return all;
}

const GpuFacts *teeny::gpuFacts(int capability) {
  for (const GpuFacts &facts : allGpuFacts())
    if (facts.capability == capability)
      return &facts;
  return nullptr;
}

// The levels: x86-64 psABI, section "Micro-Architecture Levels"; LLVM's CPU names imply them.
// aarch64: the Arm ABI requires NEON, with 32 registers of 128 bits and fused multiply-add.
static constexpr struct {
  const char *name;
  CpuFacts facts;
} cpuTargets[] = {
    {"x86-64", {"x86_64-unknown-linux-gnu", "x86-64", "", 128, 16, false}},
    {"x86-64-v3", {"x86_64-unknown-linux-gnu", "x86-64-v3", "", 256, 16, true}},
    {"x86-64-v4", {"x86_64-unknown-linux-gnu", "x86-64-v4", "", 512, 32, true}},
    {"aarch64", {"aarch64-unknown-linux-gnu", "generic", "+neon", 128, 32, true}},
};

std::string Target::processor() const {
  if (!gpu)
    return cpu->cpu;
  return "sm_" + std::to_string(gpu->capability) + (archSpecific ? "a" : "");
}

int Target::ptxVersion() const { return gpu->minPtx; }

bool Target::wgmma() const { return gpu && archSpecific && gpu->capability == 90; }

bool Target::tcgen05() const {
  return gpu && archSpecific &&
         (gpu->capability == 100 || gpu->capability == 103 || gpu->capability == 110);
}

static constexpr int firstArchSpecific = 90;

static std::string capabilities(llvm::StringRef prefix) {
  std::string text;
  for (const GpuFacts &facts : allGpuFacts())
    text += (text.empty() ? "" : ", ") + prefix.str() + std::to_string(facts.capability);
  return text;
}

static Result<Target> parseGpu(llvm::StringRef name, llvm::StringRef prefix, Target::Kind kind) {
  llvm::StringRef number = name.drop_front(prefix.size());
  Target target;
  target.kind = kind;
  target.name = name.str();
  target.archSpecific = number.consume_back("a");
  int capability = 0;
  bool canonical = !number.empty() &&
                   llvm::all_of(number, [](char c) { return llvm::isDigit(c); }) &&
                   number[0] != '0';
  if (canonical && !number.getAsInteger(10, capability))
    target.gpu = gpuFacts(capability);
  if (!target.gpu)
    return Error{ErrorCode::unsupported,
                 "unknown target '" + name.str() + "'; there are " + capabilities(prefix)};
  if (target.archSpecific && capability < firstArchSpecific)
    return Error{ErrorCode::unsupported, "target '" + name.str() +
                                             "' does not exist: features of one " +
                                             "architecture begin with sm_90a"};
  if (target.archSpecific && kind == Target::Kind::ptx)
    return Error{ErrorCode::unsupported,
                 "target '" + name.str() +
                     "': PTX with features of one architecture runs nowhere else; use 'sm_" +
                     number.str() + "a'"};
  return target;
}

std::vector<std::string> teeny::targetNames() {
  std::vector<std::string> names = {"cpu"};
  for (const auto &known : cpuTargets)
    names.push_back(known.name);
  for (llvm::StringRef prefix : {"sm_", "compute_"})
    for (const GpuFacts &facts : allGpuFacts()) {
      names.push_back(prefix.str() + std::to_string(facts.capability));
      if (prefix == "sm_" && facts.capability >= firstArchSpecific)
        names.push_back(names.back() + "a");
    }
  return names;
}

Result<Target> teeny::parseTarget(llvm::StringRef name) {
  if (name.starts_with("sm_"))
    return parseGpu(name, "sm_", Target::Kind::cubin);
  if (name.starts_with("compute_"))
    return parseGpu(name, "compute_", Target::Kind::ptx);
  for (const auto &known : cpuTargets) {
    if (name != known.name)
      continue;
    Target target;
    target.name = name.str();
    target.cpu = &known.facts;
    return target;
  }
  return Error{ErrorCode::unsupported,
               "unknown target '" + name.str() + "'" +
                   orNearest(name, targetNames(),
                             "; there are sm_NN and sm_NNa (cubin), compute_NN (PTX), x86-64, "
                             "x86-64-v3, x86-64-v4, aarch64, and cpu (the three x86-64 levels)")};
}

Result<std::vector<Target>> teeny::parseTargets(llvm::StringRef list) {
  llvm::SmallVector<llvm::StringRef> names;
  for (llvm::StringRef name : llvm::split(list, ",")) {
    if (name.trim() == "cpu")
      names.append({"x86-64", "x86-64-v3", "x86-64-v4"});
    else
      names.push_back(name.trim());
  }
  std::vector<Target> targets;
  for (llvm::StringRef name : names) {
    if (name.empty())
      return Error{ErrorCode::invalid, "an empty name in the list of targets '" + list.str() + "'"};
    if (llvm::any_of(targets, [&](const Target &known) { return known.name == name; }))
      continue;
    Result<Target> target = parseTarget(name);
    if (!target)
      return target.error();
    targets.push_back(std::move(*target));
  }
  return targets;
}
