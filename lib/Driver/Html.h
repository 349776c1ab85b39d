// Text of HTML pages.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace teeny {

// A text as it stands in an element or in a quoted attribute: nothing in it is markup.
inline std::string escaped(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&#39;";
      break;
    default:
      result += c;
    }
  return result;
}

} // namespace teeny
