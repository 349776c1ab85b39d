#include "Driver/CacheIdentity.h"

#include "Base/File.h"
#include "Base/Sha256.h"
#include "Driver/CodeCache.h"
#include "Target/PTX/PTX.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <vector>

#include <elf.h>
#include <link.h>
#include <sys/stat.h>

using namespace teeny;

// The build id among the notes of one segment, as hex; else "".
static std::string buildIdIn(const std::byte *begin, size_t size) {
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, begin + at, sizeof(note));
    size_t name = at + sizeof(note), text = name + llvm::alignTo(note.n_namesz, 4);
    if (text + note.n_descsz > size)
      break;
    llvm::StringRef owner(reinterpret_cast<const char *>(begin + name), note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && owner == llvm::StringRef("GNU\0", 4))
      return llvm::toHex(
          llvm::StringRef(reinterpret_cast<const char *>(begin + text), note.n_descsz), true);
    at = text + llvm::alignTo(note.n_descsz, 4);
  }
  return "";
}

// dl_iterate_phdr calls this for the program, which has no name, and then for each library.
static int addModule(dl_phdr_info *info, size_t, void *result) {
  std::string id;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE && id.empty())
      id = buildIdIn(reinterpret_cast<const std::byte *>(info->dlpi_addr + segment.p_vaddr),
                     segment.p_memsz);
  }
  auto &ids = *static_cast<std::vector<std::string> *>(result);
  if (ids.empty() && id.empty())
    if (Result<MappedFile> file = MappedFile::open("/proc/self/exe"))
      id = sha256Hex(file->bytes());
  // The kernel's own page has nothing to do with what is computed.
  if (!llvm::StringRef(info->dlpi_name).contains("vdso"))
    ids.push_back(id);
  return 0;
}

std::string teeny::programIdentity() {
  std::vector<std::string> ids;
  dl_iterate_phdr(addModule, &ids);
  return llvm::join(ids, " ");
}

Result<std::string> teeny::assemblerIdentity(const std::string &path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
    return Error{ErrorCode::environment, "cannot look at '" + path + "'"};
  Result<std::string> version = ptx::assemblerVersion(path);
  if (!version)
    return version.error();
  return path + " " + std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) +
         "." + std::to_string(status.st_mtim.tv_nsec) + " " + *version;
}
