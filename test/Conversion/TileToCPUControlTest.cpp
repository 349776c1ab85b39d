// Loops and branches that carry tiles, dots, atomics.
#include "Conversion/TileToCPUKernels.h"
#include "Conversion/TileToCPUSupport.h"
#include "Target/HostLibrary.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <numeric>
#include <random>
#include <thread>

using namespace teeny::test;

static std::vector<float> integers(size_t count, unsigned seed = 1) { // exact in any order
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = float(int(random() % 21) - 10);
  return values;
}

TEST_CASE("a loop adds up tiles along moving addresses") {
  // out[i] = sum over k < n of x[k * 16 + i]; the tile of addresses moves by 16 each time.
  const char *text = R"(
func.func @kernel(%x: !tile.ptr<f32> {tile.noalias}, %out: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.arange 0 to 16 : tensor<16xi32>
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %step = arith.constant dense<16> : tensor<16xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %p0 = tile.addptr %xs, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %sum, %end = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %p0)
      -> (tensor<16xf32>, tensor<16x!tile.ptr<f32>>) : i32 {
    %v = tile.load %p : tensor<16x!tile.ptr<f32>>
    %a = arith.addf %acc, %v : tensor<16xf32>
    %q = tile.addptr %p, %step : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    scf.yield %a, %q : tensor<16xf32>, tensor<16x!tile.ptr<f32>>
  }
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %po = tile.addptr %os, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  tile.store %po, %sum : tensor<16x!tile.ptr<f32>>
  return
})";
  for (const std::string &target : runnableTargets()) {
    CpuKernel kernel(text, target);
    CHECK(kernel.scratchBytes() == 64); // the sum alone
    for (int n : {0, 1, 5, 100}) {
      std::vector<float> x = integers(n * 16 + 16), out(16, -1.0f), expected(16, 0.0f);
      for (int k = 0; k < n; ++k)
        for (int i = 0; i < 16; ++i)
          expected[i] += x[k * 16 + i];
      kernel.run({1, 1, 1}, x.data(), out.data(), int32_t(n));
      CHECK(out == expected);
    }
  }
}

TEST_CASE("carried tiles change places, and turn around, without getting mixed up") {
  // (a, b, c) -> (b, a + b, reversed running sum of c): n times.
  const char *text = R"(
func.func @kernel(%x: !tile.ptr<f32> {tile.noalias}, %out: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.arange 0 to 16 : tensor<16xi32>
  %w = arith.constant dense<16> : tensor<16xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %pa = tile.addptr %xs, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %pb = tile.addptr %pa, %w : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %pc = tile.addptr %pb, %w : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %a0 = tile.load %pa : tensor<16x!tile.ptr<f32>>
  %b0 = tile.load %pb : tensor<16x!tile.ptr<f32>>
  %c0v = tile.load %pc : tensor<16x!tile.ptr<f32>>
  %a, %b, %c = scf.for %k = %c0 to %n step %c1 iter_args(%u = %a0, %v = %b0, %t = %c0v)
      -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) : i32 {
    %s = arith.addf %u, %v : tensor<16xf32>
    %m = tile.reshape %t : tensor<16xf32> -> tensor<4x4xf32>
    %r = tile.trans %m by [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
    %f = tile.reshape %r : tensor<4x4xf32> -> tensor<16xf32>
    %g = arith.addf %f, %u : tensor<16xf32>
    scf.yield %v, %s, %g : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
  }
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %qa = tile.addptr %os, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %qb = tile.addptr %qa, %w : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %qc = tile.addptr %qb, %w : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  tile.store %qa, %a : tensor<16x!tile.ptr<f32>>
  tile.store %qb, %b : tensor<16x!tile.ptr<f32>>
  tile.store %qc, %c : tensor<16x!tile.ptr<f32>>
  return
})";
  for (const std::string &target : runnableTargets()) {
    CpuKernel kernel(text, target);
    for (int n : {0, 1, 2, 9}) {
      std::vector<float> x = integers(48), out(48, -1.0f), expected = x;
      for (int k = 0; k < n; ++k) {
        std::vector<float> old = expected;
        for (int i = 0; i < 16; ++i) {
          expected[i] = old[16 + i];
          expected[16 + i] = old[i] + old[16 + i];
          expected[32 + i] = old[32 + i % 4 * 4 + i / 4] + old[i];
        }
      }
      kernel.run({1, 1, 1}, x.data(), out.data(), int32_t(n));
      INFO(target << " " << n);
      CHECK(out == expected);
    }
  }
}

TEST_CASE("branches yield tiles and scalars; a while loop carries both") {
  // If n > 3: t = x + 1, s = 5, else t = 2 x, s = 7. Then while s < n: t = t + t, s = s + 3.
  const char *text = R"(
func.func @kernel(%x: !tile.ptr<f32> {tile.noalias}, %out: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel} {
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %i = tile.arange 0 to 16 : tensor<16xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %px = tile.addptr %xs, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %v = tile.load %px : tensor<16x!tile.ptr<f32>>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %po = tile.addptr %os, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %large = arith.cmpi sgt, %n, %c3 : i32
  %t0, %s0 = scf.if %large -> (tensor<16xf32>, i32) {
    %a = arith.addf %v, %one : tensor<16xf32>
    scf.yield %a, %c5 : tensor<16xf32>, i32
  } else {
    %a = arith.addf %v, %v : tensor<16xf32>
    scf.yield %a, %c7 : tensor<16xf32>, i32
  }
  %t1, %s1 = scf.while (%t = %t0, %s = %s0) : (tensor<16xf32>, i32) -> (tensor<16xf32>, i32) {
    %more = arith.cmpi slt, %s, %n : i32
    scf.condition(%more) %t, %s : tensor<16xf32>, i32
  } do {
  ^bb0(%t: tensor<16xf32>, %s: i32):
    %d = arith.addf %t, %t : tensor<16xf32>
    %e = arith.addi %s, %c3 : i32
    scf.yield %d, %e : tensor<16xf32>, i32
  }
  scf.if %large {
    tile.store %po, %t1 : tensor<16x!tile.ptr<f32>>
  } else {
    %sf = arith.sitofp %s1 : i32 to f32
    %ss = tile.splat %sf : f32 -> tensor<16xf32>
    %r = arith.addf %t1, %ss : tensor<16xf32>
    tile.store %po, %r : tensor<16x!tile.ptr<f32>>
  }
  return
})";
  for (const std::string &target : runnableTargets()) {
    CpuKernel kernel(text, target);
    for (int n : {-1, 3, 4, 5, 6, 8, 9, 30}) {
      std::vector<float> x = integers(16), out(16, -1.0f), expected(16);
      for (int i = 0; i < 16; ++i) {
        float t = n > 3 ? x[i] + 1 : 2 * x[i];
        int s = n > 3 ? 5 : 7;
        for (; s < n; s += 3)
          t += t;
        expected[i] = n > 3 ? t : t + s;
      }
      kernel.run({1, 1, 1}, x.data(), out.data(), int32_t(n));
      INFO(target << " " << n);
      CHECK(out == expected);
    }
  }
}

// C = A x B in blocks of M x N, K at a time; A is [m x k], B [k x n], all masked.
static std::string matmul(const std::string &in, const std::string &sum, int M, int N, int K) {
  std::string text = R"(
func.func @kernel(%a: !tile.ptr<IN> {tile.noalias}, %b: !tile.ptr<IN> {tile.noalias}, %c: !tile.ptr<SUM>,
                  %m: i32, %n: i32, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %cM = arith.constant #M : i32
  %cN = arith.constant #N : i32
  %cK = arith.constant #K : i32
  %pm = tile.program_id 0 : i32
  %pn = tile.program_id 1 : i32
  %m0 = arith.muli %pm, %cM : i32
  %n0 = arith.muli %pn, %cN : i32
  %im = tile.arange 0 to #M : tensor<#Mxi32>
  %in = tile.arange 0 to #N : tensor<#Nxi32>
  %ik = tile.arange 0 to #K : tensor<#Kxi32>
  %m0s = tile.splat %m0 : i32 -> tensor<#Mxi32>
  %n0s = tile.splat %n0 : i32 -> tensor<#Nxi32>
  %om = arith.addi %m0s, %im : tensor<#Mxi32>
  %on = arith.addi %n0s, %in : tensor<#Nxi32>
  %om1 = tile.expand_dims %om at 1 : tensor<#Mxi32> -> tensor<#Mx1xi32>
  %on1 = tile.expand_dims %on at 0 : tensor<#Nxi32> -> tensor<1x#Nxi32>
  %ikr = tile.expand_dims %ik at 0 : tensor<#Kxi32> -> tensor<1x#Kxi32>
  %ikc = tile.expand_dims %ik at 1 : tensor<#Kxi32> -> tensor<#Kx1xi32>
  %ks = tile.splat %k : i32 -> tensor<#Mx1xi32>
  %ar0 = arith.muli %om1, %ks : tensor<#Mx1xi32>
  %ar = tile.broadcast %ar0 : tensor<#Mx1xi32> -> tensor<#Mx#Kxi32>
  %ac = tile.broadcast %ikr : tensor<1x#Kxi32> -> tensor<#Mx#Kxi32>
  %ao = arith.addi %ar, %ac : tensor<#Mx#Kxi32>
  %as = tile.splat %a : !tile.ptr<IN> -> tensor<#Mx#Kx!tile.ptr<IN>>
  %ap0 = tile.addptr %as, %ao : tensor<#Mx#Kx!tile.ptr<IN>>, tensor<#Mx#Kxi32>
  %ns = tile.splat %n : i32 -> tensor<#Kx1xi32>
  %br0 = arith.muli %ikc, %ns : tensor<#Kx1xi32>
  %br = tile.broadcast %br0 : tensor<#Kx1xi32> -> tensor<#Kx#Nxi32>
  %bc = tile.broadcast %on1 : tensor<1x#Nxi32> -> tensor<#Kx#Nxi32>
  %bo = arith.addi %br, %bc : tensor<#Kx#Nxi32>
  %bs = tile.splat %b : !tile.ptr<IN> -> tensor<#Kx#Nx!tile.ptr<IN>>
  %bp0 = tile.addptr %bs, %bo : tensor<#Kx#Nx!tile.ptr<IN>>, tensor<#Kx#Nxi32>
  %zero = arith.constant dense<ZERO> : tensor<#Mx#NxSUM>
  %msr = tile.splat %m : i32 -> tensor<#Mx1xi32>
  %nsr = tile.splat %n : i32 -> tensor<1x#Nxi32>
  %mm0 = arith.cmpi slt, %om1, %msr : tensor<#Mx1xi32>
  %nm0 = arith.cmpi slt, %on1, %nsr : tensor<1x#Nxi32>
  %mmk = tile.broadcast %mm0 : tensor<#Mx1xi1> -> tensor<#Mx#Kxi1>
  %nmk = tile.broadcast %nm0 : tensor<1x#Nxi1> -> tensor<#Kx#Nxi1>
  %za = arith.constant dense<INZERO> : tensor<#Mx#KxIN>
  %zb = arith.constant dense<INZERO> : tensor<#Kx#NxIN>
  %bstep = arith.muli %n, %cK : i32
  %bsteps = tile.splat %bstep : i32 -> tensor<#Kx#Nxi32>
  %asteps = arith.constant dense<#K> : tensor<#Mx#Kxi32>
  %sum, %ap1, %bp1 = scf.for %kk = %c0 to %k step %cK iter_args(%acc = %zero, %ap = %ap0, %bp = %bp0)
      -> (tensor<#Mx#NxSUM>, tensor<#Mx#Kx!tile.ptr<IN>>, tensor<#Kx#Nx!tile.ptr<IN>>) : i32 {
    %left = arith.subi %k, %kk : i32
    %lr = tile.splat %left : i32 -> tensor<1x#Kxi32>
    %lc = tile.splat %left : i32 -> tensor<#Kx1xi32>
    %kr = arith.cmpi slt, %ikr, %lr : tensor<1x#Kxi32>
    %kc = arith.cmpi slt, %ikc, %lc : tensor<#Kx1xi32>
    %krb = tile.broadcast %kr : tensor<1x#Kxi1> -> tensor<#Mx#Kxi1>
    %kcb = tile.broadcast %kc : tensor<#Kx1xi1> -> tensor<#Kx#Nxi1>
    %am = arith.andi %mmk, %krb : tensor<#Mx#Kxi1>
    %bm = arith.andi %nmk, %kcb : tensor<#Kx#Nxi1>
    %av = tile.load %ap mask %am other %za : tensor<#Mx#Kx!tile.ptr<IN>>
    %bv = tile.load %bp mask %bm other %zb : tensor<#Kx#Nx!tile.ptr<IN>>
    %d = tile.dot ieee %av, %bv, %acc : tensor<#Mx#KxIN> * tensor<#Kx#NxIN> -> tensor<#Mx#NxSUM>
    %apn = tile.addptr %ap, %asteps : tensor<#Mx#Kx!tile.ptr<IN>>, tensor<#Mx#Kxi32>
    %bpn = tile.addptr %bp, %bsteps : tensor<#Kx#Nx!tile.ptr<IN>>, tensor<#Kx#Nxi32>
    scf.yield %d, %apn, %bpn : tensor<#Mx#NxSUM>, tensor<#Mx#Kx!tile.ptr<IN>>, tensor<#Kx#Nx!tile.ptr<IN>>
  }
  %nst = tile.splat %n : i32 -> tensor<#Mx1xi32>
  %cr0 = arith.muli %om1, %nst : tensor<#Mx1xi32>
  %cr = tile.broadcast %cr0 : tensor<#Mx1xi32> -> tensor<#Mx#Nxi32>
  %cc = tile.broadcast %on1 : tensor<1x#Nxi32> -> tensor<#Mx#Nxi32>
  %co = arith.addi %cr, %cc : tensor<#Mx#Nxi32>
  %cs = tile.splat %c : !tile.ptr<SUM> -> tensor<#Mx#Nx!tile.ptr<SUM>>
  %cp = tile.addptr %cs, %co : tensor<#Mx#Nx!tile.ptr<SUM>>, tensor<#Mx#Nxi32>
  %mmn = tile.broadcast %mm0 : tensor<#Mx1xi1> -> tensor<#Mx#Nxi1>
  %nmn = tile.broadcast %nm0 : tensor<1x#Nxi1> -> tensor<#Mx#Nxi1>
  %cm = arith.andi %mmn, %nmn : tensor<#Mx#Nxi1>
  tile.store %cp, %sum mask %cm : tensor<#Mx#Nx!tile.ptr<SUM>>
  return
})";
  bool isFloat = sum[0] != 'i';
  text = replaced(text, "INZERO", in[0] == 'i' ? "0" : "0.0");
  text = replaced(replaced(text, "ZERO", isFloat ? "0.0" : "0"), "SUM", sum);
  text = replaced(replaced(text, "IN", in), "#M", std::to_string(M));
  return replaced(replaced(text, "#N", std::to_string(N)), "#K", std::to_string(K));
}

template <typename In, typename Sum>
static void checkMatmul(const std::string &target, const std::string &text, int M, int N,
                        In (*encode)(float)) {
  CpuKernel kernel(text, target);
  for (auto [m, n, k] : {std::array{1, 1, 1}, {3, 17, 5}, {16, 32, 32}, {33, 70, 65}}) {
    std::vector<float> a = integers(m * k, 1), b = integers(k * n, 2);
    std::vector<In> ax(m * k), bx(k * n);
    std::transform(a.begin(), a.end(), ax.begin(), encode);
    std::transform(b.begin(), b.end(), bx.begin(), encode);
    std::vector<Sum> c(m * n, Sum(-1)), expected(m * n);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        for (int l = 0; l < k; ++l)
          expected[i * n + j] += Sum(a[i * k + l] * b[l * n + j]);
    kernel.run({(m + M - 1) / M, (n + N - 1) / N, 1}, ax.data(), bx.data(), c.data(), int32_t(m),
               int32_t(n), int32_t(k));
    INFO(target << " " << m << " " << n << " " << k);
    CHECK(c == expected);
  }
}

static uint16_t halfBits(float value) { // of small integers
  if (value == 0)
    return 0;
  int exponent;
  float fraction = std::frexp(std::fabs(value), &exponent);
  return uint16_t((value < 0 ? 0x8000 : 0) | (exponent + 14) << 10 | (int(fraction * 2048) & 1023));
}

TEST_CASE("matrix products of every kind of operand") {
  for (const std::string &target : runnableTargets()) {
    checkMatmul<float, float>(target, matmul("f32", "f32", 16, 32, 16), 16, 32,
                              [](float x) { return x; });
    checkMatmul<float, float>(target, matmul("f32", "f32", 64, 8, 32), 64, 8,
                              [](float x) { return x; });
    checkMatmul<double, double>(target, matmul("f64", "f64", 16, 16, 16), 16, 16,
                                [](float x) { return double(x); });
    checkMatmul<uint16_t, float>(target, matmul("f16", "f32", 16, 16, 32), 16, 16, halfBits);
    checkMatmul<int8_t, int32_t>(target, matmul("i8", "i32", 32, 16, 16), 32, 16,
                                 [](float x) { return int8_t(x); });
  }
}

TEST_CASE("the sum of a matrix product stays where the loop carries it") {
  CompiledText compiled = compileTileIR(matmul("f32", "f32", 16, 32, 16), "x86-64-v3");
  CHECK(compiled.error == "");
  CHECK(compiled.scratchBytes == 4 * (16 * 32 + 16 * 16 + 16 * 32)); // sum and packed operands
  CHECK(compiled.assembly.find("vfmadd") != std::string::npos);
}

TEST_CASE("atomics of every kind add up over threads") {
  auto kernelOf = [](const std::string &kind, const std::string &type) {
    return replaced(replaced(R"(
func.func @kernel(%out: !tile.ptr<TYPE>, %v: !tile.ptr<TYPE> {tile.noalias}) attributes {tile.kernel} {
  %i = tile.arange 0 to 32 : tensor<32xi32>
  %three = arith.constant dense<3> : tensor<32xi32>
  %c24 = arith.constant dense<24> : tensor<32xi32>
  %slot = arith.andi %i, %three : tensor<32xi32>
  %mask = arith.cmpi slt, %i, %c24 : tensor<32xi32>
  %os = tile.splat %out : !tile.ptr<TYPE> -> tensor<32x!tile.ptr<TYPE>>
  %po = tile.addptr %os, %slot : tensor<32x!tile.ptr<TYPE>>, tensor<32xi32>
  %vs = tile.splat %v : !tile.ptr<TYPE> -> tensor<32x!tile.ptr<TYPE>>
  %pv = tile.addptr %vs, %i : tensor<32x!tile.ptr<TYPE>>, tensor<32xi32>
  %x = tile.load %pv : tensor<32x!tile.ptr<TYPE>>
  %old = tile.atomic_rmw KIND relaxed gpu %po, %x mask %mask : tensor<32x!tile.ptr<TYPE>> -> tensor<32xTYPE>
  return
})",
                             "KIND", kind),
                    "TYPE", type);
  };
  auto inThreads = [](const CpuKernel &kernel, auto *out, auto *in) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] { kernel.run({100, 1, 1}, out, in); });
    for (std::thread &thread : threads)
      thread.join();
  };
  for (const std::string &target : runnableTargets()) {
    std::vector<int32_t> in(32);
    std::iota(in.begin(), in.end(), -7);
    auto integerResult = [&](const std::string &kind, int32_t start) {
      std::vector<int32_t> out(4, start);
      inThreads(CpuKernel(kernelOf(kind, "i32"), target), out.data(), in.data());
      return out;
    };
    auto expected = [&](int32_t start, int times, auto combine) {
      std::vector<int32_t> out(4, start);
      for (int t = 0; t < times; ++t)
        for (int i = 0; i < 24; ++i)
          out[i % 4] = combine(out[i % 4], in[i]);
      return out;
    };
    using I = int32_t;
    CHECK(integerResult("add", 5) == expected(5, 400, [](I a, I b) { return a + b; }));
    CHECK(integerResult("smax", 0) == expected(0, 1, [](I a, I b) { return std::max(a, b); }));
    CHECK(integerResult("smin", 0) == expected(0, 1, [](I a, I b) { return std::min(a, b); }));
    CHECK(integerResult("umax", 0) ==
          expected(0, 1, [](I a, I b) { return uint32_t(a) > uint32_t(b) ? a : b; }));
    CHECK(integerResult("umin", 9) ==
          expected(9, 1, [](I a, I b) { return uint32_t(a) < uint32_t(b) ? a : b; }));
    CHECK(integerResult("and", -1) == expected(-1, 1, [](I a, I b) { return a & b; }));
    CHECK(integerResult("or", 0) == expected(0, 1, [](I a, I b) { return a | b; }));
    CHECK(integerResult("xor", 3) == expected(3, 400, [](I a, I b) { return a ^ b; }));

    std::vector<float> floats(32, 0.25f), sum(4, 1.0f);
    inThreads(CpuKernel(kernelOf("fadd", "f32"), target), sum.data(), floats.data());
    CHECK(sum == std::vector<float>(4, 1 + 400 * 6 * 0.25f));
    std::vector<uint16_t> halves(32, halfBits(1)), halfSum(4, 0);
    CpuKernel half(kernelOf("fadd", "f16"), target);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] { half.run({50, 1, 1}, halfSum.data(), halves.data()); });
    for (std::thread &thread : threads)
      thread.join();
    CHECK(halfSum == std::vector<uint16_t>(4, halfBits(4 * 50 * 6)));
  }
}

TEST_CASE("compare and swap hands out tickets, one each") {
  // A lock of one word: every program spins until it can put 1 where 0 was, counts, and lets go.
  const char *text = R"(
func.func @kernel(%lock: !tile.ptr<i32>, %count: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %held = scf.while (%old = %c1) : (i32) -> i32 {
    %busy = arith.cmpi ne, %old, %c0 : i32
    scf.condition(%busy) %old : i32
  } do {
  ^bb0(%old: i32):
    %seen = tile.atomic_cas acquire gpu %lock, %c0, %c1 : !tile.ptr<i32>, i32
    scf.yield %seen : i32
  }
  %n = tile.load %count : !tile.ptr<i32>
  %m = arith.addi %n, %c1 : i32
  tile.store %count, %m : !tile.ptr<i32>
  %free = tile.atomic_rmw xchg release gpu %lock, %c0 : !tile.ptr<i32> -> i32
  return
})";
  for (const std::string &target : runnableTargets()) {
    CpuKernel kernel(text, target);
    int32_t lock = 0, count = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&] { kernel.run({200, 1, 1}, &lock, &count); });
    for (std::thread &thread : threads)
      thread.join();
    CHECK(count == 600);
  }
}
