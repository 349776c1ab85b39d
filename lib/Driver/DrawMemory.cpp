#include "Driver/ReportDrawings.h"

#include "Driver/Html.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace teeny;

static constexpr double height = 320, left = 90, bottom = 36, top = 8;

std::string teeny::drawMemory(const Manifest &manifest, const rt::Plan &plan) {
  if (plan.arenaBytes == 0)
    return "";
  const size_t launches = manifest.launches.size();
  const double step = std::clamp(900.0 / double(launches), 6.0, 90.0);
  const double width = step * double(launches);
  // A whole lives as long as its parts.
  std::vector<std::pair<int64_t, int64_t>> lives(manifest.buffers.size(), {INT64_MAX, -1});
  for (size_t i = 0; i < manifest.buffers.size(); ++i) {
    const ManifestBuffer &buffer = manifest.buffers[i];
    auto &[first, last] = lives[plan.buffers[i].root];
    if (buffer.kind == ManifestBuffer::Kind::temporary) {
      first = std::min(first, buffer.firstLaunch);
      last = std::max(last, buffer.lastLaunch);
    }
  }

  std::string text;
  llvm::raw_string_ostream os(text);
  auto number = [](double value) { return llvm::format("%.1f", value); };
  auto yOf = [&](int64_t byte) {
    return top + height * (1 - double(byte) / double(plan.arenaBytes));
  };
  os << "<svg class=\"memory\" role=\"img\" aria-label=\"Memory over time\" width=\""
     << number(left + width + 8) << "\" height=\"" << number(top + height + bottom) << "\">\n";
  for (int part = 0; part <= 4; ++part) {
    int64_t byte = plan.arenaBytes / 4 * part;
    if (part == 4)
      byte = plan.arenaBytes;
    os << "<path class=\"grid\" d=\"M" << number(left) << " " << number(yOf(byte)) << "h"
       << number(width) << "\"/><text class=\"axis end\" x=\"" << number(left - 6) << "\" y=\""
       << number(yOf(byte) + 4) << "\">" << byte << "</text>\n";
  }
  const size_t every = std::max<size_t>(1, size_t(40 / step + 0.5));
  for (size_t i = 0; i < launches; i += every)
    os << "<text class=\"axis\" x=\"" << number(left + (double(i) + 0.5) * step) << "\" y=\""
       << number(top + height + 16) << "\">" << i << "</text>";
  os << "<text class=\"axis\" x=\"" << number(left + width / 2) << "\" y=\""
     << number(top + height + 32) << "\">launch</text>\n";
  for (size_t i = 0; i < manifest.buffers.size(); ++i) {
    const BufferPlace &place = plan.buffers[i];
    const ManifestBuffer &buffer = manifest.buffers[i];
    if (buffer.kind != ManifestBuffer::Kind::temporary || place.arenaOffset < 0 || place.bytes == 0)
      continue;
    const bool isPart = place.root != i;
    auto [first, last] = isPart ? std::pair(buffer.firstLaunch, buffer.lastLaunch) : lives[i];
    const double x = left + double(first) * step, w = double(last - first + 1) * step;
    const double y = yOf(place.arenaOffset + place.bytes), h = yOf(place.arenaOffset) - y;
    os << "<rect class=\"buffer" << (isPart ? " part" : "") << "\" x=\"" << number(x) << "\" y=\""
       << number(y) << "\" width=\"" << number(w) << "\" height=\"" << number(h)
       << "\" style=\"--hue:" << i * 137 % 360 << "\"><title>" << escaped(buffer.name) << ": "
       << place.bytes << " bytes from byte " << place.arenaOffset << ", launches " << first
       << " to " << last << "</title></rect>";
    if (!isPart && h >= 14 && w >= double(buffer.name.size()) * 7 + 8)
      os << "<text class=\"inside\" x=\"" << number(x + w / 2) << "\" y=\"" << number(y + h / 2 + 4)
         << "\">" << escaped(buffer.name) << "</text>";
    os << "\n";
  }
  os << "</svg>\n";
  return text;
}
