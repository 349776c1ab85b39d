// Any bytes as a bundle that is opened, described, verified and planned; no code is run. What
// begins with '{' is a manifest: where it is read, a bundle with the tensors that it names must
// open, and a plan must give every buffer memory of its own while it lives.
#include "Bundle/BundleFile.h"
#include "Fuzz.h"
#include "Runtime/Describe.h"
#include "Runtime/Plan.h"

#include <map>

using namespace teeny;

namespace {

// The bundle of this text with tensors that fit; nothing where they would be many or large.
std::optional<std::vector<std::byte>> bundleOf(std::string_view text, const Manifest &manifest) {
  static const std::vector<std::byte> zeros(1 << 16);
  auto bytes = [](std::string name, std::span<const std::byte> data) {
    return TensorView{std::move(name), DType::u8, {int64_t(data.size())}, data};
  };
  std::map<std::string, TensorView> parts;
  auto add = [&](TensorView tensor) { return parts.emplace(tensor.name, tensor).first->second; };
  add(bytes(std::string(manifestTensor), std::as_bytes(std::span(text))));
  for (const ManifestBuffer &buffer : manifest.buffers) {
    if (buffer.kind != ManifestBuffer::Kind::param)
      continue;
    size_t size = size_t(*buffer.bytes.constant());
    if (size > zeros.size() || buffer.tensor == "__metadata__" ||
        add(bytes(buffer.tensor, std::span(zeros).first(size))).data.size() != size)
      return std::nullopt;
  }
  for (const ManifestKernel &kernel : manifest.kernels)
    for (const CodeObject &code : kernel.code)
      add(bytes(code.tensor, std::span(zeros).first(8)));
  // A golden tensor of one element, unless the name is that of another tensor.
  auto addGolden = [&](const std::string &name, const ManifestTensor &declared) {
    std::vector<int64_t> shape(declared.shape.size(), 1);
    TensorView tensor{name, declared.dtype, shape,
                      std::span(zeros).first(size_t(byteSize(declared.dtype)))};
    TensorView known = add(tensor);
    return known.dtype == tensor.dtype && known.shape.size() == shape.size();
  };
  for (const ManifestGolden &golden : manifest.golden) {
    for (size_t i = 0; i < golden.inputs.size(); ++i)
      if (!addGolden(golden.inputs[i], manifest.inputs[i]))
        return std::nullopt;
    for (size_t i = 0; i < golden.outputs.size(); ++i)
      if (!addGolden(golden.outputs[i].tensor, manifest.outputs[i]))
        return std::nullopt;
  }
  for (const auto &[name, hash] : manifest.hashes)
    if (name == "__metadata__")
      return std::nullopt;
    else
      add(bytes(name, {}));
  std::vector<TensorView> tensors;
  for (const auto &[name, tensor] : parts)
    tensors.push_back(tensor);
  Result<std::vector<std::byte>> file =
      writeSafeTensors(tensors, {{"format", "teeny"}, {"version", "1"}});
  fuzz::expect(bool(file), "what is named in a manifest can be the name of a tensor");
  return *file;
}

void checkPlan(const Manifest &manifest, const rt::Plan &plan) {
  fuzz::expect(plan.buffers.size() == manifest.buffers.size(), "each buffer has a place");
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferPlace &place = plan.buffers[i], &root = plan.buffers[place.root];
    fuzz::expect(place.offset >= 0 && place.bytes >= 0 && place.offset + place.bytes <= root.bytes,
                 "a part lies in its whole");
    fuzz::expect(place.offset % manifest.buffers[i].align == 0, "a part is aligned");
    if (place.root != i || manifest.buffers[i].kind != ManifestBuffer::Kind::temporary)
      continue;
    fuzz::expect(place.arenaOffset >= 0 && place.arenaOffset + place.bytes <= plan.arenaBytes &&
                     place.arenaOffset % manifest.buffers[i].align == 0,
                 "a temporary lies in the arena, aligned");
    for (size_t j = 0; j < i; ++j) {
      const BufferPlace &other = plan.buffers[j];
      const ManifestBuffer &a = manifest.buffers[i], &b = manifest.buffers[j];
      bool isApart = other.root != j || b.kind != ManifestBuffer::Kind::temporary ||
                     a.lastLaunch < b.firstLaunch || b.lastLaunch < a.firstLaunch ||
                     place.arenaOffset + place.bytes <= other.arenaOffset ||
                     other.arenaOffset + other.bytes <= place.arenaOffset;
      fuzz::expect(isApart, "buffers that live together share no byte");
    }
  }
  for (const rt::PlannedStep &step : plan.steps)
    fuzz::expect(step.zero ? step.offset >= 0 && step.bytes >= 0 &&
                                 step.offset + step.bytes <= plan.buffers[step.root].bytes
                           : step.firstArg + step.argCount <= plan.args.size() &&
                                 manifest.kernels[step.kernel].params.size() == step.argCount,
                 "a step is within the plan");
}

void use(const BundleFile &bundle) {
  fuzz::expect(!rt::describeJson(bundle).empty(), "an open bundle has a description");
  (void)bool(bundle.verify());
  const Manifest &manifest = bundle.manifest();
  std::string text = writeManifest(manifest);
  Result<Manifest> back = readManifest(text);
  fuzz::expect(back && writeManifest(*back) == text, "a manifest that was read is read again");

  // At dims that are allowed, from both ends; and shapes of inputs as they follow.
  for (int end : {0, 1}) {
    rt::DimValues dims(manifest);
    for (size_t i = 0; i < manifest.dims.size(); ++i)
      dims[i] = end ? manifest.dims[i].max : manifest.dims[i].min;
    if (!dims.check())
      continue;
    Result<rt::Plan> plan = rt::makePlan(manifest, dims);
    fuzz::expect(plan || !plan.error().message.empty(), "a plan or an error");
    if (!plan)
      continue;
    checkPlan(manifest, *plan);
    if (Result<rt::DimValues> solved = rt::solveDims(manifest, plan->inputShapes))
      fuzz::expect(solved->values() == dims.values(), "dims follow from the shapes they gave");
  }
}

} // namespace

void fuzz::bundle(std::string_view input) {
  if (!input.starts_with('{')) {
    std::vector<std::byte> file(reinterpret_cast<const std::byte *>(input.data()),
                                reinterpret_cast<const std::byte *>(input.data()) + input.size());
    if (Result<BundleFile> bundle = BundleFile::openMemory(file))
      use(*bundle);
    else
      expect(!bundle.error().message.empty(), "an error has a message");
    return;
  }
  Result<Manifest> manifest = readManifest(input);
  if (!manifest) {
    expect(!manifest.error().message.empty(), "an error has a message");
    return;
  }
  std::optional<std::vector<std::byte>> file = bundleOf(input, *manifest);
  if (!file)
    return;
  Result<BundleFile> bundle = BundleFile::openMemory(*file);
  expect(bool(bundle), "a manifest that is read, with its tensors, is a bundle");
  use(*bundle);
}
