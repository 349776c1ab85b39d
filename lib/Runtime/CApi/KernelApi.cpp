#include "Runtime/CApi/Handles.h"

using namespace teeny;
using namespace teeny::rt;

static Result<size_t> findKernel(const Manifest &manifest, const char *name) {
  std::string names;
  for (size_t i = 0; i < manifest.kernels.size(); ++i) {
    if (manifest.kernels[i].name == name)
      return i;
    names += (i ? ", " : "") + manifest.kernels[i].name;
  }
  return Error{ErrorCode::notFound, "the bundle has no kernel '" + std::string(name) +
                                        "'; it has: " + (names.empty() ? "none" : names)};
}

static Result<OfferedArgument> read(const Session &session, const teeny_argument &argument) {
  OfferedArgument result;
  result.name = argument.name ? argument.name : "";
  switch (argument.kind) {
  case TEENY_ARGUMENT_TENSOR: {
    TEENY_REQUIRE(argument.tensor);
    Result<OfferedTensor> tensor =
        viewOf(session, *argument.tensor, "argument '" + result.name + "'");
    if (!tensor)
      return tensor.error();
    result.kind = OfferedArgument::Kind::tensor;
    result.tensor = *tensor;
    return result;
  }
  case TEENY_ARGUMENT_INT:
    result.integer = argument.integer;
    return result;
  case TEENY_ARGUMENT_UINT:
    result.kind = OfferedArgument::Kind::unsignedInteger;
    result.unsignedInteger = static_cast<uint64_t>(argument.integer);
    return result;
  case TEENY_ARGUMENT_FLOAT:
    result.kind = OfferedArgument::Kind::real;
    result.real = argument.real;
    return result;
  }
  return Error{ErrorCode::invalid, "argument '" + result.name + "': there is no kind " +
                                       std::to_string(static_cast<int>(argument.kind))};
}

static teeny_status launch(teeny_session *session, const char *name, const int32_t *grid,
                           const teeny_argument *arguments, size_t count, bool onStream,
                           void *stream) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(session);
    TEENY_REQUIRE(name);
    TEENY_REQUIRE(grid);
    if (count != 0)
      TEENY_REQUIRE(arguments);
    Session &inner = *session->session;
    Result<size_t> kernel = findKernel(inner.manifest(), name);
    if (!kernel)
      return kernel.error();
    std::vector<OfferedArgument> offered;
    for (size_t i = 0; i < count; ++i) {
      Result<OfferedArgument> argument = read(inner, arguments[i]);
      if (!argument)
        return argument.error();
      offered.push_back(std::move(*argument));
    }
    Result<KernelLaunch> made =
        makeKernelLaunch(inner.manifest(), *kernel, {grid[0], grid[1], grid[2]}, offered);
    if (!made)
      return made.error();
    return inner.launch(*made, {session->timing, onStream, stream});
  });
}

extern "C" {

teeny_status teeny_launch_kernel(teeny_session *session, const char *kernel, const int32_t *grid,
                                 const teeny_argument *arguments, size_t argument_count) {
  return launch(session, kernel, grid, arguments, argument_count, false, nullptr);
}

teeny_status teeny_launch_kernel_on_stream(teeny_session *session, const char *kernel,
                                           const int32_t *grid, const teeny_argument *arguments,
                                           size_t argument_count, void *stream) {
  return launch(session, kernel, grid, arguments, argument_count, true, stream);
}

} // extern "C"
