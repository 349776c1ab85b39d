#include "Driver/EmitC.h"

#include "Base/File.h"
#include "Bundle/ParamType.h"
#include "Driver/EmitCText.h"
#include "Runtime/CUDA/Targets.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace teeny;
using Kind = KernelParam::Kind;

// Words of C and C++, macros that compilers predefine, and names of emitted code.
static const llvm::StringSet<> &reservedWords() {
  static const llvm::StringSet<> words = {"alignas",
                                          "alignof",
                                          "asm",
                                          "auto",
                                          "bool",
                                          "case",
                                          "catch",
                                          "char",
                                          "char8_t",
                                          "char16_t",
                                          "char32_t",
                                          "concept",
                                          "const",
                                          "consteval",
                                          "constexpr",
                                          "constinit",
                                          "const_cast",
                                          "co_await",
                                          "co_return",
                                          "co_yield",
                                          "decltype",
                                          "default",
                                          "delete",
                                          "do",
                                          "double",
                                          "dynamic_cast",
                                          "enum",
                                          "explicit",
                                          "export",
                                          "extern",
                                          "false",
                                          "float",
                                          "friend",
                                          "goto",
                                          "inline",
                                          "int",
                                          "long",
                                          "mutable",
                                          "namespace",
                                          "new",
                                          "noexcept",
                                          "nullptr",
                                          "operator",
                                          "private",
                                          "protected",
                                          "public",
                                          "register",
                                          "reinterpret_cast",
                                          "requires",
                                          "restrict",
                                          "short",
                                          "signed",
                                          "sizeof",
                                          "static",
                                          "static_assert",
                                          "static_cast",
                                          "struct",
                                          "switch",
                                          "template",
                                          "this",
                                          "thread_local",
                                          "throw",
                                          "true",
                                          "try",
                                          "typedef",
                                          "typeid",
                                          "typename",
                                          "typeof",
                                          "union",
                                          "unsigned",
                                          "using",
                                          "virtual",
                                          "void",
                                          "volatile",
                                          "wchar_t",
                                          "and",
                                          "and_eq",
                                          "bitand",
                                          "bitor",
                                          "compl",
                                          "not",
                                          "not_eq",
                                          "or",
                                          "or_eq",
                                          "xor",
                                          "xor_eq",
                                          "linux",
                                          "unix",
                                          "i386",
                                          "NULL",
                                          "kernels",
                                          "stream",
                                          "grid_x",
                                          "grid_y",
                                          "grid_z",
                                          "arguments",
                                          "enqueue",
                                          "status_unloaded",
                                          "status_grid",
                                          "KERNELS",
                                          "f16_bits",
                                          "bf16_bits",
                                          "int8_t",
                                          "int16_t",
                                          "int32_t",
                                          "int64_t",
                                          "uint8_t",
                                          "uint16_t",
                                          "uint32_t",
                                          "uint64_t",
                                          "uintptr_t"};
  return words;
}

// A C identifier for a name of the kernel language, which may have letters beyond ASCII.
static std::string identifier(llvm::StringRef name) {
  std::string result;
  for (char c : name)
    result +=
        llvm::isAlnum(c) || c == '_' ? std::string(1, c) : "_x" + llvm::utohexstr(uint8_t(c), true);
  if (reservedWords().contains(result))
    result += "_";
  return result;
}

static std::string uniqueIdentifier(llvm::StringRef name, llvm::StringSet<> &taken) {
  std::string result = identifier(name);
  while (!taken.insert(result).second)
    result += "_";
  return result;
}

// Text within a comment.
static std::string comment(std::string text) {
  for (const char *mark : {"*/", "/*"})
    for (size_t at; (at = text.find(mark)) != std::string::npos;)
      text.insert(at + 1, " ");
  return text;
}

static std::string elementType(DType type) {
  switch (type) {
  case DType::f64:
    return "double";
  case DType::f32:
    return "float";
  case DType::f16:
  case DType::bf16:
    return "uint16_t";
  case DType::f8e4m3:
  case DType::f8e5m2:
  case DType::boolean:
    return "uint8_t";
  default: {
    std::string bits = std::to_string(8 * byteSize(type));
    bool isUnsigned = name(type)[0] == 'u';
    return (isUnsigned ? "uint" : "int") + bits + "_t";
  }
  }
}

// What a caller gives for a parameter, before its name: "const float *", "int32_t ".
static std::string callerType(const KernelParam &param) {
  const ParamType type = *parseParamType(param.type);
  switch (param.kind) {
  case Kind::buffer:
    return (param.written ? "" : "const ") + elementType(type.element) + " *";
  case Kind::i1:
    return "bool ";
  case Kind::f16:
  case Kind::bf16:
    return "float "; // rounded
  default:
    return elementType(type.element) + " ";
  }
}

namespace {

class Emitter {
public:
  Emitter(const Manifest &manifest, llvm::ArrayRef<GeneratedCode> codes)
      : manifest(manifest), codes(codes), prefix(identifier(manifest.kernels.front().name)) {
    for (const char *message : emittedMessages)
      messages.push_back(message);
  }

  CSource emit();

private:
  // Kernels that one function launches, by index; the last may require something, too.
  struct Group {
    std::string name;
    std::vector<size_t> kernels;
    std::vector<std::string> params; // names
    bool closed = false;             // the last one requires nothing
  };
  // What a kernel requires of an argument: the condition in C, that it does not hold, and in words.
  struct Check {
    std::string holds, fails, message;
  };

  void makeGroups();
  std::vector<Check> checks(const ManifestKernel &kernel, const Group &group) const;
  std::string prototype(const Group &group) const;
  void declare(const Group &group, llvm::raw_ostream &os) const;
  void define(const Group &group, llvm::raw_ostream &os);
  void printCodes(llvm::raw_ostream &os) const;
  std::string filled(llvm::StringRef text) const;
  bool takes(Kind kind) const;

  const Manifest &manifest;
  llvm::ArrayRef<GeneratedCode> codes;
  const std::string prefix;
  std::vector<Group> groups;
  std::vector<std::string> messages; // of the statuses -1, -2, ...
  std::string targets;
};

} // namespace

static bool sameArguments(const ManifestKernel &a, const ManifestKernel &b) {
  auto sameParam = [](const KernelParam &x, const KernelParam &y) {
    return x.name == y.name && x.type == y.type && x.written == y.written;
  };
  auto sameConstant = [](const KernelConstant &x, const KernelConstant &y) {
    return x.name == y.name && x.value == y.value;
  };
  return a.function == b.function && a.source == b.source &&
         llvm::equal(a.params, b.params, sameParam) &&
         llvm::equal(a.constants, b.constants, sameConstant);
}

void Emitter::makeGroups() {
  llvm::StringSet<> names;
  for (const auto &[index, kernel] : llvm::enumerate(manifest.kernels)) {
    auto found = llvm::find_if(groups, [&](const Group &group) {
      return !group.closed &&
             sameArguments(manifest.kernels[group.kernels.front()], manifest.kernels[index]);
    });
    if (found == groups.end()) {
      Group group;
      group.name = uniqueIdentifier(kernel.name, names);
      llvm::StringSet<> params;
      for (const KernelParam &param : kernel.params)
        group.params.push_back(uniqueIdentifier(param.name, params));
      found = groups.insert(groups.end(), std::move(group));
    }
    found->kernels.push_back(index);
    found->closed = checks(kernel, *found).empty();
  }
}

std::vector<Emitter::Check> Emitter::checks(const ManifestKernel &kernel,
                                            const Group &group) const {
  std::vector<Check> result;
  for (const auto &[param, name] : llvm::zip_equal(kernel.params, group.params)) {
    const ParamType type = *parseParamType(param.type);
    const std::string multiple = std::to_string(param.multipleOf);
    const std::string must = kernel.name + ": " + param.name + " must be ";
    if (param.kind == Kind::buffer) {
      if (param.multipleOf > 1)
        result.push_back({"(uintptr_t)" + name + " % " + multiple + " == 0",
                          "(uintptr_t)" + name + " % " + multiple + " != 0",
                          must + "at an address that is a multiple of " + multiple});
      continue;
    }
    if (!type.isInteger() || param.kind == Kind::i1)
      continue;
    // Comparisons that the type decides would be warned of.
    const auto [low, high] = param.range.value_or(std::pair(type.min, type.max));
    const bool wholeU64 = type.isUnsigned && type.max == INT64_MAX;
    std::vector<std::string> inside, outside;
    if (low > type.min) {
      inside.push_back(name + " >= " + std::to_string(low));
      outside.push_back(name + " < " + std::to_string(low));
    }
    if (param.range && (high < type.max || wholeU64)) {
      inside.push_back(name + " <= " + std::to_string(high));
      outside.push_back(name + " > " + std::to_string(high));
    }
    if (!inside.empty())
      result.push_back({llvm::join(inside, " && "), llvm::join(outside, " || "),
                        must + std::to_string(low) + " to " + std::to_string(high)});
    if (param.multipleOf > 1)
      result.push_back({name + " % " + multiple + " == 0", name + " % " + multiple + " != 0",
                        must + "a multiple of " + multiple});
  }
  return result;
}

std::string Emitter::prototype(const Group &group) const {
  std::string text = "int " + group.name + "_launch(const " + prefix +
                     "_kernels *kernels, void *stream, uint32_t grid_x,\n    uint32_t grid_y, "
                     "uint32_t grid_z";
  for (const auto &[param, name] :
       llvm::zip_equal(manifest.kernels[group.kernels.front()].params, group.params))
    text += ",\n    " + callerType(param) + name;
  return text + ")";
}

void Emitter::declare(const Group &group, llvm::raw_ostream &os) const {
  const ManifestKernel &first = manifest.kernels[group.kernels.front()];
  os << "\n/* " << comment(first.function + " of " + first.source);
  for (const KernelConstant &constant : first.constants)
    os << ",\n * compiled for " << comment(constant.name + " = " + constant.value);
  os << ".";
  for (const KernelParam &param : first.params)
    os << "\n *   " << comment(param.name) << ": " << param.type
       << (param.kind != Kind::buffer ? ""
           : param.written            ? ", written"
                                      : ", read");
  for (const auto &[place, index] : llvm::enumerate(group.kernels)) {
    const auto required = checks(manifest.kernels[index], group);
    if (group.kernels.size() > 1)
      os << "\n * " << (place == 0 ? "Taken is " : "Else ") << comment(manifest.kernels[index].name)
         << (required.empty() ? "." : " if:");
    else if (!required.empty())
      os << "\n * Required:";
    for (const Check &check : required)
      os << "\n *   " << comment(check.message);
  }
  os << " */\n" << prototype(group) << ";\n";
}

void Emitter::define(const Group &group, llvm::raw_ostream &os) {
  const ManifestKernel &first = manifest.kernels[group.kernels.front()];
  os << "\n" << prototype(group) << " {\n";
  std::vector<std::string> arguments;
  llvm::StringSet<> taken;
  for (const std::string &name : group.params)
    taken.insert(name);
  for (const auto &[param, name] : llvm::zip_equal(first.params, group.params)) {
    std::string passed = name;
    if (param.kind == Kind::f16 || param.kind == Kind::bf16) {
      passed = uniqueIdentifier("bits_of_" + name, taken);
      os << "  uint16_t " << passed << " = " << (param.kind == Kind::f16 ? "f16" : "bf16")
         << "_bits(" << name << ");\n";
    }
    arguments.push_back("(void *)&" + passed);
  }
  if (!arguments.empty())
    os << "  void *arguments[] = {" << llvm::join(arguments, ", ") << "};\n";
  os << "  if (!kernels)\n    return status_unloaded;\n"
     << "  if (grid_x > 2147483647 || grid_y > 65535 || grid_z > 65535)\n"
     << "    return status_grid;\n";
  for (size_t index : group.kernels) {
    const std::vector<Check> required = checks(manifest.kernels[index], group);
    const std::string launch = "return enqueue(kernels, " + std::to_string(index) +
                               ", stream, grid_x, grid_y, grid_z, " +
                               (arguments.empty() ? "NULL" : "arguments") + ");\n";
    if (index != group.kernels.back()) {
      auto holds = [](const Check &check) { return check.holds; };
      os << "  if (" << llvm::join(llvm::map_range(required, holds), " &&\n      ") << ")\n    "
         << launch;
      continue;
    }
    // The last one says what is wrong.
    for (const Check &check : required) {
      messages.push_back(check.message);
      os << "  if (" << check.fails << ")\n    return -" << messages.size() << ";\n";
    }
    os << "  " << launch;
  }
  os << "}\n";
}

// Bytes as decimal numbers, many to a line.
static void printBytes(llvm::StringRef bytes, llvm::raw_ostream &os) {
  size_t column = 0;
  for (unsigned char byte : bytes) {
    const std::string text = std::to_string(byte) + ",";
    if (column + text.size() > 100) {
      os << "\n";
      column = 0;
    }
    os << text;
    column += text.size();
  }
}

void Emitter::printCodes(llvm::raw_ostream &os) const {
  std::string table;
  llvm::raw_string_ostream rows(table);
  size_t images = 0;
  for (const auto &[index, kernel] : llvm::enumerate(manifest.kernels)) {
    // The best first: code of a GPU before PTX, of later GPUs before that of earlier ones.
    std::vector<std::pair<const GeneratedCode *, rt::cuda::GpuTarget>> fitting;
    for (const GeneratedCode &code : codes)
      if (code.kernel == kernel.name)
        if (auto target = rt::cuda::parseGpuTarget(code.object.target))
          fitting.push_back({&code, *target});
    llvm::stable_sort(fitting, [](const auto &a, const auto &b) {
      auto key = [](const rt::cuda::GpuTarget &target) {
        return std::tuple(target.ptx, -target.major, -target.minor, target.suffix != 'a');
      };
      return key(a.second) < key(b.second);
    });
    for (const auto &[code, target] : fitting) {
      // Images of the driver are aligned; PTX ends with a zero.
      os << "\n/* " << comment(kernel.name) << " for " << code->object.target
         << " */\nstatic const _Alignas(16) unsigned char image_" << images << "[] = {\n";
      printBytes(code->bytes, os);
      os << (target.ptx ? "0};\n" : "};\n");
      const int rule = target.suffix == 'a' ? 0 : target.ptx && target.suffix != 'f' ? 2 : 1;
      rows << "    {" << index << ", " << rule << ", " << target.major << ", " << target.minor
           << ", " << code->object.threads << ", " << code->object.sharedBytes << ", \""
           << code->object.symbol << "\", image_" << images++ << "},\n";
    }
  }
  os << "\nstatic const struct code codes[] = {\n" << table << "};\n";
}

// A text of EmitCText.h with its names.
std::string Emitter::filled(llvm::StringRef text) const {
  std::string result = text.str();
  for (const auto &[mark, value] : {std::pair<llvm::StringRef, llvm::StringRef>("@NAME", prefix),
                                    {"@FIRST", groups.front().name},
                                    {"@TARGETS", targets}})
    for (size_t at; (at = result.find(mark)) != std::string::npos;)
      result.replace(at, mark.size(), value);
  return result;
}

bool Emitter::takes(Kind kind) const {
  return llvm::any_of(manifest.kernels, [&](const ManifestKernel &kernel) {
    return llvm::any_of(kernel.params,
                        [&](const KernelParam &param) { return param.kind == kind; });
  });
}

CSource Emitter::emit() {
  makeGroups();
  for (const std::string &target : manifest.targets)
    if (isGpuTarget(target))
      targets += (targets.empty() ? "" : ", ") + target;
  CSource result;
  result.name = prefix;
  std::string guard = "TEENY_" + llvm::StringRef(prefix).upper() + "_H";

  llvm::raw_string_ostream header(result.header), source(result.source);
  std::string made;
  for (const auto &[what, version] : manifest.provenance)
    made += (made.empty() ? "" : ", ") + what + " " + version;
  header << "/* Kernels for CUDA GPUs (" << targets
         << "), with functions that launch them. Made by " << comment(made) << ".\n *"
         << filled(emittedUsage) << "#ifndef " << guard << "\n#define " << guard
         << "\n\n#include <stdbool.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\n"
         << "extern \"C\" {\n#endif\n"
         << filled(emittedDeclarations);
  for (const Group &group : groups)
    declare(group, header);
  header << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";

  std::string functions;
  llvm::raw_string_ostream body(functions);
  for (const Group &group : groups)
    define(group, body);
  source << "/* See " << prefix << ".h. */\n#include \"" << prefix
         << ".h\"\n\n#include <dlfcn.h>\n#include <stdlib.h>\n#include <string.h>\n"
         << emittedTables;
  printCodes(source);
  source
      << "\n#define KERNELS " << manifest.kernels.size()
      << "\n\n/* Of the statuses -1, -2, and so on. */\nstatic const char *const messages[] = {\n";
  for (const std::string &message : messages)
    source << "    \"" << filled(message) << "\",\n";
  source << "};\n" << filled(emittedFunctions);
  if (takes(Kind::f16))
    source << emittedF16;
  if (takes(Kind::bf16))
    source << emittedBF16;
  source << functions;
  return result;
}

CSource teeny::emitC(const Manifest &manifest, llvm::ArrayRef<GeneratedCode> codes) {
  return Emitter(manifest, codes).emit();
}

Status teeny::writeC(const CSource &source, const std::string &folder) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return Error{ErrorCode::io, "cannot create the folder '" + folder + "': " + error.message()};
  const std::string path = folder + "/" + source.name;
  auto bytes = [](const std::string &text) { return std::as_bytes(std::span(text)); };
  if (Status status = writeFile(path + ".c", bytes(source.source)); !status)
    return status;
  return writeFile(path + ".h", bytes(source.header));
}
