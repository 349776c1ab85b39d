#include "Graph/Import/DeclarationBackward.h"

#include "llvm/ADT/StringExtras.h"

using namespace teeny;
using namespace teeny::graph;

static constexpr llvm::StringLiteral gradientOf = "d_";

std::vector<DeclaredBackward> teeny::readBackward(const JsonField &field,
                                                  Diagnostics &diagnostics) {
  std::vector<JsonField> list;
  if (field && field->isArray())
    list = *field.array();
  else if (field)
    list = {field};
  std::vector<DeclaredBackward> backwards;
  for (const JsonField &element : list) {
    JsonObject object(element, "a backward");
    if (!object)
      continue;
    JsonField opField = object.required("op");
    std::optional<std::string> op = opField.string();
    DeclaredBackward backward;
    for (const JsonField &saved :
         object.optional("saves").array().value_or(std::vector<JsonField>()))
      if (std::optional<std::string> name = saved.string())
        backward.saves.emplace_back(*name, saved->location());
    object.finish();
    if (!op)
      continue;
    backward.op = *op;
    backward.at = opField->location();
    backwards.push_back(std::move(backward));
  }
  return backwards;
}

namespace {

class BackwardCheck {
public:
  BackwardCheck(OpOp forward, OpOp backward, const DeclaredBackward &declared, Sources &sources,
                Diagnostics &diagnostics)
      : forward(forward), backward(backward), declared(declared), sources(sources),
        diagnostics(diagnostics) {}

  void operands();
  void saves();
  void gradients(std::vector<std::string> &made);
  void attributes();

private:
  DeclareOp find(OpOp op, llvm::StringRef name, bool isOutput) const;
  void agree(DeclareOp mine, DeclareOp theirs, bool isGradient);
  bool isSaved(llvm::StringRef name) const {
    return llvm::any_of(declared.saves, [&](const auto &saved) { return saved.first == name; });
  }
  std::string text(OpOp op) const { return "'" + op.getSymName().str() + "'"; }
  std::string named(mlir::StringRef name) const { return "'" + name.str() + "'"; }
  // At the place where the forward op names the backward, with that of what is wrong there.
  Diagnostic &fail(mlir::Operation *at, const std::string &message) {
    return diagnostics.error(declared.at, message)
        .note(fromMLIR(at->getLoc(), sources), "it is declared here");
  }

  OpOp forward, backward;
  const DeclaredBackward &declared;
  Sources &sources;
  Diagnostics &diagnostics;
};

} // namespace

DeclareOp BackwardCheck::find(OpOp op, llvm::StringRef name, bool isOutput) const {
  for (auto tensor : op.getBlock().getOps<DeclareOp>())
    if (tensor.getName() == name && (tensor.getRole() == TensorRole::Output) == isOutput)
      return tensor;
  return {};
}

// A tensor of the backward op and the one of the forward op that it stands for.
void BackwardCheck::agree(DeclareOp mine, DeclareOp theirs, bool isGradient) {
  std::string names = named(mine.getName()) + " of " + text(backward);
  std::string other = named(theirs.getName()) + " of " + text(forward);
  if (mine.getLeadingAttr() != theirs.getLeadingAttr() || mine.getShape() != theirs.getShape())
    fail(mine, names + " has another shape than " + other)
        .suggest("both shapes are written with the same names");
  if (mine.getDtype() == theirs.getDtype()) {
    auto types = forward.getDtypes().getAs<mlir::ArrayAttr>(theirs.getDtype());
    auto known = backward.getDtypes().getAs<mlir::ArrayAttr>(mine.getDtype());
    for (mlir::Attribute type : types ? types.getValue() : llvm::ArrayRef<mlir::Attribute>())
      if (!known || !llvm::is_contained(known, type))
        fail(mine, names + " cannot be of type " +
                       std::string(name(*dtypeOf(llvm::cast<mlir::TypeAttr>(type).getValue()))) +
                       ", which " + other + " may be");
  } else if (!isGradient || mine.getDtype() != "f32") {
    fail(mine, names + " is of type " + mine.getDtype().str() + ", " + other + " of type " +
                   theirs.getDtype().str());
  }
}

void BackwardCheck::operands() {
  for (DeclareOp tensor : backward.operandTensors()) {
    llvm::StringRef name = tensor.getName();
    if (DeclareOp operand = find(forward, name, false)) {
      agree(tensor, operand, false);
    } else if (DeclareOp output = find(forward, name, true)) {
      if (isSaved(name))
        agree(tensor, output, false);
      else
        fail(tensor, text(backward) + " takes output " + named(name) + " of " + text(forward) +
                         ", which 'saves' does not list");
    } else if (DeclareOp output =
                   name.consume_front(gradientOf) ? find(forward, name, true) : DeclareOp()) {
      agree(tensor, output, true);
    } else {
      fail(tensor, text(backward) + " takes " + named(tensor.getName()) +
                       ", which is neither a tensor of " + text(forward) +
                       " nor the gradient of an output")
          .suggest("the gradient of output 'y' is 'd_y'");
    }
  }
}

void BackwardCheck::saves() {
  for (const auto &[name, at] : declared.saves) {
    if (!find(forward, name, true))
      diagnostics.error(at, text(forward) + " has no output " + named(name));
    else if (!find(backward, name, false))
      diagnostics.error(at, text(backward) + " does not take " + named(name));
  }
}

void BackwardCheck::gradients(std::vector<std::string> &made) {
  for (DeclareOp tensor : backward.tensors(TensorRole::Output)) {
    llvm::StringRef name = tensor.getName();
    DeclareOp operand = name.consume_front(gradientOf) ? find(forward, name, false) : DeclareOp();
    if (!operand) {
      fail(tensor, "output " + named(tensor.getName()) + " of " + text(backward) +
                       " is not the gradient of an input or param of " + text(forward))
          .suggest("the gradient of input 'x' is 'd_x'");
      continue;
    }
    agree(tensor, operand, true);
    if (llvm::is_contained(made, name))
      fail(tensor,
           "another backward of " + text(forward) + " gives " + named(tensor.getName()) + " too");
    made.push_back(name.str());
  }
}

void BackwardCheck::attributes() {
  for (auto attribute : backward.getBlock().getOps<AttributeOp>()) {
    std::string names = "attribute " + named(attribute.getName()) + " of " + text(backward);
    AttributeOp theirs = forward.findAttribute(attribute.getName());
    if (!theirs && !attribute.getDefaultValueAttr())
      fail(attribute, names + " has no default, and " + text(forward) + " has no such attribute");
    else if (theirs && theirs.getKind() != attribute.getKind())
      fail(attribute, names + " is of type " + stringifyAttrKind(attribute.getKind()).str() +
                          ", that of " + text(forward) + " of type " +
                          stringifyAttrKind(theirs.getKind()).str());
  }
}

void teeny::checkBackward(OpOp forward, OpOp backward, const DeclaredBackward &declared,
                          std::vector<std::string> &made, Sources &sources,
                          Diagnostics &diagnostics) {
  BackwardCheck check(forward, backward, declared, sources, diagnostics);
  check.operands();
  check.saves();
  check.gradients(made);
  check.attributes();
}
