// Which ops graphs can name.
#include "Driver/Driver.h"

#include "Driver/OpDescription.h"
#include "Driver/TilePipeline.h"
#include "Driver/ToolErrors.h"
#include "Graph/IR/NodeKinds.h"
#include "Graph/IR/ShippedFiles.h"
#include "Graph/Import/Import.h"

#include "mlir/IR/MLIRContext.h"

using namespace teeny;

std::vector<std::string> teeny::opNames() {
  std::vector<std::string> names;
  for (const graph::NodeKind &kind : graph::nodeKinds())
    names.push_back(kind.name);
  for (const graph::ShippedFile &file : graph::shippedFiles())
    if (llvm::StringRef name = file.name; name.consume_back(".json")) {
      names.push_back(name.str());
      llvm::replace(names.back(), '/', '.');
    }
  return names;
}

ExitCode teeny::listOps(const OpsOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err) {
  mlir::MLIRContext context(compilerDialects(), mlir::MLIRContext::Threading::DISABLED);
  Sources sources;
  Diagnostics diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      importAllDeclarations(&context, options.opsDirs, sources, diagnostics);
  std::vector<OpDescription> ops = describeOps(*module, sources);
  render(diagnostics, err);
  ExitCode code = diagnostics.hasErrors() ? ExitCode::userError : ExitCode::success;

  if (!options.name.empty()) {
    std::vector<std::string> names;
    for (const OpDescription &op : ops)
      names.push_back(op.name);
    if (!llvm::is_contained(names, options.name)) {
      std::string near = nearest(options.name, names);
      return toolError(err, ExitCode::userError,
                       {ErrorCode::notFound,
                        "no op '" + options.name + "'; " +
                            (near.empty() ? "'teenyc ops' lists all, with --ops=DIR those of a "
                                            "folder too"
                                          : "did you mean '" + near + "'?")});
    }
    llvm::erase_if(ops, [&](const OpDescription &op) { return op.name != options.name; });
  }
  if (options.json) {
    llvm::json::OStream json(out, 2);
    json.array([&] {
      for (const OpDescription &op : ops)
        writeOpJson(op, json);
    });
    out << "\n";
  } else if (options.name.empty()) {
    printOpList(ops, out);
  } else {
    for (const OpDescription &op : ops)
      printOp(op, out);
  }
  return code;
}
