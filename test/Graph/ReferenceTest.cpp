// The slow references themselves, against numbers worked by hand and formulas of another shape.
#include "Graph/Reference/ReferenceOp.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace teeny;

TEST_CASE("small floats of every bit pattern survive") {
  for (DType type : {DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2}) {
    int count = byteSize(type) == 1 ? 256 : 65536;
    for (int bits = 0; bits < count; ++bits) {
      double value = decodeSmallFloat(type, uint16_t(bits));
      if (std::isnan(value))
        CHECK(std::isnan(decodeSmallFloat(type, encodeSmallFloat(type, value))));
      else if (encodeSmallFloat(type, value) != bits)
        FAIL(name(type) << " " << bits << " = " << value);
    }
  }
}

TEST_CASE("known values of small floats") {
  CHECK(decodeSmallFloat(DType::f16, 0x3C00) == 1.0);
  CHECK(decodeSmallFloat(DType::f16, 0x7BFF) == 65504.0);
  CHECK(decodeSmallFloat(DType::f16, 0x0001) == std::ldexp(1.0, -24));
  CHECK(decodeSmallFloat(DType::f16, 0xFC00) == -std::numeric_limits<double>::infinity());
  CHECK(decodeSmallFloat(DType::bf16, 0x4049) == 3.140625);
  CHECK(decodeSmallFloat(DType::f8e4m3, 0x7E) == 448.0);
  CHECK(std::isnan(decodeSmallFloat(DType::f8e4m3, 0x7F)));
  CHECK(decodeSmallFloat(DType::f8e4m3, 0x01) == std::ldexp(1.0, -9));
  CHECK(decodeSmallFloat(DType::f8e5m2, 0x7B) == 57344.0);
  CHECK(decodeSmallFloat(DType::f8e5m2, 0x7C) == std::numeric_limits<double>::infinity());
  CHECK(std::signbit(decodeSmallFloat(DType::f16, 0x8000)));
}

// Between two neighbours: below the middle down, above it up, in the middle to the even one.
TEST_CASE("rounding is to nearest, ties to even") {
  for (DType type : {DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2}) {
    int largest = type == DType::f16      ? 0x7BFF
                  : type == DType::bf16   ? 0x7F7F
                  : type == DType::f8e4m3 ? 0x7E
                                          : 0x7B;
    int wrong = 0;
    for (int bits = 0; bits < largest; ++bits) {
      double low = decodeSmallFloat(type, bits), high = decodeSmallFloat(type, bits + 1);
      double middle = low + (high - low) / 2;
      int even = bits % 2 == 0 ? bits : bits + 1;
      wrong += encodeSmallFloat(type, middle) != even;
      wrong += encodeSmallFloat(type, std::nextafter(middle, low)) != bits;
      wrong += encodeSmallFloat(type, std::nextafter(middle, high)) != bits + 1;
    }
    CAPTURE(name(type));
    CHECK(wrong == 0);
  }
}

TEST_CASE("beyond the largest number") {
  CHECK(encodeSmallFloat(DType::f16, 65519.99) == 0x7BFF);
  CHECK(encodeSmallFloat(DType::f16, 65520.0) == 0x7C00);
  CHECK(encodeSmallFloat(DType::f16, -1e300) == 0xFC00);
  CHECK(encodeSmallFloat(DType::bf16, 3.4e38) == 0x7F80);
  CHECK(encodeSmallFloat(DType::f8e4m3, 464.0) == 0x7E);
  CHECK(encodeSmallFloat(DType::f8e4m3, 464.1) == 0x7F);
  CHECK(encodeSmallFloat(DType::f8e4m3, std::numeric_limits<double>::infinity()) == 0x7F);
  CHECK(encodeSmallFloat(DType::f16, 1e-300) == 0);
  CHECK(encodeSmallFloat(DType::f16, -1e-300) == 0x8000);
}

// Rounding a double to f32 first and then to bf16 can differ from rounding once.
TEST_CASE("doubles are rounded once") {
  double value = 1.0 + std::ldexp(1.0, -8) + std::ldexp(1.0, -40);
  CHECK(encodeSmallFloat(DType::bf16, value) == 0x3F81);
  CHECK(encodeSmallFloat(DType::bf16, double(float(value))) == 0x3F80);
}

TEST_CASE("tensors keep integers exactly") {
  HostTensor longs(DType::i64, {2});
  longs.setInteger(0, INT64_MIN);
  longs.setInteger(1, 9007199254740993);
  CHECK(longs.integer(0) == INT64_MIN);
  CHECK(longs.integer(1) == 9007199254740993);
  HostTensor bytes(DType::u8, {1});
  bytes.setInteger(0, 200);
  CHECK(bytes.integer(0) == 200);
  CHECK(bytes.real(0) == 200.0);
  HostTensor flags(DType::boolean, {1});
  flags.setInteger(0, 4);
  CHECK(flags.integer(0) == 1);
  HostTensor empty(DType::f32, {3, 0, 5});
  CHECK(empty.elements() == 0);
  HostTensor scalar(DType::f32, {});
  CHECK(scalar.elements() == 1);
}

static ReferenceCall decodeCall(const HostTensor &ltrb, const HostTensor &x, const HostTensor &y,
                                const HostTensor &stride) {
  ReferenceCall call;
  call.operands = {{"ltrb", &ltrb}, {"anchor_x", &x}, {"anchor_y", &y}, {"strides", &stride}};
  call.results["out"] = HostTensor(ltrb.dtype(), ltrb.shape());
  return call;
}

static HostTensor tensorOf(DType dtype, std::vector<int64_t> shape, std::vector<double> values) {
  HostTensor tensor(dtype, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i)
    tensor.setReal(i, values[i]);
  return tensor;
}

// Anchor (2.5, 3.5), stride 8, distances 1, 2, 3, 4: from (1.5, 1.5) to (5.5, 7.5), so the centre
// is (3.5, 4.5), the size 4 x 6, times 8. Anchor (0.5, 0.5), stride 16, distances 0.5: a box from 0
// to 1.
TEST_CASE("yolo.detect_decode by hand") {
  for (DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    HostTensor ltrb = tensorOf(dtype, {1, 4, 2}, {1, 0.5, 2, 0.5, 3, 0.5, 4, 0.5});
    HostTensor x = tensorOf(dtype, {2}, {2.5, 0.5}), y = tensorOf(dtype, {2}, {3.5, 0.5});
    HostTensor stride = tensorOf(dtype, {2}, {8, 16});
    ReferenceCall call = decodeCall(ltrb, x, y, stride);
    findReference("yolo.detect_decode")(call);
    std::vector<double> expected = {28, 8, 36, 8, 32, 16, 48, 16};
    for (size_t i = 0; i < expected.size(); ++i)
      CHECK(call.result("out").real(i) == expected[i]);
  }
}

// Worked out on paper: cx = (ax + (r - l) / 2) s, w = (l + r) s.
TEST_CASE("yolo.detect_decode by the formula without corners") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> distance(0, 16);
  int64_t B = 3, A = 37;
  HostTensor ltrb(DType::f64, {B, 4, A}), x(DType::f64, {A}), y(DType::f64, {A}),
      stride(DType::f64, {A});
  for (int64_t i = 0; i < ltrb.elements(); ++i)
    ltrb.setReal(i, distance(random));
  for (int64_t a = 0; a < A; ++a) {
    x.setReal(a, a % 7 + 0.5);
    y.setReal(a, a / 7 + 0.5);
    stride.setReal(a, 8 << (a % 3));
  }
  ReferenceCall call = decodeCall(ltrb, x, y, stride);
  findReference("yolo.detect_decode")(call);
  const HostTensor &out = call.result("out");
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t a = 0; a < A; ++a) {
      auto in = [&](int row) { return ltrb.real((b * 4 + row) * A + a); };
      auto at = [&](int row) { return Approx(out.real((b * 4 + row) * A + a)).epsilon(1e-14); };
      double s = stride.real(a);
      CHECK((x.real(a) + (in(2) - in(0)) / 2) * s == at(0));
      CHECK((y.real(a) + (in(3) - in(1)) / 2) * s == at(1));
      CHECK((in(0) + in(2)) * s == at(2));
      CHECK((in(1) + in(3)) * s == at(3));
    }
  }
}

TEST_CASE("yolo.detect_decode of nothing, and NaN") {
  HostTensor none(DType::f32, {0, 4, 8400}), row(DType::f32, {8400});
  ReferenceCall call = decodeCall(none, row, row, row);
  findReference("yolo.detect_decode")(call);
  CHECK(call.result("out").elements() == 0);

  HostTensor nan = tensorOf(DType::f32, {1, 4, 1}, {NAN, 1, 1, 1});
  HostTensor one = tensorOf(DType::f32, {1}, {1});
  ReferenceCall spoilt = decodeCall(nan, one, one, one);
  findReference("yolo.detect_decode")(spoilt);
  CHECK(std::isnan(spoilt.result("out").real(0)));
  CHECK(spoilt.result("out").real(1) == 1);
  CHECK(std::isnan(spoilt.result("out").real(2)));
  CHECK(spoilt.result("out").real(3) == 2);
}

TEST_CASE("references are found by the names that are listed, and by no others") {
  std::vector<std::string> names = referenceNames();
  CHECK(std::is_sorted(names.begin(), names.end()));
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  CHECK(std::count(names.begin(), names.end(), "yolo.detect_decode") == 1);
  for (const std::string &name : names) {
    CAPTURE(name);
    CHECK(findReference(name) != nullptr);
    CHECK(findReference(name + "x") == nullptr);
  }
  CHECK(findReference("") == nullptr);
}
