// Names of extensions of Triton, which are no part of the language, and of what earlier versions
// had.
#include "Language/Module.h"

#include "llvm/ADT/StringSwitch.h"

namespace teeny::lang {

std::string extensionOf(llvm::StringRef path) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> extensions[] = {
      {"triton.experimental.gluon", "Gluon, Triton's experimental language of layouts"},
      {"triton.experimental", "Triton's experiments"},
      {"triton.language.extra.tlx", "TLX, an extension of Triton"},
      {"triton.language.extra.hip", "AMD's extension of Triton"},
      {"triton.language.extra.amd", "AMD's extension of Triton"},
      {"triton.language.extra.intel", "Intel's extension of Triton"},
      {"triton.language.extra.xpu", "Intel's extension of Triton"},
      {"triton.language.extra.cpu", "Triton's backend for CPUs"},
      {"triton.language.extra.cann", "Ascend's extension of Triton"},
      {"triton.language.extra.ascend", "Ascend's extension of Triton"},
      {"triton.language.extra.mlu", "Cambricon's extension of Triton"},
      {"triton_dist", "Triton-distributed, an extension of Triton"},
      {"tlx", "TLX, an extension of Triton"},
      {"helion", "Helion, a language on top of Triton"},
  };
  for (const auto &[prefix, name] : extensions)
    if (path == prefix || (path.starts_with(prefix) && path[prefix.size()] == '.'))
      return name.str();
  return "";
}

std::string replacementOf(llvm::StringRef name) {
  return llvm::StringSwitch<std::string>(name)
      .Cases({"_experimental_make_tensor_descriptor", "_experimental_descriptor_load",
              "_experimental_descriptor_store", "_experimental_reinterpret_tensor_descriptor",
              "experimental_device_tensormap_create1d", "experimental_device_tensormap_create2d",
              "experimental_tensormap_fenceproxy_acquire", "reinterpret_tensor_descriptor"},
             "earlier versions of Triton had it; use tl.make_tensor_descriptor")
      .Case("libdevice", "import it: 'from triton.language.extra import libdevice'")
      .Cases({"async_task", "warp_specialize", "async_tasks"},
             "it belongs to an extension of Triton, TLX or warp specialisation by hand")
      .Cases({"local_alloc", "local_load", "local_store", "local_view", "async_load", "async_dot"},
             "it belongs to TLX, an extension of Triton")
      .Default("");
}

} // namespace teeny::lang
