// Which program runs: part of the keys of CodeCache.h.
#pragma once

#include <string>

namespace teeny {

// The build ids of the program and of the libraries that are loaded with it, which linkers make
// from contents; of a program without one the digest of its file.
std::string programIdentity();

} // namespace teeny
