// The parts of emitted C source that are the same for all kernels. "@NAME" is the prefix of names.
#pragma once

namespace teeny {

inline constexpr char emittedUsage[] = R"(
 *     @NAME_kernels *kernels;
 *     int status = @NAME_load(&kernels);
 *     if (status == 0)
 *       status = @FIRST_launch(kernels, stream, ...);
 *     if (status != 0)
 *       fprintf(stderr, "%s\n", @NAME_message(status));
 *     @NAME_unload(kernels);
 *
 * Build @NAME.c with any C11 compiler; nothing of CUDA is needed to build, and the NVIDIA driver to
 * run (libcuda.so.1, opened by name; systems with an old C library link -ldl).
 *
 * Statuses. 0: all is well. Above 0: a CUresult of the driver. Below 0: what this code found itself,
 * such as an argument that a kernel was not compiled for. Nothing here prints or exits.
 *
 * Contexts. Kernels belong to the CUDA context that was current in the thread that loaded them (that
 * of the CUDA runtime, after any call of it), and are launched and unloaded with it current.
 *
 * Threads. Loaded kernels may be launched by many threads at once.
 *
 * Launches. What is checked is stated at each; not checked is what the kernel does with addresses.
 * `stream` is a CUstream or cudaStream_t, NULL the default stream. A launch is enqueued and not
 * waited for. The grid is the number of programs along x, y and z, at most 2147483647, 65535 and
 * 65535; with a 0 nothing is launched. Pointers are addresses of device memory. Elements of 16-bit
 * and 8-bit floats, which C lacks, are given as their bits. */
)";

inline constexpr char emittedDeclarations[] = R"(
typedef struct @NAME_kernels @NAME_kernels;

/* Loads all kernels; *kernels is NULL if the status is not 0. */
int @NAME_load(@NAME_kernels **kernels);
/* NULL is fine. */
void @NAME_unload(@NAME_kernels *kernels);
/* What a status means, for people: text that is never freed. */
const char *@NAME_message(int status);
)";

// Statuses of the code below; those of arguments follow.
inline constexpr const char *emittedMessages[] = {
    "the kernels are not loaded",
    "libcuda.so.1 cannot be loaded: install the NVIDIA driver",
    "the NVIDIA driver is too old: it lacks a function that is needed",
    "there is no code for this GPU: the kernels were compiled for @TARGETS",
    "out of memory",
    "the grid has at most 2147483647, 65535 and 65535 programs along x, y and z",
};

inline constexpr char emittedTables[] = R"(
enum { status_unloaded = -1, status_no_driver = -2, status_old_driver = -3, status_no_code = -4,
       status_no_memory = -5, status_grid = -6 };

/* Code of a kernel for some GPUs: those of exactly this compute capability (rule 0), of the same
 * major number and at least this minor one (1), or of any later one (2). */
struct code {
  int kernel, rule, major, minor;
  unsigned threads, shared_bytes;
  const char *entry;
  const unsigned char *image;
};
)";

inline constexpr char emittedFunctions[] = R"(
/* The functions of the driver that are used, by the names and types that they have there. */
struct driver {
  int (*init)(unsigned flags);
  int (*current_device)(int *device);
  int (*attribute)(int *value, int attribute, int device);
  int (*load)(void **module, const void *image, unsigned count, int *options, void **values);
  int (*unload)(void *module);
  int (*function)(void **function, void *module, const char *name);
  int (*set_attribute)(void *function, int attribute, int value);
  int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream,
                void **parameters, void **extra);
};

struct @NAME_kernels {
  struct driver driver;
  const struct code *codes[KERNELS];
  void *modules[KERNELS], *functions[KERNELS];
};

static int find(void *library, const char *name, void *pointer) {
  void *symbol = dlsym(library, name);
  memcpy(pointer, &symbol, sizeof symbol);
  return symbol ? 0 : status_old_driver;
}

static int open_driver(struct driver *driver) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  int status;
  if (!library)
    return status_no_driver;
  if ((status = find(library, "cuInit", &driver->init)) != 0 ||
      (status = find(library, "cuCtxGetDevice", &driver->current_device)) != 0 ||
      (status = find(library, "cuDeviceGetAttribute", &driver->attribute)) != 0 ||
      (status = find(library, "cuModuleLoadDataEx", &driver->load)) != 0 ||
      (status = find(library, "cuModuleUnload", &driver->unload)) != 0 ||
      (status = find(library, "cuModuleGetFunction", &driver->function)) != 0 ||
      (status = find(library, "cuFuncSetAttribute", &driver->set_attribute)) != 0 ||
      (status = find(library, "cuLaunchKernel", &driver->launch)) != 0)
    return status;
  return driver->init(0);
}

static int runs_on(const struct code *code, int major, int minor) {
  if (code->rule == 2 && major > code->major)
    return 1;
  return major == code->major && (code->rule == 0 ? minor == code->minor : minor >= code->minor);
}

static int load_kernel(@NAME_kernels *kernels, int kernel, int major, int minor) {
  const struct driver *driver = &kernels->driver;
  size_t i;
  int status;
  for (i = 0; i < sizeof codes / sizeof *codes; ++i) {
    if (codes[i].kernel != kernel || !runs_on(&codes[i], major, minor))
      continue;
    status = driver->load(&kernels->modules[kernel], codes[i].image, 0, NULL, NULL);
    if (status != 0) {
      kernels->modules[kernel] = NULL;
      return status;
    }
    kernels->codes[kernel] = &codes[i];
    status = driver->function(&kernels->functions[kernel], kernels->modules[kernel], codes[i].entry);
    if (status == 0 && codes[i].shared_bytes != 0) /* 8: how much dynamic shared memory is allowed */
      status = driver->set_attribute(kernels->functions[kernel], 8, (int)codes[i].shared_bytes);
    return status;
  }
  return status_no_code;
}

int @NAME_load(@NAME_kernels **kernels) {
  @NAME_kernels *made = calloc(1, sizeof *made);
  int device = 0, major = 0, minor = 0, kernel, status;
  *kernels = NULL;
  if (!made)
    return status_no_memory;
  status = open_driver(&made->driver);
  if (status == 0)
    status = made->driver.current_device(&device);
  if (status == 0) /* 75 and 76: the compute capability */
    status = made->driver.attribute(&major, 75, device);
  if (status == 0)
    status = made->driver.attribute(&minor, 76, device);
  for (kernel = 0; kernel < KERNELS && status == 0; ++kernel)
    status = load_kernel(made, kernel, major, minor);
  if (status == 0)
    *kernels = made;
  else
    @NAME_unload(made);
  return status;
}

void @NAME_unload(@NAME_kernels *kernels) {
  int kernel;
  if (!kernels)
    return;
  for (kernel = 0; kernel < KERNELS; ++kernel)
    if (kernels->modules[kernel])
      kernels->driver.unload(kernels->modules[kernel]);
  free(kernels);
}

const char *@NAME_message(int status) {
  int (*error_string)(int error, const char **text);
  const char *text = NULL;
  void *library;
  const int count = (int)(sizeof messages / sizeof *messages);
  if (status == 0)
    return "no error";
  if (status < 0)
    return status >= -count ? messages[-status - 1] : "no status of these kernels";
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library || find(library, "cuGetErrorString", &error_string) != 0 ||
      error_string(status, &text) != 0 || !text)
    return "an error of the CUDA driver";
  return text;
}

static int enqueue(const @NAME_kernels *kernels, int kernel, void *stream, uint32_t grid_x,
                   uint32_t grid_y, uint32_t grid_z, void **arguments) {
  const struct code *code = kernels->codes[kernel];
  if (grid_x == 0 || grid_y == 0 || grid_z == 0)
    return 0;
  return kernels->driver.launch(kernels->functions[kernel], grid_x, grid_y, grid_z, code->threads, 1,
                                1, code->shared_bytes, stream, arguments, NULL);
}
)";

inline constexpr char emittedF16[] = R"(
/* The bits of the nearest f16, ties to even. */
static uint16_t f16_bits(float value) {
  uint32_t bits, magnitude, kept, rest, half;
  memcpy(&bits, &value, sizeof bits);
  magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    kept = 0x7e00, rest = 0, half = 1;
  else if (magnitude >= 0x47800000) /* 65536 */
    kept = 0x7c00, rest = 0, half = 1;
  else if (magnitude < 0x33000000) /* less than half of the least number */
    kept = 0, rest = 0, half = 1;
  else if (magnitude < 0x38800000) { /* in units of 2^-24 */
    const uint32_t mantissa = (magnitude & 0x7fffff) | 0x800000, shift = 126 - (magnitude >> 23);
    kept = mantissa >> shift;
    rest = mantissa & ((1u << shift) - 1);
    half = 1u << (shift - 1);
  } else {
    kept = (magnitude - 0x38000000) >> 13;
    rest = magnitude & 0x1fff;
    half = 0x1000;
  }
  if (rest > half || (rest == half && (kept & 1) != 0))
    ++kept;
  return (uint16_t)((bits >> 16 & 0x8000) | kept);
}
)";

inline constexpr char emittedBF16[] = R"(
/* The bits of the nearest bf16, ties to even. */
static uint16_t bf16_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return (uint16_t)((bits >> 16 & 0x8000) | 0x7fc0);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
)";

} // namespace teeny
