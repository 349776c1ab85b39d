#include "Runtime/CApi/Handles.h"
#include "Runtime/DLPack.h"

using namespace teeny;
using namespace teeny::rt;

static Result<size_t> findTensor(const std::vector<ManifestTensor> &tensors, const char *name,
                                 const char *what) {
  std::string names;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].name == name)
      return i;
    names += (i ? ", " : "") + tensors[i].name;
  }
  return Error{ErrorCode::notFound, "the bundle has no " + std::string(what) + " '" + name +
                                        "'; it has: " + (names.empty() ? "none" : names)};
}

static std::string inputName(const char *name) { return "input '" + std::string(name) + "'"; }
static std::string outputName(const char *name) { return "output '" + std::string(name) + "'"; }

// Takes over `object`, if there is one, only when nothing can fail any more.
static Status bind(teeny_session *session, bool isInput, const char *name,
                   const OfferedTensor &view, void *object = nullptr,
                   Owned::Release release = nullptr) {
  const Manifest &manifest = session->session->manifest();
  const std::vector<ManifestTensor> &tensors = isInput ? manifest.inputs : manifest.outputs;
  Result<size_t> index = findTensor(tensors, name, isInput ? "input" : "output");
  if (!index)
    return index.error();
  Result<Binding> binding =
      makeBinding(view, tensors[*index], isInput ? inputName(name) : outputName(name));
  if (!binding)
    return binding.error();
  binding->owned = Owned(object, release);
  if (isInput)
    session->session->bindInput(*index, std::move(*binding));
  else
    session->session->bindOutput(*index, std::move(*binding));
  return {};
}

Result<OfferedTensor> rt::viewOf(const Session &session, const teeny_tensor &tensor,
                                 const std::string &what) {
  OfferedTensor view;
  std::optional<DType> dtype = fromC(tensor.dtype);
  if (!dtype)
    return Error{ErrorCode::invalid,
                 what + ": there is no dtype " + std::to_string(static_cast<int>(tensor.dtype))};
  if (tensor.rank != 0 && !tensor.shape)
    return Error{ErrorCode::invalid, what + ": the shape is NULL"};
  if (tensor.memory != TEENY_HOST && tensor.memory != TEENY_DEVICE)
    return Error{ErrorCode::invalid,
                 what + ": there is no memory " + std::to_string(static_cast<int>(tensor.memory))};
  if (tensor.memory == TEENY_DEVICE && session.device().usesHostMemory())
    return Error{ErrorCode::unsupported,
                 what + ": the data is device memory, and the session runs on the CPU"};
  view.dtype = *dtype;
  view.shape = {tensor.shape, tensor.rank};
  view.strides = tensor.strides;
  view.data = {reinterpret_cast<uint64_t>(tensor.data), tensor.memory == TEENY_HOST};
  return view;
}

static teeny_status bindTensor(teeny_session *session, bool isInput, const char *name,
                               const teeny_tensor *tensor) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(session);
    TEENY_REQUIRE(name);
    if (!tensor && !isInput) {
      Result<size_t> index = findTensor(session->session->manifest().outputs, name, "output");
      if (!index)
        return index.error();
      session->session->bindOutput(*index, std::nullopt);
      return {};
    }
    TEENY_REQUIRE(tensor);
    Result<OfferedTensor> view =
        viewOf(*session->session, *tensor, isInput ? inputName(name) : outputName(name));
    if (!view)
      return view.error();
    return bind(session, isInput, name, *view);
  });
}

static Result<OfferedTensor> viewOf(const Session &session, const dlpack::Tensor &tensor,
                                    const std::string &what) {
  OfferedTensor view;
  const dlpack::DataType type = tensor.dtype;
  std::optional<DType> dtype = dlpack::dtypeOf(type);
  if (!dtype)
    return Error{ErrorCode::unsupported, what + ": no bundle has the DLPack type with code " +
                                             std::to_string(type.code) + ", " +
                                             std::to_string(type.bits) + " bits and " +
                                             std::to_string(type.lanes) + " lanes"};
  if (tensor.rank < 0 || (tensor.rank > 0 && !tensor.shape))
    return Error{ErrorCode::invalid, what + ": the DLPack tensor has no valid shape"};
  bool host;
  switch (tensor.device.type) {
  case dlpack::cpu:
  case dlpack::cudaHost:
    host = true;
    break;
  case dlpack::cudaManaged: // both sides can use it
    host = session.device().usesHostMemory();
    break;
  case dlpack::cuda:
    if (session.device().usesHostMemory() || tensor.device.id != session.device().ordinal())
      return Error{ErrorCode::unsupported,
                   what + ": the data is on the device cuda:" + std::to_string(tensor.device.id) +
                       ", and the session runs on " + session.device().describe()};
    host = false;
    break;
  default:
    return Error{ErrorCode::unsupported, what + ": the data is on a device of the DLPack type " +
                                             std::to_string(tensor.device.type) +
                                             ", expected CPU or CUDA memory"};
  }
  view.dtype = *dtype;
  view.shape = {tensor.shape, static_cast<size_t>(tensor.rank)};
  view.strides = tensor.strides;
  view.data = {reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset, host};
  return view;
}

template <typename Managed>
static teeny_status bindManaged(teeny_session *session, bool isInput, const char *name,
                                Managed *managed) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(session);
    TEENY_REQUIRE(name);
    const Managed *tensor = managed;
    TEENY_REQUIRE(tensor);
    const std::string what = isInput ? inputName(name) : outputName(name);
    if constexpr (std::is_same_v<Managed, dlpack::ManagedTensorVersioned>) {
      if (tensor->major != dlpack::knownMajor)
        return Error{ErrorCode::unsupported, what + ": the tensor is DLPack version " +
                                                 std::to_string(tensor->major) + ", expected " +
                                                 std::to_string(dlpack::knownMajor)};
      if (!isInput && (tensor->flags & dlpack::readOnlyFlag))
        return Error{ErrorCode::invalid, what + ": the DLPack tensor is read-only"};
    }
    Result<OfferedTensor> view = viewOf(*session->session, tensor->tensor, what);
    if (!view)
      return view.error();
    return bind(session, isInput, name, *view, managed, [](void *object) {
      auto *owned = static_cast<Managed *>(object);
      if (owned->deleter)
        owned->deleter(owned);
    });
  });
}

static dlpack::ManagedTensor *known(DLManagedTensor *tensor) {
  return reinterpret_cast<dlpack::ManagedTensor *>(tensor);
}
static dlpack::ManagedTensorVersioned *known(DLManagedTensorVersioned *tensor) {
  return reinterpret_cast<dlpack::ManagedTensorVersioned *>(tensor);
}

extern "C" {

teeny_status teeny_bind_input(teeny_session *session, const char *name,
                              const teeny_tensor *tensor) {
  return bindTensor(session, true, name, tensor);
}
teeny_status teeny_bind_output(teeny_session *session, const char *name,
                               const teeny_tensor *tensor) {
  return bindTensor(session, false, name, tensor);
}

teeny_status teeny_bind_input_dlpack(teeny_session *session, const char *name,
                                     DLManagedTensor *tensor) {
  return bindManaged(session, true, name, known(tensor));
}
teeny_status teeny_bind_output_dlpack(teeny_session *session, const char *name,
                                      DLManagedTensor *tensor) {
  return bindManaged(session, false, name, known(tensor));
}
teeny_status teeny_bind_input_dlpack_versioned(teeny_session *session, const char *name,
                                               DLManagedTensorVersioned *tensor) {
  return bindManaged(session, true, name, known(tensor));
}
teeny_status teeny_bind_output_dlpack_versioned(teeny_session *session, const char *name,
                                                DLManagedTensorVersioned *tensor) {
  return bindManaged(session, false, name, known(tensor));
}

} // extern "C"
