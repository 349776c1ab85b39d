#include "Driver/CodeCheck.h"

#include "Bundle/ParamType.h"
#include "Target/Host/Link.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

using namespace teeny;
using llvm::StringRef;

static Error wrong(const std::string &message) { return {ErrorCode::invalid, message}; }

// What a GPU's code says of an entry.
namespace {
struct Entry {
  std::vector<int64_t> paramBytes; // in order
  int64_t threads = 0;             // of a block; 0 where nothing is said
};
} // namespace

static Status compare(const ManifestKernel &kernel, const CodeObject &code, const Entry &entry) {
  if (entry.paramBytes.size() != kernel.params.size())
    return wrong("entry '" + code.symbol + "' has " + std::to_string(entry.paramBytes.size()) +
                 " parameters, the manifest says " + std::to_string(kernel.params.size()));
  for (const auto &[param, bytes] : llvm::zip_equal(kernel.params, entry.paramBytes))
    if (bytes != paramBytes(param.kind))
      return wrong("parameter '" + param.name + "' has " + std::to_string(bytes) +
                   " bytes, the manifest says " + std::to_string(paramBytes(param.kind)));
  if (entry.threads != code.threads)
    return wrong("entry '" + code.symbol + "' is for blocks of " + std::to_string(entry.threads) +
                 " threads, the manifest says " + std::to_string(code.threads));
  return {};
}

//===-- PTX ---------------------------------------------------------------------------------===//

static Status checkPtx(const ManifestKernel &kernel, const CodeObject &code, StringRef text) {
  size_t begin = text.find(".entry " + code.symbol + "(");
  if (begin == StringRef::npos)
    return wrong("no entry '" + code.symbol + "'");
  auto [head, rest] = text.substr(begin).split('{');
  auto [params, directives] = head.split('(').second.split(')');
  Entry entry;
  llvm::SmallVector<StringRef> lines;
  params.split(lines, ',', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    // ".param .u64 .ptr .global .align 16 name": the type ends in its width.
    StringRef type = line.trim();
    if (!type.consume_front(".param"))
      continue;
    type = type.ltrim().take_until([](char c) { return c == ' ' || c == '\t'; });
    unsigned bits = 0;
    if (type.drop_while([](char c) { return !llvm::isDigit(c); }).getAsInteger(10, bits))
      return wrong("a parameter of type '" + type.str() + "'");
    entry.paramBytes.push_back(bits / 8);
  }
  StringRef threads = directives.split(".reqntid").second.ltrim();
  threads.consumeInteger(10, entry.threads);
  return compare(kernel, code, entry);
}

//===-- Cubins ------------------------------------------------------------------------------===//

// .nv.info.NAME is a list of attributes: format, number, and by the format two bytes of value or
// the size of what follows. Two of them are told to the driver: each parameter (index, ordinal,
// offset, bytes from bit 18 of the last word on) and the block.
static Entry readInfo(llvm::ArrayRef<uint8_t> info) {
  constexpr uint8_t sized = 4, paramInfo = 0x17, requiredBlock = 0x10;
  using namespace llvm::support::endian;
  Entry entry;
  std::vector<std::pair<uint16_t, int64_t>> params;
  while (info.size() >= 4) {
    const uint8_t format = info[0], attribute = info[1];
    const size_t size = format == sized ? read16le(&info[2]) : 0;
    info = info.drop_front(4);
    if (size > info.size())
      break;
    llvm::ArrayRef<uint8_t> value = info.take_front(size);
    info = info.drop_front(size);
    if (attribute == paramInfo && size >= 12)
      params.emplace_back(read16le(&value[4]), read32le(&value[8]) >> 18);
    if (attribute == requiredBlock && size >= 12)
      entry.threads = int64_t(read32le(&value[0])) * read32le(&value[4]) * read32le(&value[8]);
  }
  llvm::sort(params); // they are listed from the last to the first
  for (const auto &[ordinal, bytes] : params)
    entry.paramBytes.push_back(bytes);
  return entry;
}

static Status checkCubin(const ManifestKernel &kernel, const CodeObject &code, StringRef bytes) {
  using namespace llvm::object;
  auto failed = [](llvm::Error error) {
    return wrong("not a cubin: " + llvm::toString(std::move(error)));
  };
  auto file = ELFFile<ELF64LE>::create(bytes);
  if (!file)
    return failed(file.takeError());
  auto sections = file->sections();
  if (!sections)
    return failed(sections.takeError());
  bool hasCode = false;
  std::optional<Entry> entry;
  for (const auto &section : *sections) {
    auto name = file->getSectionName(section);
    if (!name)
      return failed(name.takeError());
    hasCode |= *name == ".text." + code.symbol;
    if (*name != ".nv.info." + code.symbol)
      continue;
    auto contents = file->getSectionContents(section);
    if (!contents)
      return failed(contents.takeError());
    entry = readInfo(*contents);
  }
  if (!hasCode || !entry)
    return wrong("no entry '" + code.symbol + "'");
  return compare(kernel, code, *entry);
}

//===-- Libraries ---------------------------------------------------------------------------===//

static Status checkLibrary(const CodeObject &code, StringRef bytes) {
  Result<DynamicSymbols> symbols = readDynamicSymbols(bytes);
  if (!symbols)
    return symbols.error();
  if (!llvm::is_contained(symbols->exports, code.symbol))
    return wrong("no entry '" + code.symbol + "'");
  for (const std::string &name : symbols->imports)
    if (!llvm::is_contained({"memcpy", "memmove", "memset"}, name))
      return wrong("it imports '" + name + "', more than memcpy, memmove and memset");
  return {};
}

Status teeny::checkCode(const ManifestKernel &kernel, const CodeObject &code,
                        std::span<const std::byte> bytes) {
  StringRef text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  if (!isGpuTarget(code.target))
    return checkLibrary(code, text);
  return StringRef(code.target).starts_with("compute_") ? checkPtx(kernel, code, text)
                                                        : checkCubin(kernel, code, text);
}
