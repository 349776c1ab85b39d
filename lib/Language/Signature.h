// Kernels without a graph: what the command line says of a kernel's parameters.
//
//   --signature '*fp16:16, *fp16, i32:16, fp32, 1024'
//
// is the spelling of Triton's ahead-of-time compiler. Items stand for the parameters in their
// order, separated by commas; an item is
//
//   a type       i1 i8 i16 i32 i64, u8 u16 u32 u64, fp16 bf16 fp32 fp64, or a pointer: *fp16,
//                *fp8e4nv, ...; *kfp16 is a pointer that the kernel must not store through
//   type:16      the integer, or the address in bytes, is a multiple of 16
//   type:1       the integer is 1, and so is known at compile time
//   a value      True, False, None, 'text', 128, -1, 0.5, inf, -inf, nan, tl.float32: the parameter
//                is known at compile time
//   NAME=item    the same for a parameter by its name; then all that follow are named
//
// Parameters with a default value may be left out. `--range N=1:4096` says between which values,
// both included, an integer is, `--global NAME=VALUE` what a global of the file is.
//
// Each text is a Source of its own, so that an error shows where in it the mistake is.
#pragma once

#include "Language/Language.h"

namespace teeny {

// What is said of the parameters of `kernel`, in its order, but for those that keep their default.
// None, with errors reported, where the text does not fit the kernel.
std::optional<std::vector<ParamSpec>> parseSignature(const Source *text, const KernelInfo &kernel,
                                                     Diagnostics &diagnostics);

// A type as signatures spell it: "*fp16", "i32"; empty for one that they have no name for.
std::string signatureType(const ParamSpec &parameter);

struct NamedRange {
  std::string name;
  SourceLocation place;             // of the name
  std::optional<int64_t> low, high; // none: as far as the type goes
  SourceLocation lowPlace, highPlace;
};
// "N=1:4096", "N=1:", "N=:4096".
std::optional<NamedRange> parseRange(const Source *text, Diagnostics &diagnostics);
// Adds a range to the parameter of its name, one of `kernel`. False, with an error, where that is
// no integer of the kernel that can be so.
bool applyRange(const NamedRange &range, const KernelInfo &kernel,
                std::vector<ParamSpec> &parameters, Diagnostics &diagnostics);

// "NAME=VALUE": a global that the kernel file `file` mentions.
std::optional<std::pair<std::string, ConstValue>>
parseGlobal(const Source *text, const Source &file, Diagnostics &diagnostics);

// A value as the language spells it: 128, 0.5, True, None, 'text', tl.float32.
std::string constText(const ConstValue &value);

} // namespace teeny
