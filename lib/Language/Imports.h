// Files of helpers beside a kernel file: `from utils import f`, `from .utils import f`, `import
// utils`.
#pragma once

#include "Language/Module.h"

namespace teeny {
class Diagnostics;
class Sources;
} // namespace teeny

namespace teeny::lang {

// The most files that one kernel file may import, directly and through others.
inline constexpr size_t maxImportedFiles = 256;

using ImportedFiles = std::map<std::string, std::unique_ptr<ParsedFile>>; // by path

// Parses the files that the imports of `file` name, if they are there: `a.b` is a/b.py in the
// folder of the file, with a dot before it too, and each further dot is a folder up. Fills in the
// `imports` of all; files may import each other. Syntax errors of kernels are reported; what is not
// found stays unknown.
void importFiles(ParsedFile &file, Sources &sources, ImportedFiles &imported,
                 Diagnostics &diagnostics);

} // namespace teeny::lang
