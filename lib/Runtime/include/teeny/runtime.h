/* The C API of the teeny runtime: opens a bundle that teenyc wrote and runs it, on the CPU or,
 * through the CUDA driver, on a GPU. It needs neither a compiler nor the CUDA toolkit; a machine
 * without a CUDA driver runs bundles on its CPU.
 *
 *     teeny_bundle *bundle;
 *     teeny_session *session;
 *     teeny_open_file("model.bundle", NULL, &bundle);
 *     teeny_session_create(bundle, NULL, &session);
 *     teeny_bind_input(session, "x", &x);
 *     teeny_bind_output(session, "y", &y);
 *     teeny_run(session);
 *
 * lib/Runtime/README.md has the whole example, with its error handling.
 *
 * Errors. Every function that can fail returns a teeny_status, TEENY_OK being 0. After a failure,
 * teeny_last_error() gives the text for people, in the thread that made the call. No C++ exception
 * leaves this API. A failed call leaves its objects as they were, and writes nothing through its
 * result pointers, unless its comment says otherwise.
 *
 * Trust. Opening, describing, verifying and planning run no code of the bundle, and cope with any
 * bytes. teeny_session_create loads the bundle's code into this process: do it only for a bundle
 * that you trust, and give the SHA-256 that you expect when opening it where the file may have
 * changed.
 *
 * Threads. A teeny_bundle is immutable and may be used by many threads at once. A teeny_session may
 * be used by one thread at a time; different sessions, of one bundle or of many, run at the same
 * time.
 *
 * Ownership. Strings and arrays that a function hands out belong to the object that it was called
 * with, and live as long as it unless stated otherwise. A session keeps what it needs of its bundle
 * alive, so that the two may be destroyed in any order. Memory that the caller binds stays the
 * caller's; it must stay valid until it is bound anew, unbound, or the session is destroyed.
 *
 * Units. Sizes are in bytes, shapes and strides in elements, times in microseconds. */
#ifndef TEENY_RUNTIME_H
#define TEENY_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TEENY_API __attribute__((visibility("default")))
#else
#define TEENY_API
#endif

/* C++ may hold any int in these enumerations, so that a wrong one can be reported. */
#ifdef __cplusplus
#define TEENY_ENUM : int
extern "C" {
#else
#define TEENY_ENUM
#endif

/* "0.1.0". */
TEENY_API const char *teeny_version(void);

/* ---- Status ------------------------------------------------------------------------------------
 */

typedef enum teeny_status TEENY_ENUM {
  TEENY_OK = 0,
  TEENY_INVALID = 1,       /* a malformed bundle, or an argument that contradicts the bundle */
  TEENY_UNSUPPORTED = 2,   /* well formed, but not for this version, device or memory layout */
  TEENY_NOT_FOUND = 3,     /* a file, name or index that does not exist */
  TEENY_OUT_OF_RANGE = 4,  /* a dim outside its declared range, or a size that overflows */
  TEENY_OUT_OF_MEMORY = 5, /* of the host or the device */
  TEENY_ENVIRONMENT = 6,   /* something to install, or a device that is not there or failed */
  TEENY_IO = 7,            /* a file that cannot be read */
  TEENY_INTERNAL = 8       /* a bug of the runtime */
} teeny_status;

/* What the last failing call of this thread had to say: never NULL, "" before any failure. The text
 * lives until the thread's next failing call. */
TEENY_API const char *teeny_last_error(void);
/* "invalid", "out of range", ...; "unknown" for a number that is no status. */
TEENY_API const char *teeny_status_name(teeny_status status);

/* ---- Element types -----------------------------------------------------------------------------
 */

typedef enum teeny_dtype TEENY_ENUM {
  TEENY_F64 = 0,
  TEENY_F32 = 1,
  TEENY_F16 = 2,
  TEENY_BF16 = 3,
  TEENY_F8E4M3 = 4,
  TEENY_F8E5M2 = 5,
  TEENY_I64 = 6,
  TEENY_I32 = 7,
  TEENY_I16 = 8,
  TEENY_I8 = 9,
  TEENY_U64 = 10,
  TEENY_U32 = 11,
  TEENY_U16 = 12,
  TEENY_U8 = 13,
  TEENY_BOOL = 14 /* one byte, 0 or 1 */
} teeny_dtype;

TEENY_API const char *teeny_dtype_name(teeny_dtype dtype); /* "f32"; "unknown" if it is none */
TEENY_API size_t teeny_dtype_size(teeny_dtype dtype); /* bytes of an element; 0 if it is none */

/* ---- Bundles -----------------------------------------------------------------------------------
 */

typedef struct teeny_bundle teeny_bundle;

/* Opens a bundle file, which stays mapped into memory until it and its sessions are gone: do not
 * change it meanwhile. `sha256`, if not NULL, is the hash that the whole file must have, as 64
 * hexadecimal digits. */
TEENY_API teeny_status teeny_open_file(const char *path, const char *sha256, teeny_bundle **bundle);
/* Opens a bundle that lies in memory. The bytes are copied. */
TEENY_API teeny_status teeny_open_memory(const void *data, size_t size, const char *sha256,
                                         teeny_bundle **bundle);
TEENY_API void teeny_close(teeny_bundle *bundle); /* NULL is fine */

/* Checks what opening does not, because it reads every byte: the hashes of code, weights and all
 * else that the manifest has hashes of. teeny_session_create checks those of the code it loads. */
TEENY_API teeny_status teeny_verify(const teeny_bundle *bundle);

/* A named size of the bundle: min <= value <= max, and value % multiple_of == 0. */
typedef struct teeny_dim_info {
  const char *name;
  int64_t min, max, multiple_of;
} teeny_dim_info;

/* An input or output: one expression per axis, such as "3", "B" or "2*N + 1". */
typedef struct teeny_tensor_info {
  const char *name;
  teeny_dtype dtype;
  size_t rank;
  const char *const *shape;
} teeny_tensor_info;

typedef struct teeny_kernel_info {
  const char *name;     /* unique in the bundle */
  const char *function; /* in the source */
  const char *source;   /* "detect_decode.py:12" */
  size_t code_count;
  const char *const *targets; /* of its code objects: "sm_90a", "compute_80", "x86-64-v3", ... */
} teeny_kernel_info;

TEENY_API const char *teeny_bundle_name(const teeny_bundle *bundle);
TEENY_API size_t teeny_dim_count(const teeny_bundle *bundle);
TEENY_API size_t teeny_input_count(const teeny_bundle *bundle);
TEENY_API size_t teeny_output_count(const teeny_bundle *bundle);
TEENY_API size_t teeny_target_count(const teeny_bundle *bundle);
TEENY_API size_t teeny_kernel_count(const teeny_bundle *bundle);
/* These fail only for an index that is too large. */
TEENY_API teeny_status teeny_get_dim(const teeny_bundle *bundle, size_t index,
                                     teeny_dim_info *info);
TEENY_API teeny_status teeny_get_input(const teeny_bundle *bundle, size_t index,
                                       teeny_tensor_info *info);
TEENY_API teeny_status teeny_get_output(const teeny_bundle *bundle, size_t index,
                                        teeny_tensor_info *info);
TEENY_API teeny_status teeny_get_target(const teeny_bundle *bundle, size_t index,
                                        const char **target);
TEENY_API teeny_status teeny_get_kernel(const teeny_bundle *bundle, size_t index,
                                        teeny_kernel_info *info);

/* All of the above and more as one JSON text: name, dims, requirements, inputs, outputs, targets,
 * kernels with their code objects, launches, sizes, provenance. Deterministic. */
TEENY_API const char *teeny_describe_json(const teeny_bundle *bundle);

/* ---- Planning ----------------------------------------------------------------------------------
 */

typedef struct teeny_dim_value {
  const char *name;
  int64_t value;
} teeny_dim_value;

typedef struct teeny_plan_info {
  size_t arena_bytes; /* temporary memory of one session at these dims */
  size_t param_bytes; /* weights */
  size_t launches;    /* that these dims need: those with an empty grid are left out */
} teeny_plan_info;

/* What a run at these dims would need. Every dim of the bundle must be given. */
TEENY_API teeny_status teeny_plan(const teeny_bundle *bundle, const teeny_dim_value *dims,
                                  size_t dim_count, teeny_plan_info *info);
/* The shape of an input or output at these dims: writes `rank` numbers. Only the dims that it needs
 * must be given. `rank` must be that of the tensor. */
TEENY_API teeny_status teeny_input_shape(const teeny_bundle *bundle, size_t index,
                                         const teeny_dim_value *dims, size_t dim_count,
                                         int64_t *shape, size_t rank);
TEENY_API teeny_status teeny_output_shape(const teeny_bundle *bundle, size_t index,
                                          const teeny_dim_value *dims, size_t dim_count,
                                          int64_t *shape, size_t rank);

/* ---- Sessions ----------------------------------------------------------------------------------
 */

typedef struct teeny_session teeny_session;

typedef struct teeny_session_options {
  size_t size; /* of this struct: set by the initialiser */
  /* "cpu", "cuda" (device 0) or "cuda:N". NULL: CUDA device 0 if there is one that the bundle has
   * code for, else the CPU. */
  const char *device;
  /* NULL: the best code that the device runs. Otherwise only code of this target, such as
   * "compute_80" or "x86-64". */
  const char *target;
  int32_t
      threads; /* CPU: that run kernels, the caller's included; 0: as many as the machine runs */
  int32_t no_graphs; /* CUDA: not 0 launches kernels one by one instead of replaying a CUDA graph */
} teeny_session_options;

#define TEENY_SESSION_OPTIONS_INIT                                                                 \
  { sizeof(teeny_session_options), NULL, NULL, 0, 0 }

/* Chooses and loads the code for a device, and puts the weights there. `options` may be NULL. */
TEENY_API teeny_status teeny_session_create(const teeny_bundle *bundle,
                                            const teeny_session_options *options,
                                            teeny_session **session);
/* Waits for the session's work on its device. NULL is fine. */
TEENY_API void teeny_session_destroy(teeny_session *session);
/* "cpu (x86-64-v4, 8 threads)", "cuda:0 (NVIDIA H200, compute capability 9.0)". */
TEENY_API const char *teeny_session_device(const teeny_session *session);

/* ---- Binding -----------------------------------------------------------------------------------
 */

typedef enum teeny_memory TEENY_ENUM {
  TEENY_HOST = 0,  /* host memory; a CUDA session copies it */
  TEENY_DEVICE = 1 /* memory of the session's CUDA device */
} teeny_memory;

typedef struct teeny_tensor {
  void *data; /* may be NULL if the tensor has no elements */
  teeny_dtype dtype;
  teeny_memory memory;
  size_t rank;
  const int64_t *shape;
  /* NULL, or the strides of a contiguous row-major tensor (those of axes of size 1 do not matter).
   * Other layouts are refused. */
  const int64_t *strides;
} teeny_tensor;

/* Binds a tensor to an input or output. dtype, rank and layout are checked here, sizes when dims
 * are solved. The struct and its arrays are copied, the data is not. Memory in the right place and
 * aligned to 16 bytes is used in place, other memory is copied by each run. Inputs are never
 * written, so the data of an input may be const. An output may overlap inputs, not other outputs.
 * An output that is not bound, or bound to NULL, lives in memory of the session: see
 * teeny_get_output_tensor and teeny_read_output. */
TEENY_API teeny_status teeny_bind_input(teeny_session *session, const char *name,
                                        const teeny_tensor *tensor);
TEENY_API teeny_status teeny_bind_output(teeny_session *session, const char *name,
                                         const teeny_tensor *tensor);

/* Binds a DLPack tensor: include <dlpack/dlpack.h> before using these. On success the session owns
 * the tensor, and calls its deleter when it is bound anew or the session is destroyed. On failure
 * it remains the caller's. CPU, CUDA, CUDA-host and CUDA-managed memory is taken. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;
TEENY_API teeny_status teeny_bind_input_dlpack(teeny_session *session, const char *name,
                                               struct DLManagedTensor *tensor);
TEENY_API teeny_status teeny_bind_output_dlpack(teeny_session *session, const char *name,
                                                struct DLManagedTensor *tensor);
TEENY_API teeny_status teeny_bind_input_dlpack_versioned(teeny_session *session, const char *name,
                                                         struct DLManagedTensorVersioned *tensor);
TEENY_API teeny_status teeny_bind_output_dlpack_versioned(teeny_session *session, const char *name,
                                                          struct DLManagedTensorVersioned *tensor);

/* ---- Running -----------------------------------------------------------------------------------
 */

/* Solves the dims from the bound inputs, checks them against their ranges and the bundle's
 * requirements, and only then takes memory. teeny_run does this by itself; call it to learn the
 * shapes of outputs before binding them. */
TEENY_API teeny_status teeny_prepare(teeny_session *session);
/* The value of a dim; after teeny_prepare or a run. */
TEENY_API teeny_status teeny_get_dim_value(const teeny_session *session, const char *name,
                                           int64_t *value);
/* The shape of an output, and where it lies after a run: the bound memory, else the session's.
 * `data` is NULL if the output has no elements. After teeny_prepare or a run; valid until the next
 * of them. */
TEENY_API teeny_status teeny_get_output_tensor(const teeny_session *session, const char *name,
                                               teeny_tensor *tensor);

/* Runs the model and waits for its outputs. On CUDA it first waits for work on the legacy default
 * stream, as any kernel there would. */
TEENY_API teeny_status teeny_run(teeny_session *session);
/* CUDA: enqueues a run on the caller's stream (a CUstream or cudaStream_t of the session's device,
 * in its primary context, not capturing a graph; NULL is the legacy default stream) and does not
 * wait. Bound memory must stay valid, and outputs must not be read, until the stream gets there. On
 * the CPU: like teeny_run, and the stream must be NULL. */
TEENY_API teeny_status teeny_run_on_stream(teeny_session *session, void *stream);

/* Waits for the last run and copies an output to host memory; `size` must be that of the output. */
TEENY_API teeny_status teeny_read_output(teeny_session *session, const char *name, void *data,
                                         size_t size);

/* ---- Single kernels ----------------------------------------------------------------------------
 */

typedef enum teeny_argument_kind TEENY_ENUM {
  TEENY_ARGUMENT_TENSOR = 0, /* of a pointer: the address of its first element */
  TEENY_ARGUMENT_INT = 1,    /* of an integer or a boolean */
  TEENY_ARGUMENT_UINT = 2,   /* likewise: `integer` has the bits of a uint64_t */
  TEENY_ARGUMENT_FLOAT = 3   /* rounded to the type of the parameter */
} teeny_argument_kind;

typedef struct teeny_argument {
  const char *name; /* of the parameter; NULL: that of the same place among the parameters */
  teeny_argument_kind kind;
  const teeny_tensor *tensor;
  int64_t integer;
  double real;
} teeny_argument;

/* Launches one kernel that was compiled with a signature, and waits for it. `grid` is the number of
 * programs along x, y and z: any below 2^31 along x, up to 65535 along y and z; with a 0 nothing is
 * launched. Each parameter that the kernel has at run time needs one argument. Checked are kinds,
 * element types, ranges, what must be a multiple of 16, the alignment of addresses. Not checked is
 * what the kernel does with addresses: it sees the first element of each tensor, and its own idea
 * of sizes and strides decides what it touches. Kernels that the bundle's own launches use are
 * refused.
 *
 * A CUDA session copies tensors in host memory to the device before the launch and, where the
 * kernel writes, back after it, all of a tensor's bytes; tensors that overlap share their copy. */
TEENY_API teeny_status teeny_launch_kernel(teeny_session *session, const char *kernel,
                                           const int32_t *grid, const teeny_argument *arguments,
                                           size_t argument_count);
/* As teeny_run_on_stream is to teeny_run. */
TEENY_API teeny_status teeny_launch_kernel_on_stream(teeny_session *session, const char *kernel,
                                                     const int32_t *grid,
                                                     const teeny_argument *arguments,
                                                     size_t argument_count, void *stream);

/* ---- Timings -----------------------------------------------------------------------------------
 */

typedef enum teeny_timings TEENY_ENUM {
  TEENY_TIMINGS_NONE = 0,
  TEENY_TIMINGS_RUN = 1,     /* all launches of a run together */
  TEENY_TIMINGS_LAUNCHES = 2 /* each launch too; on CUDA without a graph, so the sum grows */
} teeny_timings;

/* Takes effect with the next run. Sessions begin with TEENY_TIMINGS_NONE. */
TEENY_API teeny_status teeny_set_timings(teeny_session *session, teeny_timings timings);

/* What the last successful run, or launch of a single kernel, did. */
typedef struct teeny_run_statistics {
  double device_us;   /* from the first launch to the end of the last; 0 if not timed */
  size_t launches;    /* carried out: those with an empty grid are left out */
  int32_t used_graph; /* CUDA: 1 if the launches were replayed as a graph */
  size_t copied_in;   /* bytes of inputs copied before the launches */
  size_t copied_out;  /* bytes of outputs copied after them */
  size_t arena_bytes; /* temporary memory held by the session */
  size_t
      param_bytes; /* weights held by the session; 0 where they are used in the bundle's memory */
  size_t graphs_made;   /* CUDA, since the session was made: graphs instantiated ... */
  size_t graph_updates; /* ... and updated in place for new addresses */
} teeny_run_statistics;

/* Waits for the last run. */
TEENY_API teeny_status teeny_get_statistics(teeny_session *session,
                                            teeny_run_statistics *statistics);

/* One launch of the last run. The strings belong to the session's bundle and live as long as the
 * session. */
typedef struct teeny_launch_info {
  const char *name;   /* of a single kernel: the kernel's */
  const char *node;   /* of the graph; empty for a single kernel */
  const char *kernel; /* of the variant that was chosen */
  const char *target; /* of its code */
  int32_t grid[3];
  double device_us; /* 0 unless TEENY_TIMINGS_LAUNCHES */
} teeny_launch_info;

/* index < teeny_run_statistics.launches. Waits for the last run. */
TEENY_API teeny_status teeny_get_launch(teeny_session *session, size_t index,
                                        teeny_launch_info *info);

#ifdef __cplusplus
}
#endif

#endif
