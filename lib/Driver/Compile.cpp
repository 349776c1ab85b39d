#include "Driver/Driver.h"

#include "Base/File.h"
#include "Driver/EmitC.h"
#include "Driver/LaunchTable.h"
#include "Driver/NodeTable.h"
#include "Driver/Pipeline.h"
#include "Driver/TilePipeline.h"
#include "Driver/TimePhases.h"
#include "Driver/ToolErrors.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace teeny;

namespace {

// Writes what each phase made to a folder: a file, or a folder for code, named by the phase's
// number and name.
class PhaseWriter {
public:
  explicit PhaseWriter(std::string folder) : folder(std::move(folder)) {}

  Status write(Pipeline &pipeline, Phase phase) {
    const PhaseInfo &phaseInfo = info(phase);
    std::string base = std::to_string(1 + static_cast<int>(phase)) + "-" + phaseInfo.name.str();
    switch (phase) {
    case Phase::generateCode:
      for (const GeneratedCode &code : pipeline.code()) {
        std::string name = base + "/" + code.kernel + "." + code.object.target;
        const std::pair<const char *, const std::string *> texts[] = {
            {".gpu.mlir", &code.gpu}, {".ll", &code.llvm}, {".ptx", &code.ptx}};
        for (const auto &[extension, text] : texts)
          if (!text->empty())
            if (Status status = put(name + extension, *text); !status)
              return status;
        if (code.extension == "ptx")
          continue; // the same as the text
        if (Status status = put(name + "." + code.extension, code.bytes); !status)
          return status;
      }
      return {};
    case Phase::writeBundle: {
      if (Status status = put(base + "/manifest.json", writeManifest(pipeline.manifest())); !status)
        return status;
      std::string table;
      llvm::raw_string_ostream os(table);
      printLaunchTable(pipeline.manifest(), "", os);
      return put(base + "/launches.txt", table);
    }
    default:
      return put(base + ".mlir", printIR(pipeline.module()));
    }
  }

private:
  Status put(const std::string &name, const std::string &text) {
    std::string path = folder + "/" + name;
    if (std::error_code error =
            llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)))
      return Error{ErrorCode::io, "cannot create the folder of '" + path + "': " + error.message()};
    return writeFile(path, std::as_bytes(std::span(text)));
  }

  std::string folder;
};

} // namespace

ExitCode teeny::compile(const CompileOptions &options, llvm::raw_ostream &out,
                        llvm::raw_ostream &err) {
  Result<std::vector<Target>> targets = parseTargets(llvm::join(options.targets, ","));
  if (!targets)
    return toolError(err, ExitCode::usage, targets.error());
  if (!options.emitCDir.empty()) {
    if (llvm::none_of(*targets, [](const Target &target) { return target.isGpu(); }))
      return toolError(err, ExitCode::usage,
                       {ErrorCode::invalid, "--emit-c needs a GPU among the targets, such as "
                                            "--target=compute_80"});
    if (options.output.empty()) // nobody sees code for CPUs
      llvm::erase_if(*targets, [](const Target &target) { return !target.isGpu(); });
  }
  // Someone who watches sees one line, of what is being made, until all is.
  const llvm::StringRef clearLine = "\r\033[K";
  CodeProgress progress;
  if (err.is_displayed())
    progress = [&](size_t begun, size_t all, const std::string &what) {
      err << clearLine << "[" << begun + 1 << "/" << all << "] " << what;
      err.flush();
    };
  Pipeline pipeline({options.graph.file, options.graph.opsDirs, *targets,
                     !options.emitIRDir.empty(), options.kernels, progress, options.golden});
  PhaseWriter writer(options.emitIRDir);
  TimePhases times;
  Status written;
  bool ok = pipeline.run(options.stopAfter.value_or(Phase::writeBundle), [&](Phase phase) {
    double assembler = 0;
    for (const GeneratedCode &code : pipeline.code())
      if (phase == Phase::generateCode)
        assembler += code.assemblerMilliseconds;
    times.finished(info(phase).name, assembler);
    if (!options.emitIRDir.empty())
      written = writer.write(pipeline, phase);
    return bool(written);
  });
  if (progress)
    err << clearLine;
  pipeline.diagnostics().render(err);
  if (options.time)
    times.print(err);
  if (!written)
    return toolError(err, ExitCode::environment, written.error());
  if (!ok)
    return failed(pipeline, err);

  // With --stop-after: what the phase made, as text. Code has no one text: --emit-ir shows it.
  bool isBundle = !options.stopAfter || options.stopAfter == Phase::writeBundle;
  std::string text;
  if (options.stopAfter == Phase::generateCode)
    text = writeManifest(pipeline.manifest());
  else if (!isBundle)
    text = printIR(pipeline.module());
  if (!options.emitCDir.empty()) {
    Status status = writeC(emitC(pipeline.manifest(), pipeline.code()), options.emitCDir);
    if (!status)
      return toolError(err, ExitCode::environment, status.error());
  }
  if (options.output.empty()) {
    out << text;
    return ExitCode::success;
  }
  Status status = writeFile(options.output, isBundle ? std::span(pipeline.bundle())
                                                     : std::as_bytes(std::span(text)));
  return status ? ExitCode::success : toolError(err, ExitCode::environment, status.error());
}

ExitCode teeny::check(const CheckOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err) {
  const std::vector<std::string> &kernels = options.kernels.kernels;
  bool wholeFile = !kernels.empty() && kernels.front().find("::") == std::string::npos &&
                   options.kernels.ranges.empty() &&
                   llvm::all_of(options.kernels.signatures,
                                [](const std::string &signature) { return signature.empty(); });
  if (wholeFile)
    return checkFiles(options.kernels, out, err);
  Pipeline pipeline({options.graph.file, options.graph.opsDirs, {}, false, options.kernels});
  std::string table;
  bool ok = pipeline.run(Phase::tile, [&](Phase phase) {
    if (phase == Phase::inferShapes)
      table = nodeTable(pipeline.module());
    return true;
  });
  pipeline.diagnostics().render(err);
  if (!ok)
    return failed(pipeline, err);
  out << (kernels.empty() ? options.graph.file : llvm::join(kernels, ", ")) << ": no errors\n"
      << table;
  return ExitCode::success;
}
