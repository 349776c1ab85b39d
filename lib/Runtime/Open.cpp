#include "Runtime/Open.h"

#include "Base/Sha256.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace teeny::rt {

namespace {
// The bytes of a bundle that was given in memory, and the bundle in them.
struct Copy {
  explicit Copy(std::span<const std::byte> from) : size(from.size()) {
    memory = static_cast<std::byte *>(
        ::operator new(std::max<size_t>(size, 1), std::align_val_t(dataAlignment)));
    if (size != 0)
      memcpy(memory, from.data(), size);
  }
  ~Copy() {
    bundle.reset(); // before what it points into
    ::operator delete(memory, std::align_val_t(dataAlignment));
  }
  Copy(const Copy &) = delete;
  Copy &operator=(const Copy &) = delete;

  std::byte *memory;
  size_t size;
  std::optional<BundleFile> bundle;
};
} // namespace

static Status checkHash(std::span<const std::byte> bytes, const char *expected) {
  if (!expected)
    return {};
  std::string wanted = expected;
  for (char &digit : wanted)
    if (digit >= 'A' && digit <= 'F')
      digit += 'a' - 'A';
  if (wanted.size() != 64 || wanted.find_first_not_of("0123456789abcdef") != std::string::npos)
    return Error{ErrorCode::invalid,
                 "the expected SHA-256 '" + wanted + "' is not 64 hexadecimal digits"};
  std::string found = sha256Hex(bytes);
  if (found != wanted)
    return Error{ErrorCode::invalid, "the SHA-256 is " + found + ", expected " + wanted};
  return {};
}

Result<std::shared_ptr<const BundleFile>> openBundle(const std::string &path, const char *sha256) {
  Result<BundleFile> opened = BundleFile::open(path);
  if (!opened)
    return opened.error();
  // Of the mapping that is used: the file cannot be exchanged in between.
  if (Status status = checkHash(opened->bytes(), sha256); !status)
    return status.error().in(path);
  return std::make_shared<const BundleFile>(std::move(*opened));
}

Result<std::shared_ptr<const BundleFile>> openBundleCopy(std::span<const std::byte> bytes,
                                                         const char *sha256) {
  if (Status status = checkHash(bytes, sha256); !status)
    return status.error().in("the bundle in memory");
  auto copy = std::make_shared<Copy>(bytes);
  Result<BundleFile> opened = BundleFile::openMemory({copy->memory, copy->size});
  if (!opened)
    return opened.error();
  copy->bundle.emplace(std::move(*opened));
  return std::shared_ptr<const BundleFile>(copy, &*copy->bundle);
}

} // namespace teeny::rt
