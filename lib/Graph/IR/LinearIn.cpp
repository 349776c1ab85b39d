#include "Graph/IR/LinearIn.h"

using namespace teeny;
using namespace teeny::graph;

std::optional<LinearIn> graph::linearIn(const Expr &expr, const std::string &name) {
  auto at = [&](int64_t value) {
    return expr.substitute([&](const std::string &symbol) {
      return symbol == name ? std::optional<Expr>(value) : std::nullopt;
    });
  };
  Expr offset = at(0), scale = at(1) - offset;
  if (scale.constant() == 0 || !expr.equal(scale * Expr::symbol(name) + offset))
    return std::nullopt;
  return LinearIn{scale, offset};
}
