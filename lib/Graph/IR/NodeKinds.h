// Kinds of nodes that graph files can name without a declaration: what they take. What they become
// is in Graph/Transforms/Nodes*.cpp. Names have no dots, those of declared ops have.
#pragma once

#include "Graph/IR/Pointwise.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace teeny::graph {

struct NodeAttribute {
  enum Kind {
    integer,
    real,
    boolean,
    text,  // one of `words`
    dtype, // the name of an element type
    list,  // integers; a single one stands alone or for each dim
    sizes, // integers and expressions over the graph's dims
    value, // a number
  };
  std::string name;
  Kind kind = integer;
  bool isRequired = false;
  // What holds where it is left out, as JSON; else words for people.
  std::string otherwise = {};
  std::vector<std::string> words = {};
};

struct NodeKind {
  std::string name, doc;
  std::vector<std::string> inputs; // by position; the last may be "name...": one or more
  bool takesNumbers = false;       // an input may be a number
  std::vector<std::string> params; // by name; "name?" may be left out
  std::vector<NodeAttribute> attributes;
  std::vector<std::string> uses; // declarations that its typed operations may become calls of
  PointwiseFunction::Domain domain = PointwiseFunction::anything;
  std::string shapes = {}; // of operands and result, for people: "[B, M] -> [M]"

  bool isVariadic() const;
};

// All kinds, in order of name.
const std::vector<NodeKind> &nodeKinds();
const NodeKind *findNodeKind(llvm::StringRef name); // null if there is none

} // namespace teeny::graph
