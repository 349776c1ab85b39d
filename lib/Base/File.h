// Files: mapped for reading, replaced as a whole when written.
#pragma once

#include "Base/Result.h"

#include <cstddef>
#include <span>
#include <string>

namespace teeny {

// The bytes of a regular file, mapped read-only for as long as the object lives. Whoever shortens
// the file meanwhile makes reads of the lost pages fail with SIGBUS, as with any mapping.
class MappedFile {
public:
  // Errors: notFound, io (also for what is no regular file).
  static Result<MappedFile> open(const std::string &path);

  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return mapping; }

private:
  MappedFile() = default;
  std::span<const std::byte> mapping;
};

// Makes `bytes` the contents of `path`: they are written beside it and renamed, so that a reader
// sees the old file or the new one. Errors: io.
Status writeFile(const std::string &path, std::span<const std::byte> bytes);
// The same from pieces, one after the other.
Status writeFile(const std::string &path, std::span<const std::span<const std::byte>> pieces);

} // namespace teeny
