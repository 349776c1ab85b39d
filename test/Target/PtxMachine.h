// A machine that runs PTX, slowly and strictly: the reference for GPU code where there is no GPU.
//
// Threads are interpreted one after the other up to the next instruction that needs the others
// (barrier, shuffle, matrix instruction), which is carried out once all have come to it; if they
// never do, that is an error. So are accesses outside of the buffers the caller names or at
// addresses that are not aligned, and races in shared memory: bytes that one thread writes and
// another reads or writes with no barrier between. Asynchronous copies end as late as they may,
// when their thread waits for their group; until then nobody may touch their bytes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace teeny::test {

struct PtxError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct PtxOperand {
  enum class Kind { reg, immediate, symbol, vector, address };
  Kind kind = Kind::immediate;
  std::string name;                // of a register or symbol, or of an address's base
  unsigned index = 0;              // of the register
  uint64_t bits = 0;               // of an immediate; an address's offset
  bool baseIsRegister = false;     // of an address
  std::vector<PtxOperand> members; // of a vector
};

struct PtxInstruction {
  std::string text;               // for messages
  std::vector<std::string> words; // of the opcode: {"ld", "global", "v4", "b32"}
  std::vector<PtxOperand> operands;
  int guard = -1; // register of the predicate
  bool guardNegated = false;

  bool has(const char *word) const;
  const std::string &type() const { return words.back(); }
};

struct PtxKernel {
  std::string name;
  std::vector<std::pair<std::string, unsigned>> params; // bytes of each
  std::map<std::string, uint64_t> shared;               // offsets of variables
  uint64_t sharedBytes = 0;
  std::array<int, 3> block{1, 1, 1};
  std::vector<PtxInstruction> code;
  std::map<std::string, unsigned> labels, registers;
};

// The kernels of a PTX text. Throws PtxError for what it does not know.
std::map<std::string, PtxKernel> parsePtx(const std::string &text);

class PtxMachine {
public:
  explicit PtxMachine(const std::string &ptx) : kernels(parsePtx(ptx)) {}

  // Memory that kernels may access; addresses are the host's. Buffers named before that lie in the
  // same bytes were freed since, and are forgotten.
  template <typename T> uint64_t buffer(std::vector<T> &data) {
    return buffer(data.data(), data.size() * sizeof(T));
  }
  uint64_t buffer(void *data, uint64_t bytes);

  // Runs all programs of the grid. `arguments` holds the bits of each parameter.
  void run(const std::string &kernel, std::array<int, 3> grid, std::vector<uint64_t> arguments,
           uint64_t dynamicShared = 0);

private:
  std::map<std::string, PtxKernel> kernels;
  std::map<uint64_t, uint64_t> buffers;
};

// Parts of the machine. The result of an instruction of one thread that only computes; false if it
// is none.
bool computes(const PtxInstruction &instruction,
              const std::function<uint64_t(const PtxOperand &, const std::string &type)> &read,
              uint64_t &result);
// A matrix instruction: the registers of A, B and C by lane; those of the result.
std::vector<std::vector<uint64_t>> multiplyMatrices(const PtxInstruction &instruction,
                                                    const std::vector<std::vector<uint64_t>> &a,
                                                    const std::vector<std::vector<uint64_t>> &b,
                                                    const std::vector<std::vector<uint64_t>> &c);
// A matrix instruction of a warp group that has begun, and what it took from registers:
// descriptors, or the left operand's, 4 words of each of 128 threads.
struct GroupMatrix {
  const PtxInstruction *instruction;
  uint64_t a = 0, b = 0;
  std::vector<uint64_t> left;
};
// Carries it out: `shared` reads an element of a row or column at an address of shared memory,
// `sum` is the i-th accumulator of a thread.
void multiplyGroup(const GroupMatrix &matrix,
                   const std::function<uint16_t(unsigned row, uint64_t at)> &shared,
                   const std::function<uint64_t &(unsigned thread, unsigned i)> &sum);

} // namespace teeny::test
