// References of what looks at images through windows: convolution and pooling.
#include "Graph/Reference/ReferenceOp.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace teeny;

namespace {

// One axis of a window: from the place of a result and of an element in its window to the place in
// the image, which may lie beyond it.
struct Axis {
  int64_t stride, before, after, dilation;
  Axis(ReferenceCall &call, const std::string &axis, const std::string &before,
       const std::string &after)
      : stride(call.attr<int64_t>("STRIDE_" + axis)), before(call.attr<int64_t>("PAD_" + before)),
        after(call.attr<int64_t>("PAD_" + after)),
        dilation(call.attr<int64_t>("DILATION_" + axis)) {}
  int64_t place(int64_t result, int64_t element) const {
    return result * stride - before + element * dilation;
  }
};

} // namespace

// x [B, C, H, W], w [O, C / GROUPS, KH, KW] -> out [B, O, OH, OW]
void teeny::referenceConv2d(ReferenceCall &call) {
  const HostTensor &x = call.operand("x"), &w = call.operand("w");
  HostTensor &out = call.result("out");
  Axis down(call, "H", "TOP", "BOTTOM"), across(call, "W", "LEFT", "RIGHT");
  int64_t channels = x.shape()[1], height = x.shape()[2], width = x.shape()[3];
  int64_t filters = w.shape()[0], depth = w.shape()[1], rows = w.shape()[2], columns = w.shape()[3];
  int64_t filtersPerGroup = std::max<int64_t>(filters / call.attr<int64_t>("GROUPS"), 1);
  int64_t place = 0;
  for (int64_t b = 0; b < out.shape()[0]; ++b)
    for (int64_t o = 0; o < filters; ++o)
      for (int64_t i = 0; i < out.shape()[2]; ++i)
        for (int64_t j = 0; j < out.shape()[3]; ++j) {
          double sum = 0;
          for (int64_t d = 0; d < depth; ++d)
            for (int64_t r = 0; r < rows; ++r)
              for (int64_t c = 0; c < columns; ++c) {
                int64_t y = down.place(i, r), z = across.place(j, c);
                if (y < 0 || y >= height || z < 0 || z >= width)
                  continue;
                int64_t channel = o / filtersPerGroup * depth + d;
                sum += x.real(((b * channels + channel) * height + y) * width + z) *
                       w.real(((o * depth + d) * rows + r) * columns + c);
              }
          out.setReal(place++, sum);
        }
}

// x [B, C, H, W] -> out [B, C, OH, OW]
void teeny::referencePool2d(ReferenceCall &call) {
  const HostTensor &x = call.operand("x");
  HostTensor &out = call.result("out");
  Axis down(call, "H", "TOP", "BOTTOM"), across(call, "W", "LEFT", "RIGHT");
  bool isMax = call.attr<std::string>("KIND") == "max", countPad = call.attr<bool>("COUNT_PAD");
  int64_t rows = call.attr<int64_t>("KERNEL_H"), columns = call.attr<int64_t>("KERNEL_W");
  int64_t height = x.shape()[2], width = x.shape()[3], place = 0;
  for (int64_t plane = 0; plane < out.shape()[0] * out.shape()[1]; ++plane)
    for (int64_t i = 0; i < out.shape()[2]; ++i)
      for (int64_t j = 0; j < out.shape()[3]; ++j) {
        double peak = -std::numeric_limits<double>::infinity(), sum = 0;
        int64_t count = 0;
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t c = 0; c < columns; ++c) {
            int64_t y = down.place(i, r), z = across.place(j, c);
            bool known = y >= 0 && y < height && z >= 0 && z < width;
            count += known || (countPad && y < height + down.after && z < width + across.after);
            if (!known)
              continue;
            double value = x.real((plane * height + y) * width + z);
            sum += value;
            peak = std::isnan(value) || std::isnan(peak) ? std::nan("") : std::max(peak, value);
          }
        out.setReal(place++, isMax ? peak : sum / double(std::max<int64_t>(count, 1)));
      }
}
