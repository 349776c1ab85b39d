#include "Graph/Import/ParamData.h"

#include "Support/Suggest.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace teeny;

std::optional<ParamData::Place> ParamData::readPlace(const JsonField &field) {
  std::optional<std::string> text = field.string();
  if (!text)
    return std::nullopt;
  auto [file, key] = llvm::StringRef(*text).split('#');
  if (file.empty() || key.empty()) {
    diagnostics.error(field->location(),
                      "data is \"file.safetensors#tensor\", found " + field->describe());
    return std::nullopt;
  }
  if (llvm::sys::path::is_absolute(file)) {
    diagnostics.error(field->location(),
                      "a data file is given relative to the graph file, found '" + file.str() +
                          "'");
    return std::nullopt;
  }
  return Place{file.str(), key.str()};
}

const TensorView *ParamData::find(const JsonField &field, const Place &place) {
  llvm::SmallString<128> path = llvm::sys::path::parent_path(field->location().source->name);
  llvm::sys::path::append(path, place.file);
  auto [entry, isNew] = files.try_emplace(path);
  File &file = entry->second;
  if (isNew) {
    Result<MappedFile> mapping = MappedFile::open(path.str().str());
    if (!mapping) {
      diagnostics.error(field->location(), "cannot read data: " + mapping.error().message)
          .didYouMean(diagnostics.isFull() ? "" : nearestFile(path));
      return nullptr;
    }
    file.mapping = std::move(*mapping);
    Result<SafeTensors> tensors = SafeTensors::parse(file.mapping->bytes());
    if (!tensors) {
      diagnostics.error(field->location(),
                        "data file '" + path.str().str() + "': " + tensors.error().message);
      return nullptr;
    }
    file.tensors = std::move(*tensors);
  }
  if (!file.tensors)
    return nullptr;
  const TensorView *tensor = file.tensors->find(place.key);
  if (!tensor) {
    std::vector<std::string> names;
    for (const TensorView &known : file.tensors->tensors())
      names.push_back(known.name);
    diagnostics
        .error(field->location(), "no tensor '" + place.key + "' in '" + path.str().str() + "'")
        .didYouMean(nearest(place.key, names));
  }
  return tensor;
}
