/* Point-to-point messages in all modes, with requests of all kinds: each rank prints what it got, which is the same
   under every MPI. Runs on 3 ranks or more. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static char text[1 << 16]; /* what this rank has to say: rank 0 prints all, for mpiexec may mix what ranks print */
static int used;
static void note(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  used += vsnprintf(text + used, sizeof text - used, format, arguments);
  va_end(arguments);
}
static void say(const char* what, const int* data, int count, const MPI_Status* status) {
  int got = -1;
  if (status) MPI_Get_count(status, MPI_INT, &got);
  note("%d %s", rank, what);
  if (status) note(" source %d tag %d count %d", status->MPI_SOURCE, status->MPI_TAG, got);
  for (int i = 0; i < count; ++i) note(" %d", data[i]);
  note("\n");
}

static void modes(void) {
  int data[4] = {rank, 1, 2, 3}, got[8] = {0};
  MPI_Status status;
  if (rank == 0) {
    static char room[4096 + MPI_BSEND_OVERHEAD];
    void* was;
    int size;
    MPI_Send(data, 4, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Ssend(data, 3, MPI_INT, 1, 2, MPI_COMM_WORLD);
    MPI_Buffer_attach(room, sizeof room);
    MPI_Bsend(data, 2, MPI_INT, 1, 3, MPI_COMM_WORLD);
    data[0] = 99;
    MPI_Buffer_detach(&was, &size);
    note("detached %d %d\n", was == room, size == (int)sizeof room);
    MPI_Recv(got, 0, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Rsend(data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Request ready;
    for (int tag = 1; tag <= 3; ++tag) {
      MPI_Recv(got, 8, MPI_INT, 0, tag, MPI_COMM_WORLD, &status);
      say("mode", got, 2, &status);
    }
    MPI_Irecv(got, 8, MPI_INT, 0, 5, MPI_COMM_WORLD, &ready);
    MPI_Send(data, 0, MPI_INT, 0, 4, MPI_COMM_WORLD);
    MPI_Wait(&ready, &status);
    say("ready", got, 1, &status);
  }
}

static void any(void) { /* every rank sends to 0, which takes whoever it is, with sums that do not depend on order */
  if (rank > 0) {
    int data[2] = {rank, rank * rank};
    MPI_Send(data, 2, MPI_INT, 0, rank, MPI_COMM_WORLD);
    return;
  }
  int sum = 0, tags = 0, sources = 0;
  for (int i = 1; i < ranks; ++i) {
    int got[2];
    MPI_Status status;
    MPI_Recv(got, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    sum += got[1];
    tags += status.MPI_TAG;
    sources += status.MPI_SOURCE;
    if (got[0] != status.MPI_SOURCE) note("wrong source\n");
  }
  note("any %d %d %d\n", sum, tags, sources);
}

static void probes(void) {
  if (rank == 0) {
    int data[5] = {5, 4, 3, 2, 1};
    MPI_Send(data, 5, MPI_INT, 1, 7, MPI_COMM_WORLD);
    MPI_Send(data, 2, MPI_INT, 1, 8, MPI_COMM_WORLD);
    MPI_Send(data, 3, MPI_INT, 1, 9, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Status status;
    MPI_Message message;
    int got[5], flag = 0;
    MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    say("probe", NULL, 0, &status);
    MPI_Recv(got, 5, MPI_INT, 0, 7, MPI_COMM_WORLD, &status);
    while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, &status);
    say("iprobe", NULL, 0, &status);
    MPI_Mprobe(0, 8, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(got, 5, MPI_INT, &message, &status);
    say("mrecv", got, 2, &status);
    MPI_Recv(got, 5, MPI_INT, 0, 9, MPI_COMM_WORLD, &status);
    say("last", got, 3, &status);
  }
}

static void several(void) { /* waitany, waitsome, testall, testany, testsome over messages from all others */
  enum { each = 6 };
  MPI_Request requests[64];
  int data[64], indices[64], done = 0, sum = 0;
  const int others = ranks > 5 ? 4 : ranks - 1, all = others * each;
  if (rank > others) return;
  if (rank > 0) {
    for (int i = 0; i < each; ++i) {
      data[i] = rank * 10 + i;
      MPI_Isend(data + i, 1, MPI_INT, 0, i, MPI_COMM_WORLD, requests + i);
    }
    MPI_Waitall(each, requests, MPI_STATUSES_IGNORE);
    return;
  }
  for (int r = 1; r <= others; ++r)
    for (int i = 0; i < each; ++i)
      MPI_Irecv(data + (r - 1) * each + i, 1, MPI_INT, r, i, MPI_COMM_WORLD, requests + (r - 1) * each + i);
  while (done < all) {
    int count = 0, index, flag;
    MPI_Status status, statuses[64];
    if (done % 4 == 0) {
      MPI_Waitany(all, requests, &index, &status);
      if (status.MPI_TAG != index % each || status.MPI_SOURCE != index / each + 1) note("wrong waitany\n");
      count = 1, indices[0] = index;
    } else if (done % 4 == 1) {
      MPI_Waitsome(all, requests, &count, indices, statuses);
      for (int i = 0; i < count; ++i)
        if (statuses[i].MPI_TAG != indices[i] % each) note("wrong waitsome\n");
    } else if (done % 4 == 2) {
      do MPI_Testany(all, requests, &index, &flag, &status);
      while (!flag);
      count = 1, indices[0] = index;
    } else {
      do MPI_Testsome(all, requests, &count, indices, statuses);
      while (count == 0);
    }
    for (int i = 0; i < count; ++i) sum += data[indices[i]];
    done += count;
  }
  int flag = 0, index = 0;
  MPI_Testall(all, requests, &flag, MPI_STATUSES_IGNORE);
  MPI_Waitany(all, requests, &index, MPI_STATUS_IGNORE);
  note("several %d flag %d undefined %d\n", sum, flag, index == MPI_UNDEFINED);
}

static void persistent(void) {
  int out = 0, in = 0, sum = 0;
  MPI_Request requests[2];
  MPI_Send_init(&out, 1, MPI_INT, (rank + 1) % ranks, 3, MPI_COMM_WORLD, requests);
  MPI_Recv_init(&in, 1, MPI_INT, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD, requests + 1);
  for (int i = 0; i < 5; ++i) {
    out = rank + 100 * i;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    sum += in;
  }
  MPI_Request_free(requests);
  MPI_Request_free(requests + 1);
  note("%d persistent %d\n", rank, sum);
}

static void exchanges(void) {
  int out[3] = {rank, rank + 1, rank + 2}, in[3];
  MPI_Status status;
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  MPI_Sendrecv(out, 3, MPI_INT, next, 11, in, 3, MPI_INT, before, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  say("sendrecv", in, 3, &status);
  MPI_Sendrecv_replace(out, 2, MPI_INT, before, 12, next, 12, MPI_COMM_WORLD, &status);
  say("replace", out, 3, &status);
  MPI_Sendrecv(out, 3, MPI_INT, MPI_PROC_NULL, 1, in, 3, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  note("%d null %d %d\n", rank, status.MPI_SOURCE == MPI_PROC_NULL, status.MPI_TAG == MPI_ANY_TAG);
  MPI_Sendrecv(out, 1, MPI_INT, rank, 2, in, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &status);
  say("self", in, 1, &status);
}

static void cancels(void) {
  int in, flag = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  note("%d cancelled %d null %d\n", rank, flag, request == MPI_REQUEST_NULL);
}

static void errors(void) {
  int data[4] = {1, 2, 3, 4}, code, class = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  code = MPI_Send(data, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD);
  MPI_Error_class(code, &class);
  note("%d rank %d", rank, class == MPI_ERR_RANK);
  code = MPI_Send(data, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  MPI_Error_class(code, &class);
  note(" count %d", class == MPI_ERR_COUNT);
  code = MPI_Send(data, 1, MPI_INT, 0, -5, MPI_COMM_WORLD);
  MPI_Error_class(code, &class);
  note(" tag %d", class == MPI_ERR_TAG);
  if (rank == 0) MPI_Send(data, 4, MPI_INT, 1, 41, MPI_COMM_WORLD);
  if (rank == 1) {
    code = MPI_Recv(data, 2, MPI_INT, 0, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Error_class(code, &class);
    note(" truncated %d", class == MPI_ERR_TRUNCATE);
  }
  note("\n");
}

static void large(void) { /* 64 MiB both ways */
  const int bytes = 64 << 20;
  char *out = malloc(bytes), *in = malloc(bytes);
  for (int i = 0; i < bytes; ++i) out[i] = (char)(i * 7 + rank);
  if (rank < 2)
    MPI_Sendrecv(out, bytes, MPI_CHAR, 1 - rank, 1, in, bytes, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  int wrong = 0;
  for (int i = 0; i < bytes && rank < 2; ++i) wrong += in[i] != (char)(i * 7 + 1 - rank);
  note("%d large %d\n", rank, wrong);
  free(out);
  free(in);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  void (*parts[])(void) = {modes, any, probes, several, persistent, exchanges, cancels, errors};
  for (int i = 0; i < 8; ++i) {
    parts[i]();
    MPI_Barrier(MPI_COMM_WORLD); /* receives from any rank take no other part's messages */
  }
  if (argc > 1 && strcmp(argv[1], "large") == 0) large();
  if (rank == 0) fputs(text, stdout);
  for (int each = 1; each < ranks; ++each) {
    if (rank == each) MPI_Send(text, used + 1, MPI_CHAR, 0, 99, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(text, sizeof text, MPI_CHAR, each, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) fputs(text, stdout);
  }
  MPI_Finalize();
  return 0;
}
