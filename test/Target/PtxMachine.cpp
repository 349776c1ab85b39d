#include "PtxMachine.h"
#include "PtxSharedMemory.h"
#include "PtxTypes.h"

#include <algorithm>
#include <set>

using namespace teeny::test;

namespace {
// An asynchronous copy that has begun.
struct Copy {
  uint64_t to = 0;
  std::vector<uint8_t> data;
};

struct Thread {
  unsigned id = 0;
  std::array<int, 3> place{};
  unsigned pc = 0;
  bool waits = false, done = false;
  std::vector<uint64_t> registers;
  // Registers that matrix instructions of a warp group still use, and those used by something else
  // since the last fence for such instructions.
  std::map<unsigned, bool> inFlight; // true where the instruction writes it
  std::set<unsigned> unfenced;
  std::vector<Copy> begun;               // in no group yet
  std::vector<std::vector<Copy>> groups; // from the first made
};

struct WarpGroup {
  std::vector<GroupMatrix> begun;               // in no group yet
  std::vector<std::vector<GroupMatrix>> groups; // from the first made
};

class Program {
public:
  Program(const PtxKernel &kernel, std::array<int, 3> grid, std::array<int, 3> place,
          const std::vector<uint64_t> &arguments, uint64_t dynamicShared,
          const std::map<uint64_t, uint64_t> &buffers)
      : kernel(kernel), grid(grid), place(place), arguments(arguments), buffers(buffers),
        shared(kernel.sharedBytes + dynamicShared) {
    for (int z = 0; z < kernel.block[2]; ++z)
      for (int y = 0; y < kernel.block[1]; ++y)
        for (int x = 0; x < kernel.block[0]; ++x) {
          Thread thread;
          thread.id = threads.size();
          thread.place = {x, y, z};
          // Registers hold rubbish until they are set.
          thread.registers.assign(kernel.registers.size(), 0xdeadbeefdeadbeef);
          threads.push_back(std::move(thread));
        }
    warpGroups.resize(threads.size() / 128);
  }

  void run() {
    while (true) {
      for (Thread &thread : threads)
        while (!thread.waits && !thread.done)
          step(thread);
      if (std::all_of(threads.begin(), threads.end(), [](const Thread &t) { return t.done; }))
        return;
      if (!meetInWarps() && !meetInWarpGroups() && !meetAtBarrier())
        throw PtxError("threads wait for each other at different places, one of them at: " +
                       waiting().text);
    }
  }

private:
  using Kind = PtxOperand::Kind;

  const PtxInstruction &waiting() const {
    for (const Thread &thread : threads)
      if (thread.waits)
        return kernel.code[thread.pc];
    throw PtxError("nobody waits");
  }
  [[noreturn]] void fail(const Thread &thread, const std::string &what) const {
    throw PtxError(kernel.name + ", thread " + std::to_string(thread.id) + ": " + what +
                   " at: " + kernel.code[thread.pc].text);
  }

  uint64_t special(const Thread &thread, const std::string &name) const {
    auto axis = [&] { return name.back() - 'x'; };
    if (name.rfind("%tid.", 0) == 0)
      return thread.place[axis()];
    if (name.rfind("%ntid.", 0) == 0)
      return kernel.block[axis()];
    if (name.rfind("%ctaid.", 0) == 0)
      return place[axis()];
    if (name.rfind("%nctaid.", 0) == 0)
      return grid[axis()];
    if (name == "%laneid")
      return thread.id % 32;
    fail(thread, "unknown register " + name);
  }

  uint64_t read(const Thread &thread, const PtxOperand &operand, const std::string &type) const {
    unsigned bits = bitsOf(type);
    switch (operand.kind) {
    case Kind::reg:
      if (operand.name.find('.') != std::string::npos || operand.name == "%laneid")
        return special(thread, operand.name);
      if (auto it = thread.inFlight.find(operand.index); it != thread.inFlight.end() && it->second)
        fail(thread, "register " + operand.name + " is that of a matrix instruction under way");
      return truncated(thread.registers[operand.index], bits);
    case Kind::immediate:
      return truncated(operand.bits, bits);
    case Kind::symbol:
      if (auto it = kernel.shared.find(operand.name); it != kernel.shared.end())
        return it->second;
      for (unsigned i = 0; i < kernel.params.size(); ++i)
        if (kernel.params[i].first == operand.name)
          return paramBytes * i;
      fail(thread, "unknown symbol " + operand.name);
    case Kind::vector: {
      unsigned part = bits / operand.members.size();
      uint64_t value = 0;
      for (unsigned i = 0; i < operand.members.size(); ++i)
        value |= read(thread, operand.members[i], "b" + std::to_string(part)) << (part * i);
      return value;
    }
    case Kind::address:
      fail(thread, "an address as a value");
    }
    fail(thread, "unknown operand");
  }

  void write(Thread &thread, const PtxOperand &operand, uint64_t value, unsigned bits) {
    if (operand.kind == Kind::vector) {
      unsigned part = bits / operand.members.size();
      for (unsigned i = 0; i < operand.members.size(); ++i)
        write(thread, operand.members[i], value >> (part * i), part);
      return;
    }
    if (operand.name == "_")
      return;
    if (thread.inFlight.count(operand.index))
      fail(thread, "register " + operand.name + " is that of a matrix instruction under way");
    thread.unfenced.insert(operand.index);
    thread.registers[operand.index] = truncated(value, bits);
  }

  uint64_t address(const Thread &thread, const PtxOperand &operand, bool isShared) const {
    uint64_t base = 0;
    if (operand.baseIsRegister)
      base = thread.registers[operand.index];
    else if (!operand.name.empty())
      base = kernel.shared.at(operand.name);
    return truncated(base + operand.bits, isShared ? 32 : 64);
  }

  uint8_t *globalBytes(const Thread &thread, uint64_t at, unsigned bytes) const {
    auto it = buffers.upper_bound(at);
    if (it == buffers.begin() || at + bytes > std::prev(it)->first + std::prev(it)->second)
      fail(thread, "access outside of the buffers");
    if (at % bytes)
      fail(thread, "address not a multiple of " + std::to_string(bytes));
    return reinterpret_cast<uint8_t *>(at);
  }

  uint8_t *sharedBytes(const Thread &thread, uint64_t at, unsigned bytes, const uint8_t *written) {
    if (at % bytes)
      fail(thread, "address not a multiple of " + std::to_string(bytes));
    if (const char *wrong = shared.use(int(thread.id), at, bytes, written))
      fail(thread, wrong);
    return shared.at(at);
  }

  // Parameters lie this far apart in their space.
  static constexpr uint64_t paramBytes = 16;

  uint64_t paramAddress(const Thread &thread, const PtxOperand &operand) const {
    if (operand.baseIsRegister)
      return thread.registers[operand.index] + operand.bits;
    for (unsigned i = 0; i < kernel.params.size(); ++i)
      if (kernel.params[i].first == operand.name)
        return paramBytes * i + operand.bits;
    fail(thread, "unknown parameter");
  }

  void load(Thread &thread, const PtxInstruction &instruction) {
    const PtxOperand &target = instruction.operands[0], &from = instruction.operands[1];
    unsigned bits = bitsOf(instruction.type());
    unsigned count = target.kind == Kind::vector ? target.members.size() : 1, bytes = bits / 8;
    const uint8_t *source;
    std::vector<uint8_t> param;
    if (instruction.has("param")) {
      uint64_t at = paramAddress(thread, from);
      if (at / paramBytes >= arguments.size() || at % paramBytes + bytes * count > 8)
        fail(thread, "unknown parameter");
      param.resize(8);
      std::memcpy(param.data(), &arguments[at / paramBytes], 8);
      source = param.data() + at % paramBytes;
    } else if (instruction.has("shared")) {
      source = sharedBytes(thread, address(thread, from, true), bytes * count, nullptr);
    } else {
      source = globalBytes(thread, address(thread, from, false), bytes * count);
    }
    for (unsigned i = 0; i < count; ++i) {
      uint64_t value = 0;
      std::memcpy(&value, source + i * bytes, bytes);
      if (isSigned(instruction.type()))
        value = signExtended(value, bits);
      write(thread, count > 1 || target.kind == Kind::vector ? target.members[i] : target, value,
            64);
    }
  }

  void store(Thread &thread, const PtxInstruction &instruction) {
    const PtxOperand &to = instruction.operands[0], &source = instruction.operands[1];
    unsigned bytes = bitsOf(instruction.type()) / 8;
    unsigned count = source.kind == Kind::vector ? source.members.size() : 1;
    std::vector<uint8_t> data(bytes * count);
    for (unsigned i = 0; i < count; ++i) {
      uint64_t value = read(thread, source.kind == Kind::vector ? source.members[i] : source,
                            instruction.type());
      std::memcpy(data.data() + i * bytes, &value, bytes);
    }
    uint8_t *target = instruction.has("shared")
                          ? sharedBytes(thread, address(thread, to, true), data.size(), data.data())
                          : globalBytes(thread, address(thread, to, false), data.size());
    std::memcpy(target, data.data(), data.size());
  }

  // Copies read when they begin and write when they end; they count as writes at both times.
  void copyAsync(Thread &thread, const PtxInstruction &instruction) {
    if (instruction.has("commit_group")) {
      thread.groups.push_back(std::move(thread.begun));
      thread.begun.clear();
    } else if (instruction.has("wait_group") || instruction.has("wait_all")) {
      bool all = instruction.has("wait_all");
      if (all)
        thread.groups.push_back(std::move(thread.begun)), thread.begun.clear();
      size_t pending = all ? 0 : instruction.operands[0].bits;
      while (thread.groups.size() > pending) {
        for (const Copy &copy : thread.groups.front()) {
          shared.endCopy(copy.to, copy.data.size());
          std::memcpy(sharedBytes(thread, copy.to, copy.data.size(), copy.data.data()),
                      copy.data.data(), copy.data.size());
        }
        thread.groups.erase(thread.groups.begin());
      }
    } else {
      unsigned bytes = instruction.operands[2].bits;
      uint64_t source =
          instruction.operands.size() > 3 ? read(thread, instruction.operands[3], "b32") : bytes;
      if ((bytes != 4 && bytes != 8 && bytes != 16) || (instruction.has("cg") && bytes != 16))
        fail(thread, "copy of " + std::to_string(bytes) + " bytes");
      Copy copy{address(thread, instruction.operands[0], true), std::vector<uint8_t>(bytes)};
      if (source)
        std::memcpy(copy.data.data(),
                    globalBytes(thread, address(thread, instruction.operands[1], false), source),
                    source);
      sharedBytes(thread, copy.to, bytes, copy.data.data());
      shared.beginCopy(copy.to, bytes);
      thread.begun.push_back(std::move(copy));
    }
  }

  // What an atomic operation makes of an element.
  uint64_t combined(const PtxInstruction &instruction, const std::string &type, uint64_t old,
                    uint64_t value) const {
    unsigned bits = bitsOf(type);
    if (instruction.has("exch"))
      return value;
    if (isFloat(type))
      return fromDouble(type, toDouble(type, old) + toDouble(type, value));
    int64_t a = isSigned(type) ? signExtended(old, bits) : int64_t(old);
    int64_t b = isSigned(type) ? signExtended(value, bits) : int64_t(value);
    bool less = isSigned(type) ? a < b : uint64_t(a) < uint64_t(b);
    return instruction.has("add")   ? old + value
           : instruction.has("min") ? (less ? a : b)
           : instruction.has("max") ? (less ? b : a)
           : instruction.has("and") ? old & value
           : instruction.has("or")  ? old | value
                                    : old ^ value;
  }

  // Vectors of registers, each of one element or of two 16-bit floats.
  void atomic(Thread &thread, const PtxInstruction &instruction) {
    bool yields = instruction.words[0] == "atom";
    const std::string &type = instruction.type();
    const PtxOperand &at = instruction.operands[yields ? 1 : 0],
                     &given = instruction.operands[yields ? 2 : 1];
    bool isPair = type == "f16x2" || type == "bf16x2";
    std::string element = isPair ? type.substr(0, type.size() - 2) : type;
    unsigned bits = bitsOf(type), part = bitsOf(element);
    unsigned count = given.kind == Kind::vector ? given.members.size() : 1;
    uint8_t *memory = globalBytes(thread, address(thread, at, false), bits / 8 * count);
    std::vector<uint64_t> olds(count);
    for (unsigned i = 0; i < count; ++i) {
      uint8_t *place = memory + bits / 8 * i;
      std::memcpy(&olds[i], place, bits / 8);
      uint64_t value = read(thread, count > 1 ? given.members[i] : given, type), result = 0;
      if (instruction.has("cas"))
        result = olds[i] == value ? read(thread, instruction.operands.back(), type) : olds[i];
      else
        for (unsigned shift = 0; shift < bits; shift += part)
          result |= truncated(combined(instruction, element, truncated(olds[i] >> shift, part),
                                       truncated(value >> shift, part)),
                              part)
                    << shift;
      std::memcpy(place, &result, bits / 8);
    }
    if (yields)
      for (unsigned i = 0; i < count; ++i)
        write(thread, count > 1 ? instruction.operands[0].members[i] : instruction.operands[0],
              olds[i], bits);
  }

  void step(Thread &thread) {
    if (thread.pc >= kernel.code.size())
      throw PtxError("a kernel without ret");
    const PtxInstruction &instruction = kernel.code[thread.pc];
    if (instruction.guard >= 0 &&
        (thread.registers[instruction.guard] & 1) == instruction.guardNegated) {
      ++thread.pc;
      return;
    }
    const std::string &opcode = instruction.words[0];
    if (opcode == "bar" || opcode == "barrier" || opcode == "shfl" || opcode == "mma" ||
        opcode == "ldmatrix" || opcode == "wgmma") {
      thread.waits = true;
      return;
    }
    uint64_t result;
    auto reader = [&](const PtxOperand &operand, const std::string &type) {
      return read(thread, operand, type);
    };
    if (opcode == "ret" || opcode == "exit") {
      thread.done = true;
    } else if (opcode == "bra") {
      thread.pc = kernel.labels.at(instruction.operands[0].name);
      return;
    } else if (opcode == "ld") {
      load(thread, instruction);
    } else if (opcode == "st") {
      store(thread, instruction);
    } else if (opcode == "cp") {
      copyAsync(thread, instruction);
    } else if (opcode == "atom" || opcode == "red") {
      atomic(thread, instruction);
    } else if (opcode == "fence" || opcode == "membar") {
      // Memory is in order here.
    } else if (computes(instruction, reader, result)) {
      bool isTruth = opcode == "setp" || instruction.type() == "pred";
      unsigned bits = isTruth                                      ? 1
                      : opcode == "cvt" || instruction.has("wide") ? 64
                                                                   : bitsOf(instruction.type());
      if (opcode == "popc" || opcode == "clz" || opcode == "bfind")
        bits = 32;
      if (instruction.operands[0].kind == Kind::vector)
        bits = bitsOf(instruction.type());
      write(thread, instruction.operands[0], result, bits);
    } else {
      fail(thread, "unknown instruction");
    }
    ++thread.pc;
  }

  // Warps whose threads have all come to one shuffle or matrix instruction carry it out.
  bool meetInWarps() {
    bool any = false;
    for (unsigned first = 0; first < threads.size(); first += 32) {
      std::vector<Thread *> warp;
      for (unsigned i = first; i < std::min<size_t>(first + 32, threads.size()); ++i)
        warp.push_back(&threads[i]);
      bool together = std::all_of(warp.begin(), warp.end(),
                                  [&](Thread *t) { return t->waits && t->pc == warp[0]->pc; });
      if (!together)
        continue;
      const PtxInstruction &instruction = kernel.code[warp[0]->pc];
      if (instruction.words[0] == "shfl")
        shuffle(warp, instruction);
      else if (instruction.words[0] == "mma")
        matrix(warp, instruction);
      else if (instruction.words[0] == "ldmatrix")
        loadMatrices(warp, instruction);
      else
        continue;
      for (Thread *thread : warp)
        thread->waits = false, ++thread->pc;
      any = true;
    }
    return any;
  }

  // Groups of four warps that have all come to one matrix instruction.
  bool meetInWarpGroups() {
    bool any = false;
    for (unsigned first = 0; first + 128 <= threads.size(); first += 128) {
      bool together = true;
      for (unsigned i = first; i < first + 128; ++i)
        together &= threads[i].waits && threads[i].pc == threads[first].pc;
      const PtxInstruction &instruction = kernel.code[threads[first].pc];
      if (!together || instruction.words[0] != "wgmma")
        continue;
      WarpGroup &group = warpGroups[first / 128];
      if (instruction.has("mma_async")) {
        beginGroupMatrix(first, group, instruction);
      } else if (instruction.has("commit_group")) {
        group.groups.push_back(std::move(group.begun));
        group.begun.clear();
      } else if (instruction.has("wait_group")) {
        for (; group.groups.size() > instruction.operands[0].bits;
             group.groups.erase(group.groups.begin()))
          for (const GroupMatrix &matrix : group.groups.front())
            endGroupMatrix(first, matrix);
        freeRegisters(first, group);
      } else {
        for (unsigned i = first; i < first + 128; ++i)
          threads[i].unfenced.clear();
      }
      for (unsigned i = first; i < first + 128; ++i)
        threads[i].waits = false, ++threads[i].pc;
      any = true;
    }
    return any;
  }

  // wgmma, from the PTX manual's figures. It is carried out as late as it may be: when it is waited
  // for. Until then nobody may touch its registers, and from the last fence until it begins nobody
  // but other such instructions may have.
  // Calls `visit` with each register of threads of the group that the instruction uses, and
  // whether it is written.
  template <typename Visit>
  void forRegisters(unsigned first, const PtxInstruction &instruction, Visit visit) {
    for (unsigned i = first; i < first + 128; ++i)
      for (unsigned operand : {0, 1})
        for (const PtxOperand &member : instruction.operands[operand].members)
          visit(threads[i], member, operand == 0);
  }

  void freeRegisters(unsigned first, const WarpGroup &group) {
    for (unsigned i = first; i < first + 128; ++i)
      threads[i].inFlight.clear();
    for (const auto &matrices : group.groups)
      for (const GroupMatrix &matrix : matrices)
        hold(first, *matrix.instruction);
    for (const GroupMatrix &matrix : group.begun)
      hold(first, *matrix.instruction);
  }
  void hold(unsigned first, const PtxInstruction &instruction) {
    forRegisters(first, instruction, [](Thread &thread, const PtxOperand &member, bool written) {
      thread.inFlight[member.index] |= written;
    });
  }

  void beginGroupMatrix(unsigned first, WarpGroup &group, const PtxInstruction &instruction) {
    const auto &operands = instruction.operands;
    GroupMatrix matrix{&instruction, 0, read(threads[first], operands[2], "b64"), {}};
    forRegisters(first, instruction, [&](Thread &thread, const PtxOperand &member, bool) {
      if (thread.unfenced.count(member.index))
        fail(thread, "register " + member.name + " was used since the last wgmma.fence");
    });
    if (operands[1].kind != Kind::vector)
      matrix.a = read(threads[first], operands[1], "b64");
    else
      for (unsigned i = 0; i < 128; ++i)
        for (const PtxOperand &member : operands[1].members)
          matrix.left.push_back(read(threads[first + i], member, "b32"));
    hold(first, instruction);
    group.begun.push_back(std::move(matrix));
  }

  void endGroupMatrix(unsigned first, const GroupMatrix &matrix) {
    multiplyGroup(
        matrix,
        [&](unsigned row, uint64_t at) {
          uint16_t bits;
          std::memcpy(&bits, sharedBytes(threads[first + row % 128], at, 2, nullptr), 2);
          return bits;
        },
        [&](unsigned thread, unsigned i) -> uint64_t & {
          const PtxOperand &place = matrix.instruction->operands[0].members.at(i);
          return threads[first + thread].registers[place.index];
        });
  }

  bool meetAtBarrier() {
    for (const Thread &thread : threads)
      if (!thread.waits || thread.pc != threads[0].pc)
        return false;
    if (kernel.code[threads[0].pc].words[0].rfind("bar", 0) != 0)
      return false;
    for (Thread &thread : threads)
      thread.waits = false, ++thread.pc;
    shared.passBarrier();
    return true;
  }

  void shuffle(const std::vector<Thread *> &warp, const PtxInstruction &instruction) {
    std::vector<uint64_t> values, from;
    for (unsigned lane = 0; lane < warp.size(); ++lane) {
      values.push_back(read(*warp[lane], instruction.operands[1], "b32"));
      uint64_t distance = read(*warp[lane], instruction.operands[2], "b32");
      uint64_t source = instruction.has("bfly")  ? lane ^ distance
                        : instruction.has("idx") ? distance & 31
                        : instruction.has("up")  ? (lane >= distance ? lane - distance : lane)
                                                 : (lane + distance < 32 ? lane + distance : lane);
      from.push_back(source);
    }
    for (unsigned lane = 0; lane < warp.size(); ++lane)
      write(*warp[lane], instruction.operands[0], values.at(from[lane]), 32);
  }

  void matrix(const std::vector<Thread *> &warp, const PtxInstruction &instruction) {
    auto gather = [&](unsigned index) {
      std::vector<std::vector<uint64_t>> list;
      for (Thread *thread : warp) {
        list.emplace_back();
        for (const PtxOperand &member : instruction.operands[index].members)
          list.back().push_back(read(*thread, member, "b32"));
      }
      return list;
    };
    auto results = multiplyMatrices(instruction, gather(1), gather(2), gather(3));
    for (unsigned lane = 0; lane < warp.size(); ++lane)
      for (unsigned i = 0; i < results[lane].size(); ++i)
        write(*warp[lane], instruction.operands[0].members[i], results[lane][i], 32);
  }

  // Lane 8 j + i gives the address of row i of matrix j.
  void loadMatrices(const std::vector<Thread *> &warp, const PtxInstruction &instruction) {
    const PtxOperand &target = instruction.operands[0];
    unsigned count = target.kind == Kind::vector ? target.members.size() : 1;
    for (unsigned matrix = 0; matrix < count; ++matrix) {
      uint16_t rows[8][8];
      for (unsigned row = 0; row < 8; ++row) {
        Thread &thread = *warp[8 * matrix + row];
        std::memcpy(
            rows[row],
            sharedBytes(thread, address(thread, instruction.operands[1], true), 16, nullptr), 16);
      }
      for (unsigned lane = 0; lane < 32; ++lane) {
        unsigned first = 2 * (lane % 4), other = lane / 4;
        uint64_t low = instruction.has("trans") ? rows[first][other] : rows[other][first];
        uint64_t high = instruction.has("trans") ? rows[first + 1][other] : rows[other][first + 1];
        write(*warp[lane], target.kind == Kind::vector ? target.members[matrix] : target,
              low | high << 16, 32);
      }
    }
  }

  const PtxKernel &kernel;
  std::array<int, 3> grid, place;
  const std::vector<uint64_t> &arguments;
  const std::map<uint64_t, uint64_t> &buffers;
  SharedMemory shared;
  std::vector<Thread> threads;
  std::vector<WarpGroup> warpGroups;
};
} // namespace

uint64_t PtxMachine::buffer(void *data, uint64_t bytes) {
  uint64_t begin = reinterpret_cast<uint64_t>(data);
  auto it = buffers.upper_bound(begin);
  if (it != buffers.begin() && std::prev(it)->first + std::prev(it)->second > begin)
    --it;
  while (it != buffers.end() && it->first < begin + bytes)
    it = buffers.erase(it);
  buffers[begin] = bytes;
  return begin;
}

void PtxMachine::run(const std::string &name, std::array<int, 3> grid,
                     std::vector<uint64_t> arguments, uint64_t dynamicShared) {
  auto it = kernels.find(name);
  if (it == kernels.end())
    throw PtxError("no kernel " + name);
  if (arguments.size() != it->second.params.size())
    throw PtxError(name + " has " + std::to_string(it->second.params.size()) + " parameters");
  for (int z = 0; z < grid[2]; ++z)
    for (int y = 0; y < grid[1]; ++y)
      for (int x = 0; x < grid[0]; ++x)
        Program(it->second, grid, {x, y, z}, arguments, dynamicShared, buffers).run();
}
