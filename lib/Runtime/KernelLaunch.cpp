#include "Runtime/KernelLaunch.h"

#include "Bundle/ParamType.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace teeny::rt {

// The bits of a value in a float format of 16 bits.
static uint16_t halfBits(double value, int exponentBits, int mantissaBits) {
  const int bias = (1 << (exponentBits - 1)) - 1, top = (1 << exponentBits) - 1;
  const uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  const uint32_t infinity = uint32_t(top) << mantissaBits;
  if (std::isnan(value))
    return static_cast<uint16_t>(sign | infinity | 1u << (mantissaBits - 1));
  const double magnitude = std::fabs(value);
  if (magnitude == 0)
    return static_cast<uint16_t>(sign);
  if (std::isinf(value))
    return static_cast<uint16_t>(sign | infinity);
  // Below the least normal number, the exponent stays and the leading bit goes.
  const int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  if (exponent > bias)
    return static_cast<uint16_t>(sign | infinity);
  const double scaled = std::nearbyint(std::ldexp(magnitude, mantissaBits - exponent));
  // A carry out of the mantissa goes into the exponent, and from there to infinity, as it should.
  return static_cast<uint16_t>(sign + (uint32_t(exponent + bias - 1) << mantissaBits) +
                               static_cast<uint32_t>(scaled));
}

uint64_t floatSlot(double value, KernelParam::Kind kind) {
  switch (kind) {
  case KernelParam::Kind::f16:
    return halfBits(value, 5, 10);
  case KernelParam::Kind::bf16:
    return halfBits(value, 8, 7);
  case KernelParam::Kind::f32:
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  default:
    return std::bit_cast<uint64_t>(value);
  }
}

namespace {

class LaunchMaker {
public:
  LaunchMaker(const ManifestKernel &kernel, KernelLaunch &launch)
      : kernel(kernel), launch(launch) {}

  Status grid() const;
  Status arguments(std::span<const OfferedArgument> offered);

private:
  Error error(const std::string &message, ErrorCode code = ErrorCode::invalid) const {
    return {code, "kernel '" + kernel.name + "': " + message};
  }
  Result<size_t> parameterOf(const OfferedArgument &argument, size_t place) const;
  Status add(const KernelParam &param, const OfferedArgument &argument);
  Status addTensor(const KernelParam &param, const ParamType &type, const OfferedTensor &tensor);
  Status addInteger(const KernelParam &param, const ParamType &type,
                    const OfferedArgument &argument);

  const ManifestKernel &kernel;
  KernelLaunch &launch;
};

} // namespace

// Kernels rely on these limits, which are those of GPUs, on every device.
Status LaunchMaker::grid() const {
  const auto &[x, y, z] = launch.grid;
  const std::string text =
      "the grid is " + std::to_string(x) + " x " + std::to_string(y) + " x " + std::to_string(z);
  if (x < 0 || y < 0 || z < 0)
    return error(text + ", below 0");
  if (y > 65535 || z > 65535)
    return error(text + ", at most 65535 programs are allowed along y and z",
                 ErrorCode::outOfRange);
  return {};
}

static std::string described(const KernelParam &param) {
  return "parameter '" + param.name + "' (" + param.type + ")";
}

Result<size_t> LaunchMaker::parameterOf(const OfferedArgument &argument, size_t place) const {
  if (argument.name.empty()) {
    if (place < kernel.params.size())
      return place;
    return error(std::to_string(place + 1) + " arguments, it takes " +
                 std::to_string(kernel.params.size()));
  }
  std::string names;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    if (kernel.params[i].name == argument.name)
      return i;
    names += (i ? ", " : "") + kernel.params[i].name;
  }
  for (const KernelConstant &constant : kernel.constants)
    if (constant.name == argument.name)
      return error("parameter '" + constant.name +
                   "' is no argument: the kernel was compiled for " + constant.name + " = " +
                   constant.value);
  return error("it has no parameter '" + argument.name +
                   "'; it has: " + (names.empty() ? "none" : names),
               ErrorCode::notFound);
}

Status LaunchMaker::addTensor(const KernelParam &param, const ParamType &type,
                              const OfferedTensor &tensor) {
  if (tensor.dtype != type.element)
    return error(described(param) + ": the dtype is " + name(tensor.dtype) + ", expected " +
                 name(type.element));
  Result<int64_t> bytes = checkMemory(tensor, described(param));
  if (!bytes)
    return error(bytes.error().message, bytes.error().code);
  if (tensor.data.address % uint64_t(param.multipleOf) != 0)
    return error(described(param) + ": the address is no multiple of " +
                 std::to_string(param.multipleOf) + " bytes, which the kernel was compiled for");
  launch.memory.push_back(
      {launch.args.size(), tensor.data, static_cast<size_t>(*bytes), param.written});
  launch.args.push_back(0);
  return {};
}

Status LaunchMaker::addInteger(const KernelParam &param, const ParamType &type,
                               const OfferedArgument &argument) {
  const bool isUnsigned = argument.kind == OfferedArgument::Kind::unsignedInteger;
  const uint64_t bits =
      isUnsigned ? argument.unsignedInteger : static_cast<uint64_t>(argument.integer);
  const std::string text = isUnsigned ? std::to_string(bits) : std::to_string(argument.integer);
  // Beyond int64 there is u64 alone, and only where no range is stated.
  const bool large = isUnsigned && bits > uint64_t(INT64_MAX);
  const bool wholeU64 = type.isUnsigned && type.max == INT64_MAX && !param.range;
  const auto [min, max] = param.range.value_or(std::pair(type.min, type.max));
  const int64_t value = static_cast<int64_t>(bits);
  if (large ? !wholeU64 : value < min || value > max)
    return error(described(param) + ": " + text + " is outside " + std::to_string(min) + " to " +
                     (wholeU64 ? std::to_string(UINT64_MAX) : std::to_string(max)),
                 ErrorCode::outOfRange);
  const bool divides =
      large ? bits % uint64_t(param.multipleOf) == 0 : value % param.multipleOf == 0;
  if (!divides)
    return error(described(param) + ": " + text + " is no multiple of " +
                 std::to_string(param.multipleOf) + ", which the kernel was compiled for");
  launch.args.push_back(bits);
  return {};
}

Status LaunchMaker::add(const KernelParam &param, const OfferedArgument &argument) {
  using Kind = OfferedArgument::Kind;
  const std::optional<ParamType> type = parseParamType(param.type);
  assert(type && "the manifest is checked");
  const char *found = argument.kind == Kind::tensor ? "a tensor"
                      : argument.kind == Kind::real ? "a float"
                                                    : "an integer";
  if (param.kind == KernelParam::Kind::buffer && argument.kind == Kind::tensor)
    return addTensor(param, *type, argument.tensor);
  if (type->isInteger() &&
      (argument.kind == Kind::integer || argument.kind == Kind::unsignedInteger))
    return addInteger(param, *type, argument);
  if (type->isFloat() && argument.kind == Kind::real) {
    launch.args.push_back(floatSlot(argument.real, param.kind));
    return {};
  }
  const char *expected = param.kind == KernelParam::Kind::buffer ? "a tensor"
                         : type->isInteger()                     ? "an integer"
                                                                 : "a float";
  return error(described(param) + ": the argument is " + found + ", expected " + expected);
}

Status LaunchMaker::arguments(std::span<const OfferedArgument> offered) {
  std::vector<const OfferedArgument *> given(kernel.params.size(), nullptr);
  for (size_t i = 0; i < offered.size(); ++i) {
    Result<size_t> index = parameterOf(offered[i], i);
    if (!index)
      return index.error();
    if (given[*index])
      return error(described(kernel.params[*index]) + " has two arguments");
    given[*index] = &offered[i];
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i])
      return error(described(kernel.params[i]) + " has no argument");
    if (Status status = add(kernel.params[i], *given[i]); !status)
      return status;
  }
  return {};
}

Result<KernelLaunch> makeKernelLaunch(const Manifest &manifest, size_t kernel,
                                      const std::array<int32_t, 3> &grid,
                                      std::span<const OfferedArgument> arguments) {
  const ManifestKernel &wanted = manifest.kernels[kernel];
  if (!wanted.hasSignature())
    return Error{ErrorCode::unsupported,
                 "kernel '" + wanted.name +
                     "' belongs to the bundle's launches: it was not compiled with a signature"};
  KernelLaunch launch;
  launch.kernel = kernel;
  launch.grid = grid;
  launch.empty = std::find(grid.begin(), grid.end(), 0) != grid.end();
  LaunchMaker maker(wanted, launch);
  if (Status status = maker.grid(); !status)
    return status.error();
  if (Status status = maker.arguments(arguments); !status)
    return status.error();
  return launch;
}

} // namespace teeny::rt
