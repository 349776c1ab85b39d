// What the opaque types of the C API hold.
#pragma once

#include "Bundle/BundleFile.h"
#include "Runtime/CApi/Status.h"
#include "Runtime/Session.h"

#include <memory>
#include <string>
#include <vector>

namespace teeny::rt {

// The strings that accessors hand out, made once: arrays of pointers into them stay valid.
struct TensorStrings {
  std::vector<std::string> shape;
  std::vector<const char *> pointers;
};
struct KernelStrings {
  std::vector<const char *> targets;
};

// The C enumeration is the C++ one.
inline teeny_dtype toC(DType type) { return static_cast<teeny_dtype>(type); }
std::optional<DType> fromC(teeny_dtype type);

// A tensor as a caller of the session offers it; `what` begins the texts of errors.
Result<OfferedTensor> viewOf(const Session &session, const teeny_tensor &tensor,
                             const std::string &what);

} // namespace teeny::rt

struct teeny_bundle {
  std::shared_ptr<const teeny::BundleFile> file;
  std::vector<teeny::rt::TensorStrings> inputs, outputs;
  std::vector<teeny::rt::KernelStrings> kernels;
  std::string description; // JSON
};

struct teeny_session {
  std::unique_ptr<teeny::rt::Session> session;
  std::string device;
  teeny::rt::Timing timing = teeny::rt::Timing::none;
};
