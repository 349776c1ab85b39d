// libdevice's functions on bits and its conversions, on the CPU and on the machine that interprets
// PTX; and the narrow floats, which are computed in f32.
#include "RunKernel.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <strings.h>

using namespace teeny;
using namespace teeny::test;

namespace {

constexpr int block = 128;

// A kernel of three inputs of one type.
template <typename In, typename Out>
void check(const std::string &call, const std::string &inType, const std::string &outType,
           std::vector<In> a, std::vector<In> b, std::vector<In> c, Out (*expected)(In, In, In)) {
  std::string text = R"(import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def kernel(x, y, z, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    c = tl.load(z + i)
    tl.store(out + i, )" +
                     call + ")\n";
  std::string specs = "x=*" + inType + ",y=*" + inType + ",z=*" + inType + ",out=*" + outType +
                      ",BLOCK=" + std::to_string(block);
  size_t padded = (a.size() + block - 1) / block * block;
  for (std::vector<In> *list : {&a, &b, &c})
    list->resize(padded, In(1));
  std::vector<Out> cpu(padded), gpu(padded);
  int programs = int(padded / block);
  KernelOnCpu(text, specs).run(programs, a.data(), b.data(), c.data(), cpu.data());
  PtxMachine machine(compileToPtx(text, specs));
  machine.run("kernel", {programs, 1, 1},
              {machine.buffer(a), machine.buffer(b), machine.buffer(c), machine.buffer(gpu)});
  for (size_t i = 0; i != padded; ++i) {
    Out exact = expected(a[i], b[i], c[i]);
    INFO(call << " of " << +a[i] << ", " << +b[i] << ", " << +c[i]);
    if (exact != exact) {
      CHECK(cpu[i] != cpu[i]);
      CHECK(gpu[i] != gpu[i]);
      continue;
    }
    CHECK(cpu[i] == exact);
    CHECK(gpu[i] == exact);
  }
}

template <typename T> std::vector<T> integers(unsigned seed) {
  std::vector<T> values = {
      0, 1, T(-1), 2, std::numeric_limits<T>::max(), std::numeric_limits<T>::min(), 255, 0x3210};
  std::mt19937_64 random(seed);
  std::shuffle(values.begin(), values.end(), random);
  while (values.size() < 2 * block)
    values.push_back(T(random() >> random() % (8 * sizeof(T))));
  return values;
}

template <typename T> std::vector<T> floats(unsigned seed) {
  std::vector<T> values = {0,           T(-0.0),     T(0.5),
                           T(-0.5),     T(1.5),      T(2.5),
                           T(-2.5),     1,           -1,
                           T(3e9),      T(-3e9),     T(1e-42),
                           T(1e-310),   T(1e20),     T(-1e20),
                           T(0.999999), T(INFINITY), T(-INFINITY),
                           T(NAN),      255,         T(std::numeric_limits<T>::max())};
  std::mt19937_64 random(seed);
  if (seed % 2)
    std::shuffle(values.begin(), values.end(), random);
  while (values.size() < 2 * block)
    values.push_back(T(std::ldexp(double(int64_t(random())), -63 + int(random() % 80) - 40)));
  return values;
}

template <typename T, typename Out>
void checkIntegers(const std::string &call, const std::string &type, const std::string &outType,
                   Out (*expected)(T, T, T)) {
  check<T, Out>(call, type, outType, integers<T>(1), integers<T>(2), integers<T>(3), expected);
}
template <typename T, typename Out>
void checkFloats(const std::string &call, const std::string &type, const std::string &outType,
                 Out (*expected)(T, T, T)) {
  check<T, Out>(call, type, outType, floats<T>(2), floats<T>(3), floats<T>(5), expected);
}

// Rounded toward the nearest integer that there is, NaN to 0.
template <typename Int> Int saturated(double x) {
  if (std::isnan(x))
    return 0;
  if (x >= std::ldexp(1.0, std::numeric_limits<Int>::digits))
    return std::numeric_limits<Int>::max();
  if (x <= double(std::numeric_limits<Int>::min()))
    return std::numeric_limits<Int>::min();
  return Int(x);
}

} // namespace

TEST_CASE("libdevice's functions on bits") {
  using I = int32_t;
  using U = uint32_t;
  using L = int64_t;
  checkIntegers<I, I>("libdevice.clz(a)", "i32", "i32",
                      [](I a, I, I) -> I { return a ? __builtin_clz(U(a)) : 32; });
  checkIntegers<L, I>("libdevice.clz(a)", "i64", "i32",
                      [](L a, L, L) -> I { return a ? __builtin_clzll(uint64_t(a)) : 64; });
  checkIntegers<I, I>("libdevice.popc(a)", "i32", "i32",
                      [](I a, I, I) -> I { return __builtin_popcount(U(a)); });
  checkIntegers<L, I>("libdevice.popc(a)", "i64", "i32",
                      [](L a, L, L) -> I { return __builtin_popcountll(uint64_t(a)); });
  checkIntegers<I, I>("libdevice.ffs(a)", "i32", "i32", [](I a, I, I) -> I { return ffs(a); });
  checkIntegers<L, I>("libdevice.ffs(a)", "i64", "i32", [](L a, L, L) -> I { return ffsll(a); });
  checkIntegers<I, I>("libdevice.brev(a)", "i32", "i32", [](I a, I, I) -> I {
    U result = 0;
    for (int i = 0; i < 32; ++i)
      result |= (U(a) >> i & 1) << (31 - i);
    return I(result);
  });
  checkIntegers<L, L>("libdevice.brev(a)", "i64", "i64", [](L a, L, L) -> L {
    uint64_t result = 0;
    for (int i = 0; i < 64; ++i)
      result |= (uint64_t(a) >> i & 1) << (63 - i);
    return L(result);
  });
  checkIntegers<I, I>("libdevice.byte_perm(a, b, c)", "i32", "i32", [](I a, I b, I c) -> I {
    uint64_t both = uint64_t(U(b)) << 32 | U(a);
    U result = 0;
    for (int i = 0; i < 4; ++i)
      result |= U(both >> 8 * (U(c) >> 4 * i & 7) & 255) << 8 * i;
    return I(result);
  });
  checkIntegers<I, I>("libdevice.mulhi(a, b)", "i32", "i32",
                      [](I a, I b, I) -> I { return I(L(a) * b >> 32); });
  checkIntegers<U, U>("libdevice.mulhi(a, b)", "u32", "u32",
                      [](U a, U b, U) -> U { return U(uint64_t(a) * b >> 32); });
  checkIntegers<L, L>("libdevice.mulhi(a, b)", "i64", "i64",
                      [](L a, L b, L) -> L { return L(__int128(a) * b >> 64); });
  checkIntegers<I, I>("tl.umulhi(a, b)", "i32", "i32",
                      [](I a, I b, I) -> I { return I(uint64_t(U(a)) * U(b) >> 32); });
  checkIntegers<I, I>("libdevice.mul24(a, b)", "i32", "i32", [](I a, I b, I) -> I {
    return I(U(I(U(a) << 8) >> 8) * U(I(U(b) << 8) >> 8));
  });
  checkIntegers<I, I>("libdevice.sad(a, b, c.to(tl.uint32))", "i32", "i32", [](I a, I b, I c) -> I {
    return I(U(a > b ? U(a) - U(b) : U(b) - U(a)) + U(c));
  });
  checkIntegers<I, I>("libdevice.hadd(a, b)", "i32", "i32",
                      [](I a, I b, I) -> I { return I((L(a) + b) >> 1); });
  checkIntegers<U, U>("libdevice.rhadd(a, b)", "u32", "u32",
                      [](U a, U b, U) -> U { return U((uint64_t(a) + b + 1) >> 1); });
  checkIntegers<I, double>("libdevice.hiloint2double(a, b)", "i32", "fp64", [](I a, I b, I) {
    uint64_t bits = uint64_t(U(a)) << 32 | U(b);
    double result;
    std::memcpy(&result, &bits, 8);
    return result;
  });
}

TEST_CASE("exponents, neighbours and signs") {
  using F = float;
  using D = double;
  checkFloats<F, int32_t>("libdevice.ilogb(a)", "fp32", "i32", [](F a, F, F) -> int32_t {
    return std::isnan(a) ? INT32_MIN : std::ilogb(a); // C leaves these two to the system
  });
  checkFloats<D, D>("libdevice.logb(a)", "fp64", "fp64", [](D a, D, D) { return std::logb(a); });
  checkFloats<F, F>("libdevice.nextafter(a, b)", "fp32", "fp32",
                    [](F a, F b, F) { return std::nextafter(a, b); });
  checkFloats<D, D>("libdevice.nextafter(a, b)", "fp64", "fp64",
                    [](D a, D b, D) { return std::nextafter(a, b); });
  checkFloats<F, int32_t>("libdevice.signbit(a)", "fp32", "i32",
                          [](F a, F, F) -> int32_t { return std::isnan(a) ? 0 : std::signbit(a); });
  checkFloats<F, F>("libdevice.copysign(a, b)", "fp32", "fp32",
                    [](F a, F b, F) { return std::isnan(b) ? std::fabs(a) : std::copysign(a, b); });
  checkFloats<F, F>("libdevice.saturatef(a)", "fp32", "fp32",
                    [](F a, F, F) { return a > 0 ? a < 1 ? a : 1 : 0.0f; });
  // From far below to far above the exponents.
  for (int step : {1, 7}) {
    check<F, F>(
        "libdevice.ldexp(a, libdevice.float2int_rn(b))", "fp32", "fp32", floats<F>(2),
        [&] {
          std::vector<F> exponents;
          for (int i = 0; i < 2 * block; ++i)
            exponents.push_back(F((i - 128) * 2 * step));
          return exponents;
        }(),
        floats<F>(3), [](F a, F b, F) { return std::ldexp(a, int(b)); });
    check<D, D>(
        "libdevice.scalbn(a, libdevice.double2int_rn(b))", "fp64", "fp64", floats<D>(2),
        [&] {
          std::vector<D> exponents;
          for (int i = 0; i < 2 * block; ++i)
            exponents.push_back((i - 128) * 17 * step);
          return exponents;
        }(),
        floats<D>(3), [](D a, D b, D) { return std::ldexp(a, int(b)); });
  }
}

TEST_CASE("reciprocals and lengths of vectors") {
  using F = float;
  using D = double;
  checkFloats<F, F>("libdevice.rcp_rn(a)", "fp32", "fp32", [](F a, F, F) { return 1 / a; });
  checkFloats<F, F>("libdevice.rsqrt_rn(a)", "fp32", "fp32",
                    [](F a, F, F) { return F(1 / std::sqrt(D(a))); });
  // Compared after 2 units in the last place are rounded away, for numbers of which no square is
  // near the ends of the exponents.
  auto exact = [](D a, D b, D c) { return std::sqrt(a * a + b * b + c * c); };
  for (const char *call :
       {"tl.abs(libdevice.norm3d(a, b, c) / tl.load(w + i) - 1.0) < 2.4e-7",
        "tl.abs(libdevice.norm4d(a, b, c, a * 0.0) / tl.load(w + i) - 1.0) < 2.4e-7",
        "tl.abs(libdevice.rnorm3d(a, b, c) * tl.load(w + i) - 1.0) < 3e-7",
        "tl.abs(libdevice.rnorm4d(c, b, a, a * 0.0) * tl.load(w + i) - 1.0) < 3e-7"}) {
    std::vector<F> a = floats<F>(2), b = floats<F>(3), c = floats<F>(5), w(a.size());
    std::vector<int32_t> out(a.size());
    for (size_t i = 0; i != a.size(); ++i) {
      for (F *value : {&a[i], &b[i], &c[i]})
        if (!(std::fabs(*value) < 1e30f && std::fabs(*value) > 1e-30f))
          *value = 3e25f;
      w[i] = F(exact(a[i], b[i], c[i]));
    }
    std::string text = std::string("import triton\nimport triton.language as tl\n") +
                       "from triton.language.extra import libdevice\n\n\n@triton.jit\n"
                       "def kernel(x, y, z, w, out):\n    i = tl.arange(0, 256)\n"
                       "    a = tl.load(x + i)\n    b = tl.load(y + i)\n    c = tl.load(z + i)\n"
                       "    tl.store(out + i, (" +
                       call + ").to(tl.int32))\n";
    KernelOnCpu(text, "x=*fp32,y=*fp32,z=*fp32,w=*fp32,out=*i32")
        .run(1, a.data(), b.data(), c.data(), w.data(), out.data());
    INFO(call);
    CHECK(out == std::vector<int32_t>(a.size(), 1));
  }
}

TEST_CASE("libdevice's conversions") {
  using F = float;
  using D = double;
  checkFloats<F, int32_t>("libdevice.float2int_rn(a)", "fp32", "i32",
                          [](F a, F, F) { return saturated<int32_t>(std::nearbyint(a)); });
  checkFloats<F, int32_t>("libdevice.float2int_rd(a)", "fp32", "i32",
                          [](F a, F, F) { return saturated<int32_t>(std::floor(a)); });
  checkFloats<F, int32_t>("libdevice.float2uint_rz(a)", "fp32", "i32",
                          [](F a, F, F) { return int32_t(saturated<uint32_t>(a)); });
  checkFloats<D, int32_t>("libdevice.double2int_ru(a)", "fp64", "i32",
                          [](D a, D, D) { return saturated<int32_t>(std::ceil(a)); });
  checkFloats<D, int64_t>("libdevice.double2ll_rn(a)", "fp64", "i64",
                          [](D a, D, D) { return saturated<int64_t>(std::nearbyint(a)); });
  checkFloats<F, int64_t>("libdevice.llround(a)", "fp32", "i64",
                          [](F a, F, F) { return saturated<int64_t>(std::round(a)); });
  checkFloats<D, int32_t>("libdevice.double2hiint(a)", "fp64", "i32", [](D a, D, D) {
    uint64_t bits;
    std::memcpy(&bits, &a, 8);
    return std::isnan(a) ? 0x7ff80000 : int32_t(bits >> 32);
  });
  checkFloats<D, F>("libdevice.double2float_rn(a)", "fp64", "fp32", [](D a, D, D) { return F(a); });
  checkIntegers<int64_t, F>("libdevice.ll2float_rn(a)", "i64", "fp32",
                            [](int64_t a, int64_t, int64_t) { return F(a); });
  checkIntegers<uint32_t, D>("libdevice.uint2double_rn(a)", "u32", "fp64",
                             [](uint32_t a, uint32_t, uint32_t) { return D(a); });
  checkIntegers<int32_t, F>("libdevice.int_as_float(a & 0x3fffffff)", "i32", "fp32",
                            [](int32_t a, int32_t, int32_t) {
                              a &= 0x3fffffff;
                              F result;
                              std::memcpy(&result, &a, 4);
                              return result;
                            });
}

TEST_CASE("functions of f16 and bf16 are computed in f32 and rounded once") {
  for (std::string type : {"fp16", "bf16"}) {
    std::string text = R"(import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def kernel(x, out, wide, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.static_assert(libdevice.atan2(a, 2.0).dtype == a.dtype)
    tl.static_assert(libdevice.pow(a, a.to(tl.float32)).dtype == tl.float32)
    narrow = tl.exp(a) + libdevice.atan2(a, 2.0) + tl.sqrt(tl.abs(a))
    b = a.to(tl.float32)
    exact = tl.exp(b).to(a.dtype) + libdevice.atan2(b, 2.0).to(a.dtype) + tl.sqrt(tl.abs(b)).to(a.dtype)
    tl.store(out + i, narrow)
    tl.store(wide + i, exact)
)";
    std::vector<uint16_t> x(128), narrow(128), exact(128);
    for (int i = 0; i < 128; ++i)
      x[i] = uint16_t((type == "fp16" ? 0x3400 : 0x3e00) + i * 4);
    KernelOnCpu(text, "x=*" + type + ",out=*" + type + ",wide=*" + type + ",BLOCK=128")
        .run(1, x.data(), narrow.data(), exact.data());
    CHECK(narrow == exact);
    CHECK(narrow.front() != narrow.back());
  }
}
