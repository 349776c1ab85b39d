// A bundle as a file: a safetensors file with a manifest among its tensors (README.md).
#pragma once

#include "Base/File.h"
#include "Bundle/Manifest.h"
#include "TensorFile/SafeTensors.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace teeny {

// Names of the tensors that are no weights begin with this.
inline constexpr std::string_view reservedPrefix = "teeny/";
inline constexpr std::string_view manifestTensor = "teeny/manifest.json";
inline constexpr std::string_view codePrefix = "teeny/code/";
inline constexpr std::string_view sourcePrefix = "teeny/source/";
inline constexpr std::string_view goldenPrefix = "teeny/golden/";
inline constexpr std::string_view padPrefix = "teeny/pad/";

// Alignments within the file.
inline constexpr int64_t dataAlignment = 4096, weightAlignment = 256, codeAlignment = 64;

// Gathers the parts of a bundle and writes them. Spans are borrowed until the bundle is written.
class BundleWriter {
public:
  void addWeight(std::string name, DType dtype, std::vector<int64_t> shape,
                 std::span<const std::byte> data);

  // What a CodeObject has to say of its bytes.
  struct Code {
    std::string tensor, sha256;
  };
  // `file` is "<name>.<target>.<cubin|ptx|so>".
  Code addCode(const std::string &file, std::span<const std::byte> bytes);
  // The text of a kernel's source, for people.
  void addSource(const std::string &file, std::span<const std::byte> text);

  // A tensor of a golden run; gives its name in the bundle. `file` is "<run>/<inputs|outputs>/<name>".
  std::string addGolden(const std::string &file, DType dtype, std::vector<int64_t> shape,
                        std::span<const std::byte> data);

  // The same parts in any order give the same bytes. Errors: a manifest that checkManifest refuses
  // or that disagrees with the parts, names twice, reserved names of weights.
  Result<std::vector<std::byte>> bytes(const Manifest &manifest) const;
  Status write(const Manifest &manifest, const std::string &path) const;

private:
  struct Layout;
  Result<Layout> layOut(Manifest manifest) const;
  std::vector<TensorView> parts;
};

// An opened bundle: well formed, its manifest checked and in agreement with its tensors. Nothing in
// it has been run. Immutable, so any thread may use it. Views point into the file or memory.
class BundleFile {
public:
  static Result<BundleFile> open(const std::string &path);
  // `memory` must outlive the result; parts are aligned in it as in the file if its first byte has
  // an alignment of 4096.
  static Result<BundleFile> openMemory(std::span<const std::byte> memory);

  const Manifest &manifest() const { return description; }
  const SafeTensors &tensors() const { return contents; }
  std::span<const std::byte> bytes() const { return file; }

  // The data of a param buffer and the bytes of a code object; both exist.
  const TensorView &weight(const ManifestBuffer &buffer) const;
  std::span<const std::byte> code(const CodeObject &object) const;

  // Compares every code object, and every tensor that the manifest has a digest of, with its
  // digest. The second gives all that is wrong.
  Status verify() const;
  std::vector<Error> damages() const;

private:
  BundleFile() = default;
  std::optional<MappedFile> mapping;
  std::span<const std::byte> file;
  SafeTensors contents;
  Manifest description;
};

} // namespace teeny
