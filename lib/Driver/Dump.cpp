// What a graph becomes, or what a bundle holds, as text.
#include "Driver/Driver.h"

#include "Base/File.h"
#include "Bundle/BundleFile.h"
#include "Driver/Dot.h"
#include "Driver/DumpCode.h"
#include "Driver/LaunchTable.h"
#include "Driver/Pipeline.h"
#include "Driver/TilePipeline.h"
#include "Driver/ToolErrors.h"
#include "Graph/IR/Graph.h"
#include "Target/PTX/Census.h"
#include "Target/PTX/PTX.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace teeny;
using What = DumpOptions::What;

namespace {

// Prints parts with a line above each that says what it is, where there can be several.
class Parts {
public:
  explicit Parts(llvm::raw_ostream &os) : os(os) {}
  // `comment` begins a comment in the part's language.
  void print(const char *comment, const std::string &title, StringRef text) {
    os << (count++ ? "\n" : "") << comment << " " << title << "\n" << text;
    if (!text.ends_with("\n"))
      os << "\n";
  }
  bool empty() const { return count == 0; }

private:
  llvm::raw_ostream &os;
  unsigned count = 0;
};

std::string_view textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

// A graph begins like JSON, a bundle with the length of its header.
bool looksLikeJson(std::span<const std::byte> bytes) {
  StringRef text = StringRef(textOf(bytes)).ltrim();
  return text.empty() || text.front() == '{' || text.front() == '[' || text.front() == '"';
}

Error nothingToShow(const DumpOptions &options, const char *what) {
  std::string message = std::string("no ") + what;
  if (!options.kernel.empty())
    message += " of kernel '" + options.kernel + "'";
  if (!options.target.empty())
    message += " for target '" + options.target + "'";
  return {ErrorCode::notFound, message + " in '" + options.graph.file + "'"};
}

// Whether a kernel is asked for; the error names those that there are.
Status checkKernel(const DumpOptions &options, const std::vector<std::string> &kernels) {
  if (options.kernel.empty() || llvm::is_contained(kernels, options.kernel))
    return {};
  std::string near = nearest(options.kernel, kernels);
  return Error{ErrorCode::notFound,
               "no kernel '" + options.kernel + "' in '" + options.graph.file + "'; " +
                   (near.empty() ? "it has " + listed(kernels) : "did you mean '" + near + "'?")};
}

} // namespace

// PTX under a line that counts its instructions by kind.
static std::string withCensus(std::string_view text) {
  std::string shown;
  for (const ptx::Census &census : ptx::takeCensus(std::string(text)))
    shown += "// " + census.toString() + "\n";
  return shown.append(text);
}

//===-- Bundles -----------------------------------------------------------------------------===//

static ExitCode dumpBundle(const DumpOptions &options, const BundleFile &bundle,
                           llvm::raw_ostream &out, llvm::raw_ostream &err) {
  const Manifest &manifest = bundle.manifest();
  std::vector<std::string> names;
  for (const ManifestKernel &kernel : manifest.kernels)
    names.push_back(kernel.name);
  if (Status known = checkKernel(options, names); !known)
    return toolError(err, ExitCode::userError, known.error());

  Parts parts(out);
  auto eachCode = [&](StringRef extension, const char *comment,
                      const std::function<Result<std::string>(std::string_view)> &show) -> Status {
    for (const ManifestKernel &kernel : manifest.kernels)
      for (const CodeObject &code : kernel.code) {
        if ((!options.kernel.empty() && kernel.name != options.kernel) ||
            (!options.target.empty() && code.target != options.target) ||
            !StringRef(code.tensor).ends_with(extension))
          continue;
        Result<std::string> text = show(textOf(bundle.code(code)));
        if (!text)
          return text.error();
        parts.print(comment, kernel.name + " for " + code.target, *text);
      }
    return {};
  };
  Status shown;
  const char *what = "";
  switch (options.what) {
  case What::launches:
    (options.json ? printLaunchJson : printLaunchTable)(manifest, options.kernel, out);
    return ExitCode::success;
  case What::manifest:
    out << writeManifest(manifest);
    return ExitCode::success;
  case What::source:
    what = "source";
    for (const TensorView &tensor : bundle.tensors().tensors())
      if (StringRef(tensor.name).starts_with(sourcePrefix))
        parts.print("#", tensor.name.substr(sourcePrefix.size()), textOf(tensor.data));
    break;
  case What::ptx:
    what = "PTX";
    shown = eachCode(".ptx", "//", withCensus);
    break;
  case What::sass:
    what = "cubin";
    shown = eachCode(".cubin", "//",
                     [](std::string_view cubin) { return ptx::disassemble(std::string(cubin)); });
    break;
  case What::cubin:
  case What::object: {
    std::vector<CodeBytes> codes;
    for (const ManifestKernel &kernel : manifest.kernels)
      for (const CodeObject &code : kernel.code)
        codes.push_back({kernel.name, code.target, extensionOf(code.tensor), bundle.code(code)});
    return dumpCode(options, codes, err);
  }
  case What::graph:
  case What::dot:
  case What::tile:
  case What::gpu:
  case What::llvm:
    return toolError(err, ExitCode::userError,
                     {ErrorCode::unsupported, "a bundle holds PTX, cubins, launches, sources and "
                                              "the manifest; for IR, dump the graph itself"});
  }
  if (!shown)
    return toolError(err,
                     shown.error().code == ErrorCode::environment ? ExitCode::environment
                                                                  : ExitCode::userError,
                     shown.error());
  if (parts.empty())
    return toolError(err, ExitCode::userError, nothingToShow(options, what));
  return ExitCode::success;
}

//===-- Graphs ------------------------------------------------------------------------------===//

// The targets that code is to be made for, to show `what` of it.
static Result<std::vector<Target>> targetsFor(const DumpOptions &options) {
  if (!options.target.empty())
    return parseTargets(options.target);
  switch (options.what) {
  case What::gpu:
  case What::llvm:
  case What::ptx:
    return parseTargets("compute_80");
  case What::sass:
  case What::cubin:
    return parseTargets("sm_80");
  case What::object:
    return parseTargets("x86-64");
  case What::manifest:
    return parseTargets("cpu,compute_80");
  default:
    return std::vector<Target>();
  }
}

static Phase lastPhaseFor(What what) {
  switch (what) {
  case What::graph:
    return Phase::inferShapes;
  case What::dot:
    return Phase::fuse;
  case What::source:
    return Phase::bindKernels;
  case What::tile:
  case What::launches:
    return Phase::tile;
  case What::gpu:
  case What::llvm:
  case What::ptx:
  case What::sass:
  case What::cubin:
  case What::object:
    return Phase::generateCode;
  case What::manifest:
    return Phase::writeBundle;
  }
  return Phase::writeBundle;
}

static void printTiles(ModuleOp module, StringRef kernel, llvm::raw_ostream &out) {
  bool first = true;
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    if (!kernel.empty() && function.getSymName() != kernel)
      continue;
    out << (std::exchange(first, false) ? "" : "\n") << printIR(function);
  }
}

static Status printCode(const DumpOptions &options, const Pipeline &pipeline, Parts &parts) {
  for (const GeneratedCode &code : pipeline.code()) {
    if (!options.kernel.empty() && code.kernel != options.kernel)
      continue;
    std::string title = code.kernel + " for " + code.object.target;
    if (options.what == What::gpu && !code.gpu.empty())
      parts.print("//", title, code.gpu);
    if (options.what == What::llvm)
      parts.print(";", title, code.llvm);
    if (options.what == What::ptx && !code.ptx.empty())
      parts.print("//", title, withCensus(code.ptx));
    if (options.what == What::sass && code.extension == "cubin") {
      Result<std::string> text = ptx::disassemble(code.bytes);
      if (!text)
        return text.error();
      parts.print("//", title, *text);
    }
  }
  return {};
}

static ExitCode dumpGraph(const DumpOptions &options, llvm::raw_ostream &out,
                          llvm::raw_ostream &err) {
  Result<std::vector<Target>> targets = targetsFor(options);
  if (!targets)
    return toolError(err, ExitCode::usage, targets.error());
  Pipeline pipeline({options.graph.file, options.graph.opsDirs, *targets, true, options.kernels});
  Phase last = options.stopAfter.value_or(lastPhaseFor(options.what));
  bool ok = pipeline.run(last);
  render(pipeline.diagnostics(), err);
  if (!ok)
    return failed(pipeline, err);
  if (last >= Phase::bindKernels) {
    std::vector<std::string> names;
    for (func::FuncOp function : pipeline.module().getOps<func::FuncOp>())
      names.push_back(function.getSymName().str());
    if (Status known = checkKernel(options, names); !known)
      return toolError(err, ExitCode::userError, known.error());
  }

  Parts parts(out);
  Status shown;
  switch (options.what) {
  case What::graph:
    out << printIR(pipeline.module());
    return ExitCode::success;
  case What::dot:
    out << dotOf(pipeline.module());
    return ExitCode::success;
  case What::tile:
    printTiles(pipeline.module(), options.kernel, out);
    return ExitCode::success;
  case What::launches:
    (options.json ? printLaunchJson : printLaunchTable)(pipeline.manifest(), options.kernel, out);
    return ExitCode::success;
  case What::manifest:
    out << writeManifest(pipeline.manifest());
    return ExitCode::success;
  case What::source:
    for (const Pipeline::KernelSource &file : pipeline.kernelSources())
      parts.print("#", file.name, file.source->text);
    break;
  case What::cubin:
  case What::object: {
    std::vector<CodeBytes> codes;
    for (const GeneratedCode &code : pipeline.code())
      codes.push_back(
          {code.kernel, code.object.target, code.extension, std::as_bytes(std::span(code.bytes))});
    DumpOptions made = options;
    made.target.clear(); // all of this is for the targets that were asked for
    return dumpCode(made, codes, err);
  }
  default:
    shown = printCode(options, pipeline, parts);
    break;
  }
  if (!shown)
    return toolError(err, ExitCode::environment, shown.error());
  if (parts.empty())
    return toolError(err, ExitCode::userError, nothingToShow(options, "such code"));
  return ExitCode::success;
}

static ExitCode dumpText(const DumpOptions &options, llvm::raw_ostream &out,
                         llvm::raw_ostream &err) {
  if (!options.kernels.kernels.empty())
    return dumpGraph(options, out, err);
  Result<MappedFile> file = MappedFile::open(options.graph.file);
  if (!file)
    return toolError(err, ExitCode::userError, file.error());
  if (looksLikeJson(file->bytes()))
    return dumpGraph(options, out, err);
  Result<BundleFile> bundle = BundleFile::open(options.graph.file);
  if (!bundle)
    return toolError(err, ExitCode::userError, bundle.error());
  return dumpBundle(options, *bundle, out, err);
}

ExitCode teeny::dump(const DumpOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err) {
  bool isBytes = options.what == What::cubin || options.what == What::object;
  if (options.output.empty() || isBytes)
    return dumpText(options, out, err);
  std::string text;
  llvm::raw_string_ostream os(text);
  ExitCode code = dumpText(options, os, err);
  if (code != ExitCode::success)
    return code;
  Status written = writeFile(options.output, std::as_bytes(std::span(text)));
  return written ? code : toolError(err, ExitCode::environment, written.error());
}
