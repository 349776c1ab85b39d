// Machine code of a bundle, loaded into this process.
//
// The bytes go into a sealed memory file, which nobody can change any more, and from there through
// the dynamic loader. Where the system has no such files, or does not execute from them, a private
// temporary file takes their place, which is removed as soon as it is loaded.
#pragma once

#include "Base/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace teeny::rt {

class SharedObject {
public:
  // `name` is for messages. Loading runs the initialisers of the code, if it has any.
  static Result<std::shared_ptr<SharedObject>> load(std::span<const std::byte> bytes,
                                                    const std::string &name);
  // The two ways, of which load() takes the first that works.
  static Result<std::shared_ptr<SharedObject>> loadFromMemoryFile(std::span<const std::byte> bytes,
                                                                  const std::string &name);
  static Result<std::shared_ptr<SharedObject>>
  loadFromTemporaryFile(std::span<const std::byte> bytes, const std::string &name);
  ~SharedObject();
  SharedObject(const SharedObject &) = delete;
  SharedObject &operator=(const SharedObject &) = delete;

  void *symbol(const std::string &symbol) const; // null if it is not there

private:
  explicit SharedObject(void *handle) : handle(handle) {}
  static Result<std::shared_ptr<SharedObject>> open(const std::string &path,
                                                    const std::string &name);
  void *handle;
};

} // namespace teeny::rt
