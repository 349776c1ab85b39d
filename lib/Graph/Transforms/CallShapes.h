// Shape inference of one call: the shapes and types of a declaration matched against operands.
#pragma once

#include "Graph/IR/LinearIn.h"
#include "Graph/Transforms/Sizes.h"

#include <map>

namespace teeny::graph {

class CallShapes {
public:
  CallShapes(GraphOp graph, CallOp call)
      : prover(graph), call(call), declaration(call.declaration()) {}

  enum class Outcome {
    done,    // result types and bindings are set
    waiting, // an operand has a size that is not known yet
    failed,  // errors are reported
  };
  // Operands must have tensor types. May find sizes of inputs, in any case but failure: `refined`
  // tells.
  Outcome infer();
  bool refined() const { return hasRefined; }

  // After infer().
  llvm::ArrayRef<Requirement> requirements() const { return required; }

private:
  // Where a name got its value.
  struct Origin {
    mlir::Location location;
    std::string place; // "size 2 of input 'ltrb'"
  };
  struct BoundSize {
    Expr size;
    Origin origin;
  };
  struct BoundType {
    mlir::Type type;
    Origin origin;
  };
  struct BoundDims {
    llvm::SmallVector<Expr> sizes;
    Origin origin;
  };
  // A size of an operand and what the declaration says of it.
  struct Match {
    unsigned operand, dim;
    Expr declared;
  };

  GraphTensorType typeOfOperand(unsigned operand);
  Origin originOf(unsigned operand, std::optional<unsigned> dim = std::nullopt);
  // Over the graph's dims; every name must be bound.
  Expr resolved(const Expr &declared);
  // Names of a declared expression that have no value yet.
  std::vector<std::string> openNames(const Expr &declared);

  bool matchType(unsigned operand);
  bool matchRank(unsigned operand);
  // Whether there is nothing more to do for the match.
  bool matchSize(const Match &match);
  bool matchLeading(unsigned operand);
  void unify(unsigned operand, unsigned dim, const Expr &expected, const std::string &shown,
             const Origin *origin);
  void solve(const Match &match, const std::string &name, const LinearIn &linear);
  void refine(unsigned operand, unsigned dim, const Expr &size);
  ExprAttr sizeOf(unsigned operand, unsigned dim);

  bool nameSizes(); // those that the declaration derives from dims and attributes
  bool checkConditions();
  bool setResults();
  // False if it is negative or too large; what is undecided is required.
  bool checkSize(const Expr &size, mlir::Location location, const std::string &place);
  void require(mlir::Location location, const Expr &condition, std::string message);
  mlir::InFlightDiagnostic error(mlir::Location location);
  std::string opName() { return "'" + declaration.getSymName().str() + "'"; }

  SizeProver prover;
  CallOp call;
  OpOp declaration;
  llvm::SmallVector<DeclareOp> operands;
  std::map<std::string, BoundSize> sizes;
  std::map<std::string, BoundType> types;
  std::map<std::string, BoundDims> leading;
  std::vector<Requirement> required;
  bool failed = false, hasRefined = false;
};

// A call of a declared op, inferred; attributes that are not given have their defaults. What runs
// must check is added to `required`. Null with errors.
CallOp createCall(mlir::OpBuilder &builder, GraphOp graph, mlir::Location place,
                  llvm::StringRef name, llvm::StringRef op, mlir::ValueRange operands,
                  llvm::ArrayRef<mlir::NamedAttribute> attrs, std::vector<Requirement> &required);

} // namespace teeny::graph
