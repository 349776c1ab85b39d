#include "Driver/ReportDrawings.h"

#include "Driver/BufferRoots.h"
#include "Driver/Html.h"
#include "Driver/LayeredGraph.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

using namespace teeny;

static constexpr double lineHeight = 16, letterWidth = 7.2, margin = 8;
static constexpr size_t mostLetters = 32;
// What is more is not drawn.
static constexpr size_t mostLaunches = 2000, mostEdges = 10000, mostDistance = 400000;

// At most `mostLetters` bytes, cut between characters.
static std::string shortened(llvm::StringRef text) {
  if (text.size() <= mostLetters)
    return text.str();
  size_t end = mostLetters - 1;
  while (end > 0 && (uint8_t(text[end]) & 0xc0) == 0x80)
    --end;
  return text.take_front(end).str() + "\xe2\x80\xa6"; // an ellipsis
}

namespace {

struct Box {
  std::vector<std::string> lines;
  std::string title, link, style;
};

class Drawing {
public:
  explicit Drawing(const Manifest &manifest)
      : manifest(manifest), roots(bufferRoots(manifest)), writers(manifest.buffers.size()) {
    for (const ManifestTensor &input : manifest.inputs) {
      writers[roots[input.buffer]].emplace_back(boxes.size(), input.buffer);
      boxes.push_back({{input.name, typeText(input)}, "input " + input.name, "", "tensor"});
    }
    for (size_t i = 0; i < manifest.launches.size(); ++i)
      addLaunch(i);
    for (const ManifestTensor &output : manifest.outputs) {
      readBy(output.buffer, boxes.size());
      boxes.push_back({{output.name, typeText(output)}, "output " + output.name, "", "tensor"});
    }
  }

  std::string svg() const;
  bool tooLarge = false;

private:
  static std::string typeText(const ManifestTensor &tensor) {
    return std::string(name(tensor.dtype)) + "[" +
           llvm::join(llvm::map_range(tensor.shape, [](const Expr &dim) { return dim.str(); }),
                      ", ") +
           "]";
  }
  void addLaunch(size_t index);
  // An edge from each box that wrote the buffer, or a part or the whole of it.
  void readBy(size_t buffer, size_t box) {
    for (const auto &[writer, written] : writers[roots[buffer]])
      addEdge(writer, box, buffer);
  }
  void addEdge(size_t from, size_t to, size_t buffer) {
    if (from == to || tooLarge)
      return;
    auto [edge, isNew] = edges.try_emplace({from, to});
    edge->second.insert(manifest.buffers[buffer].name);
    distance += isNew ? to - from : 0;
    tooLarge = edges.size() > mostEdges || distance > mostDistance;
  }

  const Manifest &manifest;
  std::vector<Box> boxes;
  std::vector<size_t> roots;
  std::vector<std::vector<std::pair<size_t, size_t>>> writers; // of each root: box, what it wrote
  // Together how far edges go, which is what bends they may need at most.
  size_t distance = 0;
  std::map<std::pair<size_t, size_t>, std::set<std::string>> edges;
};

} // namespace

void Drawing::addLaunch(size_t index) {
  const ManifestLaunch &launch = manifest.launches[index];
  const size_t box = boxes.size();
  std::set<size_t> read, written;
  std::set<std::string> weights;
  for (const LaunchVariant &variant : launch.variants)
    for (const auto &[param, arg] :
         llvm::zip_equal(manifest.kernels[variant.kernel].params, variant.args)) {
      if (arg.kind != LaunchArg::Kind::buffer)
        continue;
      const ManifestBuffer &buffer = manifest.buffers[arg.buffer];
      if (buffer.kind == ManifestBuffer::Kind::param)
        weights.insert(buffer.name);
      else
        (param.written ? written : read).insert(arg.buffer);
    }
  for (size_t buffer : read)
    readBy(buffer, box);
  for (size_t buffer : written) {
    // What was there before may be kept or added to.
    for (const auto &[writer, other] : writers[roots[buffer]])
      if (other == buffer)
        addEdge(writer, box, buffer);
    writers[roots[buffer]].emplace_back(box, buffer);
  }

  Box entry = {{launch.name},
               "launch " + std::to_string(index) + ": " + launch.name,
               "launch-" + std::to_string(index),
               "launch"};
  if (!launch.ops.empty()) {
    entry.lines.push_back(launch.ops.front());
    entry.title += "\ncomputes " + llvm::join(launch.ops, ", ");
  }
  if (launch.ops.size() > 1) {
    entry.style = "launch fused";
    entry.lines.push_back("+ " + llvm::join(llvm::drop_begin(launch.ops), ", "));
  }
  if (!weights.empty())
    entry.title += "\nweights " + llvm::join(weights, ", ");
  boxes.push_back(std::move(entry));
}

std::string Drawing::svg() const {
  std::vector<std::pair<double, double>> sizes;
  for (const Box &box : boxes) {
    size_t letters = 0;
    for (const std::string &line : box.lines)
      letters = std::max(letters, shortened(line).size());
    sizes.emplace_back(double(letters) * letterWidth + 2 * margin + 8,
                       double(box.lines.size()) * lineHeight + margin + 4);
  }
  std::vector<std::pair<size_t, size_t>> pairs;
  for (const auto &[edge, buffers] : edges)
    pairs.push_back(edge);
  LayeredGraph graph = layOut(sizes, pairs);

  std::string text;
  llvm::raw_string_ostream os(text);
  auto number = [](double value) { return llvm::format("%.1f", value); };
  os << "<svg class=\"graph\" role=\"img\" aria-label=\"Launches\" width=\""
     << number(graph.width + 8) << "\" height=\"" << number(graph.height + 8)
     << "\" viewBox=\"-4 -4 " << number(graph.width + 8) << " " << number(graph.height + 8)
     << "\">\n<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
        "markerWidth=\"7\" "
        "markerHeight=\"7\" orient=\"auto\"><path class=\"head\" d=\"M0 0L8 4L0 "
        "8z\"/></marker></defs>\n";
  size_t at = 0;
  for (const auto &[edge, buffers] : edges) {
    const std::vector<LayeredGraph::Point> &path = graph.paths[at++];
    os << "<path class=\"edge\" marker-end=\"url(#arrow)\" d=\"M" << number(path[0].x) << " "
       << number(path[0].y);
    for (size_t i = 1; i < path.size(); ++i) {
      double middle = (path[i - 1].y + path[i].y) / 2;
      os << "C" << number(path[i - 1].x) << " " << number(middle) << " " << number(path[i].x) << " "
         << number(middle) << " " << number(path[i].x) << " " << number(path[i].y);
    }
    os << "\"><title>" << escaped(llvm::join(buffers, ", ")) << "</title></path>\n";
  }
  for (const auto &[box, size, centre] : llvm::zip_equal(boxes, sizes, graph.centres)) {
    const auto &[width, height] = size;
    if (!box.link.empty())
      os << "<a href=\"#" << box.link << "\">";
    os << "<g class=\"" << box.style << "\"><title>" << escaped(box.title) << "</title><rect x=\""
       << number(centre.x - width / 2) << "\" y=\"" << number(centre.y - height / 2)
       << "\" width=\"" << number(width) << "\" height=\"" << number(height) << "\" rx=\""
       << (box.link.empty() ? number(height / 2) : number(4)) << "\"/>";
    double y = centre.y - (double(box.lines.size()) - 1) * lineHeight / 2 + 4;
    for (const auto &[index, line] : llvm::enumerate(box.lines))
      os << "<text" << (index == 0 ? " class=\"name\"" : "") << " x=\"" << number(centre.x)
         << "\" y=\"" << number(y + double(index) * lineHeight) << "\">" << escaped(shortened(line))
         << "</text>";
    os << "</g>" << (box.link.empty() ? "" : "</a>") << "\n";
  }
  os << "</svg>\n";
  return text;
}

std::string teeny::drawLaunches(const Manifest &manifest) {
  if (manifest.launches.size() > mostLaunches)
    return "";
  Drawing drawing(manifest);
  return drawing.tooLarge ? "" : drawing.svg();
}
