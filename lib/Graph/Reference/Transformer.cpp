// References of what transformers are made of besides attention and norms, and of the gradients.
#include "Graph/Reference/ReferenceOp.h"

#include <array>
#include <cmath>
#include <limits>

using namespace teeny;

//===-- Gated units
//-----------------------------------------------------------------------------===//

// gate, up -> out = gate * sigmoid(gate) * up
void teeny::referenceSwiglu(ReferenceCall &call) {
  const HostTensor &gate = call.operand("gate"), &up = call.operand("up");
  for (int64_t i = 0; i < gate.elements(); ++i)
    call.result("out").setReal(i, gate.real(i) / (1 + std::exp(-gate.real(i))) * up.real(i));
}

void teeny::referenceSwigluBackward(ReferenceCall &call) {
  const HostTensor &gate = call.operand("gate"), &up = call.operand("up");
  for (int64_t i = 0; i < gate.elements(); ++i) {
    double g = gate.real(i), gradient = call.operand("d_out").real(i), decay = std::exp(-g);
    double slope = (1 + decay + g * decay) / ((1 + decay) * (1 + decay)); // of g / (1 + exp(-g))
    call.result("d_gate").setReal(i, gradient * up.real(i) * slope);
    call.result("d_up").setReal(i, gradient * g / (1 + decay));
  }
}

//===-- Embedding
//-------------------------------------------------------------------------------===//

// table [V, D], indices [M] -> out [M, D]; NaN where the index is no row.
void teeny::referenceEmbedding(ReferenceCall &call) {
  const HostTensor &table = call.operand("table"), &indices = call.operand("indices");
  int64_t rows = table.shape()[0], width = table.shape()[1];
  for (int64_t m = 0; m < indices.elements(); ++m) {
    int64_t index = indices.integer(m);
    for (int64_t d = 0; d < width; ++d)
      call.result("out").setReal(m * width + d, index < 0 || index >= rows
                                                    ? std::numeric_limits<double>::quiet_NaN()
                                                    : table.real(index * width + d));
  }
}

// d_table [V, D]: for each row the sum over the places that took it; none for index `padding`.
void teeny::referenceEmbeddingBackward(ReferenceCall &call) {
  const HostTensor &table = call.operand("table"), &indices = call.operand("indices");
  int64_t rows = table.shape()[0], width = table.shape()[1];
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t d = 0; d < width; ++d) {
      double sum = 0;
      for (int64_t m = 0; m < indices.elements(); ++m)
        if (indices.integer(m) == row && row != call.attr<int64_t>("padding"))
          sum += call.operand("d_out").real(m * width + d);
      call.result("d_table").setReal(row * width + d, sum);
    }
}

//===-- Rotary position embedding
//---------------------------------------------------------------===//

// x [B, S, heads, D], cos, sin [S, D / 2] -> out; the plane of pair p is turned by its angle,
// `direction` times.
static void rotate(ReferenceCall &call, const char *from, const char *to, double direction) {
  const HostTensor &x = call.operand(from);
  int64_t positions = x.shape()[1], heads = x.shape()[2], width = x.shape()[3], half = width / 2;
  bool interleaved = call.attr<bool>("INTERLEAVED");
  for (int64_t row = 0; width > 0 && row < x.elements() / width; ++row)
    for (int64_t p = 0; p < half; ++p) {
      int64_t first = row * width + (interleaved ? 2 * p : p);
      int64_t second = first + (interleaved ? 1 : half);
      int64_t angle = row / heads % positions * half + p;
      double c = call.operand("cos").real(angle), s = direction * call.operand("sin").real(angle);
      call.result(to).setReal(first, c * x.real(first) - s * x.real(second));
      call.result(to).setReal(second, s * x.real(first) + c * x.real(second));
    }
}

void teeny::referenceRope(ReferenceCall &call) { rotate(call, "x", "out", 1); }
void teeny::referenceRopeBackward(ReferenceCall &call) { rotate(call, "d_out", "d_x", -1); }

//===-- Dropout
//---------------------------------------------------------------------------------===//

// Philox-4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers, as easy as 1, 2, 3; 2011).
static std::array<uint32_t, 4> philox(uint64_t seed, uint64_t counter) {
  std::array<uint32_t, 4> c = {uint32_t(counter), uint32_t(counter >> 32), 0, 0};
  uint32_t key[2] = {uint32_t(seed), uint32_t(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * c[0], second = uint64_t(0xCD9E8D57) * c[2];
    c = {uint32_t(second >> 32) ^ c[1] ^ key[0], uint32_t(second),
         uint32_t(first >> 32) ^ c[3] ^ key[1], uint32_t(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return c;
}

static void drop(ReferenceCall &call, const char *from, const char *to) {
  const HostTensor &x = call.operand(from), &rng = call.operand("rng");
  double p = call.attr<double>("p");
  for (int64_t i = 0; i < x.elements(); ++i) {
    uint64_t counter = uint64_t(rng.integer(1)) + uint64_t(i / 4);
    uint32_t bits = philox(uint64_t(rng.integer(0)), counter)[i % 4];
    // Uniform in [0, 1), in f32: the bits as a signed number, the negative ones mirrored.
    int32_t number = int32_t(bits);
    float uniform = float(number < 0 ? -number - 1 : number) * 4.6566127342e-10f;
    call.result(to).setReal(i, uniform < float(p) ? 0 : x.real(i) / (1 - p));
  }
}

void teeny::referenceDropout(ReferenceCall &call) { drop(call, "x", "out"); }
void teeny::referenceDropoutBackward(ReferenceCall &call) { drop(call, "d_out", "d_x"); }
