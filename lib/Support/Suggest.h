// What someone who misspelt a name meant, as text for messages that are no Diagnostic.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace teeny {

// "; did you mean 'name'?" with the candidate that is nearest() to `name`; `otherwise` where none
// is.
std::string orNearest(llvm::StringRef name, llvm::ArrayRef<std::string> candidates,
                      llvm::StringRef otherwise = "");

// The path of a file that is there and that is nearest to `path`, which is not: in the same folder,
// of the same extension, or else of the same name before an extension that is near. Empty if there
// is none.
std::string nearestFile(llvm::StringRef path);

} // namespace teeny
