// Launches of single kernels: where their memory lies, and the program for one of them.
#include "Runtime/Session.h"

#include "Base/Checked.h"

#include <algorithm>

namespace teeny::rt {

static constexpr uint64_t deviceAlign = 256; // what Device::allocate does

// Gives host memory a place on the device, and adds the copies. Pieces that overlap are copied as
// one, so that what is written through one is seen through the other; an address keeps its rest
// modulo the device's alignment, so that it is a multiple of what it was.
Status Session::stageMemory(const KernelLaunch &launch, Program &program) {
  std::vector<const KernelLaunch::Memory *> staged;
  for (const KernelLaunch::Memory &memory : launch.memory) {
    program.args[memory.arg] = memory.data.address;
    if (memory.data.host && !executor->usesHostMemory() && memory.bytes != 0)
      staged.push_back(&memory);
  }
  std::sort(staged.begin(), staged.end(),
            [](const auto *a, const auto *b) { return a->data.address < b->data.address; });

  struct Piece {
    uint64_t begin, end; // on the host
    int64_t offset;      // in the staging area
  };
  std::vector<Piece> pieces;
  std::vector<size_t> pieceOf;
  int64_t total = 0;
  for (const KernelLaunch::Memory *memory : staged) {
    const uint64_t begin = memory->data.address, end = begin + memory->bytes;
    if (pieces.empty() || begin >= pieces.back().end)
      pieces.push_back({begin, end, 0});
    pieces.back().end = std::max(pieces.back().end, end);
    pieceOf.push_back(pieces.size() - 1);
  }
  for (Piece &piece : pieces) {
    std::optional<int64_t> start = checkedAlign(total, deviceAlign);
    start = start ? checkedAdd(*start, int64_t(piece.begin % deviceAlign)) : start;
    std::optional<int64_t> end =
        start ? checkedAdd(*start, int64_t(piece.end - piece.begin)) : std::nullopt;
    if (!end)
      return Error{ErrorCode::outOfRange, "the arguments have too many bytes"};
    piece.offset = *start;
    total = *end;
  }
  if (Status status = grow(kernelStaging, total, deviceAlign, "the memory for arguments"); !status)
    return status;

  for (const Piece &piece : pieces) {
    const size_t bytes = piece.end - piece.begin;
    program.before.push_back(
        copyStep({kernelStaging.address + piece.offset, false}, {piece.begin, true}, bytes));
    lastKernel->copiedIn += bytes;
  }
  for (size_t i = 0; i < staged.size(); ++i) {
    const KernelLaunch::Memory &memory = *staged[i];
    const Piece &piece = pieces[pieceOf[i]];
    const uint64_t address =
        kernelStaging.address + piece.offset + (memory.data.address - piece.begin);
    program.args[memory.arg] = address;
    if (!memory.written)
      continue;
    program.after.push_back(copyStep(memory.data, {address, false}, memory.bytes));
    lastKernel->copiedOut += memory.bytes;
  }
  return {};
}

Status Session::launch(const KernelLaunch &launch, const RunRequest &request) {
  lastKernel = {launch.kernel, launch.grid, launch.empty};
  Program single;
  single.repeats = false;
  Status status;
  if (!launch.empty) {
    single.args = launch.args;
    status = stageMemory(launch, single);
    Step step;
    step.kernel = launch.kernel;
    step.grid = launch.grid;
    step.argCount = single.args.size();
    single.body.push_back(step);
  }
  if (status)
    status = executor->run(single, request);
  if (!status)
    lastKernel.reset();
  return status;
}

} // namespace teeny::rt
