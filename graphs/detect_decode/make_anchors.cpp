// Writes anchors.safetensors, the parameters of detect_decode.json: for an image of 640 x 640
// pixels, the centres of the cells of three grids, row by row, in units of their own grid, and the
// pixels that a cell measures:
//
//   stride  8: 80 x 80 cells     stride 16: 40 x 40     stride 32: 20 x 20     8400 in all
//
//     make_anchors FILE
#include "Base/File.h"
#include "TensorFile/SafeTensors.h"

#include <cstdio>

using namespace teeny;

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_anchors FILE\n");
    return 2;
  }
  std::vector<float> x, y, strides;
  for (int stride : {8, 16, 32}) {
    int cells = 640 / stride;
    for (int row = 0; row < cells; ++row)
      for (int column = 0; column < cells; ++column) {
        x.push_back(float(column) + 0.5f);
        y.push_back(float(row) + 0.5f);
        strides.push_back(float(stride));
      }
  }
  auto view = [](const char *name, const std::vector<float> &values) {
    return TensorView{name, DType::f32, {int64_t(values.size())}, std::as_bytes(std::span(values))};
  };
  const TensorView tensors[] = {view("anchor_x", x), view("anchor_y", y), view("strides", strides)};
  Result<std::vector<std::byte>> bytes = writeSafeTensors(tensors, {});
  if (!bytes) {
    std::fprintf(stderr, "make_anchors: %s\n", bytes.error().message.c_str());
    return 1;
  }
  Status written = writeFile(argv[1], *bytes);
  if (!written) {
    std::fprintf(stderr, "make_anchors: %s\n", written.error().message.c_str());
    return 1;
  }
  return 0;
}
