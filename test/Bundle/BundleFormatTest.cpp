// Reads a bundle as a stranger would: nothing here but the JSON library, by the rules of the
// safetensors format and of lib/Bundle/README.md.
#include "Bundle/Sample.h"

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <map>

namespace {

struct Entry {
  std::string name;
  uint64_t begin, end;
};

const std::map<std::string, uint64_t> elementBytes = {{"F32", 4}, {"U8", 1}};

int alignmentByRule(const std::string &name) {
  if (name.rfind("teeny/code/", 0) == 0)
    return 64;
  return name.rfind("teeny/", 0) == 0 ? 1 : 256;
}

} // namespace

TEST_CASE("a bundle keeps the rules of the format") {
  std::vector<std::byte> bytes = sampleBundle();
  const auto *file = reinterpret_cast<const unsigned char *>(bytes.data());

  // The header: a length, then JSON that begins with a brace and ends with spaces only.
  uint64_t length = 0;
  for (int i = 0; i < 8; ++i)
    length |= uint64_t(file[i]) << (8 * i);
  REQUIRE(length <= bytes.size() - 8);
  CHECK((8 + length) % 4096 == 0);
  std::string header(file + 8, file + 8 + length);
  CHECK(header[0] == '{');
  size_t last = header.find_last_not_of(' ');
  CHECK(header[last] == '}');
  CHECK(header.size() - last <= 4096);
  nlohmann::json json = nlohmann::json::parse(header);
  CHECK(json["__metadata__"] == nlohmann::json{{"format", "teeny"}, {"version", "1"}});

  // The tensors: sizes as the shapes say, no hole, no overlap, nothing behind.
  std::vector<Entry> entries;
  for (auto &[name, info] : json.items()) {
    if (name == "__metadata__")
      continue;
    REQUIRE(info.size() == 3);
    uint64_t size = elementBytes.at(info["dtype"]);
    for (uint64_t dim : info["shape"])
      size *= dim;
    Entry entry = {name, info["data_offsets"][0], info["data_offsets"][1]};
    CHECK(entry.end - entry.begin == size);
    entries.push_back(entry);
  }
  std::sort(entries.begin(), entries.end(), [](auto &a, auto &b) { return a.begin < b.begin; });
  uint64_t at = 0;
  for (const Entry &entry : entries) {
    CHECK(entry.begin == at);
    at = entry.end;
  }
  CHECK(at == bytes.size() - 8 - length);

  // The order: alignment, large first, then name; pads are zeros, numbered, only as long as needed.
  std::vector<std::string> order;
  int pads = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry &entry = entries[i];
    if (entry.name.rfind("teeny/pad/", 0) == 0) {
      CHECK(entry.name == "teeny/pad/" + std::to_string(pads++));
      for (uint64_t k = entry.begin; k < entry.end; ++k)
        REQUIRE(file[8 + length + k] == 0);
      REQUIRE(i + 1 < entries.size());
      CHECK(entry.end - entry.begin < uint64_t(alignmentByRule(entries[i + 1].name)));
      CHECK(entry.end > entry.begin);
      continue;
    }
    CHECK(entry.begin % uint64_t(alignmentByRule(entry.name)) == 0);
    order.push_back(entry.name);
  }
  CHECK(pads > 0);
  CHECK(order == std::vector<std::string>{"a.odd", "model.w", "teeny/code/k.compute_80.ptx",
                                          "teeny/code/k.sm_90a.cubin", "teeny/code/k.x86-64-v3.so",
                                          "teeny/manifest.json", "teeny/source/k.py"});

  // The contents lie where the header says.
  SampleParts parts;
  auto contents = [&](const std::string &name) {
    uint64_t begin = json[name]["data_offsets"][0], end = json[name]["data_offsets"][1];
    return std::vector<std::byte>(bytes.begin() + 8 + length + begin,
                                  bytes.begin() + 8 + length + end);
  };
  CHECK(contents("model.w") == parts.weight);
  CHECK(contents("a.odd") == parts.odd);
  CHECK(contents("teeny/code/k.sm_90a.cubin") == parts.cubin);
  std::vector<std::byte> manifest = contents("teeny/manifest.json");
  nlohmann::json inner =
      nlohmann::json::parse(reinterpret_cast<const char *>(manifest.data()),
                            reinterpret_cast<const char *>(manifest.data()) + manifest.size());
  CHECK(inner["teeny"] == 1);
  CHECK(inner["launches"].size() == 2);
}
