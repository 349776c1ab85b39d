#include "Driver/LaunchTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace teeny;

// Without the elements of `object[key]` that `keep` does not want.
static void filter(llvm::json::Object &object, llvm::StringRef key,
                   llvm::function_ref<bool(const llvm::json::Object &)> keep) {
  llvm::json::Array kept;
  for (llvm::json::Value &element : *object.getArray(key))
    if (keep(*element.getAsObject()))
      kept.push_back(std::move(element));
  object[key] = std::move(kept);
}

void teeny::printLaunchJson(const Manifest &manifest, llvm::StringRef kernel,
                            llvm::raw_ostream &os) {
  llvm::json::Value whole = llvm::cantFail(llvm::json::parse(writeManifest(manifest)));
  llvm::json::Object shown;
  for (llvm::StringRef key :
       {"name", "dims", "requirements", "inputs", "outputs", "buffers", "kernels", "launches"})
    if (llvm::json::Value *part = whole.getAsObject()->get(key))
      shown[key] = std::move(*part);
  if (!kernel.empty()) {
    filter(shown, "kernels",
           [&](const llvm::json::Object &entry) { return entry.getString("name") == kernel; });
    filter(shown, "launches", [&](const llvm::json::Object &launch) {
      return llvm::any_of(*launch.getArray("variants"), [&](const llvm::json::Value &variant) {
        return variant.getAsObject()->getString("kernel") == kernel;
      });
    });
  }
  llvm::json::OStream(os, 2).value(std::move(shown));
  os << "\n";
}
