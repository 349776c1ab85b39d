#include "AppTree.h"

#include "Driver/Driver.h"
#include "Support/Targets.h"

#include "llvm/ADT/StringExtras.h"

using namespace teeny;

// Option groups are apps without a name.
std::vector<const CLI::App *> teeny::commandsOf(const CLI::App &app) {
  return app.get_subcommands([](const CLI::App *each) { return !each->get_name().empty(); });
}

std::vector<const CLI::Option *> teeny::optionsOf(const CLI::App &command) {
  std::vector<const CLI::Option *> options = command.get_options();
  for (const CLI::App *group :
       command.get_subcommands([](const CLI::App *each) { return each->get_name().empty(); }))
    for (const CLI::Option *option : group->get_options())
      options.push_back(option);
  return options;
}

std::vector<std::string> teeny::flagsOf(const CLI::Option &option) {
  std::vector<std::string> flags;
  for (const std::string &name : option.get_snames())
    flags.push_back("-" + name);
  for (const std::string &name : option.get_lnames())
    flags.push_back("--" + name);
  return flags;
}

bool teeny::takesValue(const CLI::Option &option) { return option.get_items_expected_max() > 0; }

static std::vector<std::string> split(llvm::StringRef text) {
  std::vector<std::string> words;
  for (llvm::StringRef word : llvm::split(text, ","))
    words.push_back(word.trim().str());
  return words;
}

Values teeny::valuesOf(const CLI::Option &option) {
  const std::string type = option.get_type_name();
  llvm::StringRef checked = type;
  // A check of membership describes itself as "{ieee,tf32}".
  if (checked.contains(":{"))
    return {Values::words,
            split(checked.split(":{").second.take_until([](char c) { return c == '}'; }))};
  if (checked.starts_with("DIR"))
    return {Values::folders};
  if (checked == "F" || checked.starts_with("F."))
    return {Values::files};
  if (checked == "PHASE")
    return {Values::words, split(phaseNames())};
  if (checked == "T" || checked == "T,...")
    return {Values::words, targetNames(), checked != "T"};
  if (checked == "OP")
    return {Values::words, opNames()};
  // What has a place instead of a flag is a file, if nothing else.
  return {flagsOf(option).empty() ? Values::files : Values::unknown};
}
