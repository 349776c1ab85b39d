// What the fuzz targets share. A target is a function of any bytes that ends the process if what it
// tests breaks a promise; scripts/fuzz makes a libFuzzer program of it, and the ordinary tests call
// it on seeds and on what was found.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace teeny::fuzz {

inline void expect(bool holds, std::string_view promise) {
  if (holds)
    return;
  std::fprintf(stderr, "broken promise: %.*s\n", int(promise.size()), promise.data());
  std::abort();
}

// The targets, each in a file of its name: expr in Expr/fuzz/FuzzExpr.cpp.
void expr(std::string_view input);
void safetensors(std::string_view input);
void npy(std::string_view input);
void bundle(std::string_view input);
void graph(std::string_view input);
void declaration(std::string_view input);

} // namespace teeny::fuzz
