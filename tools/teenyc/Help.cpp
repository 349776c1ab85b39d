#include "Help.h"

#include "AppTree.h"

#include "Support/Suggest.h"

#include "llvm/ADT/StringRef.h"

using namespace teeny;

void teeny::addExamples(CLI::App &command, std::initializer_list<const char *> examples) {
  std::string footer = command.get_footer() + (command.get_footer().empty() ? "" : "\n");
  footer += "Examples:\n";
  for (const char *example : examples)
    footer += std::string("  ") + example + "\n";
  command.footer(footer);
}

// The word of which nothing is known, if that is the mistake.
static std::string unknownText(const CLI::App &app) {
  std::vector<std::string> words = app.remaining(/*recurse=*/true);
  std::vector<CLI::App *> parsed = app.get_subcommands();
  if (words.empty())
    return "";
  std::vector<std::string> known;
  llvm::StringRef word = words.front();
  if (!word.starts_with("-")) {
    if (!parsed.empty())
      return "";
    for (const CLI::App *command : commandsOf(app))
      known.push_back(command->get_name());
    return "unknown command '" + word.str() + "'" + orNearest(word, known);
  }
  word = word.split('=').first;
  for (const CLI::Option *option : optionsOf(parsed.empty() ? app : *parsed.front()))
    for (const std::string &flag : flagsOf(*option))
      known.push_back(flag);
  return "unknown option '" + word.str() + "'" + orNearest(word, known);
}

std::string teeny::failureText(const CLI::App *app, const CLI::Error &error) {
  const std::vector<CLI::App *> parsed = app->get_subcommands();
  const int code = error.get_exit_code();
  const bool isMissing = code == static_cast<int>(CLI::ExitCodes::RequiredError);
  // Where a word is unknown, CLI11 may also miss what it was meant to be.
  std::string text;
  if (isMissing || code == static_cast<int>(CLI::ExitCodes::ExtrasError))
    text = unknownText(*app);
  if (text.empty() && isMissing && parsed.empty())
    return app->help();
  if (text.empty())
    text = error.what();
  std::string command = parsed.empty() ? "" : parsed.front()->get_name() + " ";
  return "teenyc: error: " + text + "\nsee 'teenyc " + command + "--help'\n";
}
