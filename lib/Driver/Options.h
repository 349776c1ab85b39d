// What the command line asks for. The tool fills these in; everything else is a library call.
#pragma once

#include "Driver/Phases.h"

#include <optional>
#include <string>
#include <vector>

namespace teeny {

// What a process answers with; who must act next.
enum class ExitCode {
  success = 0,
  userError = 1,   // in the user's files: graph, declarations, kernels, weights, bundles
  usage = 2,       // on the command line
  environment = 3, // something to install, a disk that is full
};

// Where a graph comes from.
struct GraphOptions {
  std::string file;                 // FILE.json
  std::vector<std::string> opsDirs; // --ops: searched for declarations after the graph's own folder
};

// Kernels that are compiled by themselves.
struct KernelOptions {
  // FILE.py::FUNC, each with a signature (lib/Language/Signature.h); one kernel may have several.
  std::vector<std::string> kernels, signatures;
  std::vector<std::string> ranges;  // --range NAME=LOW:HIGH
  std::vector<std::string> globals; // --global NAME=VALUE
  std::string config; // --config: a number or NAME=VALUE,...; empty: the autotuner's first
  std::optional<int> numWarps, numStages; // without: the config's, else 4 and 3
  bool debug = false;                     // --debug: assertions are checked, on GPUs
  std::string fp32Dot;                    // --fp32-dot: "ieee", "tf32"; empty: the source decides
};

struct CompileOptions {
  GraphOptions graph;
  KernelOptions kernels; // instead of a graph, where it has any
  std::string output;    // -o: the bundle, or the IR with --stop-after
  std::vector<std::string> targets = {"cpu", "compute_80"}; // in the order given
  std::optional<Phase> stopAfter;
  std::string emitIRDir; // --emit-ir: one file per phase
  std::string emitCDir;  // --emit-c: kernels as C source; with or without a bundle
  bool golden = false;   // --golden: put runs with known results into the bundle
  bool time = false;     // --time: what each phase took, to the error stream
  std::string cacheDir;  // --cache: where code objects are kept (CodeCache.h); empty: nowhere
  int64_t cacheMebibytes = 1024;
};

struct DumpOptions {
  enum class What {
    graph,
    dot, // the graph, for Graphviz
    tile,
    gpu,
    llvm,
    ptx,
    sass,
    cubin,  // the bytes of one code object
    object, // likewise, of a CPU
    launches,
    source,
    manifest
  };
  GraphOptions graph;    // FILE.json, or a bundle
  KernelOptions kernels; // instead, where it has any
  What what = What::manifest;
  std::string kernel;             // --kernel: only this one
  std::string target;             // --target: whose code; the first that fits if empty
  std::string output;             // -o: a file instead of the output; required for bytes
  bool json = false;              // --json, with launches
  std::optional<Phase> stopAfter; // --stop-after: of the graph, else infer-shapes
};

struct CacheOptions {
  std::string dir;
  bool clear = false;
};

struct ListOptions {
  std::string file; // FILE.py
  bool json = false;
};

struct VerifyOptions {
  std::string bundle; // F.bundle
};

struct DiffOptions {
  std::string before, after; // bundles
};

struct ReportOptions {
  std::string bundle;                                // F.bundle
  std::string output;                                // -o: the page
  std::vector<std::pair<std::string, int64_t>> dims; // --dim: at which memory is shown
};

struct OpsOptions {
  std::string name;                 // only this one, whole; empty: a list of all
  std::vector<std::string> opsDirs; // --ops: folders of more declarations
  bool json = false;
};

struct CheckOptions {
  GraphOptions graph;
  KernelOptions kernels; // instead, where it has any
  bool json = false;     // --json: what is wrong, and the nodes, for programs
};

} // namespace teeny
