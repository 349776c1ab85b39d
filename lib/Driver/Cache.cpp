// What the cache of code objects holds.
#include "Driver/CodeCache.h"
#include "Driver/Driver.h"

using namespace teeny;

ExitCode teeny::cache(const CacheOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &) {
  CacheContents contents = options.clear ? clearCache(options.dir) : cacheContents(options.dir);
  out << options.dir << ": " << (options.clear ? "removed " : "")
      << counted(contents.entries, "code object") << ", " << counted(contents.bytes, "byte")
      << "\n";
  return ExitCode::success;
}
