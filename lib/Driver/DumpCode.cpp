#include "Driver/DumpCode.h"

#include "Base/File.h"
#include "Driver/ToolErrors.h"

#include "llvm/ADT/StringExtras.h"

using namespace teeny;

std::string teeny::extensionOf(llvm::StringRef tensor) { return tensor.rsplit('.').second.str(); }

ExitCode teeny::dumpCode(const DumpOptions &options, llvm::ArrayRef<CodeBytes> codes,
                         llvm::raw_ostream &err) {
  const bool isCubin = options.what == DumpOptions::What::cubin;
  std::vector<const CodeBytes *> found;
  std::vector<std::string> there, fitting;
  for (const CodeBytes &code : codes) {
    std::string name = code.kernel + " for " + code.target;
    there.push_back(name);
    if ((!options.kernel.empty() && code.kernel != options.kernel) ||
        (!options.target.empty() && code.target != options.target) ||
        code.extension != (isCubin ? "cubin" : "so"))
      continue;
    found.push_back(&code);
    fitting.push_back(name);
  }
  if (found.size() == 1) {
    Status written = writeFile(options.output, found.front()->bytes);
    return written ? ExitCode::success : toolError(err, ExitCode::environment, written.error());
  }
  const char *what = isCubin ? "cubin" : "shared object";
  std::string message =
      found.empty() ? std::string("no ") + what + " fits; there is code of " + listed(there, false)
                    : counted(found.size(), what) + " fit: " + listed(fitting, false) +
                          "; choose one with --kernel and --target";
  return toolError(err, ExitCode::userError, {ErrorCode::notFound, message});
}
