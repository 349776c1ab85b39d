// Checks params against the safetensors files that hold their data.
#pragma once

#include "Graph/Import/FormatReader.h"

#include "Base/File.h"
#include "TensorFile/SafeTensors.h"

namespace teeny {

// Files that params name, each mapped and parsed once.
class ParamData {
public:
  explicit ParamData(Diagnostics &diagnostics) : diagnostics(diagnostics) {}

  struct Place {
    std::string file, key;
  };
  // Reads "file#tensor", relative to the file that `field` is in.
  std::optional<Place> readPlace(const JsonField &field);
  // The tensor, which lives as long as this object; null with errors.
  const TensorView *find(const JsonField &field, const Place &place);

private:
  struct File {
    std::optional<MappedFile> mapping;
    std::optional<SafeTensors> tensors; // none if it cannot be read, which has been reported
  };
  Diagnostics &diagnostics;
  llvm::StringMap<File> files;
};

} // namespace teeny
