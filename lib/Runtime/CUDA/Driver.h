// The CUDA driver, found at run time: a program that links this starts where there is no GPU.
//
// The types are those of the driver's binary interface, declared here so that the build needs no
// CUDA toolkit. Handles are pointers to nothing that we know.
#pragma once

#include "Base/Result.h"

#include <cstddef>
#include <string>

namespace teeny::rt::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct ContextHandle *;
using CUmodule = struct ModuleHandle *;
using CUfunction = struct FunctionHandle *;
using CUstream = struct StreamHandle *;
using CUevent = struct EventHandle *;
using CUgraph = struct GraphHandle *;
using CUgraphExec = struct GraphExecHandle *;
using CUgraphNode = struct GraphNodeHandle *;

// The values of the driver's enumerations that we use.
enum : CUresult {
  success = 0,
  errorOutOfMemory = 2,
  errorNoDevice = 100,
  errorInvalidImage = 200,
  errorNoBinaryForGpu = 209,
  errorInvalidPtx = 218,
  errorUnsupportedPtxVersion = 222,
  errorNotFound = 500,
};
enum DeviceAttribute : int {
  maxSharedMemoryPerBlock = 8,
  computeCapabilityMajor = 75,
  computeCapabilityMinor = 76,
  maxSharedMemoryPerBlockOptin = 97,
};
enum FunctionAttribute : int {
  functionMaxThreadsPerBlock = 0,
  functionSharedSizeBytes = 1, // static
  functionMaxDynamicSharedSizeBytes = 8,
};
enum JitOption : int {
  jitErrorLogBuffer = 5,
  jitErrorLogBufferSizeBytes = 6,
};
enum : unsigned {
  streamDefault = 0,     // ordered with the legacy default stream
  streamNonBlocking = 1, // not
  eventDefault = 0,
  eventDisableTiming = 2,
};
inline constexpr int captureModeRelaxed = 2;
inline constexpr int graphExecUpdateSuccess = 0;

struct Driver {
#define TEENY_CUDA_SYMBOL(member, symbol, parameters) CUresult(*member) parameters = nullptr;
#include "Runtime/CUDA/DriverSymbols.def"

  // The one driver of the process, loaded and initialised by the first call. An error says which
  // library or function is missing; it is looked for again by the next call.
  static Result<const Driver *> get();

  // "13.0".
  std::string version() const;

  // Success, or an error that says what was being done: "cannot allocate 64 bytes: out of memory
  // (CUDA_ERROR_OUT_OF_MEMORY)".
  Status check(CUresult result, const std::string &what) const;
  Error error(CUresult result, const std::string &what) const;
};

} // namespace teeny::rt::cuda
