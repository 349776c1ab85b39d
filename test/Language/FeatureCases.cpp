#include "FeatureCases.h"
#include "LanguageSupport.h"

#include "Base/File.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>

using namespace teeny;
using namespace teeny::test;

namespace {

uint64_t splitmix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t seedOf(llvm::StringRef text) {
  uint64_t seed = 0xcbf29ce484222325;
  for (unsigned char byte : text)
    seed = (seed ^ byte) * 0x100000001b3;
  return seed;
}

double normal(uint64_t hash) {
  int64_t sum = 0;
  for (int shift : {0, 16, 32, 48})
    sum += int64_t(hash >> shift & 0xffff);
  return double(sum - 131070) / 32768;
}

struct TypeName {
  const char *signature;
  DType dtype;
  int exponent, mantissa; // bits, of a float
};
constexpr TypeName typeNames[] = {
    {"fp64", DType::f64, 11, 52}, {"fp32", DType::f32, 8, 23},      {"fp16", DType::f16, 5, 10},
    {"bf16", DType::bf16, 8, 7},  {"fp8e4nv", DType::f8e4m3, 4, 3}, {"fp8e5", DType::f8e5m2, 5, 2},
    {"i64", DType::i64, 0, 0},    {"i32", DType::i32, 0, 0},        {"i16", DType::i16, 0, 0},
    {"i8", DType::i8, 0, 0},      {"u64", DType::u64, 0, 0},        {"u32", DType::u32, 0, 0},
    {"u16", DType::u16, 0, 0},    {"u8", DType::u8, 0, 0},          {"i1", DType::boolean, 0, 0}};

const TypeName &typeOf(llvm::StringRef name) {
  for (const TypeName &type : typeNames)
    if (name == type.signature)
      return type;
  FAIL("unknown type '" << name.str() << "'");
  return typeNames[0];
}

// One of the values at the edges of a type, subnormal ones included or not.
void setSpecial(HostTensor &tensor, int64_t index, const TypeName &type, uint64_t hash,
                bool subnormal) {
  if (type.mantissa) {
    int bias = (1 << (type.exponent - 1)) - 1;
    double largest = (2 - std::ldexp(1.0, -type.mantissa)) * std::ldexp(1.0, bias);
    double infinity = std::numeric_limits<double>::infinity();
    if (type.dtype == DType::f8e4m3) // has no infinities: only the last code is NaN
      infinity = largest = 448;
    double smallest = std::ldexp(1.0, 1 - bias), tiny = std::ldexp(smallest, -type.mantissa);
    double negative = -3 * tiny;
    if (!subnormal) {
      tiny = 3;
      negative = -0.5;
    }
    const double values[] = {NAN,      infinity, -infinity, -0.0, 0.0, tiny, negative, largest,
                             -largest, smallest, 1,         -1,   0.5, 2.5,  -3.5,     0};
    uint64_t choice = hash % std::size(values);
    return tensor.setReal(index, choice == 15 ? normal(splitmix(hash)) : values[choice]);
  }
  int bits = type.dtype == DType::boolean ? 1 : int(8 * byteSize(type.dtype));
  bool isSigned = bits > 1 && type.signature[0] == 'i';
  uint64_t low = isSigned ? uint64_t(-1) << (bits - 1) : 0;
  uint64_t high = isSigned ? ~low : uint64_t(-1) >> (64 - bits);
  auto least = [&](uint64_t value) { return std::min(value, high); };
  const uint64_t values[] = {
      0,        least(1), isSigned ? uint64_t(-1) : high, low, high, low + 1, high - 1, least(2),
      least(3), least(7), least(splitmix(hash) & 63)};
  tensor.setInteger(index, int64_t(values[hash % std::size(values)]));
}

void fill(HostTensor &tensor, const TypeName &type, llvm::StringRef contents, uint64_t seed) {
  if (contents.empty()) {
    std::memset(tensor.bytes().data(), 0xa5, tensor.bytes().size());
    return;
  }
  auto [kind, rest] = contents.split(':');
  int64_t low = 0, high = 0, step = 0;
  double value = 0;
  if (kind == "ints")
    REQUIRE((!rest.split("..").first.getAsInteger(10, low) &&
             !rest.split("..").second.getAsInteger(10, high) && low <= high));
  if (kind == "permutation")
    REQUIRE((!rest.getAsInteger(10, step) && std::gcd(step, tensor.elements()) == 1));
  if (kind == "value")
    REQUIRE(!rest.getAsDouble(value));
  for (int64_t i = 0; i != tensor.elements(); ++i) {
    uint64_t hash = splitmix(seed + uint64_t(i));
    auto set = [&](double number) { tensor.setReal(i, number); };
    if (kind == "normal")
      set(normal(hash));
    else if (kind == "unit")
      set(double(hash >> 40) / (1 << 24));
    else if (kind == "positive")
      set(double(1 + (hash >> 42)) / (1 << 20));
    else if (kind == "special")
      setSpecial(tensor, i, type, hash, true);
    else if (kind == "edges")
      setSpecial(tensor, i, type, hash, false);
    else if (kind == "bits")
      std::memcpy(&tensor.bytes()[i * byteSize(type.dtype)],
                  &(hash &= type.dtype == DType::boolean ? 1 : ~uint64_t(0)), byteSize(type.dtype));
    else if (kind == "ints")
      set(double(low + int64_t(hash % uint64_t(high - low + 1))));
    else if (kind == "iota")
      set(double(i));
    else if (kind == "permutation")
      set(double(i * step % tensor.elements()));
    else if (kind == "value")
      set(value);
    else
      FAIL("unknown contents '" << contents.str() << "'");
  }
}

FeatureArgument readArgument(const FeatureCase &owner, const std::string &name,
                             const nlohmann::ordered_json &json) {
  INFO("argument " << name);
  FeatureArgument argument;
  if (!json.is_string()) {
    argument.spec.kind = ParamSpec::constexprValue;
    argument.spec.value = parseConstant(json.is_boolean() ? (json.get<bool>() ? "True" : "False")
                                        : json.is_null()  ? "None"
                                                          : json.dump());
    argument.spec.name = name;
    return argument;
  }
  std::string text = json.get<std::string>();
  llvm::StringRef rest = text;
  if (rest.consume_front("*")) {
    auto [typeName, afterType] = rest.split('[');
    auto [count, after] = afterType.split(']');
    int64_t elements = 0;
    REQUIRE((!count.getAsInteger(10, elements) && elements > 0));
    const TypeName &type = typeOf(typeName);
    after = after.trim();
    argument.output = after.consume_front("out");
    argument.spec.kind = ParamSpec::pointer;
    argument.spec.type = *ScalarType::parse(typeName);
    argument.spec.divisibility = 16;
    argument.dtype = type.dtype;
    argument.contents = HostTensor(type.dtype, {elements});
    fill(argument.contents, type, after.trim(), seedOf(owner.name + "." + name));
  } else {
    auto [typeName, value] = rest.split(' ');
    if (typeName == "constexpr") {
      argument.spec.kind = ParamSpec::constexprValue;
      argument.spec.value = parseConstant(value);
    } else {
      const TypeName &type = typeOf(typeName);
      argument.spec.kind = ParamSpec::scalar;
      argument.spec.type = *ScalarType::parse(typeName);
      HostTensor scalar(type.dtype, {1});
      int64_t integer;
      double real;
      if (!value.getAsInteger(0, integer)) {
        type.mantissa ? scalar.setReal(0, double(integer)) : scalar.setInteger(0, integer);
        argument.slot = uint64_t(integer); // extended by its sign
      } else {
        REQUIRE((type.mantissa && !value.getAsDouble(real)));
        scalar.setReal(0, real);
      }
      if (type.mantissa) {
        argument.slot = 0;
        std::memcpy(&argument.slot, scalar.bytes().data(), scalar.bytes().size());
      }
    }
  }
  argument.spec.name = name;
  return argument;
}

} // namespace

std::vector<FeatureCase> teeny::test::loadFeatureCases() {
  std::set<std::string> tables;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator file(TEENY_SOURCE_DIR "/test/Language/features", error),
       end;
       file != end && !error; file.increment(error))
    if (llvm::StringRef(file->path()).ends_with(".json"))
      tables.insert(file->path());
  REQUIRE(!error);
  std::vector<FeatureCase> cases;
  for (const std::string &table : tables) {
    INFO(table);
    Result<MappedFile> file = MappedFile::open(table);
    REQUIRE(file);
    auto *begin = reinterpret_cast<const char *>(file->bytes().data());
    auto json = nlohmann::ordered_json::parse(begin, begin + file->bytes().size());
    std::string stem = llvm::sys::path::stem(table).str();
    std::map<std::string, int> count;
    for (const auto &entry : json) {
      FeatureCase one;
      one.kernel = entry.at("kernel").get<std::string>();
      int number = ++count[one.kernel];
      one.name = stem + "." + one.kernel + (number > 1 ? "." + std::to_string(number) : "");
      INFO(one.name);
      one.file = entry.contains("file") ? TEENY_SOURCE_DIR "/" + entry["file"].get<std::string>()
                                        : table.substr(0, table.size() - 4) + "py";
      std::vector<int32_t> grid = entry.value("grid", std::vector<int32_t>{1});
      REQUIRE(grid.size() <= 3);
      std::copy(grid.begin(), grid.end(), one.grid.begin());
      one.warps = entry.value("warps", 4);
      one.capability = entry.value("capability", 0);
      one.relative = entry.value("relative", 0.0);
      one.tolerance = entry.value("tolerance", 0.0);
      one.zeroSigns = !entry.contains("zero_signs");
      for (const auto &[name, value] : entry.at("args").items())
        one.arguments.push_back(readArgument(one, name, value));
      cases.push_back(std::move(one));
    }
  }
  return cases;
}
