/* Kernels for the tests, following the CPU entry of the kernel ABI (lib/Bundle/README.md). Built
 * into a shared library, whose bytes the tests put into bundles. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KERNEL(name)                                                                               \
  void name(const uint64_t *args, const int32_t grid[3], int64_t begin, int64_t end, void *scratch)
#define POINTER(type, index) ((type *)(uintptr_t)args[index])
#define UNUSED (void)grid, (void)scratch

static float floatBits(uint64_t slot) {
  uint32_t bits = (uint32_t)slot;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static double doubleBits(uint64_t slot) {
  double value;
  memcpy(&value, &slot, sizeof value);
  return value;
}

/* out[i] = a * x[i] + y[i], 128 elements a program. (x, y, out, n: i32, a: f32) */
KERNEL(saxpy) {
  const float *x = POINTER(const float, 0), *y = POINTER(const float, 1);
  float *out = POINTER(float, 2);
  int64_t n = (int64_t)args[3];
  float a = floatBits(args[4]);
  UNUSED;
  for (int64_t p = begin; p < end; ++p)
    for (int64_t i = p * 128; i < n && i < (p + 1) * 128; ++i)
      out[i] = a * x[i] + y[i];
}

/* counter += 1 for each program. (counter: u32) */
KERNEL(count) {
  uint32_t *counter = POINTER(uint32_t, 0);
  UNUSED;
  for (int64_t p = begin; p < end; ++p)
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* out[0] = counter[0]. (counter: u32, out: u32) */
KERNEL(copy_word) {
  UNUSED;
  for (int64_t p = begin; p < end; ++p)
    *POINTER(uint32_t, 1) = *POINTER(uint32_t, 0);
}

/* out[i] = x[127 - i] in each block of 128, through scratch memory. (x, out: f32) */
KERNEL(shared_reverse) {
  float *tile = scratch;
  (void)grid;
  for (int64_t p = begin; p < end; ++p) {
    memcpy(tile, POINTER(const float, 0) + p * 128, 128 * sizeof(float));
    for (int i = 0; i < 128; ++i)
      POINTER(float, 1)[p * 128 + i] = tile[127 - i];
  }
}

/* out[k] = parameter k as f64. (out, i1, i8, i16, i32, i64, f32, f64) */
KERNEL(params) {
  double *out = POINTER(double, 0);
  UNUSED;
  for (int64_t p = begin; p < end; ++p) {
    for (int k = 0; k < 5; ++k)
      out[k] = (double)(int64_t)args[1 + k];
    out[5] = floatBits(args[6]);
    out[6] = doubleBits(args[7]);
  }
}

/* out[p] = p * 1000003 + x + y * 17 + z * 289, for the coordinates of program p. (out: i64) */
KERNEL(coordinates) {
  (void)scratch;
  for (int64_t p = begin; p < end; ++p) {
    int64_t x = p % grid[0], y = p / grid[0] % grid[1], z = p / grid[0] / grid[1];
    POINTER(int64_t, 0)[p] = p * 1000003 + x + y * 17 + z * 289;
  }
}

/* Waits for the program before: done[p] = done[p - 1] + 1. (done: i64, zeroed) */
KERNEL(chain) {
  int64_t *done = POINTER(int64_t, 0);
  UNUSED;
  for (int64_t p = begin; p < end; ++p) {
    int64_t before = 0;
    if (p > 0)
      while ((before = __atomic_load_n(&done[p - 1], __ATOMIC_ACQUIRE)) == 0)
        ;
    __atomic_store_n(&done[p], before + 1, __ATOMIC_RELEASE);
  }
}

/* out[p] = 1 + the number of scratch bytes that another thread changed while this program ran.
 * (out: i32) */
KERNEL(own_scratch) {
  volatile uint8_t *bytes = scratch;
  (void)grid;
  for (int64_t p = begin; p < end; ++p) {
    int32_t wrong = (uintptr_t)scratch % 64 != 0;
    for (int i = 0; i < 1024; ++i)
      bytes[i] = (uint8_t)(p * 7 + i);
    for (int i = 0; i < 1024; ++i)
      wrong += bytes[i] != (uint8_t)(p * 7 + i);
    POINTER(int32_t, 0)[p] = 1 + wrong;
  }
}
