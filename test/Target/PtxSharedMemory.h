// The shared memory of a program, which finds races: what one thread writes, others may use only
// after a barrier.
#pragma once

#include <cstdint>
#include <vector>

namespace teeny::test {

class SharedMemory {
public:
  explicit SharedMemory(uint64_t bytes) : memory(bytes), accesses(bytes) {}

  uint8_t *at(uint64_t address) { return memory.data() + address; }

  // Notes that a thread reads these bytes, or writes `written` to them. Returns what is wrong with
  // that, or null. All may write the same value.
  const char *use(int thread, uint64_t address, unsigned bytes, const uint8_t *written) {
    if (address + bytes > memory.size())
      return "access outside of shared memory";
    for (uint64_t i = address; i < address + bytes; ++i) {
      Access &access = accesses[i];
      if (access.copies)
        return "race with an asynchronous copy";
      bool foreignWrite =
          access.writer >= 0 && access.writer != thread && access.written == barriers;
      bool foreignRead = access.reader >= 0 && access.read == barriers &&
                         (access.manyReaders || access.reader != thread);
      bool sameValue = written && memory[i] == written[i - address];
      if ((foreignWrite || (written && foreignRead)) && !sameValue)
        return "race in shared memory";
      if (written) {
        access.writer = thread;
        access.written = barriers;
      } else {
        access.manyReaders = foreignRead;
        access.reader = thread;
        access.read = barriers;
      }
    }
    return nullptr;
  }

  // Between these nobody may use the bytes.
  void beginCopy(uint64_t address, size_t bytes) { countCopies(address, bytes, 1); }
  void endCopy(uint64_t address, size_t bytes) { countCopies(address, bytes, -1); }

  void passBarrier() { ++barriers; }

private:
  // Who used a byte last, and after how many barriers.
  struct Access {
    int writer = -1, reader = -1;
    unsigned written = 0, read = 0;
    bool manyReaders = false;
    int copies = 0; // that write it and have not ended
  };

  void countCopies(uint64_t address, size_t bytes, int change) {
    for (uint64_t i = address; i < address + bytes; ++i)
      accesses[i].copies += change;
  }

  std::vector<uint8_t> memory;
  std::vector<Access> accesses;
  unsigned barriers = 1;
};

} // namespace teeny::test
