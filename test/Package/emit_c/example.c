/* Launches a kernel that `teenyc compile --emit-c` made C of, with nothing but the CUDA driver. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "saxpy.h"

/* What is used of the driver; cuda.h has the same, with names for the types. */
int cuInit(unsigned flags);
int cuDeviceGet(int *device, int ordinal);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxPushCurrent_v2(void *context);
int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemFree_v2(uint64_t address);
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream);
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream);
int cuStreamSynchronize(void *stream);

static void check(int status) {
  if (status != 0) {
    fprintf(stderr, "%s\n", saxpy_message(status));
    exit(1);
  }
}

int main(void) {
  int device;
  void *context;
  check(cuInit(0));
  check(cuDeviceGet(&device, 0));
  check(cuDevicePrimaryCtxRetain(&context, device));
  check(cuCtxPushCurrent_v2(context));

  float x[1000], out[1000];
  for (int i = 0; i < 1000; ++i)
    x[i] = 0.5f * (float)i;
  uint64_t device_x, device_out;
  check(cuMemAlloc_v2(&device_x, sizeof x));
  check(cuMemAlloc_v2(&device_out, sizeof out));
  check(cuMemcpyHtoDAsync_v2(device_x, x, sizeof x, NULL));

  saxpy_kernels *kernels;
  check(saxpy_load(&kernels));
  const float *in = (const float *)(uintptr_t)device_x;
  check(saxpy_launch(kernels, NULL, 8, 1, 1, in, in, (float *)(uintptr_t)device_out, 1000, 2.0f));
  check(cuMemcpyDtoHAsync_v2(out, device_out, sizeof out, NULL));
  check(cuStreamSynchronize(NULL));
  printf("out[999] = %g\n", out[999]);

  saxpy_unload(kernels);
  check(cuMemFree_v2(device_x));
  check(cuMemFree_v2(device_out));
  return 0;
}
