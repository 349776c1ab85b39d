// Code objects kept from one compilation for the next.
//
// Most of the time of a compilation goes into machine code, and most kernels are those of the last
// time: an edit changes one of ten, and the same kernels come back in every network. So what is
// kept is one code object, the cubin, PTX or shared library of one kernel for one target, and
// everything before it (reading files, shapes, fusion, the kernel language) is always done again,
// as that says what is wrong and takes milliseconds.
//
// That choice is also what makes it safe. A code object is a function of few things, all at hand
// where it is made, in one place (CodeGeneration.cpp):
//
//   the kernel's tile IR, as bytecode      what the graph, its declarations, the kernel files,
//   those
//                                          they import, and all options have led to
//   the target                             "sm_90a"
//   the program                            build ids of teenyc and of the libraries it is linked
//                                          with, LLVM among them
//   the assembler, for cubins              its path, size and time, and the version it states
//
// The key of an entry is SHA-256 over these, so nobody has to know which file or option reaches
// which kernel. For example, with `scale` in scale.py changed from `x * 2` to `x * 3`, tile IR of
// `scale` is another, so its key is, and it is compiled; `softmax` in the same file keeps its key
// although it moved down a line, because source locations are taken off the IR first: they reach
// errors, not code. Weights, names of graphs and memory plans reach no code at all. The other way
// round, a new teenyc has other build ids, so what an older one made is never taken.
//
// An entry is a bundle of one kernel with one code object, since that format has a place for all
// there is to say of one, and a checked reader; behind it comes the SHA-256 of its bytes. Its file
// is called by its key, and its manifest has the key as name. Whatever does not read back in full
// (cut, changed, under another name) is removed and made again. Only code that was made without any
// warning is kept, so that warnings are always seen.
//
// Any number of processes may use one folder at once. Entries are written beside their place and
// renamed, so that there is a whole one or none; two that make the same one write the same bytes;
// one that is removed while it is read stays readable to the reader. After it has added entries, a
// process removes those that were used the longest time ago until the rest fits the limit: a use
// sets the file's time of modification. What a killed process leaves half-written goes the same
// way.
//
// The folder is trusted: what is in it is run. It is made for its owner alone.
#pragma once

#include "Base/Result.h"
#include "Driver/CodeGeneration.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

namespace teeny {

class CodeCache {
public:
  // Makes the folder. An environment error where that is not possible.
  static Result<std::unique_ptr<CodeCache>> open(const std::string &folder, uint64_t maxBytes);

  // The key of what `kernel`, a module of one function as contentsOf() gives it, becomes.
  // `assembler`: what identifies it; empty where it takes no part.
  std::string key(const std::string &kernel, const Target &target, const std::string &assembler);

  // These two may be called by several threads at once.
  std::optional<GeneratedCode> find(const std::string &key);
  void store(const std::string &key, const GeneratedCode &code);

  // Removes what is over the limit, if anything was stored.
  void trim();

  size_t asked() const { return asks; }
  size_t found() const { return hits; }
  // Why something could not be kept; the first reason.
  const std::optional<Error> &trouble() const { return firstTrouble; }

private:
  CodeCache(std::string folder, uint64_t maxBytes);
  std::string pathOf(const std::string &key) const;

  std::string folder, program;
  uint64_t maxBytes;
  std::atomic<size_t> asks = 0, hits = 0, stores = 0;
  std::mutex lock; // of the trouble
  std::optional<Error> firstTrouble;
};

// A kernel as bytecode without source locations.
std::string contentsOf(mlir::func::FuncOp kernel);

// What identifies an assembler: path, size, time of modification, version.
Result<std::string> assemblerIdentity(const std::string &path);

// What a folder of entries holds.
struct CacheContents {
  size_t entries = 0;
  uint64_t bytes = 0;
};
CacheContents cacheContents(const std::string &folder);
// Removes all entries, and nothing else; gives what they were.
CacheContents clearCache(const std::string &folder);

} // namespace teeny
