// Nodes of a graph file: what they call, what they refer to, and an order for them.
#include "Graph/Import/GraphReader.h"

#include "Graph/Import/AttrValue.h"

#include <queue>

using namespace teeny;
using namespace teeny::graph;

void GraphReader::readNodes(const JsonField &field) {
  for (const JsonField &node : field.array().value_or(std::vector<JsonField>()))
    readNode(node);
}

void GraphReader::readNode(const JsonField &field) {
  JsonObject object(field, "a node");
  if (!object)
    return;
  JsonField nameField = object.required("name"), opField = object.required("op");
  JsonField inputs = object.optional("inputs"), params = object.optional("params");
  JsonField attrs = object.optional("attrs");
  bool hasItsKeys = object.finish();
  std::optional<std::string> name = readTensorName(nameField);
  std::optional<std::string> opName = opField.string();
  bool isNamed = name && names.add(*name, "a node", nameField->location(), diagnostics);
  if (isNamed) {
    tensors[*name].node = nodes.size();
    nodes.push_back({field, nameField, opField, *name, {}});
  }
  if (!opName)
    return;
  const NodeKind *kind = library.isListed(*opName) ? nullptr : findNodeKind(*opName);
  OpLibrary::Found found;
  if (!kind)
    found = library.find(*opName, opField->location());
  if (!kind && !found.exists)
    return unknownOp(opField, *opName);
  if (!isNamed || !hasItsKeys)
    return;
  Node &node = nodes.back();
  if (kind) {
    node.kind = kind;
    return readKind(node, inputs, params, attrs);
  }
  node.op = found.op;
  if (!found.op)
    return;
  bool operandsFit = readOperands(node, inputs, params);
  node.attrs = readAttrs(node, attrs);
  if (!operandsFit || !node.attrs)
    node.markInvalid();
}

void GraphReader::unknownOp(const JsonField &field, const std::string &name) {
  std::vector<std::string> names;
  if (!diagnostics.isFull())
    names = library.findableNames();
  for (const NodeKind &kind : nodeKinds())
    names.push_back(kind.name);
  std::string meant = suggestion(name, names);
  error(field, "unknown op '" + name + "'")
      .suggest(meant.empty()
                   ? "declare it in 'ops', or give the folder of its declaration with --ops"
                   : "did you mean '" + meant + "'?");
}

static std::string declaredNames(llvm::ArrayRef<DeclareOp> tensors) {
  std::vector<std::string> list;
  for (DeclareOp tensor : tensors)
    list.push_back(tensor.getName().str());
  return list.empty() ? "none" : listed(list, false);
}

// References to inputs by position and to params by name, as operands in declared order.
bool GraphReader::readOperands(Node &node, const JsonField &inputs, const JsonField &params) {
  std::string op = "'" + node.op.getSymName().str() + "'";
  std::vector<JsonField> given = inputs.array().value_or(std::vector<JsonField>());
  llvm::SmallVector<DeclareOp> declared = node.op.tensors(TensorRole::Input);
  bool good = !inputs || inputs->isArray();
  if (good && given.size() != declared.size()) {
    error(inputs ? inputs : node.nameField, op + " takes " + std::to_string(declared.size()) +
                                                " inputs (" + declaredNames(declared) +
                                                "), found " + std::to_string(given.size()));
    good = false;
  }
  node.operands = given;

  declared = node.op.tensors(TensorRole::Param);
  std::vector<std::string> names;
  for (DeclareOp param : declared)
    names.push_back(param.getName().str());
  std::vector<std::string> misspelt; // each is one mistake, not also a missing param
  for (const JsonField &param : params.object().value_or(std::vector<JsonField>())) {
    if (llvm::is_contained(names, param->key()))
      continue;
    misspelt.push_back(suggestion(param->key(), names));
    diagnostics.error(param->keyLocation(), op + " has no param '" + param->key().str() + "'")
        .didYouMean(misspelt.back());
    good = false;
  }
  for (const std::string &name : names) {
    if (llvm::is_contained(misspelt, name))
      continue;
    const JsonValue *reference = params ? params->member(name) : nullptr;
    if (reference) {
      node.operands.push_back({reference, diagnostics});
      continue;
    }
    error(params ? params : node.nameField,
          "node '" + node.name + "' does not give param '" + name + "' of " + op);
    good = false;
  }
  return good;
}

// A value for every declared attribute; null if one is wrong.
mlir::DictionaryAttr GraphReader::readAttrs(Node &node, const JsonField &field) {
  std::string op = "'" + node.op.getSymName().str() + "'";
  bool good = !field || field->isObject();
  std::vector<std::string> declared;
  for (auto attribute : node.op.getBlock().getOps<AttributeOp>())
    declared.push_back(attribute.getName().str());
  for (const JsonField &given : field.object().value_or(std::vector<JsonField>())) {
    if (llvm::is_contained(declared, given->key()))
      continue;
    diagnostics.error(given->keyLocation(), op + " has no attribute '" + given->key().str() + "'")
        .didYouMean(suggestion(given->key(), declared));
    good = false;
  }
  mlir::NamedAttrList values;
  for (auto attribute : node.op.getBlock().getOps<AttributeOp>()) {
    const JsonValue *given = field ? field->member(attribute.getName()) : nullptr;
    mlir::Attribute value = attribute.getDefaultValueAttr();
    if (given) {
      JsonField valueField(given, diagnostics);
      value = readAttrValue(valueField, attribute.getKind(), context);
      if (value &&
          !checkAttrRange(valueField, value, attribute.getMinAttr(), attribute.getMaxAttr()))
        value = {};
    } else if (!value) {
      error(field ? field : node.nameField, "node '" + node.name + "' does not give attribute '" +
                                                attribute.getName().str() + "' of " + op);
    }
    if (value)
      values.set(attribute.getName(), value);
    else
      good = false;
  }
  return good ? values.getDictionary(context) : mlir::DictionaryAttr();
}

//===-- References
//------------------------------------------------------------------------------===//

std::optional<GraphReader::Tensor> GraphReader::resolve(const JsonField &reference) {
  std::optional<std::string> name = reference.string();
  if (!name)
    return std::nullopt;
  llvm::StringRef nodeName, outputName;
  std::tie(nodeName, outputName) = llvm::StringRef(*name).rsplit('.');
  auto found = tensors.find(*name), prefix = tensors.find(nodeName);
  bool namesOutput = prefix != tensors.end() && prefix->second.node && !outputName.empty();
  OpOp prefixOp = namesOutput ? nodes[*prefix->second.node].op : OpOp();
  auto isNamed = [&](DeclareOp output) { return output.getName() == outputName; };
  if (found != tensors.end() && prefixOp &&
      llvm::any_of(prefixOp.tensors(TensorRole::Output), isNamed)) {
    error(reference, "'" + *name + "' is " + names.what(*name).str() + " and an output of node '" +
                         nodeName.str() + "'")
        .suggest("give one of them another name");
    return std::nullopt;
  }
  if (found != tensors.end()) {
    const Tensor &tensor = found->second;
    OpOp op = tensor.node ? nodes[*tensor.node].op : OpOp();
    if (!op)
      return tensor;
    llvm::SmallVector<DeclareOp> outputs = op.tensors(TensorRole::Output);
    if (outputs.size() == 1)
      return tensor;
    error(reference, "node '" + *name + "' has " + std::to_string(outputs.size()) + " outputs")
        .suggest("name one of them, as '" + *name + "." + outputs[0].getName().str() + "'");
    return std::nullopt;
  }

  if (namesOutput) {
    Tensor tensor = prefix->second;
    const Node &node = nodes[*tensor.node];
    if (!node.isValid())
      return tensor;
    if (node.kind) {
      error(reference, "'" + node.kind->name + "' has one output, which has no name of its own")
          .suggest("name the node: '" + nodeName.str() + "'");
      return std::nullopt;
    }
    std::vector<std::string> declared;
    for (DeclareOp output : prefixOp.tensors(TensorRole::Output)) {
      if (isNamed(output))
        return tensor;
      ++tensor.output;
      declared.push_back(output.getName().str());
    }
    error(reference, "node '" + nodeName.str() + "' has no output '" + outputName.str() + "'")
        .didYouMean(suggestion(outputName, declared));
    return std::nullopt;
  }
  error(reference, "no input, param or node is named '" + *name + "'")
      .didYouMean(suggestion(*name, names.names()));
  return std::nullopt;
}

mlir::Value GraphReader::valueOf(const Tensor &tensor) {
  if (!tensor.node)
    return tensor.value;
  mlir::Operation *made = nodes[*tensor.node].made;
  return made ? made->getResult(tensor.output) : mlir::Value();
}

//===-- Order
//-----------------------------------------------------------------------------------===//

void GraphReader::buildCalls() {
  for (Node &node : nodes) {
    for (const JsonField &reference : node.operands) {
      std::optional<Tensor> tensor = resolve(reference);
      if (tensor && tensor->node)
        node.uses.push_back(*tensor->node);
      else if (!tensor)
        node.markInvalid();
    }
  }
  std::vector<size_t> order;
  if (!sortNodes(order))
    return;
  for (size_t index : order)
    buildCall(nodes[index]);
}

// The order of the file where it allows: of the nodes that can come next, the first.
bool GraphReader::sortNodes(std::vector<size_t> &order) {
  std::vector<size_t> waitingFor(nodes.size());
  std::vector<std::vector<size_t>> users(nodes.size());
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < nodes.size(); ++i) {
    waitingFor[i] = nodes[i].uses.size();
    for (size_t use : nodes[i].uses)
      users[use].push_back(i);
    if (nodes[i].uses.empty())
      ready.push(i);
  }
  while (!ready.empty()) {
    size_t next = ready.top();
    ready.pop();
    order.push_back(next);
    for (size_t user : users[next])
      if (--waitingFor[user] == 0)
        ready.push(user);
  }
  if (order.size() == nodes.size())
    return true;
  reportCycle(waitingFor);
  return false;
}

// Each waiting node waits for another, so following them ends in a cycle.
void GraphReader::reportCycle(const std::vector<size_t> &waitingFor) {
  auto previous = [&](size_t node) {
    return *llvm::find_if(nodes[node].uses, [&](size_t use) { return waitingFor[use] > 0; });
  };
  size_t at =
      llvm::find_if(waitingFor, [](size_t count) { return count > 0; }) - waitingFor.begin();
  std::vector<bool> seen(nodes.size());
  for (; !seen[at]; at = previous(at))
    seen[at] = true;

  std::vector<size_t> cycle = {at};
  for (size_t node = previous(at); node != at; node = previous(node))
    cycle.push_back(node);
  // Begin where the file does; then in the direction of the data.
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  std::reverse(cycle.begin() + 1, cycle.end());
  constexpr size_t longest = 10;
  std::string text;
  for (size_t i = 0; i < std::min(cycle.size(), longest); ++i)
    text += "'" + nodes[cycle[i]].name + "' -> ";
  if (cycle.size() > longest)
    text += "... -> ";
  const Node &first = nodes[cycle[0]];
  error(first.nameField, "nodes form a cycle: " + text + "'" + first.name + "'");
}

void GraphReader::buildCall(Node &node) {
  if (!node.isValid())
    return;
  std::vector<mlir::Value> operands;
  std::vector<mlir::Location> places;
  for (const JsonField &reference : node.operands) {
    std::optional<Tensor> tensor = resolve(reference);
    operands.push_back(tensor ? valueOf(*tensor) : mlir::Value());
    places.push_back(mlirLoc(reference));
  }
  if (llvm::is_contained(operands, mlir::Value()))
    return; // it uses a node with mistakes
  mlir::Location place = fuseNodeLoc(context, mlirLoc(node.nameField), places, node.attrPlaces);
  if (node.kind) {
    std::vector<llvm::StringRef> roles(node.roles.begin(), node.roles.end());
    node.made =
        NodeOp::create(builder, place, UnknownType::get(context), node.name, node.kind->name,
                       operands, builder.getStrArrayAttr(roles), node.attrs);
    return;
  }
  std::vector<mlir::Type> types(node.op.tensors(TensorRole::Output).size(),
                                UnknownType::get(context));
  node.made = CallOp::create(builder, place, types, node.name, node.op.getSymName(), operands,
                             node.attrs, mlir::DictionaryAttr());
}
