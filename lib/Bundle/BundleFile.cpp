#include "Bundle/BundleFile.h"

#include "Base/Checked.h"
#include "Base/Sha256.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace teeny {
namespace {

using Find = std::function<const TensorView *(const std::string &)>;

const TensorMetadata bundleMetadata = {{"format", "teeny"}, {"version", "1"}};

Error invalid(const std::string &message) { return {ErrorCode::invalid, message}; }

// Compares a manifest with the tensors beside it.
Status checkTensors(const Manifest &manifest, const Find &find) {
  for (size_t i = 0; i < manifest.buffers.size(); ++i) {
    const ManifestBuffer &buffer = manifest.buffers[i];
    if (buffer.kind != ManifestBuffer::Kind::param)
      continue;
    std::string where = "manifest: buffers[" + std::to_string(i) + "].tensor: ";
    const TensorView *tensor = find(buffer.tensor);
    if (!tensor)
      return Error{ErrorCode::notFound, where + "no tensor has the name '" + buffer.tensor + "'"};
    if (buffer.bytes.constant() != int64_t(tensor->data.size()))
      return invalid(where + "'" + buffer.tensor + "' has " + std::to_string(tensor->data.size()) +
                     " bytes, the buffer " + buffer.bytes.str());
  }
  for (size_t i = 0; i < manifest.kernels.size(); ++i)
    for (size_t j = 0; j < manifest.kernels[i].code.size(); ++j) {
      const CodeObject &code = manifest.kernels[i].code[j];
      std::string where =
          "manifest: kernels[" + std::to_string(i) + "].code[" + std::to_string(j) + "].tensor: ";
      const TensorView *tensor = find(code.tensor);
      if (!tensor)
        return Error{ErrorCode::notFound, where + "no tensor has the name '" + code.tensor + "'"};
      if (tensor->dtype != DType::u8)
        return invalid(where + "'" + code.tensor + "' has elements of type " + name(tensor->dtype) +
                       ", expected u8");
    }
  for (size_t i = 0; i < manifest.golden.size(); ++i) {
    const ManifestGolden &golden = manifest.golden[i];
    auto check = [&](const ManifestTensor &declared, const std::string &name,
                     const std::string &place) -> Status {
      std::string where = "manifest: golden[" + std::to_string(i) + "]." + place + ": ";
      const TensorView *tensor = find(name);
      if (!tensor)
        return Error{ErrorCode::notFound, where + "no tensor has the name '" + name + "'"};
      if (tensor->dtype != declared.dtype || tensor->shape.size() != declared.shape.size())
        return invalid(where + "'" + name + "' is " + std::to_string(tensor->shape.size()) +
                       "-dimensional of type " + teeny::name(tensor->dtype) + ", expected " +
                       std::to_string(declared.shape.size()) + " and " +
                       teeny::name(declared.dtype));
      return {};
    };
    for (size_t j = 0; j < golden.inputs.size(); ++j)
      if (Status status =
              check(manifest.inputs[j], golden.inputs[j], "inputs[" + std::to_string(j) + "]");
          !status)
        return status;
    for (size_t j = 0; j < golden.outputs.size(); ++j)
      if (Status status = check(manifest.outputs[j], golden.outputs[j].tensor,
                                "outputs[" + std::to_string(j) + "].tensor");
          !status)
        return status;
  }
  for (size_t i = 0; i < manifest.hashes.size(); ++i)
    if (!find(manifest.hashes[i].first))
      return Error{ErrorCode::notFound, "manifest: hashes[" + std::to_string(i) +
                                            "].tensor: no tensor has the name '" +
                                            manifest.hashes[i].first + "'"};
  return {};
}

int64_t alignmentOf(std::string_view name) {
  if (name.starts_with(codePrefix) || name.starts_with(goldenPrefix))
    return codeAlignment;
  return name.starts_with(reservedPrefix) ? 1 : weightAlignment;
}

TensorView byteTensor(std::string name, std::span<const std::byte> bytes) {
  return {std::move(name), DType::u8, {int64_t(bytes.size())}, bytes};
}

} // namespace

void BundleWriter::addWeight(std::string name, DType dtype, std::vector<int64_t> shape,
                             std::span<const std::byte> data) {
  parts.push_back({std::move(name), dtype, std::move(shape), data});
}

BundleWriter::Code BundleWriter::addCode(const std::string &file,
                                         std::span<const std::byte> bytes) {
  Code code = {std::string(codePrefix) + file, sha256Hex(bytes)};
  parts.push_back(byteTensor(code.tensor, bytes));
  return code;
}

void BundleWriter::addSource(const std::string &file, std::span<const std::byte> text) {
  parts.push_back(byteTensor(std::string(sourcePrefix) + file, text));
}

std::string BundleWriter::addGolden(const std::string &file, DType dtype,
                                    std::vector<int64_t> shape, std::span<const std::byte> data) {
  std::string name = std::string(goldenPrefix) + file;
  parts.push_back({name, dtype, std::move(shape), data});
  return name;
}

// Everything but the data of the tensors, in the order of the file. A pad is never longer than the
// zeros.
struct BundleWriter::Layout {
  std::string manifest, header;
  std::vector<std::byte> zeros = std::vector<std::byte>(weightAlignment);
  std::vector<TensorView> tensors;
};

Result<BundleWriter::Layout> BundleWriter::layOut(Manifest manifest) const {
  std::vector<TensorView> sorted = parts;
  std::map<std::string, std::string> hashes; // a name twice is found when the header is written
  for (const TensorView &part : sorted) {
    bool known = part.name.starts_with(codePrefix) || part.name.starts_with(sourcePrefix) ||
                 part.name.starts_with(goldenPrefix);
    if (part.name.starts_with(reservedPrefix) && !known)
      return invalid("weight '" + part.name + "' has a reserved name");
    if (!part.name.starts_with(codePrefix))
      hashes.emplace(part.name, sha256Hex(part.data));
  }
  manifest.hashes.assign(hashes.begin(), hashes.end());
  if (Status status = checkManifest(manifest); !status)
    return status.error().in("manifest");
  Layout layout;
  layout.manifest = writeManifest(manifest);
  sorted.push_back(
      byteTensor(std::string(manifestTensor), std::as_bytes(std::span(layout.manifest))));
  std::stable_sort(sorted.begin(), sorted.end(), [](const TensorView &a, const TensorView &b) {
    return std::pair(-alignmentOf(a.name), std::string_view(a.name)) <
           std::pair(-alignmentOf(b.name), std::string_view(b.name));
  });
  std::map<std::string_view, const TensorView *> byName;
  for (const TensorView &tensor : sorted)
    byName.emplace(tensor.name, &tensor);
  Status status = checkTensors(manifest, [&](const std::string &name) {
    auto at = byName.find(name);
    return at == byName.end() ? nullptr : at->second;
  });
  if (!status)
    return status.error();

  int64_t offset = 0, pads = 0;
  for (TensorView &tensor : sorted) {
    int64_t start = *checkedAlign(offset, alignmentOf(tensor.name));
    if (start != offset)
      layout.tensors.push_back(byteTensor(std::string(padPrefix) + std::to_string(pads++),
                                          std::span(layout.zeros).first(size_t(start - offset))));
    offset = start + int64_t(tensor.data.size());
    layout.tensors.push_back(std::move(tensor));
  }
  Result<std::string> header = safeTensorsHeader(layout.tensors, bundleMetadata, dataAlignment);
  if (!header)
    return header.error();
  layout.header = std::move(*header);
  return layout;
}

Result<std::vector<std::byte>> BundleWriter::bytes(const Manifest &manifest) const {
  Result<Layout> layout = layOut(manifest);
  if (!layout)
    return layout.error();
  std::vector<std::byte> file;
  auto append = [&](std::span<const std::byte> bytes) {
    file.insert(file.end(), bytes.begin(), bytes.end());
  };
  append(std::as_bytes(std::span(layout->header)));
  for (const TensorView &tensor : layout->tensors)
    append(tensor.data);
  return file;
}

Status BundleWriter::write(const Manifest &manifest, const std::string &path) const {
  Result<Layout> layout = layOut(manifest);
  if (!layout)
    return layout.error();
  std::vector<std::span<const std::byte>> pieces = {std::as_bytes(std::span(layout->header))};
  for (const TensorView &tensor : layout->tensors)
    pieces.push_back(tensor.data);
  return writeFile(path, pieces);
}

// Such a number is too large for the length of a header, so that no bundle begins like this.
static bool beginsWithText(std::span<const std::byte> memory) {
  auto isText = [](std::byte byte) {
    return (byte >= std::byte(' ') && byte <= std::byte('~')) || byte == std::byte('\n') ||
           byte == std::byte('\r') || byte == std::byte('\t');
  };
  return memory.size() >= 8 && std::all_of(memory.begin(), memory.begin() + 8, isText);
}

Result<BundleFile> BundleFile::openMemory(std::span<const std::byte> memory) {
  if (beginsWithText(memory))
    return invalid("this is text and no bundle; 'teenyc compile' makes one of a graph or kernel");
  Result<SafeTensors> contents = SafeTensors::parse(memory);
  if (!contents)
    return contents.error();
  if (contents->metadata() != bundleMetadata)
    return invalid("not a bundle: the metadata must be {\"format\": \"teeny\", \"version\": "
                   "\"1\"}");
  const TensorView *json = contents->find(manifestTensor);
  if (!json || json->dtype != DType::u8)
    return invalid("not a bundle: no tensor of bytes has the name '" + std::string(manifestTensor) +
                   "'");
  Result<Manifest> manifest =
      readManifest({reinterpret_cast<const char *>(json->data.data()), json->data.size()});
  if (!manifest)
    return manifest.error().in("manifest");
  Status status =
      checkTensors(*manifest, [&](const std::string &name) { return contents->find(name); });
  if (!status)
    return status.error();

  BundleFile bundle;
  bundle.file = memory;
  bundle.contents = std::move(*contents);
  bundle.description = std::move(*manifest);
  return bundle;
}

Result<BundleFile> BundleFile::open(const std::string &path) {
  Result<MappedFile> mapping = MappedFile::open(path);
  if (!mapping)
    return mapping.error();
  Result<BundleFile> bundle = openMemory(mapping->bytes());
  if (!bundle)
    return bundle.error().in(path);
  bundle->mapping = std::move(*mapping);
  return bundle;
}

const TensorView &BundleFile::weight(const ManifestBuffer &buffer) const {
  const TensorView *tensor = contents.find(buffer.tensor);
  assert(tensor && "not a param of this bundle");
  return *tensor;
}

std::span<const std::byte> BundleFile::code(const CodeObject &object) const {
  const TensorView *tensor = contents.find(object.tensor);
  assert(tensor && "not a code object of this bundle");
  return tensor->data;
}

std::vector<Error> BundleFile::damages() const {
  std::vector<Error> found;
  auto compare = [&](const std::string &where, const std::string &tensor,
                     std::span<const std::byte> bytes, const std::string &expected) {
    std::string hash = sha256Hex(bytes);
    if (hash != expected)
      found.push_back(
          invalid(where + "'" + tensor + "' has SHA-256 " + hash + ", expected " + expected));
  };
  std::set<std::pair<std::string_view, std::string_view>> done;
  for (const ManifestKernel &kernel : description.kernels)
    for (const CodeObject &object : kernel.code)
      if (done.emplace(object.tensor, object.sha256).second)
        compare("kernel '" + kernel.name + "', target " + object.target + ": ", object.tensor,
                code(object), object.sha256);
  for (const auto &[tensor, hash] : description.hashes)
    compare("", tensor, contents.find(tensor)->data, hash);
  return found;
}

Status BundleFile::verify() const {
  std::vector<Error> found = damages();
  return found.empty() ? Status() : Status(found.front());
}

} // namespace teeny
