// Instructions that compute a value of one thread.
#include "PtxMachine.h"
#include "PtxTypes.h"

#include <bit>

using namespace teeny::test;

namespace {
using Read = std::function<uint64_t(const PtxOperand &, const std::string &)>;

double flushed(const PtxInstruction &instruction, double value) {
  bool subnormal = value != 0 && std::fabs(value) < std::ldexp(1.0, -126);
  return instruction.has("ftz") && subnormal ? std::copysign(0.0, value) : value;
}

// Minimum or maximum; NaN where either is only with .NaN.
double extreme(const PtxInstruction &instruction, double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return instruction.has("NaN") ? NAN : std::isnan(a) ? b : a;
  bool less = a < b || (a == b && std::signbit(a));
  return (instruction.words[0] == "min") == less ? a : b;
}

bool floating(const PtxInstruction &instruction, const std::string &type,
              const std::vector<uint64_t> &in, uint64_t &out) {
  const std::string &opcode = instruction.words[0];
  std::vector<double> v;
  for (uint64_t bits : in)
    v.push_back(flushed(instruction, toDouble(type, bits)));
  uint64_t sign = uint64_t(1) << (bitsOf(type) - 1);
  double value;
  if (opcode == "neg" || opcode == "abs") {
    out = opcode == "neg" ? in[0] ^ sign : in[0] & ~sign;
    return true;
  }
  if (opcode == "add")
    value = v[0] + v[1];
  else if (opcode == "sub")
    value = v[0] - v[1];
  else if (opcode == "mul")
    value = v[0] * v[1];
  else if (opcode == "div")
    value = v[0] / v[1];
  else if (opcode == "fma" || opcode == "mad")
    value = type == "f32" ? double(std::fmaf(float(v[0]), float(v[1]), float(v[2])))
                          : std::fma(v[0], v[1], v[2]);
  else if (opcode == "min" || opcode == "max")
    value = extreme(instruction, v[0], v[1]);
  else if (opcode == "ex2")
    value = std::exp2(v[0]);
  else if (opcode == "lg2")
    value = std::log2(v[0]);
  else if (opcode == "sqrt")
    value = std::sqrt(v[0]);
  else if (opcode == "rsqrt")
    value = 1 / std::sqrt(v[0]);
  else if (opcode == "rcp")
    value = 1 / v[0];
  else if (opcode == "copysign") { // the sign comes first
    out = (in[0] & sign) | (in[1] & ~sign);
    return true;
  } else
    return false;
  out = fromDouble(type, flushed(instruction, value));
  return true;
}

uint64_t multipliedHigh(uint64_t a, uint64_t b, const std::string &type) {
  unsigned bits = bitsOf(type);
  if (isSigned(type))
    return uint64_t((__int128(signExtended(a, bits)) * signExtended(b, bits)) >> bits);
  return uint64_t((static_cast<unsigned __int128>(a) * b) >> bits);
}

bool integer(const PtxInstruction &instruction, const std::string &type,
             const std::vector<uint64_t> &in, uint64_t &out) {
  const std::string &opcode = instruction.words[0];
  unsigned bits = bitsOf(type);
  auto s = [&](unsigned i) { return signExtended(in[i], bits); };
  bool isSignedType = isSigned(type);
  if (opcode == "add")
    out = in[0] + in[1];
  else if (opcode == "sub")
    out = in[0] - in[1];
  else if (opcode == "mul" || opcode == "mad") {
    out = instruction.has("hi")     ? multipliedHigh(in[0], in[1], type)
          : instruction.has("wide") ? (isSignedType ? uint64_t(s(0) * s(1)) : in[0] * in[1])
                                    : in[0] * in[1];
    if (instruction.has("wide"))
      out = truncated(out, 2 * bits);
    if (opcode == "mad")
      out += in[2];
  } else if (opcode == "div" || opcode == "rem") {
    if (in[1] == 0)
      throw PtxError("division by zero: " + instruction.text);
    if (isSignedType)
      out = uint64_t(s(1) == -1        ? (opcode == "div" ? -s(0) : 0)
                     : opcode == "div" ? s(0) / s(1)
                                       : s(0) % s(1));
    else
      out = opcode == "div" ? in[0] / in[1] : in[0] % in[1];
  } else if (opcode == "min" || opcode == "max") {
    bool less = isSignedType ? s(0) < s(1) : in[0] < in[1];
    out = (opcode == "min") == less ? in[0] : in[1];
  } else if (opcode == "neg")
    out = -in[0];
  else if (opcode == "abs")
    out = uint64_t(std::abs(s(0)));
  else if (opcode == "and")
    out = in[0] & in[1];
  else if (opcode == "or")
    out = in[0] | in[1];
  else if (opcode == "xor")
    out = in[0] ^ in[1];
  else if (opcode == "not")
    out = ~in[0];
  else if (opcode == "popc")
    out = std::popcount(in[0]);
  else if (opcode == "clz")
    out = std::countl_zero(in[0]) - (64 - bits);
  else if (opcode == "brev") {
    out = 0;
    for (unsigned i = 0; i < bits; ++i)
      out |= (in[0] >> i & 1) << (bits - 1 - i);
  } else
    return false;
  return true;
}

// Both halves of a register of two 16-bit values.
bool pairwise(const PtxInstruction &instruction, const std::vector<uint64_t> &in, uint64_t &out) {
  std::string type = instruction.type().substr(0, instruction.type().size() - 2);
  out = 0;
  for (unsigned half = 0; half < 2; ++half) {
    std::vector<uint64_t> parts;
    for (uint64_t word : in)
      parts.push_back(truncated(word >> (16 * half), 16));
    uint64_t part;
    if (!(isFloat(type) ? floating : integer)(instruction, type, parts, part))
      return false;
    out |= truncated(part, 16) << (16 * half);
  }
  return true;
}

bool shifts(const PtxInstruction &instruction, const Read &read, uint64_t &out) {
  const std::string &opcode = instruction.words[0], &type = instruction.type();
  unsigned bits = bitsOf(type);
  const auto &operands = instruction.operands;
  if (opcode == "shl" || opcode == "shr") {
    uint64_t value = read(operands[1], type), by = read(operands[2], "u32");
    if (opcode == "shl")
      out = by >= bits ? 0 : value << by;
    else if (isSigned(type))
      out = uint64_t(signExtended(value, bits) >> std::min<uint64_t>(by, bits - 1));
    else
      out = by >= bits ? 0 : value >> by;
  } else if (opcode == "shf") {
    uint64_t both = read(operands[1], "u32") | read(operands[2], "u32") << 32,
             by = read(operands[3], "u32");
    by = instruction.has("wrap") ? by & 31 : std::min<uint64_t>(by, 32);
    out = instruction.has("l") ? (both << by) >> 32 : both >> by;
  } else if (opcode == "bfe") {
    uint64_t value = read(operands[1], type), from = read(operands[2], "u32") & 255,
             count = read(operands[3], "u32") & 255;
    value = from >= bits ? 0 : value >> from;
    out = count == 0 ? 0 : count >= bits ? value : truncated(value, count);
    if (isSigned(type) && count)
      out = uint64_t(signExtended(out, count));
  } else if (opcode == "bfi") {
    uint64_t field = read(operands[1], type), into = read(operands[2], type);
    uint64_t at = read(operands[3], "u32") & 255, count = read(operands[4], "u32") & 255;
    uint64_t mask = at >= bits ? 0 : truncated(~uint64_t(0), count) << at;
    out = (into & ~mask) | ((field << at) & mask);
  } else if (opcode == "prmt") {
    uint64_t bytes = read(operands[1], "u32") | read(operands[2], "u32") << 32,
             selector = read(operands[3], "u32");
    out = 0;
    for (unsigned i = 0; i < 4; ++i) {
      uint64_t choice = selector >> (4 * i) & 15, byte = bytes >> (8 * (choice & 7)) & 255;
      out |= (choice & 8 ? (byte & 128 ? 255 : 0) : byte) << (8 * i);
    }
  } else {
    return false;
  }
  return true;
}

bool compares(const PtxInstruction &instruction, uint64_t a, uint64_t b) {
  const std::string &type = instruction.type(), &test = instruction.words[1];
  auto decide = [&](auto x, auto y, const std::string &name) {
    return name == "eq"                   ? x == y
           : name == "ne"                 ? x != y
           : name == "lt" || name == "lo" ? x < y
           : name == "le" || name == "ls" ? x <= y
           : name == "gt" || name == "hi" ? x > y
           : name == "ge" || name == "hs" ? x >= y
                                          : throw PtxError("unknown test: " + instruction.text);
  };
  if (isFloat(type)) {
    double x = toDouble(type, a), y = toDouble(type, b);
    bool unordered = std::isnan(x) || std::isnan(y);
    if (test == "nan" || test == "num")
      return unordered == (test == "nan");
    if (test.size() == 3 && test.back() == 'u') // equ, ltu, ...: true where unordered
      return unordered || decide(x, y, test.substr(0, 2));
    return !unordered && decide(x, y, test);
  }
  unsigned bits = bitsOf(type);
  if (isSigned(type))
    return decide(signExtended(a, bits), signExtended(b, bits), test);
  return decide(a, b, test);
}

// cvt.<rounding>.<to>.<from>; two operands make a pair.
bool converts(const PtxInstruction &instruction, const Read &read, uint64_t &out) {
  const auto &words = instruction.words;
  const std::string &from = words.back(), &to = words[words.size() - 2];
  if (from == "e4m3x2" || from == "e5m2x2") {
    uint64_t pair = read(instruction.operands[1], "b16");
    std::string single = from.substr(0, 4);
    out = fromDouble("f16", toDouble(single, pair >> 8)) << 16 |
          fromDouble("f16", toDouble(single, pair & 255));
    return true;
  }
  if (to.size() > 2 && to.substr(to.size() - 2) == "x2") {
    std::string half = to.substr(0, to.size() - 2);
    out = fromDouble(half, toDouble(from, read(instruction.operands[1], from))) << bitsOf(half) |
          fromDouble(half, toDouble(from, read(instruction.operands[2], from)));
    return true;
  }
  uint64_t bits = read(instruction.operands[1], from);
  if (to == "tf32") { // 10 bits of fraction, ties away from zero
    out = (bits + 0x1000) & ~uint64_t(0x1fff);
    return true;
  }
  double value = isFloat(from)    ? toDouble(from, bits)
                 : isSigned(from) ? double(signExtended(bits, bitsOf(from)))
                                  : double(bits);
  double whole = instruction.has("rzi")   ? std::trunc(value)
                 : instruction.has("rni") ? std::nearbyint(value)
                 : instruction.has("rmi") ? std::floor(value)
                 : instruction.has("rpi") ? std::ceil(value)
                                          : value;
  if (isFloat(to)) {
    if (instruction.has("rz") && toDouble(to, fromDouble(to, whole)) != whole && bitsOf(to) < 64) {
      uint64_t nearest = fromDouble(to, whole); // one back where it was rounded away from zero
      out = std::fabs(toDouble(to, nearest)) > std::fabs(whole) ? nearest - 1 : nearest;
      return true;
    }
    // Integers of 64 bits do not fit into a double; those of f32 are rounded once all the same.
    if (!isFloat(from) && to == "f32" && bitsOf(from) == 64) {
      float narrow = isSigned(from) ? float(int64_t(bits)) : float(bits);
      out = fromDouble("f32", narrow);
      return true;
    }
    out = fromDouble(to, instruction.has("sat") ? std::min(1.0, std::max(0.0, whole)) : whole);
    return true;
  }
  if (isFloat(from)) { // saturates; NaN becomes 0
    unsigned width = bitsOf(to);
    double least = isSigned(to) ? -std::ldexp(1.0, width - 1) : 0;
    double most = isSigned(to) ? std::ldexp(1.0, width - 1) : std::ldexp(1.0, width);
    if (std::isnan(whole))
      out = 0;
    else if (whole >= most)
      out = isSigned(to) ? (uint64_t(1) << (width - 1)) - 1 : truncated(~uint64_t(0), width);
    else if (whole < least)
      out = isSigned(to) ? uint64_t(1) << (width - 1) : 0;
    else
      out = isSigned(to) ? uint64_t(int64_t(whole)) : uint64_t(whole);
    return true;
  }
  // Widened by the source's sign, then cut to the target, whose own sign fills its register.
  uint64_t wide = isSigned(from) ? uint64_t(signExtended(bits, bitsOf(from))) : bits;
  out = isSigned(to) ? uint64_t(signExtended(wide, bitsOf(to))) : truncated(wide, bitsOf(to));
  return true;
}
} // namespace

namespace teeny::test {
bool computes(const PtxInstruction &instruction, const Read &read, uint64_t &out) {
  const std::string &opcode = instruction.words[0], &type = instruction.type();
  const auto &operands = instruction.operands;
  if (opcode == "mov" || opcode == "cvta") {
    out = read(operands[1], type);
    return true;
  }
  if (opcode == "cvt")
    return converts(instruction, read, out);
  if (opcode == "setp") {
    out = compares(instruction, read(operands[1], type), read(operands[2], type));
    if (operands.size() == 4) {
      bool other = read(operands[3], "pred");
      out = instruction.has("and")  ? out && other
            : instruction.has("or") ? out || other
                                    : out != other;
    }
    return true;
  }
  if (opcode == "testp") {
    double value = toDouble(type, read(operands[1], type));
    out = instruction.has("infinite")     ? std::isinf(value)
          : instruction.has("finite")     ? std::isfinite(value)
          : instruction.has("notanumber") ? std::isnan(value)
                                          : !std::isnan(value);
    return true;
  }
  if (opcode == "selp") {
    out = read(operands[3], "pred") ? read(operands[1], type) : read(operands[2], type);
    return true;
  }
  if (shifts(instruction, read, out))
    return true;
  std::vector<uint64_t> in;
  for (unsigned i = 1; i < operands.size(); ++i) {
    bool wideAddend = instruction.has("wide") && i == 3;
    in.push_back(read(operands[i], wideAddend ? "b" + std::to_string(2 * bitsOf(type)) : type));
  }
  if (type.size() > 2 && type.substr(type.size() - 2) == "x2")
    return pairwise(instruction, in, out);
  return isFloat(type) ? floating(instruction, type, in, out) : integer(instruction, type, in, out);
}
} // namespace teeny::test
