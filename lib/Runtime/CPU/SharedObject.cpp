#include "Runtime/CPU/SharedObject.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U // Linux 6.3
#endif

namespace teeny::rt {

namespace {
struct File {
  int descriptor;
  ~File() {
    if (descriptor >= 0)
      close(descriptor);
  }
};
} // namespace

static Status writeAll(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return Error{ErrorCode::io, strerror(errno)};
    bytes = bytes.subspan(written);
  }
  return {};
}

// /proc/self/fd/7, in a spelling that this process has not used before. The loader takes a name
// that it knows for the library that it loaded under it, and descriptor numbers are used again.
// Each bit of a counter becomes "/" or "./", which leaves the meaning of a path alone.
static std::string uniquePath(int descriptor) {
  static std::atomic<uint64_t> counter{0};
  std::string path = "/proc/self/fd/";
  for (uint64_t bits = ++counter; bits != 0; bits >>= 1)
    path += (bits & 1) ? "./" : "/";
  return path + std::to_string(descriptor);
}

Result<std::shared_ptr<SharedObject>> SharedObject::open(const std::string &path,
                                                         const std::string &name) {
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    return Error{ErrorCode::environment,
                 "cannot load the code '" + name + "': " + (why ? why : "unknown error")};
  }
  return std::shared_ptr<SharedObject>(new SharedObject(handle));
}

Result<std::shared_ptr<SharedObject>>
SharedObject::loadFromMemoryFile(std::span<const std::byte> bytes, const std::string &name) {
  const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  File file{memfd_create("teeny-code", flags | MFD_EXEC)};
  if (file.descriptor < 0 && errno == EINVAL) // a kernel that does not know MFD_EXEC
    file.descriptor = memfd_create("teeny-code", flags);
  if (file.descriptor < 0)
    return Error{ErrorCode::environment,
                 std::string("cannot create a memory file: ") + strerror(errno)};
  if (Status written = writeAll(file.descriptor, bytes); !written)
    return written.error().in("cannot write a memory file");
  const int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (fcntl(file.descriptor, F_ADD_SEALS, seals) != 0)
    return Error{ErrorCode::environment,
                 std::string("cannot seal a memory file: ") + strerror(errno)};
  return open(uniquePath(file.descriptor), name);
}

Result<std::shared_ptr<SharedObject>>
SharedObject::loadFromTemporaryFile(std::span<const std::byte> bytes, const std::string &name) {
  const char *folder = getenv("TMPDIR");
  std::string path = std::string(folder && *folder ? folder : "/tmp") + "/teeny-code-XXXXXX";
  File file{mkostemp(path.data(), O_CLOEXEC)}; // readable and writable by this user alone
  if (file.descriptor < 0)
    return Error{ErrorCode::environment,
                 "cannot create the temporary file " + path + ": " + strerror(errno)};
  Status written = writeAll(file.descriptor, bytes);
  if (!written) {
    unlink(path.c_str());
    return written.error().in("cannot write the temporary file " + path);
  }
  Result<std::shared_ptr<SharedObject>> object = open(path, name);
  unlink(path.c_str());
  return object;
}

Result<std::shared_ptr<SharedObject>> SharedObject::load(std::span<const std::byte> bytes,
                                                         const std::string &name) {
  Result<std::shared_ptr<SharedObject>> object = loadFromMemoryFile(bytes, name);
  if (object)
    return object;
  Result<std::shared_ptr<SharedObject>> second = loadFromTemporaryFile(bytes, name);
  if (second)
    return second;
  return Error{ErrorCode::environment,
               object.error().message + "; then: " + second.error().message};
}

SharedObject::~SharedObject() { dlclose(handle); }

void *SharedObject::symbol(const std::string &symbol) const {
  return dlsym(handle, symbol.c_str());
}

} // namespace teeny::rt
