// What is wrong with graphs and kernels, before any code is made.
#include "Driver/Driver.h"

#include "Driver/DiagnosticsJson.h"
#include "Driver/NodeTable.h"
#include "Driver/TilePipeline.h"
#include "Driver/ToolErrors.h"
#include "Language/Check.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace teeny;

namespace {

// What was found, as text while it is found, or as one object of JSON.
class Report {
public:
  Report(bool isJson, llvm::raw_ostream &out, llvm::raw_ostream &err) : out(out), err(err) {
    if (!isJson)
      return;
    json.emplace(out, 2);
    json->objectBegin();
    json->attributeBegin("diagnostics");
    json->arrayBegin();
  }

  void add(const Diagnostics &diagnostics) {
    if (json)
      writeJson(diagnostics, *json);
    else
      render(diagnostics, err);
    if (diagnostics.hasErrors())
      code = ExitCode::userError;
  }
  void add(ExitCode why, const Error &error) {
    if (json)
      writeJson(error, *json);
    else
      toolError(err, why, error);
    code = why;
  }
  void fine(const std::string &what) {
    if (!json)
      out << what << ": no errors\n";
  }
  ExitCode finish(llvm::ArrayRef<NodeRow> nodes = {}) {
    if (!json) {
      out << nodeTable(nodes);
      return code;
    }
    json->arrayEnd();
    json->attributeEnd();
    json->attribute("ok", code == ExitCode::success);
    json->attributeArray("nodes", [&] { writeNodes(nodes); });
    json->objectEnd();
    out << "\n";
    return code;
  }

private:
  // Under the titles of the table, what is known; without the sums.
  void writeNodes(llvm::ArrayRef<NodeRow> nodes) {
    if (nodes.empty())
      return;
    for (const NodeRow &row : nodes.drop_front().drop_back())
      json->object([&] {
        for (const auto &[title, value] : llvm::zip(nodes.front(), row))
          if (!value.empty() && value != "?")
            json->attribute(title, llvm::json::fixUTF8(value));
      });
  }

  llvm::raw_ostream &out, &err;
  std::optional<llvm::json::OStream> json; // where it is wanted
  ExitCode code = ExitCode::success;
};

} // namespace

static void checkFile(const std::string &path, const KernelOptions &options, Report &report) {
  Sources sources;
  Diagnostics diagnostics;
  std::string reason;
  const Source *source = sources.readFile(path, reason);
  if (!source)
    return report.add(ExitCode::userError, unreadable(path, reason));
  mlir::MLIRContext context(compilerDialects(), mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  MLIRDiagnosticHandler handler(&context, diagnostics, sources);
  std::vector<const Source *> globals;
  for (const std::string &text : options.globals)
    globals.push_back(sources.add("--global", text));
  if (checkKernelFile(source, globals, &context, sources, diagnostics))
    report.fine(path);
  report.add(diagnostics);
}

ExitCode teeny::check(const CheckOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err) {
  Report report(options.json, out, err);
  const std::vector<std::string> &kernels = options.kernels.kernels;
  bool wholeFile = !kernels.empty() && kernels.front().find("::") == std::string::npos &&
                   options.kernels.ranges.empty() &&
                   llvm::all_of(options.kernels.signatures,
                                [](const std::string &signature) { return signature.empty(); });
  if (wholeFile) {
    for (const std::string &path : kernels)
      checkFile(path, options.kernels, report);
    return report.finish();
  }
  Pipeline pipeline({options.graph.file, options.graph.opsDirs, {}, false, options.kernels});
  std::vector<NodeRow> nodes;
  bool ok = pipeline.run(Phase::tile, [&](Phase phase) {
    if (phase == Phase::inferShapes)
      nodes = nodeRows(pipeline.module());
    return true;
  });
  report.add(pipeline.diagnostics());
  if (pipeline.environment())
    report.add(ExitCode::environment, *pipeline.environment());
  if (!ok) {
    assert((pipeline.environment() || pipeline.diagnostics().hasErrors()) && "failures say why");
    return report.finish();
  }
  report.fine(kernels.empty() ? options.graph.file : llvm::join(kernels, ", "));
  return report.finish(nodes);
}
