// Models in tests: compiled by the driver, run by teeny-run on the CPU, evaluated by the slow
// reference.
#pragma once

#include "Graph/Reference/Evaluate.h"

#include "llvm/ADT/SmallString.h"

#include <functional>
#include <string>
#include <vector>

namespace teeny::test {

// A folder that goes away with its files.
class Folder {
public:
  Folder();
  ~Folder();
  std::string path(const std::string &name) const { return (root + "/" + name).str(); }

private:
  llvm::SmallString<128> root;
};

// Compiles a graph file, looking for declarations in these folders too; fails the test with what
// the compiler said if it does not compile.
void compileModel(const std::string &graph, const std::string &bundle,
                  std::vector<std::string> opsDirs = {},
                  std::vector<std::string> targets = {"cpu"});

// Of the three levels that are `cpu`, the one that this machine runs: enough where many models are
// compiled.
std::string nativeTarget();

// Runs a bundle on the CPU; `more` are further flags of teeny-run. The outputs of these names.
NamedTensors runModel(const Folder &folder, const std::string &bundle, const NamedTensors &inputs,
                      const std::vector<std::string> &outputs, std::vector<std::string> more = {});

// The outputs of a graph by the slow references.
NamedTensors reference(const std::string &graph, const NamedTensors &inputs,
                       std::vector<std::string> opsDirs = {});

HostTensor floats(std::vector<int64_t> shape, const std::function<float(int64_t)> &value,
                  DType dtype = DType::f32);

} // namespace teeny::test
