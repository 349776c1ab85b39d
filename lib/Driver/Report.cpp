// report: a bundle as one page for people, which needs nothing but a browser.
#include "Driver/Driver.h"

#include "Base/File.h"
#include "Bundle/BundleFile.h"
#include "Bundle/ManifestNames.h"
#include "Driver/Html.h"
#include "Driver/ReportDrawings.h"
#include "Driver/ReportStyle.h"
#include "Driver/SampleDims.h"
#include "Driver/ToolErrors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <map>

using namespace teeny;

// Around a number that should not be.
static const char *const warnBegin = "<b class=\"warn\">", *const warnEnd = "</b>";

namespace {

class Page {
public:
  Page(const BundleFile &bundle, const rt::DimValues &dims, const rt::Plan *plan)
      : bundle(bundle), manifest(bundle.manifest()), dims(dims), plan(plan) {}

  std::string write() {
    const std::string name = escaped(manifest.name);
    os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          // Whatever a bundle holds, the page loads nothing and runs nothing.
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>"
       << name << "</title>\n<style>" << reportStyle << "</style>\n</head>\n<body>\n<h1>" << name
       << "</h1>\n";
    summary();
    if (!manifest.launches.empty()) {
      os << "<h2 id=\"graph\">Launches</h2>\n";
      std::string drawing = drawLaunches(manifest);
      if (drawing.empty())
        os << "<p>There are too many to draw.</p>\n";
      else
        os << "<p>A box is a launch of a kernel; in a blue one several operations are fused. "
              "Weights show where the pointer rests.</p>\n<div class=\"scroll\">\n"
           << drawing << "</div>\n";
      launches();
    }
    kernels();
    if (plan)
      memory();
    sizes();
    os << "</body>\n</html>\n";
    return std::move(text);
  }

private:
  void summary();
  void launches();
  void kernels();
  void memory();
  void sizes();

  // A table row; cells are markup.
  void row(llvm::ArrayRef<std::string> cells, llvm::StringRef attributes = "",
           bool isHead = false) {
    const char *tag = isHead ? "th" : "td";
    os << "<tr" << attributes << ">";
    for (const std::string &cell : cells) {
      llvm::StringRef digits = cell;
      digits.consume_front(warnBegin);
      digits.consume_back(warnEnd);
      bool isNumber = !isHead && !digits.empty() && llvm::all_of(digits, llvm::isDigit);
      os << "<" << tag << (isNumber ? " class=\"number\"" : "") << ">" << cell << "</" << tag
         << ">";
    }
    os << "</tr>\n";
  }
  void table(llvm::StringRef name, llvm::ArrayRef<std::string> head) {
    os << "<div class=\"scroll\"><table class=\"" << name << "\">\n<thead>\n";
    row(head, "", true);
    os << "</thead>\n<tbody>\n";
  }
  void endTable() { os << "</tbody>\n</table></div>\n"; }
  static std::string number(int64_t value) { return std::to_string(value); }
  std::string at() const { return escaped(sampleText(manifest.dims, dims.values())); }
  static std::string kernelId(size_t kernel) { return "kernel-" + std::to_string(kernel); }
  template <typename Range> static std::string list(const Range &expressions) {
    return escaped(
        "[" +
        llvm::join(llvm::map_range(expressions, [](const Expr &expr) { return expr.str(); }),
                   ", ") +
        "]");
  }
  // At the chosen size.
  std::string value(const Expr &expr) const {
    Result<int64_t> result = expr.evaluate(dims.lookup());
    return result ? number(*result) : "?";
  }

  const BundleFile &bundle;
  const Manifest &manifest;
  const rt::DimValues &dims;
  const rt::Plan *plan; // null where there are no launches
  std::string text;
  llvm::raw_string_ostream os{text};
};

} // namespace

void Page::summary() {
  table("tensors", {"", "name", "type", "shape"});
  auto rows = [&](const char *role, const std::vector<ManifestTensor> &tensors) {
    for (const ManifestTensor &tensor : tensors)
      row({role, escaped(tensor.name), name(tensor.dtype), list(tensor.shape)});
  };
  rows("input", manifest.inputs);
  rows("output", manifest.outputs);
  for (const ManifestDim &dim : manifest.dims)
    row({"dim", escaped(dim.name), number(dim.min) + " to " + number(dim.max),
         dim.multipleOf == 1 ? "" : "a multiple of " + number(dim.multipleOf)});
  for (const ManifestRequirement &requirement : manifest.requirements)
    row({"requirement", escaped(requirement.condition.str()), "", escaped(requirement.message)});
  endTable();
  os << "<p>For " << escaped(llvm::join(manifest.targets, ", ")) << "; made by ";
  for (const auto &[index, part] : llvm::enumerate(manifest.provenance))
    os << (index ? ", " : "") << escaped(part.first) << " " << escaped(part.second);
  os << ".";
  if (!manifest.dims.empty())
    os << " Sizes below are at " << at() << ".";
  os << "</p>\n";
}

void Page::launches() {
  table("launches", {"", "launch", "computes", "when", "kernel", "grid", "programs"});
  for (const auto &[index, launch] : llvm::enumerate(manifest.launches))
    for (const auto &[variantIndex, variant] : llvm::enumerate(launch.variants)) {
      const bool isFirst = variantIndex == 0;
      row({isFirst ? number(index) : "", isFirst ? escaped(launch.name) : "",
           isFirst ? escaped(llvm::join(launch.ops, ", ")) : "",
           variant.guard.constant() == 1 ? "" : escaped(variant.guard.str()),
           "<a href=\"#" + kernelId(variant.kernel) + "\">" +
               escaped(manifest.kernels[variant.kernel].name) + "</a>",
           list(variant.grid), value(variant.grid[0] * variant.grid[1] * variant.grid[2])},
          isFirst ? " id=\"launch-" + number(index) + "\"" : "");
    }
  endTable();
}

void Page::kernels() {
  os << "<h2 id=\"kernels\">Kernels</h2>\n";
  table("kernels", {"kernel", "source", "target", "bytes", "registers", "spilled bytes",
                    "shared bytes", "threads", "scratch bytes", "PTX"});
  for (const auto &[index, kernel] : llvm::enumerate(manifest.kernels))
    for (const auto &[codeIndex, code] : llvm::enumerate(kernel.code)) {
      const bool isFirst = codeIndex == 0, isGpu = isGpuTarget(code.target);
      // Only the assembler knows of registers.
      const bool isAssembled = llvm::StringRef(code.target).starts_with("sm_");
      auto gpu = [&](int64_t value) { return isGpu ? number(value) : std::string(); };
      auto assembled = [&](int64_t value) { return isAssembled ? number(value) : std::string(); };
      row({isFirst ? escaped(kernel.name) : "", isFirst ? escaped(kernel.source) : "",
           escaped(code.target), number(int64_t(bundle.code(code).size())),
           assembled(code.registers),
           code.spillBytes ? warnBegin + number(code.spillBytes) + warnEnd
                           : assembled(code.spillBytes),
           gpu(code.sharedBytes), gpu(code.threads), isGpu ? "" : number(code.scratchBytes),
           escaped(code.ptxVersion)},
          isFirst ? " class=\"code\" id=\"" + kernelId(index) + "\"" : " class=\"code\"");
    }
  endTable();
}

void Page::memory() {
  os << "<h2 id=\"memory\">Memory</h2>\n";
  int64_t sum = 0;
  for (size_t i = 0; i < manifest.buffers.size(); ++i)
    if (plan->buffers[i].root == i && plan->buffers[i].arenaOffset >= 0)
      sum += plan->buffers[i].bytes;
  os << "<p>Temporary buffers at " << at() << ": an arena of " << plan->arenaBytes
     << " bytes; without sharing, " << sum << ".</p>\n<div class=\"scroll\">\n"
     << drawMemory(manifest, *plan) << "</div>\n";
  table("buffers", {"buffer", "kind", "bytes", "", "from byte", "launches"});
  for (const auto &[buffer, place] : llvm::zip_equal(manifest.buffers, plan->buffers)) {
    const bool isTemporary = buffer.kind == ManifestBuffer::Kind::temporary;
    std::string where = place.arenaOffset >= 0 ? number(place.arenaOffset) : "";
    if (buffer.aliasOf)
      where += " in " + escaped(manifest.buffers[*buffer.aliasOf].name);
    row({escaped(buffer.name), name(buffer.kind), number(place.bytes),
         buffer.bytes.constant() ? "" : escaped(buffer.bytes.str()), where,
         isTemporary ? number(buffer.firstLaunch) + " to " + number(buffer.lastLaunch) : ""});
  }
  endTable();
}

void Page::sizes() {
  std::vector<std::pair<std::string, int64_t>> parts = {{"weights", 0}};
  for (const std::string &target : manifest.targets)
    parts.emplace_back("code for " + target, 0);
  const size_t sources = parts.size();
  parts.insert(parts.end(),
               {{"sources", 0}, {"golden runs", 0}, {"manifest", 0}, {"header and padding", 0}});
  std::map<std::string_view, size_t> partOfCode; // by tensor; kernels may share one
  for (const ManifestKernel &kernel : manifest.kernels)
    for (const CodeObject &code : kernel.code)
      partOfCode.emplace(
          code.tensor, 1 + (llvm::find(manifest.targets, code.target) - manifest.targets.begin()));
  int64_t data = 0;
  for (const TensorView &tensor : bundle.tensors().tensors()) {
    std::string_view name = tensor.name;
    auto code = partOfCode.find(name);
    size_t part = code != partOfCode.end()         ? code->second
                  : name.starts_with(sourcePrefix) ? sources
                  : name.starts_with(goldenPrefix) ? sources + 1
                  : name == manifestTensor         ? sources + 2
                  : name.starts_with(padPrefix)    ? sources + 3
                                                   : 0;
    parts[part].second += int64_t(tensor.data.size());
    data += int64_t(tensor.data.size());
  }
  const int64_t all = int64_t(bundle.bytes().size());
  parts.back().second += all - data;
  os << "<h2 id=\"sizes\">Sizes</h2>\n";
  table("sizes", {"part", "bytes", ""});
  for (const auto &[name, bytes] : parts) {
    std::string share;
    llvm::raw_string_ostream(share) << llvm::format("%.1f", 100.0 * double(bytes) / double(all));
    row({escaped(name), number(bytes),
         "<div class=\"bar\" style=\"width:" + share + "%\"></div> " + share + " %"});
  }
  row({"the file", number(all), ""});
  endTable();
}

// Values for all dims: those given, and for others the least sample in which nothing is empty.
static Status chooseDims(const Manifest &manifest, const ReportOptions &options,
                         rt::DimValues &dims) {
  std::vector<DimSample> samples = sampleDims(manifest.dims, [&](const DimSample &sample) {
    return !llvm::is_contained(sample, 0) && meetsRequirements(manifest, sample);
  });
  for (size_t i = 0; i < manifest.dims.size(); ++i)
    dims[i] = samples.empty() ? manifest.dims[i].max : samples.front()[i];
  for (const auto &[name, value] : options.dims) {
    auto dim = llvm::find_if(manifest.dims, [&](const ManifestDim &d) { return d.name == name; });
    if (dim == manifest.dims.end())
      return Error{ErrorCode::notFound, "--dim: the bundle has no dim '" + name + "'"};
    dims[dim - manifest.dims.begin()] = value;
  }
  return dims.check();
}

ExitCode teeny::report(const ReportOptions &options, llvm::raw_ostream &, llvm::raw_ostream &err) {
  Result<BundleFile> bundle = BundleFile::open(options.bundle);
  if (!bundle)
    return toolError(err, ExitCode::userError, bundle.error());
  const Manifest &manifest = bundle->manifest();
  rt::DimValues dims(manifest);
  if (Status status = chooseDims(manifest, options, dims); !status)
    return toolError(err, ExitCode::userError, status.error());
  std::optional<rt::Plan> plan;
  if (!manifest.launches.empty()) {
    Result<rt::Plan> made = rt::makePlan(manifest, dims);
    if (!made)
      return toolError(err, ExitCode::userError, made.error());
    plan = std::move(*made);
  }
  std::string page = Page(*bundle, dims, plan ? &*plan : nullptr).write();
  Status written = writeFile(options.output, std::as_bytes(std::span(page)));
  return written ? ExitCode::success : toolError(err, ExitCode::environment, written.error());
}
