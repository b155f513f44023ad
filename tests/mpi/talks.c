/* Each rank writes lines to both streams: a short one, one as long as the argument says, and one without an end. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void talk(FILE* stream, const char* mark, int rank, int length) {
  fprintf(stream, "%s %d\n", mark, rank);
  for (int i = 0; i < length; i++) fputc('0' + rank, stream);
  fprintf(stream, "\nlast %d", rank);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  talk(stdout, "out", rank, atoi(argv[1]));
  talk(stderr, "err", rank, atoi(argv[1]));
  fflush(stdout);
  if (!strcmp(argv[1], "leaves") && rank == 1 && fork() == 0) {
    sleep(30); /* a process that has the rank's output open */
    _exit(0);
  }
  MPI_Finalize();
  return 0;
}
