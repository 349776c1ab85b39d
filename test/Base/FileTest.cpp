#include "Base/File.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

using namespace teeny;
namespace fs = std::filesystem;

namespace {

// A folder of its own that is gone afterwards.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("teeny-file-test-" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

} // namespace

TEST_CASE("a file that was written is mapped as it was") {
  Folder folder;
  std::string path = folder.path / "a";
  for (std::string content : {"", "one", "another text"}) {
    REQUIRE(writeFile(path, std::as_bytes(std::span(content))));
    Result<MappedFile> file = MappedFile::open(path);
    REQUIRE(file);
    CHECK(text(file->bytes()) == content);
    MappedFile moved = std::move(*file);
    CHECK(text(moved.bytes()) == content);
  }
  std::string first = "one, ", second = "two";
  const std::vector<std::span<const std::byte>> pieces = {std::as_bytes(std::span(first)),
                                                          std::as_bytes(std::span(second))};
  REQUIRE(writeFile(path, pieces));
  CHECK(text(MappedFile::open(path)->bytes()) == "one, two");
  // Nothing is left beside it.
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
}

TEST_CASE("what cannot be opened or written is an error with the path") {
  Folder folder;
  Result<MappedFile> missing = MappedFile::open(folder.path / "missing");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::notFound);
  CHECK(missing.error().message ==
        (folder.path / "missing").string() + ": cannot open: No such file or directory");

  Result<MappedFile> directory = MappedFile::open(folder.path);
  REQUIRE_FALSE(directory);
  CHECK(directory.error().code == ErrorCode::io);

  // Nobody writes to this one, and nobody waits for that.
  std::string pipe = folder.path / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  Result<MappedFile> piped = MappedFile::open(pipe);
  REQUIRE_FALSE(piped);
  CHECK(piped.error().message == pipe + ": not a regular file");

  Status written = writeFile(folder.path / "no" / "folder", std::span<const std::byte>());
  REQUIRE_FALSE(written);
}
