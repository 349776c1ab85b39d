#include "Target/Host/Link.h"

#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <mutex>
#include <thread>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace teeny;

namespace {

// A descriptor, closed at the end, and its path for code that opens files by name.
class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor &) = delete;

  int get() const { return number; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(number); }
  void close() {
    if (number >= 0)
      ::close(number);
    number = -1;
  }

private:
  int number;
};

bool writeAll(int file, llvm::StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    bytes = bytes.drop_front(count);
  }
  return true;
}

void readAll(int file, std::string &bytes) {
  char buffer[1 << 16];
  for (;;) {
    ssize_t count = read(file, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return;
    bytes.append(buffer, count);
  }
}

} // namespace

Result<std::string> teeny::linkSharedLibrary(llvm::StringRef object) {
  // lld opens files by name. It replaces a regular file by making another beside it, so the output
  // goes into a pipe, which it writes in one go.
  int ends[2] = {-1, -1};
  Descriptor input(memfd_create("object", MFD_CLOEXEC));
  bool piped = pipe2(ends, O_CLOEXEC) == 0;
  Descriptor readEnd(ends[0]), writeEnd(ends[1]);
  if (input.get() < 0 || !piped || access(input.path().c_str(), R_OK) != 0)
    return Error{ErrorCode::environment,
                 std::string("cannot make files in memory (memfd_create, ") +
                     "pipe2, /proc/self/fd): " + std::strerror(errno)};
  if (!writeAll(input.get(), object))
    return Error{ErrorCode::outOfMemory, "no memory for an object file"};
  std::string library;
  std::thread reader([&] { readAll(readEnd.get(), library); });

  std::string inputPath = input.path(), outputPath = writeEnd.path();
  const char *arguments[] = {
      "ld.lld",
      "-shared",
      "--hash-style=gnu",
      "--build-id=none",
      "--strip-all",
      "--gc-sections",
      "--threads=1",
      "-z",
      "noexecstack",
      "-z",
      "relro",
      "-z",
      "now",
      "-o",
      outputPath.c_str(),
      inputPath.c_str(),
  };
  std::string messages;
  bool linked;
  {
    static std::mutex lldIsNotReentrant;
    std::lock_guard<std::mutex> lock(lldIsNotReentrant);
    llvm::raw_string_ostream stream(messages);
    linked = lld::elf::link(arguments, stream, stream, /*exitEarly=*/false,
                            /*disableOutput=*/false);
    lld::CommonLinkerContext::destroy();
  }
  writeEnd.close(); // the reader's end of file
  reader.join();
  if (!linked)
    return Error{ErrorCode::invalid, "internal error: lld: " + messages};
  return library;
}

Result<DynamicSymbols> teeny::readDynamicSymbols(llvm::StringRef library) {
  auto failed = [](llvm::Error error) {
    return Error{ErrorCode::invalid, "not a shared library: " + llvm::toString(std::move(error))};
  };
  auto file =
      llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(library, "library"));
  if (!file)
    return failed(file.takeError());
  DynamicSymbols symbols;
  auto &elf = llvm::cast<llvm::object::ELFObjectFileBase>(**file);
  for (const llvm::object::ELFSymbolRef &symbol : elf.getDynamicSymbolIterators()) {
    auto flags = symbol.getFlags();
    if (!flags)
      return failed(flags.takeError());
    auto name = symbol.getName();
    if (!name)
      return failed(name.takeError());
    if (name->empty())
      continue;
    bool undefined = *flags & llvm::object::SymbolRef::SF_Undefined;
    (undefined ? symbols.imports : symbols.exports).push_back(name->str());
  }
  std::sort(symbols.exports.begin(), symbols.exports.end());
  std::sort(symbols.imports.begin(), symbols.imports.end());
  return symbols;
}
