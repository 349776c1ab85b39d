#include "Driver/CodeCache.h"

#include "Base/File.h"
#include "Base/Sha256.h"
#include "Bundle/BundleFile.h"
#include "Driver/CacheIdentity.h"
#include "Driver/DumpCode.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fcntl.h>
#include <sys/stat.h>

using namespace teeny;

namespace fs = llvm::sys::fs;

static constexpr size_t digestLength = 64; // SHA-256 in hex
static constexpr llvm::StringLiteral extension = ".code";

//===-- Keys --------------------------------------------------------------------------------===//

std::string teeny::contentsOf(mlir::func::FuncOp kernel) {
  mlir::Location nowhere = mlir::UnknownLoc::get(kernel.getContext());
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(nowhere);
  module->push_back(kernel.clone());
  module->walk([&](mlir::Operation *op) {
    op->setLoc(nowhere);
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for (mlir::BlockArgument argument : block.getArguments())
          argument.setLoc(nowhere);
  });
  std::string bytecode;
  llvm::raw_string_ostream os(bytecode);
  mlir::LogicalResult written = mlir::writeBytecodeToFile(*module, os);
  assert(mlir::succeeded(written) && "writing to memory does not fail");
  (void)written;
  return bytecode;
}

std::string CodeCache::key(const std::string &kernel, const Target &target,
                           const std::string &assembler) {
  // Each part with its length, so that no two lists of parts are the same bytes.
  Sha256 hash;
  for (llvm::StringRef part :
       std::initializer_list<llvm::StringRef>{program, target.name, assembler, kernel}) {
    std::string length = std::to_string(part.size()) + ":";
    hash.update(std::as_bytes(std::span(length)));
    hash.update(std::as_bytes(std::span(part.data(), part.size())));
  }
  return llvm::toHex(hash.finish(), /*LowerCase=*/true);
}

//===-- Entries -----------------------------------------------------------------------------===//

static Result<std::vector<std::byte>> entryOf(const std::string &key, const GeneratedCode &code) {
  BundleWriter writer;
  BundleWriter::Code place =
      writer.addCode(code.kernel + "." + code.object.target + "." + code.extension,
                     std::as_bytes(std::span(code.bytes)));
  ManifestKernel kernel;
  kernel.name = kernel.function = code.kernel;
  kernel.source = "cache";
  kernel.code.push_back(code.object);
  kernel.code.back().tensor = place.tensor;
  kernel.code.back().sha256 = place.sha256;
  Manifest manifest;
  manifest.name = key;
  manifest.targets = {code.object.target};
  manifest.kernels.push_back(std::move(kernel));
  return writer.bytes(manifest);
}

// Nothing if that is not, to the last byte, what was stored.
static std::optional<GeneratedCode> read(std::span<const std::byte> file, const std::string &key) {
  if (file.size() < digestLength)
    return std::nullopt;
  std::span<const std::byte> entry = file.first(file.size() - digestLength);
  llvm::StringRef digest(reinterpret_cast<const char *>(file.data()) + entry.size(), digestLength);
  if (digest != sha256Hex(entry))
    return std::nullopt;
  Result<BundleFile> bundle = BundleFile::openMemory(entry);
  if (!bundle || bundle->manifest().name != key || bundle->manifest().kernels.size() != 1 ||
      bundle->manifest().kernels.front().code.size() != 1)
    return std::nullopt;
  const ManifestKernel &kernel = bundle->manifest().kernels.front();
  GeneratedCode code;
  code.kernel = kernel.name;
  code.object = kernel.code.front();
  code.extension = extensionOf(code.object.tensor);
  std::span<const std::byte> bytes = bundle->code(code.object);
  code.bytes.assign(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return code;
}

//===-- The folder --------------------------------------------------------------------------===//

CodeCache::CodeCache(std::string folder, uint64_t maxBytes)
    : folder(std::move(folder)), program(programIdentity()), maxBytes(maxBytes) {}

Result<std::unique_ptr<CodeCache>> CodeCache::open(const std::string &folder, uint64_t maxBytes) {
  if (std::error_code error =
          fs::create_directories(folder, /*IgnoreExisting=*/true, fs::perms::owner_all))
    return Error{ErrorCode::environment,
                 "cannot make the folder of the cache, '" + folder + "': " + error.message()};
  if (!fs::is_directory(folder))
    return Error{ErrorCode::environment, "the cache, '" + folder + "', is no folder"};
  return std::unique_ptr<CodeCache>(new CodeCache(folder, maxBytes));
}

std::string CodeCache::pathOf(const std::string &key) const {
  return folder + "/" + key + extension.str();
}

std::optional<GeneratedCode> CodeCache::find(const std::string &key) {
  ++asks;
  const std::string path = pathOf(key);
  Result<MappedFile> file = MappedFile::open(path);
  if (!file)
    return std::nullopt;
  std::optional<GeneratedCode> code = read(file->bytes(), key);
  if (!code) {
    fs::remove(path);
    return std::nullopt;
  }
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0); // used now; if not, it only goes earlier
  ++hits;
  return code;
}

void CodeCache::store(const std::string &key, const GeneratedCode &code) {
  Result<std::vector<std::byte>> entry = entryOf(key, code);
  Status written;
  if (entry) {
    std::string digest = sha256Hex(*entry);
    const std::span<const std::byte> pieces[] = {*entry, std::as_bytes(std::span(digest))};
    written = writeFile(pathOf(key), pieces);
  } else {
    written = entry.error();
  }
  if (written) {
    ++stores;
    return;
  }
  std::lock_guard<std::mutex> guard(lock);
  if (!firstTrouble)
    firstTrouble = written.error();
}

namespace {
struct EntryFile {
  std::string path;
  uint64_t bytes;
  llvm::sys::TimePoint<> used;
};
} // namespace

// Entries, and what is left of those that were being written.
static std::vector<EntryFile> entriesOf(const std::string &folder) {
  std::vector<EntryFile> entries;
  std::error_code error;
  fs::directory_iterator entry(folder, error, /*follow_symlinks=*/false), end;
  for (; !error && entry != end; entry.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(entry->path());
    llvm::StringRef key = name.take_front(digestLength);
    fs::file_status status;
    if (key.size() != digestLength || !llvm::all_of(key, llvm::isHexDigit) ||
        !name.drop_front(digestLength).starts_with(extension) ||
        fs::status(entry->path(), status, /*follow=*/false) ||
        status.type() != fs::file_type::regular_file)
      continue;
    entries.push_back({entry->path(), status.getSize(), status.getLastModificationTime()});
  }
  return entries;
}

void CodeCache::trim() {
  if (stores == 0)
    return;
  std::vector<EntryFile> entries = entriesOf(folder);
  llvm::sort(entries, [](const EntryFile &a, const EntryFile &b) {
    return std::tie(a.used, a.path) < std::tie(b.used, b.path);
  });
  uint64_t total = 0;
  for (const EntryFile &entry : entries)
    total += entry.bytes;
  for (const EntryFile &entry : entries) {
    if (total <= maxBytes)
      break;
    fs::remove(entry.path);
    total -= entry.bytes;
  }
}

static CacheContents sum(llvm::ArrayRef<EntryFile> entries) {
  CacheContents contents;
  contents.entries = entries.size();
  for (const EntryFile &entry : entries)
    contents.bytes += entry.bytes;
  return contents;
}

CacheContents teeny::cacheContents(const std::string &folder) { return sum(entriesOf(folder)); }

CacheContents teeny::clearCache(const std::string &folder) {
  std::vector<EntryFile> entries = entriesOf(folder);
  llvm::erase_if(entries, [](const EntryFile &entry) { return bool(fs::remove(entry.path)); });
  return sum(entries);
}
