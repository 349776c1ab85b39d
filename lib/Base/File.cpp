#include "Base/File.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace teeny {
namespace {

// A file descriptor that closes itself.
struct Descriptor {
  int number;
  explicit Descriptor(int number) : number(number) {}
  Descriptor(const Descriptor &) = delete;
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
};

Error systemError(const std::string &path, const std::string &what) {
  ErrorCode code = errno == ENOENT ? ErrorCode::notFound : ErrorCode::io;
  return {code, path + ": " + what + ": " + std::strerror(errno)};
}

bool writeAll(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    bytes = bytes.subspan(size_t(written));
  }
  return true;
}

} // namespace

Result<MappedFile> MappedFile::open(const std::string &path) {
  // Opening a pipe would wait for a writer.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (file.number < 0 || ::fstat(file.number, &status) != 0)
    return systemError(path, "cannot open");
  if (!S_ISREG(status.st_mode))
    return Error{ErrorCode::io, path + ": not a regular file"};

  MappedFile result;
  if (status.st_size > 0) { // an empty mapping is an error
    size_t size = size_t(status.st_size);
    void *address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
    if (address == MAP_FAILED)
      return systemError(path, "cannot map");
    result.mapping = {static_cast<const std::byte *>(address), size};
  }
  return result;
}

MappedFile::MappedFile(MappedFile &&other) noexcept : mapping(std::exchange(other.mapping, {})) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(mapping, other.mapping);
  return *this;
}

MappedFile::~MappedFile() {
  if (!mapping.empty())
    ::munmap(const_cast<std::byte *>(mapping.data()), mapping.size());
}

Status writeFile(const std::string &path, std::span<const std::byte> bytes) {
  return writeFile(path, std::span<const std::span<const std::byte>>(&bytes, 1));
}

Status writeFile(const std::string &path, std::span<const std::span<const std::byte>> pieces) {
  // A device or pipe cannot be renamed over; it is written as it is.
  struct stat status;
  bool special = ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  std::string target = special ? path : path + ".new-" + std::to_string(::getpid());

  Descriptor file(::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.number < 0)
    return systemError(path, "cannot write");
  bool written = std::all_of(pieces.begin(), pieces.end(), [&](std::span<const std::byte> piece) {
    return writeAll(file.number, piece);
  });
  if (written && (special || ::rename(target.c_str(), path.c_str()) == 0))
    return {};
  Error error = systemError(path, "cannot write");
  if (!special)
    ::unlink(target.c_str());
  return error;
}

} // namespace teeny
