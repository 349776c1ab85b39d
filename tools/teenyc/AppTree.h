// What the app of the tool has, for what is made from it: completion, the manual, hints.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace teeny {

// In the order in which they were added.
std::vector<const CLI::App *> commandsOf(const CLI::App &app);
// Those of its groups too.
std::vector<const CLI::Option *> optionsOf(const CLI::App &command);

// "-o" and "--output"; none of what has a place instead.
std::vector<std::string> flagsOf(const CLI::Option &option);
// Whether a word follows the flag.
bool takesValue(const CLI::Option &option);

// What may stand for its value, by the option's type name, the checks on it, or its place.
struct Values {
  enum Kind { unknown, files, folders, words };
  Kind kind = unknown;
  std::vector<std::string> list = {}; // the words
  bool isList = false;                // several, with commas between
};
Values valuesOf(const CLI::Option &option);

} // namespace teeny
