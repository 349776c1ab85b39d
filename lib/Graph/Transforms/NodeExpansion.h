// Shape inference of nodes of built-in kinds: what each becomes, typed operations with the types of
// their results.
//
// A kind of IR/NodeKinds.h is a name for files; the typed operations are few, and take few ranks.
// For example
//
//   %y = graph.node "y" "linear"(%x, %w, %b) roles ["x", "weight", "bias"] {}      x [B, S, K], w
//   [N, K], b [N]
//
// becomes a matrix product of matrices, views around it, and a map, whose dims are all proved to
// fit:
//
//   %0 = graph.reshape "y.rows" %x                       [1, B*S, K]
//   %1 = graph.reshape "y.weight" %w                     [1, N, K]
//   %2 = graph.matmul "y.product" %0, %1 transposed [false, true]      [1, B*S, N]
//   %3 = graph.reshape "y.shaped" %2                     [B, S, N]
//   %y = graph.map "y" (%3, %b) { add }                  [B, S, N]
//
// Sizes that should be equal and are provably not are errors that name both places; what cannot be
// decided when compiling becomes a requirement of the graph. Families of kinds have a file each:
// NodeMaps.cpp, NodeViews.cpp, NodeReductions.cpp, NodeProducts.cpp, NodeWindows.cpp.
#pragma once

#include "Graph/Transforms/Sizes.h"

#include "llvm/ADT/StringSet.h"

namespace teeny::graph {

class NodeExpansion {
public:
  // `names` are those taken in the graph; names of new operations are added.
  NodeExpansion(GraphOp graph, NodeOp node, llvm::StringSet<> &names);

  // Puts what the node becomes before it; null with errors. All operands must have known types.
  mlir::Value expand();
  llvm::ArrayRef<Requirement> requirements() const { return required; }

private:
  using Shape = llvm::SmallVector<Expr>;
  // A tensor and what messages call it.
  struct Named {
    mlir::Value value;
    std::string text; // "'x'"
    mlir::Location place;
  };
  // A size and where it comes from.
  struct Size {
    Expr expr;
    std::string text; // "size 1 of 'x'"
    mlir::Location place;
  };

  // The families; null with errors.
  mlir::Value expandMap();
  mlir::Value expandBatchNorm();
  mlir::Value expandView();
  mlir::Value expandReshape();
  mlir::Value expandExpand();
  mlir::Value expandSlice();
  mlir::Value expandPad();
  mlir::Value expandConcat();
  mlir::Value expandReduction();
  mlir::Value expandSoftmax();
  mlir::Value expandNorm();
  mlir::Value expandMatmul();
  mlir::Value expandLinear();
  mlir::Value expandConv();
  mlir::Value expandPool();

  // Operands and attributes, by name.
  std::optional<Named> find(llvm::StringRef role);
  Named get(llvm::StringRef role) { return *find(role); }
  int64_t integer(llvm::StringRef name, int64_t otherwise);
  double real(llvm::StringRef name, double otherwise);
  bool flag(llvm::StringRef name);
  std::optional<llvm::ArrayRef<int64_t>> list(llvm::StringRef name);
  // A list of `count` values, where one given stands for all; nothing with an error.
  std::optional<llvm::SmallVector<int64_t>> repeated(llvm::StringRef name, size_t count,
                                                     int64_t otherwise, int64_t min);
  // An axis of a tensor of `rank` dims, counted from the end if negative; nothing with an error.
  std::optional<int64_t> axis(int64_t value, int64_t rank, llvm::StringRef attribute);

  // Sizes.
  static Shape shapeOf(mlir::Value value);
  static mlir::Type dtypeOf(mlir::Value value) { return tensorType(value).getDtype(); }
  static Expr product(llvm::ArrayRef<Expr> sizes);
  Size size(const Named &tensor, int64_t dim);
  bool hasRank(const Named &tensor, int64_t rank, bool atLeast = false);
  bool sameDtype(const Named &a, const Named &b);
  bool isFloat(const Named &tensor);
  bool isNumber(const Named &tensor);       // no bool
  bool unify(const Size &a, const Size &b); // reports those that differ, requires what is open
  // The size of a window's results along a dim; nothing with an error.
  std::optional<Expr> windowResults(const Size &input, const Expr &window, int64_t before,
                                    int64_t after, int64_t stride, int64_t dilation,
                                    bool ceil = false);
  std::optional<Shape> broadcast(llvm::ArrayRef<Named> tensors);
  bool requireThat(const Expr &condition, mlir::Location place, const std::string &violated);

  // Operations. Names are the node's with a word; that of the result becomes the node's own.
  std::string fresh(llvm::StringRef word);
  GraphTensorType type(llvm::ArrayRef<Expr> shape, mlir::Type dtype);
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<Expr> shape, llvm::StringRef word);
  mlir::Value permute(mlir::Value value, llvm::ArrayRef<int64_t> permutation, llvm::StringRef word);
  mlir::Value addBias(mlir::Value value, const Named &bias, unsigned dimsAfter);
  // A declared op; attributes that are not given have their defaults.
  mlir::Operation *call(llvm::StringRef op, mlir::ValueRange operands,
                        llvm::ArrayRef<mlir::NamedAttribute> attrs, llvm::StringRef word);

  // The region of a map as it grows.
  struct Body {
    mlir::OpBuilder builder;
    mlir::Location place;
    mlir::ValueRange elements;

    mlir::Value apply(llvm::StringRef function, mlir::ValueRange operands, mlir::Type result = {},
                      mlir::DictionaryAttr attrs = {});
    mlir::Value literal(double value, mlir::Type type);
  };
  mlir::Value map(mlir::ValueRange operands, llvm::ArrayRef<Expr> shape, llvm::StringRef word,
                  llvm::function_ref<mlir::Value(Body &)> body);

  mlir::InFlightDiagnostic error(mlir::Location place);

  GraphOp graph;
  NodeOp node;
  llvm::StringSet<> &names;
  SizeProver prover;
  mlir::OpBuilder builder;
  std::vector<Requirement> required;
};

} // namespace teeny::graph
