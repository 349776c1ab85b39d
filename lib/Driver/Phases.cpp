#include "Driver/Phases.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cassert>

using namespace teeny;

static constexpr PhaseInfo table[] = {
    {Phase::import, "import", "the graph file and its op declarations as graph IR"},
    {Phase::inferShapes, "infer-shapes",
     "dims and dtypes of every value, calls by their declared patterns"},
    {Phase::simplify, "simplify",
     "views folded, chains of maps merged, what nothing reads dropped"},
    {Phase::legalizeOps, "legalize-ops",
     "products, windows and reductions as calls of declarations"},
    {Phase::fuse, "fuse", "maps as epilogues of the kernels before them"},
    {Phase::bindKernels, "bind-kernels",
     "calls become launches of tile functions specialised for their arguments"},
    {Phase::tile, "tile", "tile functions inlined, simplified, offsets at the width they need"},
    {Phase::generateCode, "generate-code", "machine code of every kernel for every target"},
    {Phase::writeBundle, "write-bundle", "manifest, code and weights as one file"},
};

llvm::ArrayRef<PhaseInfo> teeny::phases() { return table; }

const PhaseInfo &teeny::info(Phase phase) {
  const PhaseInfo &entry = table[static_cast<size_t>(phase)];
  assert(entry.phase == phase && "the table is in the order of the enumeration");
  return entry;
}

std::optional<Phase> teeny::phaseByName(llvm::StringRef name) {
  const PhaseInfo *entry =
      llvm::find_if(table, [&](const PhaseInfo &phase) { return phase.name == name; });
  if (entry == std::end(table))
    return std::nullopt;
  return entry->phase;
}

std::string teeny::phaseNames() {
  return llvm::join(llvm::map_range(table, [](const PhaseInfo &phase) { return phase.name.str(); }),
                    ", ");
}
