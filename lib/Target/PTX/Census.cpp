#include "Target/PTX/Census.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace teeny::ptx;
using llvm::StringRef;

// "ld.global.L1::evict_last.v4.b32" -> "ld.global.v4".
static std::string kindOf(StringRef opcode) {
  llvm::SmallVector<StringRef> words;
  opcode.split(words, '.');
  std::string kind = words.front().str();
  bool memory = llvm::is_contained({"ld", "st", "ldu", "atom", "red", "cp"}, words.front());
  bool matrix = llvm::is_contained({"mma", "wgmma", "wmma", "ldmatrix", "stmatrix"}, words.front());
  for (StringRef word : llvm::drop_begin(words)) {
    bool space = llvm::is_contained(
        {"global", "shared", "param", "local", "const", "async", "bulk"}, word.split(':').first);
    bool width = word == "v2" || word == "v4" || word == "v8";
    bool shape = word.starts_with("m") && word.contains('n') && word.substr(1, 1) >= "0" &&
                 word.substr(1, 1) <= "9";
    if ((memory && (space || width)) || (matrix && (shape || word.starts_with("x"))))
      kind += "." + word.str();
  }
  return kind;
}

std::vector<Census> teeny::ptx::takeCensus(const std::string &ptx) {
  std::vector<Census> list;
  bool inBody = false;
  llvm::SmallVector<StringRef> lines;
  StringRef(ptx).split(lines, '\n');
  for (StringRef line : lines) {
    line = line.split("//").first.trim();
    size_t entry = line.find(".entry ");
    if (entry != StringRef::npos) {
      list.emplace_back();
      list.back().kernel = line.drop_front(entry + 7).split('(').first.str();
      inBody = true;
      continue;
    }
    if (line.starts_with(".func") || line.contains(" .func"))
      inBody = false;
    if (!inBody || line.empty())
      continue;
    // Inline assembly may have several statements on a line, and braces.
    llvm::SmallVector<StringRef> statements;
    line.split(statements, ';');
    for (StringRef statement : statements) {
      statement = statement.trim(" \t{}");
      if (statement.starts_with("@"))
        statement = statement.drop_until([](char c) { return c == ' ' || c == '\t'; }).ltrim();
      StringRef opcode = statement.take_until([](char c) { return c == ' ' || c == '\t'; });
      if (opcode.empty() || !llvm::isAlpha(opcode.front()) || opcode.ends_with(":"))
        continue; // a directive, an operand or a label
      ++list.back().counts[kindOf(opcode)];
      ++list.back().total;
    }
  }
  return list;
}

std::string Census::toString() const {
  std::string text = kernel + ": " + std::to_string(total) + " instructions;";
  const char *separator = " ";
  for (const auto &[kind, count] : counts) {
    text += separator + kind + " " + std::to_string(count);
    separator = ", ";
  }
  return text;
}
