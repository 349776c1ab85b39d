// The pipeline, told from the first phase to the last.
//
// Each phase leaves the module in a state that the next one relies on; a verifier closes each, so
// that a mistake of the compiler shows where it is made (VerifyPhase.cpp).
#include "Driver/Pipeline.h"

#include "Conversion/GraphToTile/GraphToTile.h"
#include "Driver/BuildManifest.h"
#include "Driver/StandaloneKernels.h"
#include "Driver/TilePipeline.h"
#include "Driver/VerifyPhase.h"
#include "Driver/Versions.h"
#include "Graph/IR/Graph.h"
#include "Graph/Import/Import.h"
#include "Graph/Transforms/Passes.h"
#include "Target/PTX/PTX.h"
#include "TensorFile/SafeTensors.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"

#include <thread>

using namespace mlir;
using namespace teeny;

Pipeline::Pipeline(Settings given)
    : settings(std::move(given)), context(compilerDialects(), MLIRContext::Threading::DISABLED),
      handler(&context, reports, texts) {
  context.loadAllAvailableDialects(); // the front end makes operations of most of them
  if (!settings.kernels.kernels.empty())
    standalone = std::make_unique<StandaloneKernels>(settings.kernels, texts, reports);
}
Pipeline::~Pipeline() = default;

bool Pipeline::run(Phase last, const std::function<bool(Phase)> &after) {
  for (const PhaseInfo &info : phases()) {
    if (!runPhase(info.phase) || reports.hasErrors() || trouble)
      return false;
    if (ir && failed(verifyPhase(*ir, info.phase)))
      return false;
    if (after && !after(info.phase))
      return false;
    if (info.phase == last)
      break;
  }
  return true;
}

bool Pipeline::runPhase(Phase phase) {
  switch (phase) {
  case Phase::import:
    return import();
  case Phase::inferShapes:
    return inferShapes();
  case Phase::simplify:
    return simplify();
  case Phase::legalizeOps:
    return legalizeOps();
  case Phase::fuse:
    return fuse();
  case Phase::bindKernels:
    return bind();
  case Phase::tile:
    return simplifyTiles();
  case Phase::generateCode:
    return generate();
  case Phase::writeBundle:
    return writeBundle();
  }
  return false;
}

// Files become a graph: names are resolved, references and expressions checked, nodes in an order
// in which they can run. Every node is a call of a declaration, which is in the module too.
bool Pipeline::import() {
  if (standalone) {
    ir = ModuleOp::create(UnknownLoc::get(&context));
    return standalone->read();
  }
  ir = importGraph(&context, settings.file, texts, reports, {settings.opsDirs});
  return bool(ir);
}

// Every value gets its shape and element type, and every call the meaning of the names that its
// declaration binds. What a declaration requires is proved, refuted, or left to each run.
bool Pipeline::inferShapes() {
  if (standalone)
    return true;
  PassManager passes(&context);
  passes.addPass(graph::createGraphInferShapes());
  passes.addPass(graph::createGraphVerifyShapes());
  // Golden runs are of the graph as it was written, before anything is made of it.
  return succeeded(passes.run(*ir)) && (!settings.golden || golden.compute(*ir, texts, reports));
}

// Fewer operations that mean the same.
bool Pipeline::simplify() {
  PassManager passes(&context);
  passes.addPass(createCanonicalizerPass());
  passes.addPass(graph::createGraphMergeMaps());
  passes.addPass(graph::createGraphFoldScales());
  passes.addPass(graph::createGraphFoldParams());
  return succeeded(passes.run(*ir));
}

// Operations that kernels are written for become calls of their declarations.
bool Pipeline::legalizeOps() {
  PassManager passes(&context);
  passes.addPass(graph::createGraphLegalizeOps());
  passes.addPass(createCanonicalizerPass());
  return succeeded(passes.run(*ir));
}

// What follows a kernel point by point is done as it stores. That takes a look at the kernels.
bool Pipeline::fuse() {
  fuseEpilogues(*ir, texts);
  opsOfNodes = fusedOps(*ir);
  return true;
}

// The maps that are left, and movements of data, get kernels of their own, as text. Then calls
// become launches; each kernel is compiled by the front end for the arguments it gets. From here on
// the graph is a plan: what is launched, on which buffers.
bool Pipeline::bind() {
  if (standalone)
    return standalone->generate(*ir);
  PassManager passes(&context);
  passes.addPass(graph::createGraphOutlineMaps());
  return succeeded(passes.run(*ir)) && bindKernels(*ir, texts, reports);
}

// What holds for every target: constants folded, common subexpressions shared, offsets as wide as
// the declared ranges ask. The manifest is read off now, since later phases see single kernels.
bool Pipeline::simplifyTiles() {
  PassManager passes(&context);
  addTilePasses(passes);
  if (failed(passes.run(*ir)))
    return false;
  if (standalone) {
    plan = standalone->describe(*ir);
    return true;
  }
  std::optional<Manifest> manifest = buildManifest(*ir, texts, reports);
  if (!manifest)
    return false;
  plan = std::move(*manifest);
  for (ManifestLaunch &launch : plan.launches)
    launch.ops = opsOfNodes.lookup(launch.node);
  return true;
}

// Kernels part ways: for a GPU tiles get layouts and become what each thread does, for a CPU they
// become loops; both end as LLVM IR, and then as machine code.
bool Pipeline::generate() {
  CodeOptions options;
  options.keepIR = settings.keepIR;
  options.progress = settings.progress;
  options.cache = settings.cache;
  if (llvm::any_of(settings.targets,
                   [](const Target &target) { return target.kind == Target::Kind::cubin; })) {
    Result<std::string> found = ptx::findAssembler();
    if (!found) {
      trouble = found.error();
      return false;
    }
    options.assembler = *found;
  }
  // The assembler is asked for its version while code is generated.
  std::optional<Result<Provenance>> versions;
  std::thread asking([&] { versions = provenance(options.assembler); });
  std::optional<std::vector<GeneratedCode>> code =
      generateCode(*ir, settings.targets, options, texts, reports, trouble);
  asking.join();
  if (!code)
    return false;
  generated = std::move(*code);
  if (!*versions) {
    trouble = versions->error();
    return false;
  }
  plan.provenance = std::move(**versions);
  for (const Target &target : settings.targets)
    plan.targets.push_back(target.name);
  return true;
}

// Manifest, code, weights and sources as one file in memory.
bool Pipeline::writeBundle() {
  BundleWriter writer;
  llvm::StringMap<ManifestKernel *> kernels;
  for (ManifestKernel &kernel : plan.kernels)
    kernels[kernel.name] = &kernel;
  for (const GeneratedCode &code : generated) {
    CodeObject object = code.object;
    BundleWriter::Code entry =
        writer.addCode(code.kernel + "." + object.target + "." + code.extension,
                       std::as_bytes(std::span(code.bytes)));
    object.tensor = entry.tensor;
    object.sha256 = entry.sha256;
    kernels[code.kernel]->code.push_back(std::move(object));
  }
  std::vector<KernelSource> files = kernelSources();
  for (const KernelSource &file : files)
    writer.addSource(file.name, std::as_bytes(std::span(file.source->text)));

  // Weights are borrowed by the writer until it has written them.
  llvm::StringMap<MappedFile> mapped;
  std::deque<std::string> computed;
  if (!standalone)
    addWeights(writer, mapped, computed);
  if (settings.golden && !golden.addTo(writer, plan, *ir))
    reports.error(placeOfInput(), "no golden run: launches exclude the sizes that were tried");
  if (reports.hasErrors())
    return false;
  Result<std::vector<std::byte>> result = writer.bytes(plan);
  if (!result) {
    reports.error(placeOfInput(), result.error().message);
    return false;
  }
  bytes = std::move(*result);
  return true;
}

// From the mapped files as they are; the importer has checked them, but files can change.
void Pipeline::addWeights(BundleWriter &writer, llvm::StringMap<MappedFile> &mapped,
                          std::deque<std::string> &computed) {
  auto graph = *ir->getOps<graph::GraphOp>().begin();
  for (auto param : graph.getBlock().getOps<graph::ParamOp>()) {
    std::string path = graph::pathOf(param, param.getFile());
    auto fail = [&](const std::string &message) {
      reports.error(fromMLIR(param.getLoc(), texts),
                    "cannot read the data of '" + param.getName().str() + "': " + message);
    };
    auto file = mapped.find(path);
    if (file == mapped.end()) {
      Result<MappedFile> opened = MappedFile::open(path);
      if (!opened) {
        fail(opened.error().message);
        continue;
      }
      file = mapped.try_emplace(path, std::move(*opened)).first;
    }
    Result<SafeTensors> tensors = SafeTensors::parse(file->second.bytes());
    const TensorView *tensor = tensors ? tensors->find(param.getKey().str()) : nullptr;
    if (!tensor) {
      fail(tensors ? "no tensor '" + param.getKey().str() + "'" : tensors.error().message);
      continue;
    }
    writer.addWeight(param.getName().str(), tensor->dtype, tensor->shape, tensor->data);
  }
  for (auto constant : graph.getBlock().getOps<graph::ConstantOp>()) {
    auto value = cast<DenseElementsAttr>(constant.getValue());
    ArrayRef<int64_t> shape = value.getType().getShape();
    ArrayRef<char> data = value.getRawData();
    if (value.isSplat()) {
      // One element stands for all.
      std::string &all = computed.emplace_back();
      for (int64_t i = 0; i < value.getNumElements(); ++i)
        all.append(data.begin(), data.end());
      data = all;
    }
    writer.addWeight(constant.getName().str(), *graph::dtypeOf(value.getElementType()),
                     std::vector<int64_t>(shape.begin(), shape.end()),
                     std::as_bytes(std::span(data.data(), data.size())));
  }
}

// Where to tell of what concerns the whole.
SourceLocation Pipeline::placeOfInput() const {
  if (standalone)
    return standalone->place();
  Operation *graph = *const_cast<OwningOpRef<ModuleOp> &>(ir)->getOps<graph::GraphOp>().begin();
  return fromMLIR(graph->getLoc(), texts);
}

// The shortest ends of the files' paths that tell them apart.
std::vector<Pipeline::KernelSource> Pipeline::kernelSources() const {
  std::vector<KernelSource> files;
  OwningOpRef<ModuleOp> &module = const_cast<Pipeline *>(this)->ir;
  for (func::FuncOp function : module->getOps<func::FuncOp>()) {
    const Source *source = fromMLIR(function.getLoc(), texts).source;
    if (source && llvm::none_of(files, [&](const auto &file) { return file.source == source; }))
      files.push_back({"", source});
  }
  for (unsigned parts = 1; parts < 64; ++parts) {
    llvm::StringMap<unsigned> count;
    for (KernelSource &file : files) {
      llvm::SmallVector<StringRef> path(llvm::sys::path::begin(file.source->name),
                                        llvm::sys::path::end(file.source->name));
      size_t skipped = path.size() - std::min<size_t>(parts, path.size());
      file.name = llvm::join(llvm::drop_begin(path, skipped), "/");
      ++count[file.name];
    }
    if (count.size() == files.size())
      break;
  }
  return files;
}
