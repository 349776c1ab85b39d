// What code can be made for, and the facts about each: the only place that knows one device from
// another. Code generation asks facts ("has ldmatrix"), never versions ("is 9.0 or later").
//
// Target names:
//   sm_NN, sm_NNa        a cubin for one GPU architecture; `a` also uses what exists only there
//   compute_NN           PTX, which the driver of any GPU of that capability or later compiles
//   x86-64, x86-64-v3, x86-64-v4, aarch64
//   cpu                  in lists: the three x86 levels
#pragma once

#include "Base/Result.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace teeny {

// Element types of the operands of a matrix instruction, as its PTX name has them.
enum class MmaType { f16, bf16, tf32, f64, s8, e4m3 };

// A warp-wide mma.sync: A is m x k, B k x n, the accumulator m x n.
struct MmaShape {
  MmaType type;
  int m, n, k;
};

struct GpuFacts {
  int capability; // 10 * major + minor: 75, 80, ..., 121
  int warpSize;
  int maxThreadsPerBlock;
  int maxRegistersPerThread;
  int registersPerSM;
  int maxWarpsPerSM;
  int maxBlocksPerSM;
  int64_t sharedPerBlock;      // without asking the driver for more
  int64_t sharedPerBlockOptIn; // most that can be asked for
  int64_t sharedPerSM;
  int minPtx; // PTX version that knows the target and what is used of it: 80 is 8.0
  llvm::ArrayRef<MmaShape> mmaShapes; // of mma.sync, widest k first for each type
  bool ldmatrix;                      // also s8 mma m8n8k16 and shared-memory matrix loads
  bool cpAsync;                       // cp.async, mbarrier, redux, bf16 fma and conversions
  bool bf16Arithmetic;                // add, mul, ex2 of bf16 and atomic adds of bf16
  bool fp8Conversion;
  bool stmatrix;
  bool clusters;      // with distributed shared memory
  bool tma;           // cp.async.bulk and tensor maps
  bool vectorAtomics; // atomic adds to 16 bytes of f32, f16, bf16
  bool f32x2;         // two f32 operations in one instruction
};

struct CpuFacts {
  const char *triple;
  const char *cpu;      // LLVM's name, which implies the features
  const char *features; // beyond those
  int vectorBits;
  int vectorRegisters;
  bool fma; // fused multiply-add
};

struct Target {
  enum class Kind { cubin, ptx, cpu };
  Kind kind = Kind::cpu;
  std::string name; // as in the manifest: "sm_90a"
  const GpuFacts *gpu = nullptr;
  const CpuFacts *cpu = nullptr;
  bool archSpecific = false; // the `a` of sm_90a

  bool isGpu() const { return gpu != nullptr; }
  std::string processor() const; // "sm_90a"; for PTX too: what LLVM and ptxas call it
  int ptxVersion() const;        // least version to emit: 80 is 8.0
  bool wgmma() const;            // warp-group matrix instructions
  bool tcgen05() const;          // matrix instructions on tensor memory
};

// PTX version that LLVM's NVPTX back end can emit at most.
inline constexpr int maxPtxVersion = 90;

llvm::ArrayRef<GpuFacts> allGpuFacts(); // by capability
const GpuFacts *gpuFacts(int capability);

Result<Target> parseTarget(llvm::StringRef name);
// "sm_90a,compute_80,cpu": each target once, in the order of first mention.
Result<std::vector<Target>> parseTargets(llvm::StringRef list);
// All names that a list may have.
std::vector<std::string> targetNames();

} // namespace teeny
