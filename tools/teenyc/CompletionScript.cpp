// Scripts of completion, written from the commands and options that the app has.
//
// The script of bash holds one function. It finds the command among the words before the cursor,
// and whether the word at the cursor is the value of a flag; "--flag=value" reaches it as three
// words. zsh runs the same function through its emulation of bash's completion.
#include "AppTree.h"
#include "Help.h"

#include "llvm/ADT/StringExtras.h"

using namespace teeny;

// What fills COMPREPLY with values.
static std::string action(const Values &values) {
  switch (values.kind) {
  case Values::unknown:
    return ":"; // nothing is known of it
  case Values::files:
    return "_teenyc_paths -f";
  case Values::folders:
    return "_teenyc_paths -d";
  case Values::words:
    return std::string(values.isList ? "_teenyc_list" : "_teenyc_words") + " '" +
           llvm::join(values.list, " ") + "'";
  }
  return ":";
}

static constexpr const char *helpers = R"(_teenyc_words() {
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}
_teenyc_list() {
  local before=${cur%"${cur##*,}"}
  COMPREPLY=($(compgen -P "$before" -W "$1" -- "${cur##*,}"))
}
_teenyc_paths() {
  local IFS=$'\n'
  COMPREPLY=($(compgen "$1" -- "$cur"))
  compopt -o filenames 2>/dev/null
}
_teenyc() {
  local cur=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD-1]} command= i
  if [[ $cur == = ]]; then
    cur=
  elif [[ $flag == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
)";

std::string teeny::bashCompletion(const CLI::App &app) {
  std::vector<const CLI::App *> commands = commandsOf(app);
  std::vector<std::string> names;
  for (const CLI::App *command : commands)
    names.push_back(command->get_name());
  auto flags = [](const CLI::App &command) {
    std::vector<std::string> list;
    for (const CLI::Option *option : optionsOf(command))
      for (const std::string &flag : flagsOf(*option))
        list.push_back(flag);
    return llvm::join(list, " ");
  };
  std::string text = "# Completion of teenyc in bash: source <(teenyc completion bash)\n";
  text += helpers;
  text += "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "    case ${COMP_WORDS[i]} in\n"
          "    " +
          llvm::join(names, "|") +
          ") command=${COMP_WORDS[i]}; break ;;\n"
          "    esac\n"
          "  done\n"
          "  case \"$command $flag\" in\n";
  for (const CLI::App *command : commands)
    for (const CLI::Option *option : optionsOf(*command))
      if (takesValue(*option))
        for (const std::string &flag : flagsOf(*option))
          text += "  '" + command->get_name() + " " + flag + "') " + action(valuesOf(*option)) +
                  "; return ;;\n";
  text += "  esac\n"
          "  case $command in\n"
          "  '') _teenyc_words '" +
          llvm::join(names, " ") + " " + flags(app) + "' ;;\n";
  for (const CLI::App *command : commands) {
    text += "  " + command->get_name() + ")\n    if [[ $cur == -* ]]; then _teenyc_words '" +
            flags(*command) + "'\n    else ";
    std::string otherwise = ":";
    for (const CLI::Option *option : optionsOf(*command))
      if (option->get_positional())
        otherwise = action(valuesOf(*option));
    text += otherwise + "\n    fi ;;\n";
  }
  return text + "  esac\n}\ncomplete -F _teenyc teenyc\n";
}

//===-- zsh ---------------------------------------------------------------------------------===//

// Between single quotes, where `special` characters have a backslash.
static std::string quoted(llvm::StringRef text, llvm::StringRef special) {
  std::string result;
  for (char c : text) {
    if (c == '\'')
      result += "'\\''";
    else if (special.contains(c) || c == '\\')
      result += std::string("\\") + c;
    else
      result += c;
  }
  return result;
}

// What an argument is called, and what completes it.
static std::string zshAction(const CLI::Option &option) {
  Values values = valuesOf(option);
  std::string name = flagsOf(option).empty() ? option.get_name(true) : "value";
  std::string words = llvm::join(values.list, " ");
  switch (values.kind) {
  case Values::unknown:
    return ":" + name + ": ";
  case Values::files:
    return ":" + name + ":_files";
  case Values::folders:
    return ":" + name + ":_files -/";
  case Values::words:
    return ":" + name + ":" + (values.isList ? "_values -s , value " + words : "(" + words + ")");
  }
  return "";
}

static std::string zshPlace(const CLI::Option &option) {
  const char *howMany = option.get_expected_max() > 1 ? "*" : "";
  return std::string(" \\\n      '") + howMany + zshAction(option) + "'";
}

static std::string zshOption(const CLI::Option &option) {
  std::vector<std::string> flags = flagsOf(option);
  std::string text = "[" + quoted(option.get_description(), "[]:") + "]";
  std::string lines;
  // Each of its flags excludes the others; one that may be given several times excludes nothing.
  bool isRepeated = option.get_expected_max() > 1;
  for (const std::string &flag : flags) {
    lines += std::string(" \\\n      '") + (isRepeated ? "*" : "(" + llvm::join(flags, " ") + ")") +
             flag;
    if (takesValue(option))
      lines += (flag.starts_with("--") ? "=" : "") + text + zshAction(option) + "'";
    else
      lines += text + "'";
  }
  return lines;
}

std::string teeny::zshCompletion(const CLI::App &app) {
  std::string text = "#compdef teenyc\n"
                     "# Completion of teenyc in zsh: source <(teenyc completion zsh)\n"
                     "_teenyc() {\n"
                     "  if (( CURRENT == 2 )); then\n"
                     "    local -a commands=(\n";
  for (const CLI::App *command : commandsOf(app))
    text += "      '" + command->get_name() + ":" + quoted(command->get_description(), ":") + "'\n";
  text += "    )\n    _describe command commands\n    _arguments";
  for (const CLI::Option *option : optionsOf(app))
    text += zshOption(*option);
  text += "\n    return\n"
          "  fi\n"
          "  local command=$words[2]\n"
          "  shift words\n"
          "  (( CURRENT-- ))\n"
          "  case $command in\n";
  for (const CLI::App *command : commandsOf(app)) {
    text += "  " + command->get_name() + ")\n    _arguments";
    for (const CLI::Option *option : optionsOf(*command))
      text += option->get_positional() ? zshPlace(*option) : zshOption(*option);
    text += " ;;\n";
  }
  return text + "  esac\n"
                "}\n"
                "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }\n"
                "compdef _teenyc teenyc\n";
}
