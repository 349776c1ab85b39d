/* What emitted C promises, on the fake driver: which kernel is taken, what is refused, how numbers
 * arrive. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "saxpy.h"

/* Of the fake driver, whose device memory is memory of the host. */
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuStreamSynchronize(void *stream);
int fakeCudaObjects(void);
const char *fakeCudaLastKernel(void);

static int failures;
#define CHECK(condition)                                                                           \
  ((condition) ? (void)0                                                                           \
               : (void)(++failures, fprintf(stderr, "line %d: %s\n", __LINE__, #condition)))

static void checkMessage(int line, int status, const char *text) {
  if (status >= 0 || strcmp(saxpy_message(status), text) != 0) {
    ++failures;
    fprintf(stderr, "line %d: status %d: %s\n", line, status, saxpy_message(status));
  }
}
#define REFUSED(call, text) checkMessage(__LINE__, call, text)

static float x[1024] __attribute__((aligned(16))), y[1024] __attribute__((aligned(16)));
static float out[1024] __attribute__((aligned(16)));

static void values(const saxpy_kernels *kernels) {
  for (int i = 0; i < 1024; ++i) {
    x[i] = (float)i;
    y[i] = 1.0f;
  }
  CHECK(saxpy_launch(kernels, NULL, 8, 1, 1, x, y, out, 1008, 2.0f) == 0);
  CHECK(strcmp(fakeCudaLastKernel(), "saxpy") == 0);
  for (int i = 0; i < 1008; ++i)
    CHECK(out[i] == 2.0f * x[i] + 1.0f);
  CHECK(out[1008] == 0);

  /* Whatever the first kernel was not compiled for goes to the second. */
  CHECK(saxpy_launch(kernels, NULL, 8, 1, 1, x, y, out, 1001, 3.0f) == 0);
  CHECK(strcmp(fakeCudaLastKernel(), "saxpy_2") == 0);
  CHECK(out[1000] == 3.0f * 1000 + 1);
  CHECK(out[1001] == 2.0f * 1001 + 1);
  CHECK(saxpy_launch(kernels, NULL, 8, 1, 1, x + 1, y, out, 1008, 1.0f) == 0);
  CHECK(strcmp(fakeCudaLastKernel(), "saxpy_2") == 0);
  CHECK(out[0] == 2.0f);
  CHECK(saxpy_launch(kernels, NULL, 8, 1, 1, x, y, out, 16, 1.0f) == 0);
  CHECK(strcmp(fakeCudaLastKernel(), "saxpy") == 0);
}

static void numbers(const saxpy_kernels *kernels) {
  double doubles[7];
  CHECK(params_launch(kernels, NULL, 1, 1, 1, doubles, true, -100, -30000, -2000000000,
                      -(INT64_C(1) << 50), 0.1f, 0.1) == 0);
  const double expected[] = {1, -100, -30000, -2000000000, -(double)(INT64_C(1) << 50), 0.1f, 0.1};
  for (int i = 0; i < 7; ++i)
    CHECK(doubles[i] == expected[i]);

  /* Bits of f16 and bf16 by the definitions of the formats. Ties are between neighbours. */
  static const struct {
    float value;
    unsigned f16, bf16;
  } rows[] = {
      {0.0f, 0, 0},
      {-0.0f, 0x8000, 0x8000},
      {1.0f, 0x3c00, 0x3f80},
      {-2.0f, 0xc000, 0xc000},
      {0.1f, 0x2e66, 0x3dcd},
      {65504.0f, 0x7bff, 0x4780},
      {65519.0f, 0x7bff, 0x4780},
      {65520.0f, 0x7c00, 0x4780}, /* f16: a tie with what would be 65536 */
      {1e10f, 0x7c00, 0x5015},
      {-INFINITY, 0xfc00, 0xff80},
      {0x1p-24f, 1, 0x3380},
      {0x1p-25f, 0, 0x3300}, /* f16: a tie with 0 */
      {0x1.8p-25f, 1, 0x3340},
      {0x1.8p-24f, 2, 0x33c0}, /* f16: a tie between 1 and 2 units */
      {0x1.ff8p-15f, 0x03ff, 0x3880},
      {0x1.ffcp-15f, 0x0400, 0x3880}, /* f16: a tie with the least normal number */
      {0x1p-14f, 0x0400, 0x3880},
      {0x1.002p0f, 0x3c00, 0x3f80}, /* f16: a tie, down to even */
      {0x1.006p0f, 0x3c02, 0x3f80}, /* f16: a tie, up to even */
      {0x1.01p0f, 0x3c04, 0x3f80},  /* bf16: a tie, down to even */
      {0x1.03p0f, 0x3c0c, 0x3f82},  /* bf16: a tie, up to even */
      {3.4e38f, 0x7c00, 0x7f80},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    CHECK(halves_launch(kernels, NULL, 1, 1, 1, doubles, rows[i].value, rows[i].value) == 0);
    if (doubles[0] != rows[i].f16 || doubles[1] != rows[i].bf16) {
      ++failures;
      fprintf(stderr, "%a: f16 %#x, bf16 %#x\n", rows[i].value, (unsigned)doubles[0],
              (unsigned)doubles[1]);
    }
  }
  CHECK(halves_launch(kernels, NULL, 1, 1, 1, doubles, NAN, NAN) == 0);
  CHECK(((unsigned)doubles[0] & 0x7fff) > 0x7c00);
  CHECK(((unsigned)doubles[1] & 0x7fff) > 0x7f80);
}

static void refusals(const saxpy_kernels *kernels) {
  const char *last = fakeCudaLastKernel();
  REFUSED(saxpy_launch(NULL, NULL, 1, 1, 1, x, y, out, 16, 1.0f), "the kernels are not loaded");
  REFUSED(saxpy_launch(kernels, NULL, 1, 65536, 1, x, y, out, 16, 1.0f),
          "the grid has at most 2147483647, 65535 and 65535 programs along x, y and z");
  REFUSED(saxpy_launch(kernels, NULL, 0x80000000u, 1, 1, x, y, out, 16, 1.0f),
          "the grid has at most 2147483647, 65535 and 65535 programs along x, y and z");
  REFUSED(saxpy_launch(kernels, NULL, 1, 1, 1, x, y, out, 100001, 1.0f),
          "saxpy_2: n must be 0 to 100000");
  REFUSED(saxpy_launch(kernels, NULL, 1, 1, 1, x, y, out, -16, 1.0f),
          "saxpy_2: n must be 0 to 100000");
  REFUSED(saxpy_launch(kernels, NULL, 1, 1, 1, x, (float *)((char *)y + 2), out, 5, 1.0f),
          "saxpy_2: y must be at an address that is a multiple of 4");
  REFUSED(-1000, "no status of these kernels");
  CHECK(strcmp(saxpy_message(0), "no error") == 0);
  CHECK(strcmp(saxpy_message(700), "fake error 700") == 0);              /* the driver's text */
  CHECK(saxpy_launch(kernels, NULL, 0, 1, 1, x, y, out, 16, 1.0f) == 0); /* launches nothing */
  CHECK(fakeCudaLastKernel() == last);
}

int main(void) {
  saxpy_kernels *kernels = (saxpy_kernels *)1;
  CHECK(saxpy_load(&kernels) == 201); /* there is no current context */
  CHECK(!kernels);
  void *context;
  CHECK(cuDevicePrimaryCtxRetain(&context, 0) == 0);
  CHECK(cuCtxPushCurrent_v2(context) == 0);
  const int before = fakeCudaObjects();
  CHECK(saxpy_load(&kernels) == 0);
  if (failures == 0) {
    values(kernels);
    numbers(kernels);
    refusals(kernels);
  }
  saxpy_unload(kernels);
  saxpy_unload(NULL);
  CHECK(fakeCudaObjects() == before);
  printf(failures ? "%d checks failed\n" : "all is well\n", failures);
  return failures != 0;
}
