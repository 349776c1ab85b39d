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
  llvm::StringRef stem = llvm::sys::path::stem(path), extension = llvm::sys::path::extension(path);
  if (llvm::sys::fs::exists(path))
    return {};
  std::vector<std::string> stems, extensions;
  std::error_code error;
  llvm::sys::fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
  for (size_t count = 0; !error && entry != end && ++count <= most; entry.increment(error)) {
    llvm::StringRef itsStem = llvm::sys::path::stem(entry->path());
    llvm::StringRef itsExtension = llvm::sys::path::extension(entry->path());
    if (itsExtension == extension)
      stems.push_back(itsStem.str());
    if (itsStem == stem)
      extensions.push_back(itsExtension.str());
  }
  llvm::sort(stems); // of equally near ones the first
  llvm::sort(extensions);
  std::string near = nearest(stem, stems);
  if (!near.empty())
    near += extension;
  else if (std::string other = nearest(extension, extensions); !other.empty())
    near = (stem + other).str();
  else
    return {};
  llvm::SmallString<128> found = folder;
  llvm::sys::path::append(found, near);
  return found.str().str();
}
