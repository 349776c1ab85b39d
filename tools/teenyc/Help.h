// What the tool says of itself.
#pragma once

#include <CLI/CLI.hpp>

#include <initializer_list>
#include <string>

namespace teeny {

// Commands that --help shows, to be typed in the root of the repository.
void addExamples(CLI::App &command, std::initializer_list<const char *> examples);

// For a mistake of usage: what was found, and what may have been meant.
std::string failureText(const CLI::App *app, const CLI::Error &error);

// A script that makes the shell complete command lines of the tool.
std::string bashCompletion(const CLI::App &app);
std::string zshCompletion(const CLI::App &app);

// The manual, in the language of man pages.
std::string manPage(const CLI::App &app);

} // namespace teeny
