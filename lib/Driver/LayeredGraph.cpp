#include "Driver/LayeredGraph.h"

#include <algorithm>
#include <cassert>

using namespace teeny;

static constexpr double gapX = 24, gapY = 36, bendWidth = 12;

namespace {

// A node of the graph, or a bend of an edge.
struct Item {
  double width = bendWidth, height = 0, x = 0, wish = 0;
  size_t layer = 0;
  std::vector<size_t> above, below;
};

class Layers {
public:
  Layers(std::span<const std::pair<double, double>> sizes,
         std::span<const std::pair<size_t, size_t>> edges) {
    for (const auto &[width, height] : sizes)
      items.emplace_back(Item{.width = width, .height = height, .above = {}, .below = {}});
    for (const auto &[from, to] : edges) {
      assert(from < to && "edges go forwards");
      items[to].above.push_back(from);
    }
    for (Item &item : items) { // in an order in which what is above comes first
      for (size_t above : item.above)
        item.layer = std::max(item.layer, items[above].layer + 1);
      item.above.clear();
    }
    for (const auto &[from, to] : edges)
      chains.push_back(addChain(from, to));
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i].layer >= layers.size())
        layers.resize(items[i].layer + 1);
      layers[items[i].layer].push_back(i);
    }
  }

  void arrange() {
    pack();
    for (int round = 0; round < 8; ++round) {
      for (size_t i = 1; i < layers.size(); ++i)
        sortLayer(layers[i], &Item::above);
      for (size_t i = layers.size(); i-- > 1;)
        sortLayer(layers[i - 1], &Item::below);
    }
  }

  LayeredGraph result(size_t nodes) {
    LayeredGraph graph;
    double left = 0;
    for (const Item &item : items)
      left = std::min(left, item.x - item.width / 2);
    std::vector<double> middle;
    double y = 0;
    for (const std::vector<size_t> &layer : layers) {
      double height = 0;
      for (size_t i : layer)
        height = std::max(height, items[i].height);
      middle.push_back(y + height / 2);
      y += height + gapY;
    }
    auto centre = [&](size_t i) {
      return LayeredGraph::Point{items[i].x - left, middle[items[i].layer]};
    };
    for (size_t i = 0; i < items.size(); ++i) {
      if (i < nodes)
        graph.centres.push_back(centre(i));
      graph.width = std::max(graph.width, items[i].x - left + items[i].width / 2);
    }
    graph.height = std::max(0.0, y - gapY);
    for (const std::vector<size_t> &chain : chains) {
      std::vector<LayeredGraph::Point> path;
      for (size_t i : chain)
        path.push_back(centre(i));
      path.front().y += items[chain.front()].height / 2;
      path.back().y -= items[chain.back()].height / 2;
      graph.paths.push_back(std::move(path));
    }
    return graph;
  }

private:
  std::vector<size_t> addChain(size_t from, size_t to) {
    std::vector<size_t> chain = {from};
    for (size_t layer = items[from].layer + 1; layer < items[to].layer; ++layer) {
      items.push_back({});
      items.back().layer = layer;
      chain.push_back(items.size() - 1);
    }
    chain.push_back(to);
    for (size_t i = 1; i < chain.size(); ++i) {
      items[chain[i - 1]].below.push_back(chain[i]);
      items[chain[i]].above.push_back(chain[i - 1]);
    }
    return chain;
  }

  // Side by side, centred at 0.
  void pack() {
    for (const std::vector<size_t> &layer : layers) {
      double width = -gapX;
      for (size_t i : layer)
        width += items[i].width + gapX;
      double x = -width / 2;
      for (size_t i : layer) {
        items[i].x = x + items[i].width / 2;
        x += items[i].width + gapX;
      }
    }
  }

  // Each item as near to the average of its neighbours as its own neighbours in the layer let it.
  void sortLayer(std::vector<size_t> &layer, std::vector<size_t> Item::*neighbours) {
    for (size_t i : layer) {
      Item &item = items[i];
      double sum = 0;
      for (size_t other : item.*neighbours)
        sum += items[other].x;
      item.wish = (item.*neighbours).empty() ? item.x : sum / double((item.*neighbours).size());
    }
    std::stable_sort(layer.begin(), layer.end(),
                     [&](size_t a, size_t b) { return items[a].wish < items[b].wish; });
    double end = -1e300, shift = 0;
    for (size_t i : layer) { // to the right of the one before
      Item &item = items[i];
      item.x = std::max(item.wish, end + gapX + item.width / 2);
      end = item.x + item.width / 2;
      shift += item.x - item.wish;
    }
    // What was pushed to the right goes back by the average.
    for (size_t i : layer)
      items[i].x -= shift / double(layer.size());
  }

  std::vector<Item> items;
  std::vector<std::vector<size_t>> layers, chains;
};

} // namespace

LayeredGraph teeny::layOut(std::span<const std::pair<double, double>> sizes,
                           std::span<const std::pair<size_t, size_t>> edges) {
  Layers layers(sizes, edges);
  layers.arrange();
  return layers.result(sizes.size());
}
