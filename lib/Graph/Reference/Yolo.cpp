// References of the vision ops.
#include "Graph/Reference/ReferenceOp.h"

using namespace teeny;

// ltrb [B, 4, A]: distances from an anchor to the left, top, right and bottom edge, in grid units.
// anchor_x, anchor_y, strides [A]. out [B, 4, A]: centre x and y, width and height, in pixels.
void teeny::referenceDetectDecode(ReferenceCall &call) {
  const HostTensor &ltrb = call.operand("ltrb");
  const HostTensor &anchorX = call.operand("anchor_x"), &anchorY = call.operand("anchor_y");
  const HostTensor &strides = call.operand("strides");
  HostTensor &out = call.result("out");
  int64_t images = ltrb.shape()[0], anchors = ltrb.shape()[2];
  for (int64_t image = 0; image < images; ++image) {
    for (int64_t a = 0; a < anchors; ++a) {
      auto at = [&](int64_t row) { return (image * 4 + row) * anchors + a; };
      double x1 = anchorX.real(a) - ltrb.real(at(0));
      double y1 = anchorY.real(a) - ltrb.real(at(1));
      double x2 = anchorX.real(a) + ltrb.real(at(2));
      double y2 = anchorY.real(a) + ltrb.real(at(3));
      double stride = strides.real(a);
      out.setReal(at(0), (x1 + x2) / 2 * stride);
      out.setReal(at(1), (y1 + y2) / 2 * stride);
      out.setReal(at(2), (x2 - x1) * stride);
      out.setReal(at(3), (y2 - y1) * stride);
    }
  }
}

// strides [A], d_out [B, 4, A] -> d_ltrb [B, 4, A]: a distance moves one edge, and so the centre by
// half of it.
void teeny::referenceDetectDecodeBackward(ReferenceCall &call) {
  const HostTensor &gradient = call.operand("d_out");
  int64_t images = gradient.shape()[0], anchors = gradient.shape()[2];
  for (int64_t image = 0; image < images; ++image) {
    for (int64_t a = 0; a < anchors; ++a) {
      auto at = [&](int64_t row) { return (image * 4 + row) * anchors + a; };
      double stride = call.operand("strides").real(a);
      for (int64_t axis = 0; axis < 2; ++axis) {
        double centre = gradient.real(at(axis)), size = gradient.real(at(2 + axis));
        call.result("d_ltrb").setReal(at(axis), stride * (size - centre / 2));
        call.result("d_ltrb").setReal(at(2 + axis), stride * (size + centre / 2));
      }
    }
  }
}
