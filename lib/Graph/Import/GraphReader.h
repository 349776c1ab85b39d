// Reads a graph file: GraphReader.cpp the file as a whole and dims; GraphTensors.cpp inputs, params
// and outputs; GraphNodes.cpp nodes and what they refer to, BuiltinNodes.cpp those of built-in
// kinds.
//
// A tensor is referred to by the name of an input, a param, or a node with one output; an output of
// a node with several is "node.output".
#pragma once

#include "Graph/IR/NodeKinds.h"
#include "Graph/Import/OpLibrary.h"
#include "Graph/Import/ParamData.h"

#include "mlir/IR/OwningOpRef.h"

namespace teeny {

class GraphReader : FormatReader {
public:
  GraphReader(mlir::ModuleOp module, Sources &sources, Diagnostics &diagnostics,
              llvm::ArrayRef<std::string> roots)
      : FormatReader(module.getContext(), diagnostics), module(module),
        library(module, sources, diagnostics, roots), data(diagnostics) {}

  // Puts the graph into the module; on errors the module must not be used.
  void read(const JsonField &root);

private:
  struct Dim {
    std::string name;
    JsonField field;
    int64_t min, max, multipleOf;
    bool isUsed = false;           // by an input or a param
    bool isSolved = false;         // by an input
    const JsonValue *fixedBy = {}; // the param whose data has this size
    JsonField firstUse = field;    // valid if isUsed
  };
  struct Node {
    JsonField field, nameField, opField;
    std::string name;
    graph::OpOp op;                       // of a call
    const graph::NodeKind *kind = {};     // of a built-in kind; neither if the node has mistakes
    std::vector<JsonField> operands = {}; // references, in the order of the operation's operands
    std::vector<std::string> roles = {};  // of the operands of a built-in kind
    mlir::DictionaryAttr attrs = {};
    std::vector<std::pair<std::string, mlir::Location>> attrPlaces = {}; // of a built-in kind
    std::vector<size_t> uses = {};                                       // nodes that come before
    mlir::Operation *made = {};

    bool isValid() const { return static_cast<bool>(op) || kind; }
    void markInvalid() { op = {}, kind = {}; }
  };
  // A tensor that can be referred to: a value that is there, or output `output` of a node.
  struct Tensor {
    mlir::Value value;
    std::optional<size_t> node;
    unsigned output = 0;
  };

  // Of a graph without errors.
  void warnOfUnused();

  void readDims(const JsonField &field);
  void readDim(const JsonField &field);
  Dim *findDim(llvm::StringRef name);
  std::vector<std::string> dimNames() const;
  // Drops dims that nothing uses; reports those that inputs do not give.
  mlir::ArrayAttr finishDims();

  // A label that may be that of data in a bundle.
  std::optional<std::string> readTensorName(const JsonField &field);
  void readInputs(const JsonField &field);
  void readInput(const JsonField &field);
  void readParams(const JsonField &field);
  void readParam(const JsonField &field);
  void checkParam(const JsonField &dataField, const JsonField &shapeField,
                  graph::GraphTensorType type, const TensorView &tensor);
  bool fixDim(const JsonField &dataField, const Expr &size, int64_t value);
  std::optional<Expr> readSize(const JsonField &field);
  void readOutputs(const JsonField &field);

  // Some steps of the compiler take the square of it.
  static constexpr size_t maxOperands = 1000;

  void readNodes(const JsonField &field);
  void readNode(const JsonField &field);
  void unknownOp(const JsonField &field, const std::string &name);
  bool readOperands(Node &node, const JsonField &inputs, const JsonField &params);
  mlir::DictionaryAttr readAttrs(Node &node, const JsonField &field);

  // Nodes of built-in kinds.
  bool findUsedOps(const Node &node);
  bool readKindInputs(Node &node, const JsonField &field, mlir::NamedAttrList &attrs);
  bool readKindParams(Node &node, const JsonField &field);
  bool readKindAttrs(Node &node, const JsonField &field, mlir::NamedAttrList &attrs);
  mlir::Attribute readKindAttr(const JsonField &field, const graph::NodeAttribute &attribute);
  void readKind(Node &node, const JsonField &inputs, const JsonField &params,
                const JsonField &attrs);

  // What a reference names; nothing, with an error, if it names nothing. A node that has mistakes
  // is found but has no value.
  std::optional<Tensor> resolve(const JsonField &reference);
  void buildCalls();
  bool sortNodes(std::vector<size_t> &order);
  void reportCycle(const std::vector<size_t> &waitingFor);
  void buildCall(Node &node);
  mlir::Value valueOf(const Tensor &tensor);

  mlir::ModuleOp module;
  OpLibrary library;
  ParamData data;
  NameTable names; // of inputs, params and nodes
  std::vector<Dim> dims;
  llvm::StringMap<size_t> dimIndices;
  std::vector<std::pair<JsonField, graph::ParamOp>> params; // with the fields of their names
  std::vector<Node> nodes;
  llvm::StringMap<Tensor> tensors; // inputs, params, and nodes by their names
};

} // namespace teeny
