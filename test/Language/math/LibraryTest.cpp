// Functions of the library that draw, order and look up elements, on the CPU and on the machine
// that interprets PTX.
#include "RunKernel.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace teeny;
using namespace teeny::test;

namespace {

const std::string prelude = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n";

// Runs one program on both; `check` sees what it wrote.
template <typename In, typename Out>
void onBoth(const std::string &kernel, const std::string &specs, std::vector<In> in, size_t outs,
            const std::function<void(const std::vector<Out> &)> &check) {
  INFO(kernel);
  std::vector<Out> out(outs);
  KernelOnCpu(prelude + kernel, specs).run(1, in.data(), out.data());
  check(out);
  std::vector<Out> other(outs);
  PtxMachine machine(compileToPtx(prelude + kernel, specs));
  machine.run("kernel", {1, 1, 1}, {machine.buffer(in), machine.buffer(other)});
  check(other);
}

std::vector<float> numbers(size_t count) {
  std::mt19937 random(4);
  std::vector<float> values(count);
  for (float &value : values)
    value = float(int(random() % 200) - 100) / 4; // some are equal
  return values;
}

// The known answers that the authors of Philox publish with it.
struct Known {
  std::vector<uint64_t> counterAndKey, result;
};

} // namespace

TEST_CASE("Philox gives its known answers") {
  const uint64_t ones = ~uint64_t(0), m = 0xffffffff;
  const Known narrow[] = {{{0, 0, 0, 0, 0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
                          {{m, m, m, m, m, m}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
                          {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0},
                           {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  const Known wide[] = {
      {{0, 0, 0, 0, 0, 0},
       {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}},
      {{ones, ones, ones, ones, ones, ones},
       {0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}}};
  for (bool isWide : {false, true}) {
    std::string type = isWide ? "u64" : "u32";
    std::string kernel = R"(def kernel(x, out):
    z = tl.zeros((4,), tl.int32)
    c0, c1, c2, c3 = tl.philox_impl(z + tl.load(x), z + tl.load(x + 1), z + tl.load(x + 2), z + tl.load(x + 3),
                                    tl.load(x + 4), tl.load(x + 5))
    i = tl.arange(0, 4)
    tl.store(out + i, tl.where(i == 0, c0, tl.where(i == 1, c1, tl.where(i == 2, c2, c3))))
)";
    std::string specs = "x=*" + type + ",out=*" + type;
    for (const Known &known : isWide ? std::vector<Known>(std::begin(wide), std::end(wide))
                                     : std::vector<Known>(std::begin(narrow), std::end(narrow))) {
      if (isWide) {
        onBoth<uint64_t, uint64_t>(kernel, specs, known.counterAndKey, 4,
                                   [&](const auto &out) { CHECK(out == known.result); });
      } else {
        std::vector<uint32_t> in(known.counterAndKey.begin(), known.counterAndKey.end()),
            expected(known.result.begin(), known.result.end());
        onBoth<uint32_t, uint32_t>(kernel, specs, in, 4,
                                   [&](const auto &out) { CHECK(out == expected); });
      }
    }
  }
}

TEST_CASE("random numbers: the seed is the key, the offset the counter; uniform and normal") {
  // tl.rand(0, 0): the first known answer as a number.
  onBoth<int32_t, float>("def kernel(x, out):\n    tl.store(out, tl.rand(tl.load(x), 0))\n",
                         "x=*i32,out=*fp32", {0}, 1, [](const std::vector<float> &out) {
                           CHECK(out[0] == float(float(0x6627e8d5) * 4.6566127342e-10f));
                         });
  // Above the middle bits are folded; 64-bit offsets count further; fewer rounds are others.
  onBoth<int64_t, uint32_t>(R"(def kernel(x, out):
    i = tl.arange(0, 128)
    offset = i.to(tl.int64) + (1 << 40)
    a, b, c, d = tl.randint4x(tl.load(x), offset)
    tl.store(out + i, a)
    hi = (i * 0 + 256).to(tl.uint32)
    e, f, g, h = tl.philox(tl.load(x), i, hi, 0 * hi, 0 * hi)
    tl.store(out + 128 + i, e)
    tl.store(out + 256 + i, tl.randint(tl.load(x), offset, n_rounds=7))
)",
                            "x=*i64,out=*u32", {0x123456789}, 384,
                            [](const std::vector<uint32_t> &out) {
                              for (int i = 0; i < 128; ++i) {
                                CHECK(out[i] == out[128 + i]);
                                CHECK(out[i] != out[256 + i]);
                              }
                            });
  onBoth<int32_t, float>(R"(def kernel(x, out):
    i = tl.arange(0, 1024)
    tl.store(out + i, tl.rand(tl.load(x), i))
    tl.store(out + 1024 + i, tl.randn(tl.load(x), i))
)",
                         "x=*i32,out=*fp32", {7}, 2048, [](const std::vector<float> &out) {
                           double mean = 0, normal = 0, square = 0;
                           for (int i = 0; i < 1024; ++i) {
                             CHECK((out[i] >= 0 && out[i] < 1));
                             mean += out[i] / 1024;
                             normal += out[1024 + i] / 1024;
                             square += out[1024 + i] * out[1024 + i] / 1024;
                           }
                           CHECK(mean == Approx(0.5).margin(0.03));
                           CHECK(normal == Approx(0).margin(0.1));
                           CHECK(square == Approx(1).margin(0.15));
                         });
}

TEST_CASE("sort, topk and bitonic_merge") {
  std::vector<float> in = numbers(256);
  for (int rows : {1, 4, 256})
    for (bool descending : {false, true}) {
      int columns = 256 / rows;
      std::string shape = std::to_string(rows) + ", " + std::to_string(columns);
      std::string order = descending ? "True" : "False";
      onBoth<float, float>("def kernel(x, out):\n"
                           "    i = tl.reshape(tl.arange(0, 256), (" +
                               shape +
                               "))\n"
                               "    tl.store(out + i, tl.sort(tl.load(x + i), descending=" +
                               order + "))\n",
                           "x=*fp32,out=*fp32", in, 256, [&](const std::vector<float> &out) {
                             std::vector<float> expected = in;
                             for (int row = 0; row < rows; ++row) {
                               auto first = expected.begin() + row * columns;
                               std::sort(first, first + columns);
                               if (descending)
                                 std::reverse(first, first + columns);
                             }
                             CHECK(out == expected);
                           });
    }
  for (int k : {1, 4, 64})
    onBoth<float, float>("def kernel(x, out):\n"
                         "    i = tl.reshape(tl.arange(0, 256), (4, 64))\n"
                         "    j = tl.reshape(tl.arange(0, 4 * " +
                             std::to_string(k) + "), (4, " + std::to_string(k) +
                             "))\n"
                             "    tl.store(out + j, tl.topk(tl.load(x + i), " +
                             std::to_string(k) + "))\n",
                         "x=*fp32,out=*fp32", in, 4 * k, [&](const std::vector<float> &out) {
                           std::vector<float> expected;
                           for (int row = 0; row < 4; ++row) {
                             std::vector<float> line(in.begin() + row * 64,
                                                     in.begin() + row * 64 + 64);
                             std::sort(line.rbegin(), line.rend());
                             expected.insert(expected.end(), line.begin(), line.begin() + k);
                           }
                           CHECK(out == expected);
                         });
  std::vector<float> bitonic = in;
  std::sort(bitonic.begin(), bitonic.begin() + 128);
  std::sort(bitonic.rbegin(), bitonic.rend() - 128);
  onBoth<float, float>("def kernel(x, out):\n"
                       "    i = tl.arange(0, 256)\n"
                       "    tl.store(out + i, tl.bitonic_merge(tl.load(x + i)))\n",
                       "x=*fp32,out=*fp32", bitonic, 256, [&](const std::vector<float> &out) {
                         std::vector<float> expected = in;
                         std::sort(expected.begin(), expected.end());
                         CHECK(out == expected);
                       });
}

TEST_CASE("flip, cat and interleave") {
  std::vector<float> in = numbers(128);
  onBoth<float, float>(R"(def kernel(x, out):
    i = tl.reshape(tl.arange(0, 128), (8, 16))
    value = tl.load(x + i)
    tl.store(out + i, tl.flip(value, 0))
    tl.store(out + 128 + i, value.flip(1))
    tl.store(out + 256 + i, tl.flip(value))
)",
                       "x=*fp32,out=*fp32", in, 384, [&](const std::vector<float> &out) {
                         for (int r = 0; r < 8; ++r)
                           for (int c = 0; c < 16; ++c) {
                             CHECK(out[r * 16 + c] == in[(7 - r) * 16 + c]);
                             CHECK(out[128 + r * 16 + c] == in[r * 16 + 15 - c]);
                             CHECK(out[256 + r * 16 + c] == in[r * 16 + 15 - c]);
                           }
                       });
  onBoth<float, float>(R"(def kernel(x, out):
    i = tl.arange(0, 64)
    j = tl.arange(0, 128)
    a = tl.load(x + i)
    b = tl.load(x + 64 + i)
    tl.store(out + j, tl.cat(a, b, can_reorder=True))
    tl.store(out + 128 + j, tl.interleave(a, b))
)",
                       "x=*fp32,out=*fp32", in, 256, [&](const std::vector<float> &out) {
                         for (int i = 0; i < 128; ++i) {
                           CHECK(out[i] == in[i]);
                           CHECK(out[128 + i] == in[i / 2 + i % 2 * 64]);
                         }
                       });
}

TEST_CASE("gather and histogram") {
  std::vector<float> in = numbers(128);
  onBoth<float, float>(R"(def kernel(x, out):
    i = tl.reshape(tl.arange(0, 128), (8, 16))
    value = tl.load(x + i)
    j = tl.reshape(tl.arange(0, 32), (8, 4))
    tl.store(out + j, tl.gather(value, (j * 7 + 3) % 16, 1))
    k = tl.reshape(tl.arange(0, 256), (16, 16))
    tl.store(out + 32 + k, tl.gather(value, (k * 5 + 1) % 8, axis=-2))
)",
                       "x=*fp32,out=*fp32", in, 288, [&](const std::vector<float> &out) {
                         for (int j = 0; j < 32; ++j)
                           CHECK(out[j] == in[j / 4 * 16 + (j * 7 + 3) % 16]);
                         for (int k = 0; k < 256; ++k)
                           CHECK(out[32 + k] == in[(k * 5 + 1) % 8 * 16 + k % 16]);
                       });
  std::vector<int32_t> values(256), expected(32);
  for (int i = 0; i < 256; ++i)
    values[i] = i * i % 37 - 2;
  for (int i = 0; i < 256; ++i)
    if (values[i] >= 0 && values[i] < 16) {
      ++expected[values[i]];
      expected[16 + values[i]] += i < 100;
    }
  onBoth<int32_t, int32_t>(R"(def kernel(x, out):
    i = tl.arange(0, 256)
    value = tl.load(x + i)
    tl.store(out + tl.arange(0, 16), tl.histogram(value, 16))
    tl.store(out + 16 + tl.arange(0, 16), tl.histogram(value, 16, mask=i < 100))
)",
                           "x=*i32,out=*i32", values, 32,
                           [&](const std::vector<int32_t> &out) { CHECK(out == expected); });
}

TEST_CASE("tensor descriptors read zero or NaN outside of the array and write nothing there") {
  std::vector<float> in(10 * 13);
  std::iota(in.begin(), in.end(), 1.0f);
  // A window that sticks out on all sides, and one that is moved in a loop.
  onBoth<float, float>(R"(def kernel(x, out):
    d = tl.make_tensor_descriptor(x, [10, 13], [13, 1], [16, 8], padding_option="nan")
    e = tl.make_tensor_descriptor(out, shape=[20, 30], strides=[30, 1], block_shape=[16, 8])
    value = d.load([-3, 8])
    value = tl.where(value != value, -1.0, value)
    tl.store_tensor_descriptor(e, [18, -2], value)
    for k in range(0, 16, 8):
        e.store([0, k + 10], tl.load_tensor_descriptor(d, [0, k]))
)",
                       "x=*fp32,out=*fp32", in, 600, [&](const std::vector<float> &out) {
                         for (int r = 0; r < 20; ++r)
                           for (int c = 0; c < 30; ++c) {
                             float expected = 0;
                             if (r >= 18 && c < 6) {
                               int row = r - 18 - 3, column = c + 2 + 8;
                               bool inside = row >= 0 && row < 10 && column < 13;
                               expected = inside ? in[row * 13 + column] : -1;
                             }
                             INFO(r << ", " << c);
                             if (r < 16 && c >= 10 && c < 26) {
                               bool inside = r < 10 && c - 10 < 13;
                               if (inside)
                                 CHECK(out[r * 30 + c] == in[r * 13 + c - 10]);
                               else
                                 CHECK(std::isnan(out[r * 30 + c]));
                             } else {
                               CHECK(out[r * 30 + c] == expected);
                             }
                           }
                       });
}

TEST_CASE("what the source says about caches is in the PTX") {
  std::string ptx = compileToPtx(prelude + R"(def kernel(x, y, n):
    i = tl.arange(0, 128)
    a = tl.load(x + i, cache_modifier=".cg")
    b = tl.load(x + i, mask=i < n, eviction_policy="evict_last")
    c = tl.load(x + i, volatile=True)
    tl.store(y + i, a + b + c, cache_modifier=".cs")
    tl.store(y + 128 + i, a, eviction_policy="evict_first")
    tl.store(y + 256 + i, a)
)",
                                 "x=*fp32,y=*fp32,n=i32");
  for (const char *expected : {"ld.global.cg.", "ld.global.L1::evict_last.", "ld.volatile.global.",
                               "st.global.cs.", "st.global.L1::evict_first.", "st.global.b32"}) {
    INFO(expected << "\n" << ptx);
    CHECK(ptx.find(expected) != std::string::npos);
  }
}

TEST_CASE("inline assembly on tiles and scalars, packed or not") {
  std::string kernel = R"(def kernel(x, out):
    i = tl.arange(0, 256)
    a = tl.load(x + i)
    b = tl.inline_asm_elementwise("shl.b32 $0, $1, 3;", "=r,r", [a], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out + i, b)
    # Four bytes at a time, masked: no carry from one into the next.
    c = tl.inline_asm_elementwise("and.b32 $0, $1, 0x0f0f0f0f;", "=r,r", [a.to(tl.int8)], dtype=tl.int8, is_pure=True, pack=4)
    tl.store(out + 256 + i, c.to(tl.int32))
    s, d = tl.inline_asm_elementwise(
        "add.s32 $0, $2, $3; sub.s32 $1, $2, $3;", "=&r,=r,r,r", [a, 5], dtype=(tl.int32, tl.int32), is_pure=False, pack=1
    )
    tl.store(out + 512 + i, s * 1000 + d)
    f = tl.inline_asm_elementwise("add.f32 $0, $1, $1;", "=f,f", [tl.load(x + 7).to(tl.float32)], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(out + 768, f.to(tl.int32))
)";
  std::vector<int32_t> in(256), out(769);
  for (int i = 0; i < 256; ++i)
    in[i] = i * 37 % 211;
  PtxMachine machine(compileToPtx(prelude + kernel, "x=*i32,out=*i32"));
  machine.run("kernel", {1, 1, 1}, {machine.buffer(in), machine.buffer(out)});
  for (int i = 0; i < 256; ++i) {
    CHECK(out[i] == in[i] << 3);
    CHECK(out[256 + i] == (in[i] & 15));
    CHECK(out[512 + i] == (in[i] + 5) * 1000 + in[i] - 5);
  }
  CHECK(out[768] == 2 * in[7]);
}

TEST_CASE("reductions and scans by functions of the file, of tuples, with ties") {
  std::vector<int32_t> in(64);
  for (int i = 0; i < 64; ++i)
    in[i] = i * i % 13 - 5;
  std::string helpers = R"(def _sum_and_product(s1, p1, s2, p2):
    return s1 + s2, p1 * p2


@triton.jit
def _last_positive(a, b):
    return tl.where(b > 0, b, a)


@triton.jit
def _apply(f: tl.constexpr, a, b):
    return f(a, b)


@triton.jit
def kernel(x, out):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    odd = value | 1
    s, p = tl.reduce((value, odd), 0, _sum_and_product)
    tl.store(out, s)
    tl.store(out + 1, p)
    tl.store(out + 2, tl.argmax(value, 0))
    tl.store(out + 3, tl.argmin(value, 0))
    largest, where = tl.max(value, 0, return_indices=True, return_indices_tie_break_left=False)
    tl.store(out + 4, largest)
    tl.store(out + 5, tl.sum(tl.where(i == where, value, 0), 0))
    tl.store(out + 6, tl.xor_sum(value, 0))
    tl.store(out + 7, tl.reduce_or(value & 255, 0))
    tl.store(out + 8, tl.sum(_apply(_last_positive, value, value + 1), 0))
    tl.store(out + 64 + i, tl.associative_scan(value, 0, _last_positive))
    scanned, _ = tl.associative_scan((value, odd), 0, _sum_and_product, reverse=True)
    tl.store(out + 128 + i, scanned)
    tl.store(out + 192 + i, tl.cumprod(odd, 0))
    a, b = tl.swizzle2d(i // 8, i % 8, 8, 8, 4)
    tl.store(out + 256 + i, a * 100 + b)
)";
  onBoth<int32_t, int32_t>(
      helpers, "x=*i32,out=*i32", in, 320, [&](const std::vector<int32_t> &out) {
        uint32_t sum = 0, product = 1, exclusive = 0, any = 0;
        int largest = 0, smallest = 0, last = in[0];
        int applied = 0;
        for (int i = 0; i < 64; ++i) {
          sum += in[i];
          product *= uint32_t(in[i] | 1);
          exclusive ^= uint32_t(in[i]);
          any |= uint32_t(in[i] & 255);
          largest = in[i] > in[largest] ? i : largest;
          smallest = in[i] < in[smallest] ? i : smallest;
          last = i && in[i] > 0 ? in[i] : last;
          applied += in[i] + 1 > 0 ? in[i] + 1 : in[i];
          CHECK(out[64 + i] == last);
          CHECK(out[192 + i] == int32_t(product));
          int rest = 0;
          for (int j = i; j < 64; ++j)
            rest += in[j];
          CHECK(out[128 + i] == rest);
          // Groups of 4 rows, gone through column by column.
          int within = i % 32, row = i / 32 * 4 + within % 4, column = within / 4;
          CHECK(out[256 + i] == row * 100 + column);
        }
        CHECK(out[0] == int32_t(sum));
        CHECK(out[1] == int32_t(product));
        CHECK(out[2] == largest);
        CHECK(out[3] == smallest);
        CHECK(out[4] == in[largest]);
        CHECK(out[5] == in[largest]);
        CHECK(out[6] == int32_t(exclusive));
        CHECK(out[7] == int32_t(any));
        CHECK(out[8] == applied);
      });
}
