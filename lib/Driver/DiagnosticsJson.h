// Diagnostics for programs.
#pragma once

#include "Base/Result.h"
#include "Support/Diagnostics.h"

#include "llvm/Support/JSON.h"

namespace teeny {

// Each becomes an element of the array that `json` is in: severity and message; file, line, column
// and length where there is a place (from 1; in bytes), path in a JSON file, hint, notes.
void writeJson(const Diagnostics &diagnostics, llvm::json::OStream &json);
// One that has no place.
void writeJson(const Error &error, llvm::json::OStream &json);

} // namespace teeny
