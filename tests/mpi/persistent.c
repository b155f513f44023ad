/* Persistent collective calls, alltoallw with types of its own for each rank, and neighbours in graphs. */
#include "said.h"
static int me, n;
static unsigned *from, *to;
static void fill(long length, int seed) {
  for (long i = 0; i < length * n * 4; i++) from[i] = (unsigned)(me * 2654435761u + i * 40503u + seed);
  memset(to, 7, length * n * 16);
}
static void named(enum form form, const char* what, long length, const void* data, long bytes) {
  char text[64];
  snprintf(text, sizeof text, "%s%s", form_names[form], what);
  say(text, length, data, bytes);
}
static void collectives(enum form form, long L) {
  int count[64], place[64], each[64];
  long all = 0;
  for (int i = 0; i < n; i++) {
    count[i] = (i * 5) % 7 * L / 7;
    place[i] = all;
    each[i] = L / n + (i < L % n);
    all += count[i];
  }
  const int root = n - 1, top = me == root;
  const MPI_Comm comm = MPI_COMM_WORLD;
  const MPI_Datatype word = MPI_UNSIGNED;
  /* freed at once: the request keeps it */
  MPI_Datatype matrix;
  MPI_Op product;
  MPI_Type_contiguous(4, word, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op_create(multiply, 0, &product);
  fill(L, 1);
  if (form == persistent) {
    MPI_Allreduce_init(from, to, L, matrix, product, comm, MPI_INFO_NULL, &handle);
    MPI_Op_free(&product);
    MPI_Type_free(&matrix);
    run(form);
  } else {
    CALL(form, Allreduce, Iallreduce, comm, from, to, L, matrix, product);
    MPI_Op_free(&product);
    MPI_Type_free(&matrix);
  }
  named(form, "allreduce_ordered", L, to, L * 16);
  if (form == at_once) MPI_Barrier(comm);
  if (form == later) MPI_Ibarrier(comm, &handle);
  if (form == persistent) MPI_Barrier_init(comm, MPI_INFO_NULL, &handle);
  run(form);
  fill(L, 2);
  CALL(form, Bcast, Ibcast, comm, top ? from : to, L, word, root);
  named(form, "bcast", L, top ? from : to, L * 4);
  fill(L, 3);
  CALL(form, Reduce, Ireduce, comm, from, to, L, word, MPI_SUM, root);
  named(form, "reduce", L, to, top ? L * 4 : 0);
  fill(L, 4);
  CALL(form, Gather, Igather, comm, from, L, word, to, L, word, root);
  named(form, "gather", L, to, top ? L * 4 * n : 0);
  fill(L, 5);
  CALL(form, Gatherv, Igatherv, comm, from, count[me], word, to, count, place, word, root);
  named(form, "gatherv", L, to, top ? all * 4 : 0);
  fill(L, 6);
  CALL(form, Scatter, Iscatter, comm, from, L, word, to, L, word, root);
  named(form, "scatter", L, to, L * 4);
  fill(L, 7);
  CALL(form, Scatterv, Iscatterv, comm, from, count, place, word, to, count[me], word, root);
  named(form, "scatterv", L, to, count[me] * 4);
  fill(L, 8);
  CALL(form, Allgather, Iallgather, comm, from, L, word, to, L, word);
  named(form, "allgather", L, to, L * 4 * n);
  fill(L, 9);
  CALL(form, Allgatherv, Iallgatherv, comm, from, count[me], word, to, count, place, word);
  named(form, "allgatherv", L, to, all * 4);
  fill(L, 10);
  CALL(form, Alltoall, Ialltoall, comm, from, L, word, to, L, word);
  named(form, "alltoall", L, to, L * 4 * n);
  fill(L, 11);
  CALL(form, Scan, Iscan, comm, from, to, L, word, MPI_SUM);
  named(form, "scan", L, to, L * 4);
  fill(L, 12);
  CALL(form, Exscan, Iexscan, comm, from, to, L, word, MPI_SUM);
  named(form, "exscan", L, to, me ? L * 4 : 0);
  fill(L, 13);
  CALL(form, Reduce_scatter_block, Ireduce_scatter_block, comm, from, to, L, word, MPI_BXOR);
  named(form, "reduce_scatter_block", L, to, L * 4);
  fill(L, 14);
  CALL(form, Reduce_scatter, Ireduce_scatter, comm, from, to, each, word, MPI_SUM);
  named(form, "reduce_scatter", L, to, each[me] * 4);
  /* what goes to rank i: every (i % 3 + 1)-th word from a place of its own; what comes is one run of words */
  MPI_Datatype vectors[64], runs[64];
  int ones[64], sent_at[64], got_at[64];
  for (int i = 0; i < n; i++) {
    MPI_Type_vector(L, 1, i % 3 + 1, word, vectors + i);
    MPI_Type_commit(vectors + i);
    MPI_Type_contiguous(L, word, runs + i);
    MPI_Type_commit(runs + i);
    ones[i] = (me + i) % 4 != 3;
    sent_at[i] = (int)(L * i * 4 / 2 / 4 * 4);
    got_at[i] = (int)(L * i * 4);
  }
  fill(L, 15);
  CALL(form, Alltoallw, Ialltoallw, comm, from, ones, sent_at, vectors, to, ones, got_at, runs);
  named(form, "alltoallw", L, to, L * n * 4);
  for (int i = 0; i < n; i++) {
    MPI_Type_free(vectors + i);
    MPI_Type_free(runs + i);
  }
}
/* Rank r gives to r + 1 and r + 3, and gets from r - 1 and r - 3. */
static void neighbours(enum form form, long L, MPI_Comm graph) {
  const MPI_Datatype word = MPI_UNSIGNED;
  const int counts[2] = {L, L / 2}, places[2] = {0, L};
  const MPI_Aint bytes[2] = {0, 4 * L};
  const MPI_Datatype types[2] = {word, word};
  fill(L, 20);
  CALL(form, Neighbor_allgather, Ineighbor_allgather, graph, from, L, word, to, L, word);
  named(form, "neighbor_allgather", L, to, L * 8);
  fill(L, 21);
  CALL(form, Neighbor_allgatherv, Ineighbor_allgatherv, graph, from, L, word, to, (int[2]){L, L}, (int[2]){L, 0}, word);
  named(form, "neighbor_allgatherv", L, to, L * 8);
  fill(L, 22);
  CALL(form, Neighbor_alltoall, Ineighbor_alltoall, graph, from, L, word, to, L, word);
  named(form, "neighbor_alltoall", L, to, L * 8);
  fill(L, 23);
  CALL(form, Neighbor_alltoallv, Ineighbor_alltoallv, graph, from, counts, places, word, to, counts, places, word);
  named(form, "neighbor_alltoallv", L, to, L * 6);
  fill(L, 24);
  CALL(form, Neighbor_alltoallw, Ineighbor_alltoallw, graph, from, counts, bytes, types, to, counts, bytes, types);
  named(form, "neighbor_alltoallw", L, to, L * 6);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int last = argc > 1 ? atoi(argv[1]) : forms; /* 2: without the persistent ones */
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Comm graph;
  const int sources[2] = {(me - 1 + n) % n, (me + 3 * n - 3) % n}, targets[2] = {(me + 1) % n, (me + 3) % n};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, targets, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                 0, &graph);
  const long lengths[] = {2, 102, 3002};
  for (int k = 0; k < 3; k++) {
    from = malloc((lengths[k] * n + 64) * 32);
    to = malloc((lengths[k] * n + 64) * 32);
    for (int form = 0; form < last; form++) {
      collectives(form, lengths[k]);
      neighbours(form, lengths[k], graph);
    }
    free(from);
    free(to);
  }
  MPI_Comm_free(&graph);
  MPI_Finalize();
  return 0;
}
