// Reads op declarations: DeclarationReader.cpp names and tensors; DeclarationAttributes.cpp type
// variables and attributes; DeclarationLaunches.cpp conditions, memory and launches.
//
// A declaration's dims, sizes, attributes, tensors, scratch memory and type variables share one
// namespace, since kernel parameters are bound to them by name. A string in the shape of an input
// or param that is a bare name binds it; any other string is an expression, which must be solvable
// when the bare names are bound: either all its names are known, or it is a*N + b with N unknown
// and a and b of known names.
#pragma once

#include "Graph/Import/DeclarationBackward.h"

#include "mlir/IR/BuiltinOps.h"

namespace teeny {

class DeclarationReader : FormatReader {
public:
  // The graph.op is put at the end of `module`.
  DeclarationReader(mlir::ModuleOp module, Diagnostics &diagnostics)
      : FormatReader(module.getContext(), diagnostics), module(module) {}

  // Null, with errors reported, if the declaration has a mistake.
  graph::OpOp read(const JsonField &value);

  // What the declaration says of its gradients, to be checked when all declarations are known.
  std::vector<DeclaredBackward> backwards;

private:
  // What names are, in the name table.
  static constexpr const char *dimWhat = "a dim";
  static constexpr const char *attributeWhat = "an attribute";
  static constexpr const char *sizeWhat = "a size";
  static constexpr const char *variableWhat = "a type variable";

  // A size in the shape of a tensor.
  struct Size {
    JsonField field;
    Expr expr;
    bool isBinding; // a bare name
  };
  struct Tensor {
    graph::TensorRole role;
    JsonField nameField, dtypeField;
    std::string name, dtype;
    std::string leading; // L of "*L"; or empty
    std::vector<Size> sizes;
  };

  std::string readOpName(const JsonField &field);
  mlir::DictionaryAttr readDtypes(const JsonField &field);
  void readAttributes(const JsonField &field);
  void readAttribute(const JsonField &field);
  void readTensors(const JsonField &field, graph::TensorRole role, const char *what);
  void readShape(const JsonField &field, Tensor &tensor);
  void bindNames();
  void bindName(const JsonField &field, const std::string &name);
  void solveSizes();
  void readSizes(const JsonField &field);
  void checkOutputs();
  void buildTensors();

  void readRequirements(const JsonField &field);
  void readScratch(const JsonField &field);
  void readAliases(const JsonField &field);
  void readImplementations(const JsonField &launches, const JsonField &variants);
  void readLaunches(const JsonField &field);
  void readLaunch(const JsonField &field);
  std::optional<std::pair<std::string, std::string>> readKernelName(const JsonField &field);
  mlir::DictionaryAttr readArgs(const JsonField &field);
  mlir::Attribute readArg(const JsonField &field);
  std::optional<int64_t> readNumWarps(const JsonField &field);
  bool sameShape(const Tensor &a, const Tensor &b) const;

  // An expression over dims, sizes and integer attributes; with `types`, also type variables and
  // types.
  std::optional<Expr> readKnownExpr(const JsonField &field, bool types = false);
  bool checkIntegers(const JsonField &field, const Expr &expr, bool types = false);
  bool isInteger(llvm::StringRef name, bool types = false) const;
  const Tensor *findTensor(llvm::StringRef name) const;
  std::vector<std::string> tensorNames(graph::TensorRole role) const;
  // Keys of the format that are not carried out.
  void refuse(JsonObject &object, llvm::ArrayRef<llvm::StringLiteral> keys);
  graph::ExprAttr exprAttr(const Expr &expr) { return graph::ExprAttr::get(context, expr); }

  mlir::ModuleOp module;
  NameTable names;
  llvm::StringMap<graph::AttrKind> attrKinds;
  std::vector<std::string> dtypeVariables;
  std::vector<Tensor> tensors;
};

} // namespace teeny
