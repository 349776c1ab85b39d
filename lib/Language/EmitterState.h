// The emitter's builder; seen by Emitter*.cpp alone, because it pulls in MLIR's builders.
#pragma once

#include "Language/Emitter.h"

#include "mlir/IR/Builders.h"

namespace teeny::lang {

struct Emitter::State {
  explicit State(mlir::MLIRContext *context)
      : builder(context), location(mlir::UnknownLoc::get(context)) {}

  mlir::OpBuilder builder;
  mlir::Location location;
  std::vector<mlir::OpBuilder::InsertPoint> outer; // of the regions left open

  template <typename Op, typename... Args> Op create(Args &&...args) {
    return Op::create(builder, location, std::forward<Args>(args)...);
  }
};

} // namespace teeny::lang
