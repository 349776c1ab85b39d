#include "Driver/LaunchTable.h"

#include "Bundle/ManifestNames.h"
#include "Driver/SignatureTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace teeny;

namespace {

template <typename Range> std::string list(const Range &expressions) {
  return "[" +
         llvm::join(llvm::map_range(expressions, [](const Expr &expr) { return expr.str(); }),
                    ", ") +
         "]";
}

class Printer {
public:
  Printer(const Manifest &manifest, llvm::raw_ostream &os) : manifest(manifest), os(os) {}

  void dims() {
    for (const ManifestDim &dim : manifest.dims) {
      os << "dim " << dim.name << ": " << dim.min << " to " << dim.max;
      if (dim.multipleOf != 1)
        os << ", a multiple of " << dim.multipleOf;
      os << "\n";
    }
    for (const ManifestRequirement &requirement : manifest.requirements)
      os << "requires " << requirement.condition.str() << ": " << requirement.message << "\n";
  }

  void tensors(const char *role, llvm::ArrayRef<ManifestTensor> tensors) {
    for (const ManifestTensor &tensor : tensors) {
      os << role << " " << tensor.name << ": " << teeny::name(tensor.dtype) << " "
         << list(tensor.shape);
      if (buffer(tensor.buffer) != tensor.name)
        os << " in " << buffer(tensor.buffer);
      os << "\n";
    }
  }

  void buffers() {
    for (const ManifestBuffer &buffer : manifest.buffers) {
      os << "buffer " << buffer.name << ": " << name(buffer.kind) << ", " << buffer.bytes.str()
         << " bytes";
      if (buffer.kind == ManifestBuffer::Kind::temporary)
        os << ", launches " << buffer.firstLaunch << " to " << buffer.lastLaunch;
      if (buffer.zeroed)
        os << ", zeroed";
      if (buffer.aliasOf)
        os << ", at byte " << buffer.aliasOffset.str() << " of " << this->buffer(*buffer.aliasOf);
      os << "\n";
    }
  }

  void kernel(const ManifestKernel &kernel) {
    os << "kernel " << kernel.name << ": " << kernel.function << " of " << kernel.source << ", "
       << kernel.numWarps << " warps\n";
    if (kernel.hasSignature())
      return printSignature(kernel, os);
    for (const KernelParam &param : kernel.params)
      os << "  " << param.name << ": " << name(param.kind) << (param.written ? ", written" : "")
         << "\n";
  }

  void launch(size_t index) {
    const ManifestLaunch &launch = manifest.launches[index];
    os << "launch " << index << ": " << launch.name << " of node " << launch.node << "\n";
    for (const LaunchVariant &variant : launch.variants) {
      const ManifestKernel &kernel = manifest.kernels[variant.kernel];
      os << "  when " << variant.guard.str() << ": " << kernel.name << " on " << list(variant.grid)
         << "\n";
      for (const auto &[param, arg] : llvm::zip_equal(kernel.params, variant.args)) {
        os << "    " << param.name << " = ";
        argument(arg);
        os << "\n";
      }
    }
  }

private:
  llvm::StringRef buffer(size_t index) { return manifest.buffers[index].name; }

  void argument(const LaunchArg &arg) {
    switch (arg.kind) {
    case LaunchArg::Kind::buffer:
      os << buffer(arg.buffer);
      if (arg.value.constant() != 0)
        os << " + " << arg.value.str() << " bytes";
      break;
    case LaunchArg::Kind::integer:
      os << arg.value.str();
      break;
    case LaunchArg::Kind::real:
      os << llvm::format("%.17g", arg.real);
      break;
    }
  }

  const Manifest &manifest;
  llvm::raw_ostream &os;
};

} // namespace

void teeny::printLaunchTable(const Manifest &manifest, llvm::StringRef kernel,
                             llvm::raw_ostream &os) {
  Printer printer(manifest, os);
  if (kernel.empty()) {
    printer.dims();
    printer.tensors("input", manifest.inputs);
    printer.tensors("output", manifest.outputs);
    printer.buffers();
  }
  auto wanted = [&](size_t index) {
    return kernel.empty() || manifest.kernels[index].name == kernel;
  };
  for (size_t i = 0; i < manifest.kernels.size(); ++i)
    if (wanted(i))
      printer.kernel(manifest.kernels[i]);
  for (size_t i = 0; i < manifest.launches.size(); ++i)
    if (llvm::any_of(manifest.launches[i].variants,
                     [&](const LaunchVariant &variant) { return wanted(variant.kernel); }))
      printer.launch(i);
}
