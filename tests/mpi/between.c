/* Collective calls of two groups: of the first ranks and the others, as many as the first argument says. */
#include "said.h"
static int me, ranks, in_first, peers, own, remote;
static MPI_Comm comm;
static unsigned *from, *to;
static int counts[2][64], places[2][64];
static void fill(long length, int seed) {
  for (long i = 0; i < length * ranks * 4; i++) from[i] = (unsigned)(me * 2654435761u + i * 40503u + seed);
  memset(to, 7, length * ranks * 16);
}
/* Uneven lengths of one group's parts, as both groups know them. */
static long uneven(int* count, int* place, int parts, long length, int turn) {
  long all = 0;
  for (int i = 0; i < parts; i++) {
    count[i] = (i * 5 + turn) % 7 * length / 7;
    place[i] = all;
    all += count[i];
  }
  return all;
}
static void named(enum form form, const char* what, long length, const void* data, long bytes) {
  char text[64];
  snprintf(text, sizeof text, "%s%s", form_names[form], what);
  say(text, length, data, bytes);
}
static void rooted(enum form form, long L, int side, MPI_Datatype matrix, MPI_Op product) {
  const int gives = in_first == side, there = side ? 1 : 0; /* the root's rank, in the first group or the other */
  const int last = (side ? peers : ranks - peers) - 1, at = there < last ? there : last;
  const int root = gives ? (own == at ? MPI_ROOT : MPI_PROC_NULL) : at, top = root == MPI_ROOT;
  fill(L, 1);
  /* MPICH to 5.0 broadcasts wrongly behind a call where the root is not its group's first rank */
  const int first = form == at_once ? root : gives ? (own == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
  if (first == MPI_ROOT) memcpy(to, from, L * 4);
  CALL(form, Bcast, Ibcast, comm, to, L, MPI_UNSIGNED, first);
  named(form, "bcast", L, to, L * 4);
  fill(L, 2);
  CALL(form, Reduce, Ireduce, comm, from, to, L, MPI_UNSIGNED, MPI_SUM, root);
  named(form, "reduce", L, to, top ? L * 4 : 0);
  fill(L, 3);
  CALL(form, Reduce, Ireduce, comm, from, to, L, matrix, product, root);
  named(form, "reduce_ordered", L, to, top ? L * 16 : 0);
  fill(L, 4);
  CALL(form, Gather, Igather, comm, from, L, MPI_UNSIGNED, to, L, MPI_UNSIGNED, root);
  named(form, "gather", L, to, top ? L * 4 * remote : 0);
  fill(L, 5);
  CALL(form, Scatter, Iscatter, comm, from, L, MPI_UNSIGNED, to, L, MPI_UNSIGNED, root);
  named(form, "scatter", L, to, gives ? 0 : L * 4);
  const long all = uneven(counts[0], places[0], gives ? remote : ranks - remote, L, 3);
  fill(L, 6);
  CALL(form, Gatherv, Igatherv, comm, from, gives ? 0 : counts[0][own], MPI_UNSIGNED, to, counts[0], places[0],
       MPI_UNSIGNED, root);
  named(form, "gatherv", L, to, top ? all * 4 : 0);
  fill(L, 7);
  CALL(form, Scatterv, Iscatterv, comm, from, counts[0], places[0], MPI_UNSIGNED, to, gives ? 0 : counts[0][own],
       MPI_UNSIGNED, root);
  named(form, "scatterv", L, to, gives ? 0 : counts[0][own] * 4);
}
static void everyone(enum form form, long L, MPI_Datatype matrix, MPI_Op product) {
  fill(L, 8);
  CALL(form, Allreduce, Iallreduce, comm, from, to, L, MPI_INT, MPI_MAX);
  named(form, "allreduce", L, to, L * 4);
  fill(L, 9);
  CALL(form, Allreduce, Iallreduce, comm, from, to, L, matrix, product);
  named(form, "allreduce_ordered", L, to, L * 16);
  fill(L, 10);
  CALL(form, Allgather, Iallgather, comm, from, L, MPI_UNSIGNED, to, L, MPI_UNSIGNED);
  named(form, "allgather", L, to, L * 4 * remote);
  const long theirs = uneven(counts[0], places[0], remote, L, in_first);
  uneven(counts[1], places[1], ranks - remote, L, !in_first);
  fill(L, 11);
  CALL(form, Allgatherv, Iallgatherv, comm, from, counts[1][own], MPI_UNSIGNED, to, counts[0], places[0], MPI_UNSIGNED);
  named(form, "allgatherv", L, to, theirs * 4);
  fill(L, 12);
  CALL(form, Alltoall, Ialltoall, comm, from, L, MPI_UNSIGNED, to, L, MPI_UNSIGNED);
  named(form, "alltoall", L, to, L * 4 * remote);
  /* what rank a of the first group has for rank b of the second is as long as what it gets from it */
  long sent = 0;
  MPI_Datatype types[64];
  int bytes[64];
  for (int i = 0; i < remote; i++) {
    counts[0][i] = (in_first ? own + 2 * i : i + 2 * own) % 3 * L / 2;
    places[0][i] = sent;
    bytes[i] = sent * 4;
    types[i] = MPI_UNSIGNED;
    sent += counts[0][i];
  }
  fill(L, 13);
  CALL(form, Alltoallv, Ialltoallv, comm, from, counts[0], places[0], MPI_UNSIGNED, to, counts[0], places[0],
       MPI_UNSIGNED);
  named(form, "alltoallv", L, to, sent * 4);
  fill(L, 14);
  CALL(form, Alltoallw, Ialltoallw, comm, from, counts[0], bytes, types, to, counts[0], bytes, types);
  named(form, "alltoallw", L, to, sent * 4);
  /* both groups have as many elements in all */
  const int here = ranks - remote;
  fill(L, 15);
  CALL(form, Reduce_scatter_block, Ireduce_scatter_block, comm, from, to, (int)(L % 50 * remote), MPI_UNSIGNED,
       MPI_SUM);
  named(form, "reduce_scatter_block", L, to, L % 50 * remote * 4);
  for (int i = 0; i < here; i++) counts[1][i] = i == 0 ? L : 0;
  if (here > 1) counts[1][1] = L / 2, counts[1][0] = L - L / 2;
  fill(L, 16);
  CALL(form, Reduce_scatter, Ireduce_scatter, comm, from, to, counts[1], MPI_UNSIGNED, MPI_SUM);
  named(form, "reduce_scatter", L, to, counts[1][own] * 4);
  fill(L, 17);
  CALL(form, Reduce_scatter, Ireduce_scatter, comm, from, to, counts[1], matrix, product);
  named(form, "reduce_scatter_ordered", L, to, counts[1][own] * 16);
  if (form == at_once) MPI_Barrier(comm);
  if (form == later) MPI_Ibarrier(comm, &handle);
  if (form == persistent) MPI_Barrier_init(comm, MPI_INFO_NULL, &handle);
  run(form);
}
/* New communicators of it: what each rank is in them, and a sum over both groups. */
static void about(const char* what, MPI_Comm of) {
  int words[5] = {-1, -1, -1, -1, -1};
  if (of != MPI_COMM_NULL) {
    MPI_Comm_test_inter(of, words);
    MPI_Comm_rank(of, words + 1);
    MPI_Comm_size(of, words + 2);
    if (words[0]) MPI_Comm_remote_size(of, words + 3);
    MPI_Allreduce(&me, words + 4, 1, MPI_INT, MPI_SUM, of);
    MPI_Comm_free(&of);
  }
  say(what, 0, words, sizeof words);
}
static void communicators(void) {
  MPI_Comm made;
  MPI_Group all, some;
  MPI_Comm_dup(comm, &made);
  about("dup", made);
  MPI_Comm_split(comm, own % 2, -own, &made);
  about("split", made);
  MPI_Comm_group(comm, &all);
  const int first[2] = {ranks - remote - 1, 0};
  MPI_Group_incl(all, ranks - remote > 1 ? 2 : 1, first, &some);
  MPI_Comm_create(comm, some, &made);
  about("create", made);
  MPI_Comm_idup(comm, &made, &handle);
  MPI_Wait(&handle, MPI_STATUS_IGNORE);
  about("idup", made);
  for (int high = 0; high < 3; high++) {
    MPI_Intercomm_merge(comm, high == 2 ? 0 : in_first == high, &made);
    if (high == 2) { /* which group comes first is the library's choice */
      int size;
      MPI_Comm_size(made, &size);
      say("merge", high, &size, sizeof size);
      MPI_Comm_free(&made);
    } else {
      about("merge", made);
    }
  }
  MPI_Group_free(&some);
  MPI_Group_free(&all);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int last = argc > 2 ? atoi(argv[2]) : forms; /* 2: without the persistent ones */
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  peers = atoi(argv[1]);
  in_first = me < peers;
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, in_first, 0, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, in_first ? peers : 0, 5, &comm);
  MPI_Comm_free(&part);
  MPI_Comm_rank(comm, &own);
  MPI_Comm_remote_size(comm, &remote);
  MPI_Datatype matrix;
  MPI_Type_contiguous(4, MPI_UNSIGNED, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op product;
  MPI_Op_create(multiply, 0, &product);
  const long lengths[] = {0, 1, 17, 600, 3001};
  for (int k = 0; k < 5; k++) {
    from = malloc((lengths[k] * ranks + 64) * 64);
    to = malloc((lengths[k] * ranks + 64) * 64);
    for (int form = 0; form < last; form++) {
      rooted(form, lengths[k], 1, matrix, product);
      rooted(form, lengths[k], 0, matrix, product);
      everyone(form, lengths[k], matrix, product);
    }
    free(from);
    free(to);
  }
  communicators();
  MPI_Op_free(&product);
  MPI_Type_free(&matrix);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
