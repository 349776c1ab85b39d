// The library's files as they were when the compiler was built; EmbedLibrary.cmake writes the
// definition.
#pragma once

#include <vector>

namespace teeny::lang {

struct EmbeddedFile {
  const char *name; // "lang/standard.py"
  const char *text;
};

const std::vector<EmbeddedFile> &embeddedLibrary();

} // namespace teeny::lang
