// How ops are shown.
#include "Driver/OpDescription.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace teeny;

using Value = OpDescription::Value;
using Pairs = std::vector<std::pair<std::string, std::string>>;

static std::string joined(llvm::ArrayRef<Value> values) {
  return llvm::join(llvm::map_range(values, [](const Value &value) { return value.text; }), ", ");
}

//===-- Text --------------------------------------------------------------------------------===//

static void printTensors(const char *title, llvm::ArrayRef<OpDescription::Tensor> tensors,
                         llvm::raw_ostream &os) {
  if (!tensors.empty())
    os << "  " << title << "\n";
  for (const OpDescription::Tensor &tensor : tensors) {
    os << "    " << tensor.name;
    if (!tensor.dtype.empty())
      os << ": " << tensor.dtype << " " << tensor.shape;
    if (tensor.isOptional)
      os << ", may be left out";
    if (tensor.isVariadic)
      os << ", one or more";
    os << "\n";
  }
}

static void printAttribute(const OpDescription::Attribute &attribute, llvm::raw_ostream &os) {
  os << "    " << attribute.name << ": " << attribute.type;
  if (attribute.isRequired)
    os << ", required";
  else
    os << ", default " << attribute.otherwise.text;
  if (!attribute.min.empty())
    os << ", at least " << attribute.min;
  if (!attribute.max.empty())
    os << ", at most " << attribute.max;
  if (!attribute.choices.empty())
    os << ", one of " << joined(attribute.choices);
  if (!attribute.tune.empty())
    os << ", tuned among " << joined(attribute.tune);
  os << "\n";
}

static void printPairs(const char *title, const Pairs &pairs, const char *between,
                       llvm::raw_ostream &os) {
  if (!pairs.empty())
    os << "  " << title << "\n";
  for (const auto &[first, second] : pairs)
    os << "    " << first << between << second << "\n";
}

void teeny::printOp(const OpDescription &op, llvm::raw_ostream &os) {
  os << op.name << ", "
     << (op.isTyped ? "built in" : "declared at " + op.file + ":" + std::to_string(op.line))
     << "\n";
  if (!op.doc.empty())
    os << "  " << op.doc << "\n";
  if (!op.domain.empty())
    os << "  of " << op.domain << "\n";
  if (!op.shapes.empty())
    os << "  shapes: " << op.shapes << "\n";
  for (const auto &[variable, types] : op.dtypes)
    os << "  " << variable << " is one of " << llvm::join(types, ", ") << "\n";
  printTensors("inputs", op.inputs, os);
  printTensors("params", op.params, os);
  printTensors("outputs", op.outputs, os);
  if (!op.attributes.empty())
    os << "  attrs\n";
  for (const OpDescription::Attribute &attribute : op.attributes)
    printAttribute(attribute, os);
  printPairs("sizes", op.sizes, " = ", os);
  printPairs("requires", op.requirements, ": ", os);
  printPairs("scratch", op.scratch, ", bytes: ", os);
  printPairs("aliases", op.aliases, " takes over the memory of ", os);
  for (const OpDescription::Implementation &implementation : op.implementations) {
    if (implementation.when.empty())
      os << (op.implementations.size() == 1 ? "  launches\n" : "  otherwise\n");
    else
      os << "  when " << implementation.when << "\n";
    for (const OpDescription::Launch &launch : implementation.launches)
      os << "    " << launch.kernel << " on [" << llvm::join(launch.grid, ", ") << "], "
         << launch.numWarps << " warps, " << launch.numStages << " stages\n";
  }
  if (!op.uses.empty())
    os << "  carried out by " << llvm::join(op.uses, ", ") << "\n";
}

// The first sentence, or as much of it as a line takes.
static std::string firstSentence(llvm::StringRef doc) {
  constexpr size_t longest = 76;
  doc = doc.take_until([](char c) { return c == '\n'; });
  llvm::StringRef sentence = doc.take_front(doc.find(". "));
  sentence.consume_back(".");
  if (sentence.size() <= longest)
    return sentence.str();
  return sentence.take_front(sentence.rfind(' ', longest - 3)).str() + "...";
}

void teeny::printOpList(llvm::ArrayRef<OpDescription> ops, llvm::raw_ostream &os) {
  size_t width = 0;
  for (const OpDescription &op : ops)
    width = std::max(width, op.name.size());
  const OpDescription *previous = nullptr;
  for (const OpDescription &op : ops) {
    if (!previous || previous->isTyped != op.isTyped)
      os << (previous ? "\n" : "") << (op.isTyped ? "built in\n" : "declared\n");
    previous = &op;
    std::string doc = firstSentence(op.doc);
    os << "  " << op.name;
    if (!doc.empty())
      os << std::string(width - op.name.size() + 2, ' ') << doc;
    os << "\n";
  }
}

//===-- JSON --------------------------------------------------------------------------------===//

// Text of users may be any bytes.
static void attribute(llvm::json::OStream &json, llvm::StringRef key, llvm::StringRef text) {
  json.attribute(key, llvm::json::fixUTF8(text));
}

static void write(const Value &value, llvm::json::OStream &json) {
  if (value.isJson)
    json.rawValue(value.text);
  else
    json.value(value.text);
}

static void writeTensors(llvm::StringRef key, llvm::ArrayRef<OpDescription::Tensor> tensors,
                         llvm::json::OStream &json) {
  json.attributeArray(key, [&] {
    for (const OpDescription::Tensor &tensor : tensors)
      json.object([&] {
        attribute(json, "name", tensor.name);
        if (!tensor.dtype.empty()) {
          json.attribute("dtype", tensor.dtype);
          json.attribute("shape", tensor.shape);
        }
        if (tensor.isOptional)
          json.attribute("optional", true);
        if (tensor.isVariadic)
          json.attribute("variadic", true);
      });
  });
}

static void writeAttribute(const OpDescription::Attribute &given, llvm::json::OStream &json) {
  auto list = [&](llvm::StringRef key, llvm::ArrayRef<Value> values) {
    if (!values.empty())
      json.attributeArray(key, [&] {
        for (const Value &value : values)
          write(value, json);
      });
  };
  auto bound = [&](llvm::StringRef key, const std::string &number) {
    if (number.empty())
      return;
    json.attributeBegin(key);
    json.rawValue(number);
    json.attributeEnd();
  };
  json.object([&] {
    json.attribute("name", given.name);
    json.attribute("type", given.type);
    json.attribute("required", given.isRequired);
    if (!given.isRequired) {
      json.attributeBegin("default");
      write(given.otherwise, json);
      json.attributeEnd();
    }
    bound("min", given.min);
    bound("max", given.max);
    list("choices", given.choices);
    list("tune", given.tune);
  });
}

static void writePairs(llvm::StringRef key, llvm::StringRef first, llvm::StringRef second,
                       const Pairs &pairs, llvm::json::OStream &json) {
  json.attributeArray(key, [&] {
    for (const auto &pair : pairs)
      json.object([&] {
        attribute(json, first, pair.first);
        attribute(json, second, pair.second);
      });
  });
}

static void writeImplementation(const OpDescription::Implementation &implementation,
                                llvm::json::OStream &json) {
  json.object([&] {
    if (!implementation.when.empty())
      json.attribute("when", implementation.when);
    json.attributeArray("launches", [&] {
      for (const OpDescription::Launch &launch : implementation.launches)
        json.object([&] {
          attribute(json, "kernel", launch.kernel);
          json.attributeArray("grid", [&] {
            for (const std::string &size : launch.grid)
              json.value(size);
          });
          json.attribute("num_warps", launch.numWarps);
          json.attribute("num_stages", launch.numStages);
        });
    });
  });
}

void teeny::writeOpJson(const OpDescription &op, llvm::json::OStream &json) {
  json.object([&] {
    attribute(json, "name", op.name);
    attribute(json, "doc", op.doc);
    json.attribute("kind", op.isTyped ? "built in" : "declared");
    writeTensors("inputs", op.inputs, json);
    writeTensors("params", op.params, json);
    json.attributeArray("attrs", [&] {
      for (const OpDescription::Attribute &given : op.attributes)
        writeAttribute(given, json);
    });
    if (op.isTyped) {
      json.attribute("domain", op.domain);
      json.attribute("shapes", op.shapes);
      json.attributeArray("uses", [&] {
        for (const std::string &name : op.uses)
          json.value(name);
      });
      return;
    }
    writeTensors("outputs", op.outputs, json);
    attribute(json, "file", op.file);
    json.attribute("line", op.line);
    json.attributeObject("dtypes", [&] {
      for (const auto &[variable, types] : op.dtypes)
        json.attributeArray(variable, [&] {
          for (const std::string &type : types)
            json.value(type);
        });
    });
    writePairs("sizes", "name", "value", op.sizes, json);
    writePairs("requires", "condition", "message", op.requirements, json);
    writePairs("scratch", "name", "bytes", op.scratch, json);
    writePairs("aliases", "output", "input", op.aliases, json);
    json.attributeArray("variants", [&] {
      for (const OpDescription::Implementation &implementation : op.implementations)
        writeImplementation(implementation, json);
    });
  });
}
