// The manual, written from the commands and options that the app has.
#include "AppTree.h"
#include "Help.h"

#include "Driver/Driver.h"

#include "llvm/ADT/StringExtras.h"

using namespace teeny;

namespace {

struct Entry {
  const char *term, *text;
};

constexpr Entry exitCodes[] = {
    {"0", "Everything went well."},
    {"1", "There are mistakes in files: graphs, declarations, kernels, weights, bundles."},
    {"2", "There is a mistake on the command line."},
    {"3", "The machine lacks something: a program to install, room on a disk."},
};

constexpr Entry variables[] = {
    {"TEENY_PTXAS", "Path of ptxas, the assembler of cubins; else it is looked for in "
                    "$CUDA_HOME/bin, $PATH and /usr/local/cuda/bin."},
    {"TEENY_PTXAS_SECONDS", "How long it may take for one kernel; 600 by default."},
    {"TEENY_NVDISASM", "Path of nvdisasm, the disassembler of cubins."},
    {"CUDA_HOME", "Folder of NVIDIA's toolkit."},
    {"TEENY_CACHE", "Folder in which compiled kernels are kept; nowhere by default."},
    {"NO_COLOR", "If not empty, nothing is coloured; otherwise what goes to a terminal is."},
};

} // namespace

// Text of a page. A line must not begin with what begins a request.
static std::string escaped(llvm::StringRef text) {
  std::string result;
  bool begins = true;
  for (char c : text) {
    if (begins && (c == '.' || c == '\''))
      result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
    begins = c == '\n';
  }
  return result;
}

static std::string entry(const std::string &term, const std::string &text) {
  return ".TP\n\\fB" + escaped(term) + "\\fR\n" + escaped(text) + "\n";
}

static std::string optionText(const CLI::Option &option) {
  std::string term = llvm::join(flagsOf(option), ", ");
  if (term.empty())
    term = option.get_name(true);
  else if (takesValue(option))
    term += "=" + option.get_type_name();
  std::string text = option.get_description() + ".";
  if (!option.get_default_str().empty())
    text += " By default " + option.get_default_str() + ".";
  if (!option.get_envname().empty())
    text += " Otherwise what the environment variable " + option.get_envname() + " says.";
  return entry(term, text);
}

// Lines as they are.
static std::string verbatim(llvm::StringRef text) {
  return ".PP\n.nf\n" + escaped(text.rtrim()) + "\n.fi\n";
}

std::string teeny::manPage(const CLI::App &app) {
  std::string page = ".TH TEENYC 1 \"\" \"teenyc " + teenyVersion() + "\" \"User Commands\"\n";
  page += ".SH NAME\nteenyc \\- compiles model graphs with custom kernels, ahead of time\n"
          ".SH SYNOPSIS\n\\fBteenyc\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIFILE\\fR]\n"
          ".SH DESCRIPTION\n" +
          escaped(app.get_description()) + "\n.SH OPTIONS\n";
  for (const CLI::Option *option : optionsOf(app))
    page += optionText(*option);
  page += ".SH COMMANDS\n";
  for (const CLI::App *command : commandsOf(app)) {
    page +=
        ".SS teenyc " + command->get_name() + "\n" + escaped(command->get_description()) + ".\n";
    for (const CLI::Option *option : optionsOf(*command))
      page += optionText(*option);
    if (!command->get_footer().empty())
      page += verbatim(command->get_footer());
  }
  page += ".SH EXIT STATUS\n";
  for (const auto &[term, text] : exitCodes)
    page += entry(term, text);
  page += ".SH ENVIRONMENT\n";
  for (const auto &[term, text] : variables)
    page += entry(term, text);
  return page + ".SH SEE ALSO\n\\fBteeny\\-run\\fR, which runs bundles.\n";
}
