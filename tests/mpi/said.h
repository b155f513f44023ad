/* What the test programs of collective calls print: a line for each case, with a checksum of each rank's data. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned long long checksum(const void* data, long bytes) {
  const unsigned char* at = data;
  unsigned long long sum = 1469598103934665603ull;
  for (long i = 0; i < bytes; i++) sum = (sum ^ at[i]) * 1099511628211ull;
  return sum;
}
static void say(const char* what, long length, const void* data, long bytes) {
  unsigned long long sum = checksum(data, bytes), all[256];
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Gather(&sum, 1, MPI_UNSIGNED_LONG_LONG, all, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  printf("%s %ld:", what, length);
  for (int i = 0; i < ranks; i++) printf(" %llx", all[i]);
  printf("\n");
}
/* not commutative: 2x2 matrices modulo 2^32 */
static void multiply(void* a, void* b, int* count, MPI_Datatype* type) {
  (void)type;
  unsigned *x = a, *y = b;
  for (int i = 0; i < *count; i++, x += 4, y += 4) {
    const unsigned product[4] = {x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3], x[2] * y[0] + x[3] * y[2],
                                 x[2] * y[1] + x[3] * y[3]};
    memcpy(y, product, sizeof product);
  }
}
/* A call at once, waited for later, and persistent, started twice. */
enum form { at_once, later, persistent, forms };
static const char* const form_names[] = {"", "i", "p"};
static MPI_Request handle;
static void run(enum form form) {
  if (form == at_once) return;
  for (int times = 0; times < (form == persistent ? 2 : 1); times++) {
    if (form == persistent) MPI_Start(&handle);
    MPI_Wait(&handle, MPI_STATUS_IGNORE);
  }
  if (form == persistent) MPI_Request_free(&handle);
}
#define CALL(form, Name, Iname, comm, ...)                          \
  do {                                                              \
    if ((form) == at_once)                                          \
      MPI_##Name(__VA_ARGS__, comm);                                \
    else if ((form) == later)                                       \
      MPI_##Iname(__VA_ARGS__, comm, &handle);                      \
    else                                                            \
      MPI_##Name##_init(__VA_ARGS__, comm, MPI_INFO_NULL, &handle); \
    run(form);                                                      \
  } while (0)
