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
  return {};
}

int64_t alignmentOf(std::string_view name) {
  if (name.starts_with(codePrefix))
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

// Everything but the data of the tensors, in the order of the file. A pad is never longer than the
// zeros.
struct BundleWriter::Layout {
  std::string manifest, header;
  std::vector<std::byte> zeros = std::vector<std::byte>(weightAlignment);
  std::vector<TensorView> tensors;
};

Result<BundleWriter::Layout> BundleWriter::layOut(const Manifest &manifest) const {
  if (Status status = checkManifest(manifest); !status)
    return status.error().in("manifest");
  Layout layout;
  layout.manifest = writeManifest(manifest);
  std::vector<TensorView> sorted = parts;
  for (const TensorView &part : sorted) {
    bool known = part.name.starts_with(codePrefix) || part.name.starts_with(sourcePrefix);
    if (part.name.starts_with(reservedPrefix) && !known)
      return invalid("weight '" + part.name + "' has a reserved name");
  }
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

Result<BundleFile> BundleFile::openMemory(std::span<const std::byte> memory) {
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

Status BundleFile::verify() const {
  std::set<std::pair<std::string_view, std::string_view>> done;
  for (const ManifestKernel &kernel : description.kernels)
    for (const CodeObject &object : kernel.code) {
      if (!done.emplace(object.tensor, object.sha256).second)
        continue;
      std::string found = sha256Hex(code(object));
      if (found != object.sha256)
        return invalid("kernel '" + kernel.name + "', target " + object.target + ": '" +
                       object.tensor + "' has SHA-256 " + found + ", expected " + object.sha256);
    }
  return {};
}

} // namespace teeny
