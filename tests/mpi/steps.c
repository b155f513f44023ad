/* Does what its arguments say, one after another, on all ranks:
     m:FROM:TO:BYTES:TAG  a blocking message      w:FROM:TO:BYTES:TAG  the same, received with any source and any tag
     x:BYTES  a sendrecv around the ring          s:FROM:TO:BYTES:TAG  a synchronous send
     a:BYTES  allreduce    t:BYTES  alltoall    g:BYTES  gather    b  barrier    d:BYTES  broadcast in a duplicate
     i:BYTES  messages to both neighbours at once j:BYTES  an allreduce that goes on behind a sendrecv
     f:BYTES  the first of two receives           p:BYTES  rank 0 asks for a message of rank 1 until it is there
     r:BYTES  a ready send of rank 0 to 1         c:BYTES  a receive that is cancelled */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks;
static char *out, *in;

static void one(char what, int from, int to, int bytes, int tag) {
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks, words = bytes / (int)sizeof(int);
  MPI_Request requests[4];
  MPI_Comm comm = MPI_COMM_WORLD, other;
  int flag = 0;
  switch (what) {
    case 'm':
    case 'w': /* no other message may be there that it could take */
    case 's':
      if (what == 'w') MPI_Barrier(comm);
      if (rank == from && what == 's') MPI_Ssend(out, bytes, MPI_CHAR, to, tag, comm);
      if (rank == from && what != 's') MPI_Send(out, bytes, MPI_CHAR, to, tag, comm);
      if (rank == to && what != 'w') MPI_Recv(in, bytes, MPI_CHAR, from, tag, comm, MPI_STATUS_IGNORE);
      if (rank == to && what == 'w')
        MPI_Recv(in, bytes + 8, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
      if (what == 'w') MPI_Barrier(comm);
      break;
    case 'x':
      MPI_Sendrecv(out, bytes, MPI_CHAR, right, 1, in, bytes, MPI_CHAR, left, 1, comm, MPI_STATUS_IGNORE);
      break;
    case 'a':
      MPI_Allreduce(out, in, words, MPI_INT, MPI_MAX, comm);
      break;
    case 't':
      MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, comm);
      break;
    case 'g':
      MPI_Gather(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, 0, comm);
      break;
    case 'b':
      MPI_Barrier(comm);
      break;
    case 'd':
      MPI_Comm_dup(comm, &other);
      MPI_Bcast(out, bytes, MPI_CHAR, 0, other);
      MPI_Comm_free(&other);
      break;
    case 'i':
      MPI_Irecv(in, bytes, MPI_CHAR, left, 2, comm, requests);
      MPI_Irecv(in + bytes, bytes, MPI_CHAR, right, 3, comm, requests + 1);
      MPI_Isend(out, bytes, MPI_CHAR, right, 2, comm, requests + 2);
      MPI_Isend(out, bytes, MPI_CHAR, left, 3, comm, requests + 3);
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
      break;
    case 'j':
      MPI_Iallreduce(out, in, words, MPI_INT, MPI_MAX, comm, requests);
      MPI_Sendrecv(out, bytes, MPI_CHAR, right, 4, in + bytes, bytes, MPI_CHAR, left, 4, comm, MPI_STATUS_IGNORE);
      MPI_Wait(requests, MPI_STATUS_IGNORE);
      break;
    case 'f':
      MPI_Irecv(in, bytes, MPI_CHAR, left, 5, comm, requests);
      MPI_Irecv(in + bytes, bytes, MPI_CHAR, right, 6, comm, requests + 1);
      MPI_Send(out, bytes, MPI_CHAR, right, 5, comm);
      MPI_Send(out, bytes, MPI_CHAR, left, 6, comm);
      MPI_Waitany(2, requests, &flag, MPI_STATUS_IGNORE);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      break;
    case 'p':
      if (rank == 1) MPI_Send(out, bytes, MPI_CHAR, 0, 7, comm);
      while (rank == 0 && !flag) MPI_Iprobe(1, 7, comm, &flag, MPI_STATUS_IGNORE);
      if (rank == 0) MPI_Recv(in, bytes, MPI_CHAR, 1, 7, comm, MPI_STATUS_IGNORE);
      break;
    case 'r':
      if (rank == 1) MPI_Irecv(in, bytes, MPI_CHAR, 0, 8, comm, requests);
      MPI_Barrier(comm);
      if (rank == 0) MPI_Rsend(out, bytes, MPI_CHAR, 1, 8, comm);
      if (rank == 1) MPI_Wait(requests, MPI_STATUS_IGNORE);
      break;
    case 'c':
      MPI_Irecv(in, bytes, MPI_CHAR, right, 9, comm, requests);
      MPI_Cancel(requests);
      MPI_Wait(requests, MPI_STATUS_IGNORE);
      break;
    default:
      MPI_Abort(comm, 2);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  out = calloc(1 << 20, 1), in = calloc(1 << 20, 1);
  for (int i = 1; i < argc; ++i) {
    int all[4] = {0, 0, 0, 0};
    char what = 0;
    const int count = sscanf(argv[i], "%c:%d:%d:%d:%d", &what, all, all + 1, all + 2, all + 3) - 1;
    one(what, all[0], all[1], count == 1 ? all[0] : all[2], all[3]);
  }
  MPI_Finalize();
  return 0;
}
