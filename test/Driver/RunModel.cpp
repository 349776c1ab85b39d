#include "RunModel.h"

#include "Base/File.h"
#include "Driver/Driver.h"
#include "Driver/Pipeline.h"
#include "TensorFile/Npy.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <catch2/catch.hpp>

using namespace teeny;
using namespace teeny::test;

Folder::Folder() { REQUIRE(!llvm::sys::fs::createUniqueDirectory("teeny-test", root)); }
Folder::~Folder() { llvm::sys::fs::remove_directories(root); }

std::string test::nativeTarget() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("x86-64-v4")   ? "x86-64-v4"
         : __builtin_cpu_supports("x86-64-v3") ? "x86-64-v3"
                                               : "x86-64";
#else
  return "aarch64";
#endif
}

void test::compileModel(const std::string &graph, const std::string &bundle,
                        std::vector<std::string> opsDirs, std::vector<std::string> targets) {
  CompileOptions options;
  options.graph = {graph, std::move(opsDirs)};
  options.output = bundle;
  options.targets = std::move(targets);
  std::string text;
  llvm::raw_string_ostream os(text);
  ExitCode code = compile(options, os, os);
  INFO(text);
  REQUIRE(code == ExitCode::success);
}

NamedTensors test::runModel(const Folder &folder, const std::string &bundle,
                            const NamedTensors &inputs, const std::vector<std::string> &outputs,
                            std::vector<std::string> more) {
  std::vector<std::string> arguments = {TEENY_RUN, bundle, "--device", "cpu"};
  for (const auto &[name, value] : inputs) {
    Result<std::vector<std::byte>> npy = writeNpy(value.dtype(), value.shape(), value.bytes());
    REQUIRE(npy);
    REQUIRE(writeFile(folder.path("in-" + name), *npy));
    arguments.insert(arguments.end(), {"--input", name + "=" + folder.path("in-" + name)});
  }
  for (const std::string &name : outputs)
    arguments.insert(arguments.end(), {"--output", name + "=" + folder.path("out-" + name)});
  arguments.insert(arguments.end(), more.begin(), more.end());

  std::vector<llvm::StringRef> words(arguments.begin(), arguments.end());
  std::string log = folder.path("log");
  std::optional<llvm::StringRef> redirects[] = {"", llvm::StringRef(log), llvm::StringRef(log)};
  int code = llvm::sys::ExecuteAndWait(TEENY_RUN, words, std::nullopt, redirects);
  Result<MappedFile> text = MappedFile::open(log);
  REQUIRE(text);
  INFO(std::string(reinterpret_cast<const char *>(text->bytes().data()), text->bytes().size()));
  REQUIRE(code == 0);

  NamedTensors results;
  for (const std::string &name : outputs) {
    Result<MappedFile> file = MappedFile::open(folder.path("out-" + name));
    REQUIRE(file);
    Result<NpyArray> array = parseNpy(file->bytes());
    REQUIRE(array);
    results.emplace(name, HostTensor(array->dtype, array->shape, array->data));
  }
  return results;
}

NamedTensors test::reference(const std::string &graph, const NamedTensors &inputs,
                             std::vector<std::string> opsDirs) {
  Pipeline pipeline({graph, std::move(opsDirs), {}, false});
  REQUIRE(pipeline.run(Phase::inferShapes));
  Result<NamedTensors> outputs = evaluateGraph(pipeline.module(), inputs);
  INFO((outputs ? "" : outputs.error().message));
  REQUIRE(outputs);
  return *outputs;
}

HostTensor test::floats(std::vector<int64_t> shape, const std::function<float(int64_t)> &value,
                        DType dtype) {
  HostTensor tensor(dtype, std::move(shape));
  for (int64_t i = 0; i < tensor.elements(); ++i)
    tensor.setReal(i, value(i));
  return tensor;
}
