#include "Driver/Driver.h"

#include "Base/File.h"
#include "Driver/CodeCache.h"
#include "Driver/EmitC.h"
#include "Driver/LaunchTable.h"
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

static void finish(CodeCache &cache, bool tell, llvm::raw_ostream &err) {
  cache.trim();
  if (tell)
    err << "from the cache   " << cache.found() << " of " << cache.asked() << " code objects\n";
  if (cache.trouble())
    err << "teenyc: warning: the cache does not keep all code: " << cache.trouble()->message
        << "\n";
}

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
  std::unique_ptr<CodeCache> cache;
  if (!options.cacheDir.empty()) {
    auto opened = CodeCache::open(options.cacheDir, uint64_t(options.cacheMebibytes) << 20);
    if (!opened)
      return toolError(err, ExitCode::environment, opened.error());
    cache = std::move(*opened);
  }
  Pipeline pipeline({options.graph.file, options.graph.opsDirs, *targets,
                     !options.emitIRDir.empty(), options.kernels, progress, options.golden,
                     cache.get()});
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
  render(pipeline.diagnostics(), err);
  if (options.time)
    times.print(err);
  if (cache)
    finish(*cache, options.time, err);
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
