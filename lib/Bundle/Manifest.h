// The manifest of a bundle: what the compiler promises and the runtime carries out. Both sides
// include this header; README.md beside it is the written format (JSON, tensor names, kernel ABI).
//
// Sizes, grids, offsets, guards and integer arguments are expressions over the dims. Everything
// that refers to something else does so by index here and by name in JSON. Reading checks every
// reference, name, range and expression, so that code behind the reader need not.
#pragma once

#include "Base/Result.h"
#include "Expr/Expr.h"
#include "TensorFile/DType.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace teeny {

inline constexpr int manifestVersion = 1;

struct ManifestDim {
  std::string name;
  int64_t min = 0, max = 0;
  int64_t multipleOf = 1;
};

// A tensor of the model that callers see. On an input, each dim is a constant, a name, or a*N + b.
struct ManifestTensor {
  std::string name;
  DType dtype = DType::f32;
  std::vector<Expr> shape;
  size_t buffer = 0;
};

struct ManifestBuffer {
  enum class Kind { input, output, param, temporary };
  std::string name;
  Kind kind = Kind::temporary;
  Expr bytes;
  int64_t align = 256; // of its first byte, in the arena
  std::string tensor;  // param: name of the bundle tensor that holds the data
  bool zeroed = false; // temporary: filled with zeros before first use in each run
  // Temporary: index of the buffer whose memory this one is a part of, at byte `aliasOffset`.
  std::optional<size_t> aliasOf;
  Expr aliasOffset;
  // Temporary: lifetime in launches, both included; what the planner reads. Params, inputs and
  // outputs live through the whole run.
  int64_t firstLaunch = 0, lastLaunch = 0;
};

// One run-time parameter of a kernel, in ABI order.
struct KernelParam {
  enum class Kind { buffer, i1, i8, i16, i32, i64, f32, f64, f16, bf16 };
  std::string name;
  Kind kind = Kind::buffer;
  bool written = false; // buffer: the kernel stores to it
  // What whoever launches the kernel itself must know and keep to; the type is empty where only
  // launches of the bundle may use it, and the others are then not stated.
  std::string type;       // as in signatures: "*fp16", "u32" (ParamType.h)
  int64_t multipleOf = 1; // of an integer, or of an address in bytes
  std::optional<std::pair<int64_t, int64_t>> range; // of an integer, inclusive
};

// A parameter in the source that is none at run time: the kernel was compiled for this value.
struct KernelConstant {
  std::string name, value; // in the language's spelling: "128", "None", "tl.float32"
};

struct CodeObject {
  std::string target; // "sm_90a", "compute_80", "x86-64-v3", ...
  std::string tensor; // bundle tensor with the bytes
  std::string symbol; // entry point in them
  std::string sha256; // of the bytes, lower-case hex
  // GPU: block and memory; zero where the target is a CPU.
  int64_t threads = 0;
  int64_t sharedBytes = 0; // dynamic shared memory
  int64_t registers = 0, spillBytes = 0;
  std::string ptxVersion; // "8.0": what a driver must know to take the code
  // CPU: bytes of scratch memory per thread, 64-byte aligned.
  int64_t scratchBytes = 0;
};

struct ManifestKernel {
  std::string name;     // unique in the bundle
  std::string function; // in the source
  std::string source;   // file and line: "detect_decode.py:12"
  std::vector<KernelParam> params;
  std::vector<KernelConstant> constants;
  int64_t numWarps = 4;
  std::vector<CodeObject> code;

  // Whether it is known what the parameters are, so that it may be launched by itself.
  bool hasSignature() const;
};

struct LaunchArg {
  enum class Kind { buffer, integer, real };
  Kind kind = Kind::integer;
  size_t buffer = 0;
  Expr value; // buffer: byte offset; integer: the value
  double real = 0;
};

// A launch runs the first variant whose guard is not 0; the last has guard 1.
struct LaunchVariant {
  Expr guard = 1;
  size_t kernel = 0;
  std::array<Expr, 3> grid = {Expr(1), Expr(1),
                              Expr(1)}; // programs; a 0 anywhere means that nothing is launched
  std::vector<LaunchArg> args;
};

struct ManifestLaunch {
  std::string name; // unique; what timings are listed under
  std::string node; // of the graph
  std::vector<LaunchVariant> variants;
  // For people: what it computes, in order; more than one where the compiler has fused several.
  std::vector<std::string> ops = {};
};

// A relation between dims that a run must satisfy.
struct ManifestRequirement {
  Expr condition;
  std::string message;
};

// A run whose results are known, for whoever wants to see that a device computes what is meant.
struct ManifestGolden {
  struct Output {
    std::string tensor;
    // How far a result may be from what is known, for each element: by `absolute`, and by
    // `relative` times the largest finite magnitude of the output. Integers and booleans must be
    // equal.
    double absolute = 0, relative = 0;
  };
  std::vector<std::string> inputs; // bundle tensors, one for each input, in order
  std::vector<Output> outputs;     // likewise
};

struct Manifest {
  std::string name;
  std::vector<std::string> targets;
  std::vector<ManifestDim> dims;
  std::vector<ManifestRequirement> requirements;
  std::vector<ManifestTensor> inputs, outputs;
  std::vector<ManifestBuffer> buffers;
  std::vector<ManifestKernel> kernels;
  std::vector<ManifestLaunch> launches;
  std::vector<ManifestGolden> golden;
  // SHA-256 of tensors that are no code, by name; the writer of bundles fills it in.
  std::vector<std::pair<std::string, std::string>> hashes;
  // Versions of what made the code: {"teenyc", "0.1.0"}, {"llvm", "22.1.8"}, {"ptxas", "13.0.88"}.
  std::vector<std::pair<std::string, std::string>> provenance;
};

// "sm_90a" and "compute_80" are GPU targets, all others CPUs.
bool isGpuTarget(std::string_view target);

// Reads and checks. An error names the place: "launches[3].variants[0].args[2]: ...".
Result<Manifest> readManifest(std::string_view json);

// Deterministic and indented. Reads back if checkManifest accepts it.
std::string writeManifest(const Manifest &manifest);

// Checks what readManifest promises beyond the JSON; for those who make manifests.
Status checkManifest(const Manifest &manifest);

} // namespace teeny
