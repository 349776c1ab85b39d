// Every kernel of features/*.py, compiled and run, against features/fixtures: what Triton computes
// from the same inputs. Code for CPUs runs here, code for GPUs on a machine that interprets PTX.
// TEENY_CASES=TEXT runs only the cases whose names contain it.
#include "FeatureCases.h"
#include "Target/HostLibrary.h"
#include "Target/PtxMachine.h"

#include "Base/File.h"
#include "Driver/CodeGeneration.h"
#include "Driver/TilePipeline.h"
#include "TensorFile/SafeTensors.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>

using namespace teeny;
using namespace teeny::test;

namespace {

struct Compilation {
  std::string error, code; // a shared library, or PTX
  CodeObject object;
};

Compilation compileCase(const FeatureCase &one, const Target &target) {
  Compilation result;
  Sources sources;
  Diagnostics diagnostics;
  const Source *source = sources.readFile(one.file, result.error);
  if (!source)
    return result;
  mlir::MLIRContext context(compilerDialects(), mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  MLIRDiagnosticHandler handler(&context, diagnostics, sources);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  std::vector<ParamSpec> specs;
  for (const FeatureArgument &argument : one.arguments)
    specs.push_back(argument.spec);
  GenerateOptions options;
  options.symbolName = "kernel";
  options.numWarps = one.warps;
  std::optional<Error> environment;
  std::unique_ptr<KernelFile> file = KernelFile::parse(source, diagnostics);
  if (file && generateKernel(*file, one.kernel, specs, options, *module, diagnostics)) {
    mlir::PassManager passes(&context);
    addTilePasses(passes);
    if (succeeded(passes.run(*module)))
      if (auto code = generateCode(*module, {target}, {}, sources, diagnostics, environment)) {
        result.code = std::move(code->front().bytes);
        result.object = code->front().object;
      }
  }
  if (environment)
    result.error = environment->message;
  if (result.code.empty()) {
    llvm::raw_string_ostream stream(result.error);
    diagnostics.render(stream);
    stream << "it cannot be compiled";
  }
  return result;
}

// Memory between guards.
class Guarded {
public:
  explicit Guarded(size_t bytes) : size(bytes), memory(bytes + 3 * guard, char(0x5a)) {}
  char *data() {
    return reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(memory.data()) + guard + 63) / 64 *
                                    64);
  }
  bool intact() {
    auto untouched = [](char byte) { return byte == char(0x5a); };
    return std::all_of(memory.data(), data(), untouched) &&
           std::all_of(data() + size, memory.data() + memory.size(), untouched);
  }

private:
  static constexpr size_t guard = 256;
  size_t size;
  std::vector<char> memory;
};

// Contents of the pointers afterwards, in the order of arguments.
std::vector<HostTensor> runOnCpu(const FeatureCase &one, const Compilation &compiled) {
  HostLibrary library(compiled.code);
  using Entry = void(const uint64_t *, const int32_t *, int64_t, int64_t, void *);
  auto *entry = library.function<Entry>("kernel");
  std::vector<uint64_t> slots;
  std::vector<std::pair<const FeatureArgument *, std::unique_ptr<Guarded>>> buffers;
  for (const FeatureArgument &argument : one.arguments) {
    if (argument.spec.kind == ParamSpec::scalar)
      slots.push_back(argument.slot);
    if (argument.spec.kind != ParamSpec::pointer)
      continue;
    std::span<const std::byte> bytes = argument.contents.bytes();
    buffers.emplace_back(&argument, std::make_unique<Guarded>(bytes.size()));
    std::memcpy(buffers.back().second->data(), bytes.data(), bytes.size());
    slots.push_back(reinterpret_cast<uint64_t>(buffers.back().second->data()));
  }
  Guarded scratch(compiled.object.scratchBytes);
  int64_t programs = int64_t(one.grid[0]) * one.grid[1] * one.grid[2];
  entry(slots.data(), one.grid.data(), 0, programs, scratch.data());
  CHECK(scratch.intact());
  std::vector<HostTensor> results;
  for (auto &[argument, buffer] : buffers) {
    CHECK(buffer->intact());
    std::span<const std::byte> bytes(reinterpret_cast<std::byte *>(buffer->data()),
                                     argument->contents.bytes().size());
    results.emplace_back(argument->dtype, argument->contents.shape(), bytes);
  }
  return results;
}

// The same on a machine for PTX, which throws what is wrong with the code.
std::vector<HostTensor> runAsPtx(const FeatureCase &one, const Compilation &compiled) {
  PtxMachine machine(compiled.code);
  std::vector<HostTensor> results;
  std::vector<std::vector<char>> memory;
  for (const FeatureArgument &argument : one.arguments)
    if (argument.spec.kind == ParamSpec::pointer) {
      auto *bytes = reinterpret_cast<const char *>(argument.contents.bytes().data());
      memory.emplace_back(bytes, bytes + argument.contents.bytes().size());
    }
  std::vector<uint64_t> slots;
  size_t next = 0;
  for (const FeatureArgument &argument : one.arguments) {
    if (argument.spec.kind == ParamSpec::scalar)
      slots.push_back(argument.slot);
    if (argument.spec.kind == ParamSpec::pointer)
      slots.push_back(machine.buffer(memory[next++]));
  }
  machine.run("kernel", {one.grid[0], one.grid[1], one.grid[2]}, slots,
              compiled.object.sharedBytes);
  next = 0;
  for (const FeatureArgument &argument : one.arguments)
    if (argument.spec.kind == ParamSpec::pointer)
      results.emplace_back(argument.dtype, argument.contents.shape(),
                           std::as_bytes(std::span(memory[next++])));
  return results;
}

// What differs: nothing, or a text with the first element and how many there are.
std::string difference(const FeatureCase &one, const HostTensor &got, const HostTensor &want) {
  int64_t width = byteSize(got.dtype());
  double largest = 0;
  if (isFloat(want.dtype()))
    for (int64_t i = 0; i != want.elements(); ++i)
      if (std::isfinite(want.real(i)))
        largest = std::max(largest, std::abs(want.real(i)));
  int64_t count = 0;
  std::string first;
  for (int64_t i = 0; i != want.elements(); ++i) {
    if (!std::memcmp(&got.bytes()[i * width], &want.bytes()[i * width], width))
      continue;
    if (isFloat(want.dtype())) {
      double a = got.real(i), b = want.real(i);
      if ((std::isnan(a) && std::isnan(b)) || (!one.zeroSigns && a == 0 && b == 0))
        continue;
      double bound = one.relative * std::abs(b) + one.tolerance * largest;
      if (bound > 0 && std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= bound)
        continue;
    }
    if (!count++) {
      llvm::raw_string_ostream stream(first);
      stream << "element " << i << ": got ";
      auto print = [&](const HostTensor &tensor) {
        if (isFloat(tensor.dtype()))
          stream << llvm::format("%.17g", tensor.real(i));
        else
          stream << tensor.integer(i);
        stream << " (0x"
               << llvm::toHex(llvm::ArrayRef(
                      reinterpret_cast<const uint8_t *>(&tensor.bytes()[i * width]), width))
               << ")";
      };
      print(got);
      stream << ", want ";
      print(want);
    }
  }
  return count ? first + "; " + std::to_string(count) + " differ" : "";
}

// The outputs of each case by "CASE/ARGUMENT".
class Fixtures {
public:
  explicit Fixtures(const std::string &table) {
    std::string path =
        TEENY_SOURCE_DIR "/test/Language/features/fixtures/" + table + ".safetensors";
    INFO(path);
    Result<MappedFile> opened = MappedFile::open(path);
    REQUIRE(opened);
    file.emplace(std::move(*opened));
    Result<SafeTensors> parsed = SafeTensors::parse(file->bytes());
    REQUIRE(parsed);
    tensors.emplace(std::move(*parsed));
  }
  std::optional<HostTensor> find(const std::string &name) const {
    const TensorView *view = tensors->find(name);
    if (!view)
      return std::nullopt;
    return HostTensor(view->dtype, view->shape, view->data);
  }

private:
  std::optional<MappedFile> file;
  std::optional<SafeTensors> tensors;
};

void checkAll(const std::string &targetName) {
  Result<Target> target = parseTarget(targetName);
  REQUIRE(target);
  const char *filter = std::getenv("TEENY_CASES");
  std::vector<FeatureCase> cases = loadFeatureCases();
  std::erase_if(cases, [&](const FeatureCase &one) {
    if (target->isGpu() && target->gpu->capability < one.capability)
      return true;
    return filter && one.name.find(filter) == std::string::npos;
  });
  REQUIRE(!cases.empty());

  std::vector<Compilation> compiled(cases.size());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i = next++; i < cases.size(); i = next++)
      compiled[i] = compileCase(cases[i], *target);
  };
  std::thread helper(work);
  work();
  helper.join();

  std::map<std::string, Fixtures> fixtures;
  for (auto [one, code] : llvm::zip_equal(cases, compiled)) {
    INFO(one.name << " on " << targetName);
    CHECK(code.error == "");
    if (!code.error.empty())
      continue;
    std::string table = one.name.substr(0, one.name.find('.'));
    const Fixtures &wanted = fixtures.try_emplace(table, table).first->second;
    std::vector<HostTensor> results;
    if (target->isGpu()) {
      CHECK_NOTHROW(results = runAsPtx(one, code));
      if (results.empty())
        continue;
    } else {
      results = runOnCpu(one, code);
    }
    auto result = results.begin();
    for (const FeatureArgument &argument : one.arguments) {
      if (argument.spec.kind != ParamSpec::pointer)
        continue;
      const HostTensor &got = *result++;
      if (!argument.output) {
        CHECK(std::ranges::equal(got.bytes(), argument.contents.bytes()));
        continue;
      }
      INFO("output " << argument.spec.name);
      std::optional<HostTensor> want = wanted.find(one.name + "/" + argument.spec.name);
      CHECK(want); // without it: scripts/check_against_triton.py fixtures
      if (!want)
        continue;
      REQUIRE((want->dtype() == got.dtype() && want->shape() == got.shape()));
      CHECK(difference(one, got, *want) == "");
    }
  }
}

} // namespace

TEST_CASE("kernels of the features compute on CPUs what Triton does") {
  std::vector<std::string> targets = runnableTargets();
  REQUIRE(!targets.empty());
  checkAll(llvm::is_contained(targets, "x86-64-v3") ? "x86-64-v3" : targets.front());
}

TEST_CASE("kernels of the features compute on GPUs what Triton does") {
  checkAll("compute_80");
  checkAll("compute_90");
}
