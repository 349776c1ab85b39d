/* Runs a bundle with inputs x and y and an output out, all of shape (B, 3, 8). lib/Runtime/README.md shows
 * the part between the marks. */
#include <stdio.h>
#include <stdlib.h>

#include "teeny/runtime.h"

#define CHECK(call)                                                                                \
  do {                                                                                             \
    if ((call) != TEENY_OK) {                                                                      \
      fprintf(stderr, "%s\n", teeny_last_error());                                                 \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

/* [example] */
static void run(const char *path, int64_t batch) {
  teeny_bundle *bundle;
  teeny_session *session;
  CHECK(teeny_open_file(path, NULL, &bundle));
  CHECK(teeny_session_create(bundle, NULL, &session)); /* a GPU if there is one, else the CPU */

  int64_t shape[] = {batch, 3, 8};
  float *ones = malloc(sizeof(float) * 24 * (size_t)batch);
  for (int64_t i = 0; i < batch * 24; ++i)
    ones[i] = 1.0f;
  teeny_tensor x = {ones, TEENY_F32, TEENY_HOST, 3, shape, NULL};
  CHECK(teeny_bind_input(session, "x", &x));
  CHECK(teeny_bind_input(session, "y", &x));
  CHECK(teeny_run(session)); /* solves B from the shapes, and checks it */

  teeny_tensor out;
  CHECK(teeny_get_output_tensor(session, "out", &out));
  size_t bytes = sizeof(float) * (size_t)(out.shape[0] * out.shape[1] * out.shape[2]);
  float *result = malloc(bytes);
  CHECK(teeny_read_output(session, "out", result, bytes));
  printf("%s: out[0] = %g\n", teeny_session_device(session), result[0]);

  free(result);
  free(ones);
  teeny_session_destroy(session);
  teeny_close(bundle);
}
/* [example] */

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s BUNDLE\n", argv[0]);
    return 2;
  }
  run(argv[1], 2);
  return 0;
}
