#include "Support/Suggest.h"

#include "Support/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace teeny;

std::string teeny::orNearest(llvm::StringRef name, llvm::ArrayRef<std::string> candidates,
                             llvm::StringRef otherwise) {
  std::string near = nearest(name, candidates);
  return near.empty() ? otherwise.str() : "; did you mean '" + near + "'?";
}

std::string teeny::nearestFile(llvm::StringRef path) {
  constexpr size_t most = 10000;
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  llvm::StringRef extension = llvm::sys::path::extension(path);
  if (llvm::sys::fs::exists(path))
    return {};
  std::vector<std::string> names;
  std::error_code error;
  llvm::sys::fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
  for (size_t count = 0; !error && entry != end && ++count <= most; entry.increment(error))
    if (llvm::sys::path::extension(entry->path()) == extension)
      names.push_back(llvm::sys::path::stem(entry->path()).str());
  llvm::sort(names); // of equally near ones the first
  std::string near = nearest(llvm::sys::path::stem(path), names);
  if (near.empty())
    return {};
  llvm::SmallString<128> found = folder;
  llvm::sys::path::append(found, near + extension);
  return found.str().str();
}
