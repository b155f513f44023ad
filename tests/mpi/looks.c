/* What MPI_Request_get_status and its forms tell, MPI_Isendrecv, MPI_Comm_idup, and persistent calls in two orders. */
#include "said.h"
static int me, n;
static void looks(void) {
  const int to = (me + 1) % n, from = (me - 1 + n) % n;
  int sent[3] = {me, me + 100, me + 200}, got[3] = {-1, -1, -1}, flag = 0, index, over, indices[3];
  MPI_Request requests[3];
  MPI_Status status[3];
  MPI_Irecv(got, 1, MPI_INT, from, 7, MPI_COMM_WORLD, requests);
  MPI_Send(sent, 1, MPI_INT, to, 7, MPI_COMM_WORLD);
  while (!flag) MPI_Request_get_status(requests[0], &flag, status);
  /* the data are there, and the request is, too */
  const int told[4] = {got[0], status[0].MPI_SOURCE, status[0].MPI_TAG, requests[0] != MPI_REQUEST_NULL};
  say("get_status", 0, told, sizeof told);
  got[0] = -5;
  MPI_Wait(requests, status);
  const int then[4] = {got[0], status[0].MPI_SOURCE, status[0].MPI_TAG, requests[0] == MPI_REQUEST_NULL};
  say("then_wait", 0, then, sizeof then);
  for (int i = 0; i < 3; i++) MPI_Irecv(got + i, 1, MPI_INT, from, i, MPI_COMM_WORLD, requests + i);
  for (int i = 2; i >= 0; i--) MPI_Send(sent + i, 1, MPI_INT, to, i, MPI_COMM_WORLD);
  for (flag = 0; !flag;) MPI_Request_get_status_all(3, requests, &flag, status);
  say("get_status_all", 0, got, sizeof got);
  MPI_Request_get_status_any(3, requests, &index, &flag, status);
  MPI_Request_get_status_some(3, requests, &over, indices, status);
  const int some[5] = {index, flag, over, indices[0] + 10 * indices[1] + 100 * indices[2], status[2].MPI_TAG};
  say("get_status_some", 0, some, sizeof some);
  MPI_Waitall(3, requests, status);
  MPI_Request_get_status_some(3, requests, &over, indices, status);
  MPI_Request_get_status_any(3, requests, &index, &flag, status);
  const int none[3] = {over == MPI_UNDEFINED, index == MPI_UNDEFINED, flag};
  say("of_none", 0, none, sizeof none);
}
static void exchanges(int looks_at_statuses) {
  const int to = (me + 1) % n, from = (me - 1 + n) % n;
  static int sent[20000], got[20000];
  MPI_Request requests[2];
  MPI_Status status[2];
  for (int i = 0; i < 20000; i++) sent[i] = me * 31 + i;
  int small = me;
  MPI_Isendrecv(sent, 20000, MPI_INT, to, 3, got, 20000, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, requests);
  MPI_Isendrecv_replace(&small, 1, MPI_INT, from, 4, to, MPI_ANY_TAG, MPI_COMM_WORLD, requests + 1);
  MPI_Waitall(2, requests, status);
  say("isendrecv", 0, got, sizeof got);
  const int right = status[0].MPI_SOURCE == from && status[1].MPI_SOURCE == to && status[1].MPI_TAG == 4;
  if (looks_at_statuses && !right) MPI_Abort(MPI_COMM_WORLD, 9);
  say("isendrecv_replace", 0, &small, sizeof small);
  small = -1;
  const int last = me == n - 1 ? MPI_PROC_NULL : to, first = me == 0 ? MPI_PROC_NULL : from;
  MPI_Isendrecv(&me, 1, MPI_INT, last, 5, &small, 1, MPI_INT, first, 5, MPI_COMM_WORLD, requests);
  MPI_Wait(requests, status);
  say("isendrecv_at_the_ends", 0, &small, sizeof small);
}
static void copies(void) {
  MPI_Comm half, made[4];
  MPI_Request requests[4];
  int sums[4];
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &half);
  /* of two communicators, each in order; rank 0 begins with the other one */
  for (int i = 0; i < 4; i++) {
    const int of = me == 0 ? i ^ 1 : i;
    MPI_Comm_idup(of % 2 ? half : MPI_COMM_WORLD, made + of, requests + of);
  }
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 4; i++) MPI_Allreduce(&me, sums + i, 1, MPI_INT, MPI_SUM, made[i]);
  say("idup", 0, sums, sizeof sums);
  /* each is a communicator of its own */
  int got[4];
  for (int i = 0; i < 4; i++) MPI_Irecv(got + i, 1, MPI_INT, MPI_ANY_SOURCE, 1, made[i], requests + i);
  for (int i = 3; i >= 0; i--) {
    int size, rank;
    MPI_Comm_size(made[i], &size);
    MPI_Comm_rank(made[i], &rank);
    const int word = 1000 * i + me;
    MPI_Send(&word, 1, MPI_INT, (rank + 1) % size, 1, made[i]);
  }
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  say("idup_apart", 0, got, sizeof got);
  for (int i = 0; i < 4; i++) MPI_Comm_free(made + i);
  MPI_Comm_free(&half);
}
static void orders(void) {
  MPI_Request requests[3];
  int sums[3] = {-1, -1, -1}, values[3] = {me, 10 * me, 100 * me};
  for (int i = 0; i < 3; i++)
    MPI_Allreduce_init(values + i, sums + i, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests + i);
  for (int times = 0; times < 2; times++) {
    for (int i = 0; i < 3; i++) MPI_Start(requests + (me % 2 ? 2 - i : i));
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 3; i++) MPI_Request_free(requests + i);
  say("started_in_two_orders", 0, sums, sizeof sums);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  looks();
  exchanges(argc > 1); /* those of MPICH 5.0 are wrong */
  copies();
  orders();
  MPI_Finalize();
  return 0;
}
