// verify: whether a bundle is whole, says the same everywhere, and can be run at its sizes.
#include "Driver/Driver.h"

#include "Bundle/BundleFile.h"
#include "Bundle/PlanCheck.h"
#include "Driver/BufferRoots.h"
#include "Driver/CodeCheck.h"
#include "Driver/SampleDims.h"
#include "Runtime/Plan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using namespace teeny;

namespace {

// "3 kernels", "1 launch".
std::string counted(size_t count, std::string what) {
  what += count == 1 ? "" : what == "launch" ? "es" : "s";
  return std::to_string(count) + " " + what;
}

// One line for each subject that is in order, and one for each thing that is not.
class Findings {
public:
  explicit Findings(llvm::raw_ostream &os) : os(os) {}

  void report(llvm::StringRef subject, llvm::ArrayRef<std::string> wrong, const std::string &fine) {
    auto line = [&](llvm::StringRef verdict) -> llvm::raw_ostream & {
      return os << subject << std::string(11 - subject.size(), ' ') << verdict << ": ";
    };
    for (const std::string &message : wrong)
      line("wrong") << message << "\n";
    if (wrong.empty())
      line("ok") << fine << "\n";
    good &= wrong.empty();
  }
  bool good = true;

private:
  llvm::raw_ostream &os;
};

} // namespace

static void checkBytes(const BundleFile &bundle, Findings &findings) {
  const Manifest &manifest = bundle.manifest();
  std::vector<std::string> code, data;
  for (const Error &error : bundle.damages())
    (llvm::StringRef(error.message).starts_with("kernel ") ? code : data).push_back(error.message);
  // Bytes that are not those that were written tell nothing about the compiler.
  const bool isDamaged = !code.empty();
  size_t objects = 0;
  for (const ManifestKernel &kernel : manifest.kernels)
    for (const CodeObject &object : kernel.code) {
      ++objects;
      if (isDamaged)
        continue;
      if (Status status = checkCode(kernel, object, bundle.code(object)); !status)
        code.push_back("kernel '" + kernel.name + "', target " + object.target + ": " +
                       status.error().message);
    }
  findings.report("code", code,
                  counted(objects, "code object") +
                      ": SHA-256, entry points and parameters as the manifest says");

  size_t weights = 0;
  std::set<std::string_view> hashed;
  for (const auto &hash : manifest.hashes)
    hashed.insert(hash.first);
  for (const ManifestBuffer &buffer : manifest.buffers) {
    if (buffer.kind != ManifestBuffer::Kind::param)
      continue;
    ++weights;
    if (!hashed.count(buffer.tensor))
      data.push_back("the manifest has no SHA-256 of '" + buffer.tensor + "'");
  }
  findings.report("data", data,
                  counted(weights, "weight") + " and " +
                      counted(manifest.hashes.size() - std::min(weights, manifest.hashes.size()),
                              "other tensor") +
                      " have their SHA-256");
}

// The buffers that some launch writes, or parts of, whichever of its variants runs.
static std::vector<bool> writtenRoots(const Manifest &manifest) {
  std::vector<bool> isWritten(manifest.buffers.size());
  const std::vector<size_t> roots = bufferRoots(manifest);
  for (const ManifestLaunch &launch : manifest.launches) {
    std::map<size_t, size_t> variants; // that write the root
    for (const LaunchVariant &variant : launch.variants) {
      std::set<size_t> written;
      for (const auto &[param, arg] :
           llvm::zip_equal(manifest.kernels[variant.kernel].params, variant.args))
        if (param.written)
          written.insert(roots[arg.buffer]);
      for (size_t root : written)
        ++variants[root];
    }
    for (const auto &[root, count] : variants)
      if (count == launch.variants.size())
        isWritten[root] = true;
  }
  return isWritten;
}

// Plans at some sizes of the declared ranges, made as the runtime makes them.
static void checkPlans(const Manifest &manifest, Findings &findings) {
  std::vector<std::string> memory, launches;
  int64_t arena = 0;
  std::vector<DimSample> samples = sampleDims(
      manifest.dims, [&](const DimSample &sample) { return meetsRequirements(manifest, sample); });
  for (const DimSample &sample : samples) {
    const std::string where = sampleText(manifest.dims, sample);
    rt::DimValues dims(manifest);
    for (size_t i = 0; i < sample.size(); ++i)
      dims[i] = sample[i];
    Result<rt::Plan> plan = rt::makePlan(manifest, dims);
    if (!plan) {
      launches.push_back("at " + where + ": " + plan.error().message);
      continue;
    }
    BufferPlan buffers{plan->buffers, plan->arenaBytes, plan->arenaAlign, 0};
    if (Status status = checkPlan(manifest, buffers, dims.lookup()); !status)
      memory.push_back("at " + where + ": " + status.error().message);
    arena = std::max(arena, plan->arenaBytes);
  }
  std::vector<bool> isWritten = writtenRoots(manifest);
  for (size_t i = 0; i < manifest.buffers.size(); ++i)
    if (manifest.buffers[i].kind == ManifestBuffer::Kind::output && !isWritten[i])
      launches.push_back("no launch writes to output '" + manifest.buffers[i].name + "'");
  const std::string tried = samples.empty() ? "no size that was tried meets the requirements"
                                            : "at " + samplesText(manifest.dims, samples);
  findings.report("launches", launches, "grids and arguments are in range, " + tried);
  findings.report("memory", memory,
                  "buffers that are alive together lie apart, in up to " + std::to_string(arena) +
                      " bytes");
}

ExitCode teeny::verify(const VerifyOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &) {
  Findings findings(out);
  Result<BundleFile> bundle = BundleFile::open(options.bundle);
  if (!bundle) {
    findings.report("structure", {bundle.error().message}, "");
    return ExitCode::userError;
  }
  const Manifest &manifest = bundle->manifest();
  // All of this is what reading a bundle checks.
  findings.report("structure", {},
                  counted(manifest.kernels.size(), "kernel") + ", " +
                      counted(manifest.launches.size(), "launch") +
                      ": arguments match parameters, last guards are unconditional");
  checkBytes(*bundle, findings);
  if (!manifest.launches.empty())
    checkPlans(manifest, findings);
  return findings.good ? ExitCode::success : ExitCode::userError;
}
