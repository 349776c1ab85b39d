// Kernel functions specialised for the arguments of calls; equal specialisations are made once.
#pragma once

#include "Conversion/GraphToTile/CallNames.h"
#include "Conversion/GraphToTile/PointerUses.h"
#include "Support/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"

#include <array>
#include <memory>

namespace teeny {

// A run-time argument of a kernel function, in the order of its parameters.
struct KernelArgument {
  std::string param;
  NamedValue value; // a tensor or an integer
  PointerUses uses; // of the tensor
};

// One way to run a kernel.
struct KernelVariant {
  Expr guard = 1;
  mlir::StringAttr symbol;
  std::vector<KernelArgument> arguments;
};

class KernelVariants {
public:
  KernelVariants(mlir::ModuleOp module, Sources &sources, Diagnostics &diagnostics);
  ~KernelVariants();

  // What must be known of a call beside its names.
  struct Context {
    graph::CallOp call;
    graph::KernelOp kernel;
    const CallNames &names;
    std::array<int64_t, 3> gridMax;
    // The memory a tensor lies in: equal for tensors that share it.
    std::function<mlir::Value(llvm::StringRef tensor)> memoryOf;
  };
  // The variants that carry out a launch, from the first choice to the last, which has guard 1.
  // Empty with errors reported where the kernel cannot be bound.
  std::vector<KernelVariant> bind(Context context);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace teeny
