#include "PtxMachine.h"

#include <algorithm>
#include <set>
#include <sstream>

using namespace teeny::test;

static std::string trim(const std::string &text) {
  size_t first = text.find_first_not_of(" \t\n\r");
  if (first == std::string::npos)
    return "";
  return text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1);
}

static std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0; // inside {...} and [...]
  for (char c : text) {
    depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    if (c == separator && depth == 0) {
      parts.push_back(trim(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trim(part).empty())
    parts.push_back(trim(part));
  return parts;
}

static bool isNumber(const std::string &text) {
  size_t first = text[0] == '-' ? 1 : 0;
  return first < text.size() && std::isdigit(text[first]);
}

static uint64_t parseNumber(const std::string &text) {
  if (text.rfind("0f", 0) == 0 || text.rfind("0d", 0) == 0)
    return std::stoull(text.substr(2), nullptr, 16);
  if (text[0] == '-')
    return uint64_t(-std::stoll(text.substr(1), nullptr, 0));
  return std::stoull(text, nullptr, 0);
}

namespace {
struct Parser {
  std::map<std::string, PtxKernel> kernels;
  PtxKernel kernel;
  std::set<std::string> locals; // registers that are declared by name, in blocks

  unsigned registerIndex(const std::string &name) {
    return kernel.registers.try_emplace(name, kernel.registers.size()).first->second;
  }

  PtxOperand operand(const std::string &text) {
    PtxOperand made;
    if (text[0] == '{') {
      made.kind = PtxOperand::Kind::vector;
      for (const std::string &member : split(text.substr(1, text.size() - 2), ','))
        made.members.push_back(operand(member));
    } else if (text[0] == '[') {
      made.kind = PtxOperand::Kind::address;
      std::string inside = trim(text.substr(1, text.size() - 2));
      size_t plus = inside.find_first_of("+", 1);
      made.name = trim(inside.substr(0, plus));
      if (plus != std::string::npos)
        made.bits = parseNumber(trim(inside.substr(plus + 1)));
      if (isNumber(made.name)) { // an absolute address
        made.bits += parseNumber(made.name);
        made.name.clear();
      }
      made.baseIsRegister = made.name[0] == '%';
      if (made.baseIsRegister)
        made.index = registerIndex(made.name);
    } else if (text[0] == '%' || locals.count(text)) {
      made.kind = PtxOperand::Kind::reg;
      made.name = text;
      made.index = registerIndex(text);
    } else if (isNumber(text)) {
      made.bits = parseNumber(text);
    } else {
      made.kind = PtxOperand::Kind::symbol;
      made.name = text;
    }
    return made;
  }

  void statement(std::string text) {
    PtxInstruction made;
    made.text = text;
    if (text[0] == '@') {
      size_t end = text.find_first_of(" \t");
      made.guardNegated = text[1] == '!';
      made.guard =
          registerIndex(text.substr(made.guardNegated ? 2 : 1, end - (made.guardNegated ? 2 : 1)));
      text = trim(text.substr(end));
    }
    size_t end = text.find_first_of(" \t");
    made.words = split(text.substr(0, end), '.');
    if (end != std::string::npos)
      for (const std::string &part : split(trim(text.substr(end)), ',')) {
        // Both results of setp.and and shfl: "p|q".
        size_t bar = part.find('|');
        made.operands.push_back(operand(trim(part.substr(0, bar))));
      }
    kernel.code.push_back(std::move(made));
  }

  // ".shared .align 16 .b8 name[16]"
  void sharedVariable(const std::string &text) {
    unsigned align = 16;
    if (size_t at = text.find(".align"); at != std::string::npos)
      align = std::stoul(text.substr(at + 6));
    size_t open = text.find('[');
    size_t space = text.find_last_of(" \t", open);
    std::string name = text.substr(space + 1, open - space - 1);
    std::string size =
        open == std::string::npos ? "1" : text.substr(open + 1, text.find(']') - open - 1);
    kernel.sharedBytes = (kernel.sharedBytes + align - 1) / align * align;
    kernel.shared[name] = kernel.sharedBytes;
    kernel.sharedBytes += size.empty() ? 0 : std::stoull(size);
  }

  void parameters(const std::string &text) {
    for (const std::string &param : split(text, ',')) {
      size_t open = param.find('[');
      std::string name = trim(param.substr(param.find_last_of(" \t", open) + 1,
                                           open - param.find_last_of(" \t", open) - 1));
      unsigned bytes = 0;
      for (unsigned size : {8u, 16u, 32u, 64u})
        for (const char *kind : {".b", ".u", ".s", ".f"})
          if (param.find(kind + std::to_string(size) + " ") != std::string::npos)
            bytes = size / 8;
      if (open != std::string::npos)
        bytes = std::stoul(param.substr(open + 1));
      kernel.params.emplace_back(name, bytes);
    }
  }

  void run(const std::string &ptx) {
    std::istringstream lines(ptx);
    std::string line, body;
    while (std::getline(lines, line))
      body += line.substr(0, line.find("//")) + "\n";
    std::map<std::string, uint64_t> globalShared;
    size_t at = 0;
    // Shared variables at module level belong to every kernel.
    std::vector<std::string> moduleShared;
    while (at < body.size()) {
      size_t end = body.find_first_of(";{\n", at);
      size_t entry = body.find(".entry", at);
      std::string text = trim(body.substr(at, end - at));
      if (text.find(".shared") != std::string::npos)
        moduleShared.push_back(text);
      if (entry == std::string::npos)
        return;
      if (entry > end) {
        at = end + 1;
        continue;
      }
      kernel = {};
      size_t open = body.find('(', entry), close = body.find(')', open),
             begin = body.find('{', close);
      kernel.name = trim(body.substr(entry + 6, open - entry - 6));
      parameters(body.substr(open + 1, close - open - 1));
      std::istringstream header(body.substr(close + 1, begin - close - 1));
      for (std::string word; header >> word;)
        if (word == ".reqntid") {
          std::string number;
          for (int &size : kernel.block)
            if (std::getline(header >> std::ws, number, ','))
              size = std::stoi(number);
        }
      for (const std::string &variable : moduleShared)
        sharedVariable(variable);
      at = kernelBody(body, begin + 1);
      kernels[kernel.name] = kernel;
    }
  }

  // Statements up to the closing brace; returns the place behind it.
  size_t kernelBody(const std::string &body, size_t at) {
    int depth = 1;
    std::string text;
    for (; at < body.size(); ++at) {
      char c = body[at];
      bool isVector = c == '{' && !trim(text).empty();
      if (isVector) {
        size_t close = body.find('}', at);
        text += body.substr(at, close - at + 1);
        at = close;
        continue;
      }
      if (c == '{' || c == '}') {
        depth += c == '{' ? 1 : -1;
        if (depth == 0)
          return at + 1;
        continue;
      }
      if (c == ':' && body[at + 1] != ':' && body[at - 1] != ':') {
        kernel.labels[trim(text)] = kernel.code.size();
        text.clear();
        continue;
      }
      if (c != ';') {
        text += c;
        continue;
      }
      text = trim(text);
      if (text.find(".reg") == 0 && text.find('<') == std::string::npos)
        locals.insert(trim(text.substr(text.find_last_of(" \t") + 1)));
      if (text.find(".shared") == 0)
        sharedVariable(text);
      else if (text.find(".local") == 0)
        throw PtxError("local memory: " + text);
      else if (!text.empty() && text[0] != '.')
        statement(text);
      text.clear();
    }
    throw PtxError("a kernel without an end");
  }
};
} // namespace

std::map<std::string, PtxKernel> teeny::test::parsePtx(const std::string &text) {
  Parser parser;
  parser.run(text);
  return std::move(parser.kernels);
}

bool PtxInstruction::has(const char *word) const {
  return std::find(words.begin(), words.end(), word) != words.end();
}
