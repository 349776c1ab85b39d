// Places for the nodes of a directed acyclic graph on a page, so that its edges go downwards.
//
// The method is Sugiyama's, in its plainest form: each node is put into the layer below the lowest
// of those before it; an edge that passes layers gets a bend in each, which keeps room for it; then
// nodes change places within their layers, a few times down and up, towards the average place of
// their neighbours; last, layers are centred.
//
//     x        layer 0        x goes to a and c. The edge to c passes layer 1, so that a stands
//     |\                      beside a bend, and the edge does not run through a.
//     a .      layer 1
//      \|
//       c      layer 2
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace teeny {

struct LayeredGraph {
  struct Point {
    double x = 0, y = 0;
  };
  std::vector<Point> centres;            // of the nodes
  std::vector<std::vector<Point>> paths; // of the edges: begin, bends, end
  double width = 0, height = 0;
};

// `sizes` are widths and heights. Edges go from a lower index to a higher one.
LayeredGraph layOut(std::span<const std::pair<double, double>> sizes,
                    std::span<const std::pair<size_t, size_t>> edges);

} // namespace teeny
