#include "Driver/SampleDims.h"

#include <algorithm>
#include <memory>
#include <unordered_map>

using namespace teeny;

// More dims than this are not listed.
static constexpr size_t mostListed = 8;

// The least allowed value that is not below `value`, else the largest.
static int64_t allowed(const ManifestDim &dim, int64_t value) {
  const int64_t least = dim.min % dim.multipleOf == 0
                            ? dim.min
                            : dim.min + (dim.multipleOf - dim.min % dim.multipleOf);
  const int64_t largest = dim.max - dim.max % dim.multipleOf;
  if (value <= least)
    return least;
  if (value >= largest)
    return largest;
  int64_t rest = value % dim.multipleOf;
  return rest == 0 ? value : value + (dim.multipleOf - rest);
}

Expr::Lookup teeny::lookupIn(std::span<const ManifestDim> dims, const DimSample &sample) {
  auto values = std::make_shared<std::unordered_map<std::string, int64_t>>();
  for (size_t i = 0; i < dims.size(); ++i)
    values->emplace(dims[i].name, sample[i]);
  return [values](const std::string &name) -> std::optional<int64_t> {
    auto found = values->find(name);
    return found == values->end() ? std::nullopt : std::optional(found->second);
  };
}

bool teeny::meetsRequirements(const Manifest &manifest, const DimSample &sample) {
  Expr::Lookup lookup = lookupIn(manifest.dims, sample);
  return std::all_of(manifest.requirements.begin(), manifest.requirements.end(),
                     [&](const ManifestRequirement &requirement) {
                       Result<int64_t> holds = requirement.condition.evaluate(lookup);
                       return holds && *holds != 0;
                     });
}

std::vector<DimSample> teeny::sampleDims(std::span<const ManifestDim> dims,
                                         const std::function<bool(const DimSample &)> &accepts) {
  // Without a multiple between its ends, a dim has no value, and the graph no run.
  for (const ManifestDim &dim : dims)
    if (dim.max - dim.max % dim.multipleOf < dim.min)
      return {};
  std::vector<DimSample> samples;
  auto add = [&](const std::function<int64_t(size_t)> &value) {
    DimSample sample;
    for (size_t i = 0; i < dims.size(); ++i)
      sample.push_back(allowed(dims[i], value(i)));
    if (std::find(samples.begin(), samples.end(), sample) == samples.end() && accepts(sample))
      samples.push_back(std::move(sample));
  };
  auto largest = [&](size_t i) { return dims[i].max; };
  add([](size_t) { return 0; });
  add([&](size_t i) { return dims[i].min == INT64_MAX ? INT64_MAX : dims[i].min + 1; });
  for (int64_t value : {2, 3, 4, 7, 8, 16, 32, 64, 128, 256})
    add([=](size_t) { return value; });
  add([&](size_t i) { return dims[i].min + (dims[i].max - dims[i].min) / 2; });
  add(largest);
  if (dims.size() > 1)
    for (size_t one = 0; one < std::min<size_t>(dims.size(), 16); ++one) {
      add([&](size_t i) { return i == one ? largest(i) : 0; });
      add([&](size_t i) { return i == one ? 0 : largest(i); });
    }
  return samples;
}

std::string teeny::sampleText(std::span<const ManifestDim> dims, const DimSample &sample) {
  std::string text;
  for (size_t i = 0; i < std::min(dims.size(), mostListed); ++i)
    text += (i ? ", " : "") + dims[i].name + " = " + std::to_string(sample[i]);
  if (dims.size() > mostListed)
    text += " and so on";
  return text.empty() ? "the only size" : text;
}

std::string teeny::samplesText(std::span<const ManifestDim> dims,
                               std::span<const DimSample> samples) {
  if (dims.empty())
    return sampleText(dims, {});
  if (dims.size() > mostListed)
    return std::to_string(samples.size()) + " combinations of " + std::to_string(dims.size()) +
           " dims";
  auto group = [&](auto textOf) {
    std::string text;
    for (size_t i = 0; i < dims.size(); ++i)
      text += (i ? ", " : "") + textOf(i);
    return dims.size() == 1 ? text : "(" + text + ")";
  };
  std::string text = group([&](size_t i) { return dims[i].name; }) + " = ";
  for (const DimSample &sample : samples)
    text += (&sample == samples.data() ? "" : ", ") +
            group([&](size_t i) { return std::to_string(sample[i]); });
  return text;
}
