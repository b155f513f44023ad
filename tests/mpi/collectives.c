#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* Prints a line for each case: the data that each rank has at the end, as a checksum. */
static int me, n;
static unsigned long long sum(const void* p, long bytes) {
  const unsigned char* b = p;
  unsigned long long h = 1469598103934665603ull;
  for (long i = 0; i < bytes; i++) h = (h ^ b[i]) * 1099511628211ull;
  return h;
}
static void say(const char* what, long len, const void* p, long bytes) {
  unsigned long long h = sum(p, bytes), *all = malloc(8 * n);
  MPI_Gather(&h, 1, MPI_UNSIGNED_LONG_LONG, all, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  if (me == 0) {
    printf("%s %ld:", what, len);
    for (int i = 0; i < n; i++) printf(" %llx", all[i]);
    printf("\n");
  }
  free(all);
}
/* not commutative: 2x2 matrices modulo 2^32 */
static void mul(void* a, void* b, int* len, MPI_Datatype* t) {
  (void)t;
  unsigned *x = a, *y = b;
  for (int i = 0; i < *len; i++, x += 4, y += 4) {
    unsigned r[4] = {x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3], x[2] * y[0] + x[3] * y[2],
                     x[2] * y[1] + x[3] * y[3]};
    memcpy(y, r, 16);
  }
}
static void addu(void* a, void* b, int* len, MPI_Datatype* t) {
  (void)t;
  unsigned *x = a, *y = b;
  for (int i = 0; i < *len; i++) y[i] += x[i];
}
int main(int c, char** v) {
  MPI_Init(&c, &v);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  long lens[] = {0, 1, 3, 17, 100, 513, 3001, 20011};
  MPI_Datatype mat;
  MPI_Type_contiguous(4, MPI_UNSIGNED, &mat);
  MPI_Type_commit(&mat);
  MPI_Op op, add;
  MPI_Op_create(mul, 0, &op);
  MPI_Op_create(addu, 1, &add);
  int nlen = c > 1 ? atoi(v[1]) : 8;
  for (int k = 0; k < nlen; k++) {
    long L = lens[k];
    unsigned *s = malloc((L * n + 8) * 16), *r = malloc((L * n * 2 + 8) * 16);
#define FILL                                                                                 \
  for (long i = 0; i < L * n * 4; i++) s[i] = (unsigned)(me * 2654435761u + i * 40503u + k); \
  memset(r, 7, L * n * 16);
    for (int root = 0; root < n; root += (n > 3 ? 3 : 1)) {
      FILL if (me == root) memcpy(r, s, L * 4);
      MPI_Bcast(r, L, MPI_UNSIGNED, root, MPI_COMM_WORLD);
      say("bcast", L, r, L * 4);
      FILL MPI_Reduce(s, r, L, MPI_UNSIGNED, MPI_SUM, root, MPI_COMM_WORLD);
      say("reduce", L, r, me == root ? L * 4 : 0);
      FILL MPI_Reduce(s, r, L, mat, op, root, MPI_COMM_WORLD);
      say("reduce_nc", L, r, me == root ? L * 16 : 0);
      FILL MPI_Gather(s, L, MPI_UNSIGNED, r, L, MPI_UNSIGNED, root, MPI_COMM_WORLD);
      say("gather", L, r, me == root ? L * 4 * n : 0);
      FILL MPI_Scatter(s, L, MPI_UNSIGNED, r, L, MPI_UNSIGNED, root, MPI_COMM_WORLD);
      say("scatter", L, r, L * 4);
      int cnt[64], dis[64];
      long at = 0;
      for (int i = 0; i < n; i++) {
        cnt[i] = (L + i) % (L + 2);
        if (cnt[i] > L) cnt[i] = L;
        dis[i] = at;
        at += cnt[i];
      }
      FILL MPI_Gatherv(s, cnt[me], MPI_UNSIGNED, r, cnt, dis, MPI_UNSIGNED, root, MPI_COMM_WORLD);
      say("gatherv", L, r, me == root ? at * 4 : 0);
      FILL MPI_Scatterv(s, cnt, dis, MPI_UNSIGNED, r, cnt[me], MPI_UNSIGNED, root, MPI_COMM_WORLD);
      say("scatterv", L, r, cnt[me] * 4);
      MPI_Request q;
      FILL MPI_Ireduce(s, r, L, mat, op, root, MPI_COMM_WORLD, &q);
      MPI_Wait(&q, MPI_STATUS_IGNORE);
      say("ireduce_nc", L, r, me == root ? L * 16 : 0);
      FILL if (me == root) memcpy(r, s, L * 4);
      MPI_Ibcast(r, L, MPI_UNSIGNED, root, MPI_COMM_WORLD, &q);
      MPI_Wait(&q, MPI_STATUS_IGNORE);
      say("ibcast", L, r, L * 4);
    }
    FILL MPI_Allreduce(s, r, L, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    say("allreduce", L, r, L * 4);
    FILL MPI_Allreduce(s, r, L, mat, op, MPI_COMM_WORLD);
    say("allreduce_nc", L, r, L * 16);
    FILL MPI_Allreduce(s, r, L, MPI_UNSIGNED, add, MPI_COMM_WORLD);
    say("allreduce_user", L, r, L * 4);
    FILL MPI_Allreduce(MPI_IN_PLACE, s, L, MPI_UNSIGNED, MPI_BXOR, MPI_COMM_WORLD);
    say("allreduce_in", L, s, L * 4);
    FILL MPI_Scan(s, r, L, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
    say("scan", L, r, L * 4);
    FILL MPI_Scan(s, r, L, mat, op, MPI_COMM_WORLD);
    say("scan_nc", L, r, L * 16);
    FILL MPI_Exscan(s, r, L, mat, op, MPI_COMM_WORLD);
    say("exscan_nc", L, r, me ? L * 16 : 0);
    FILL MPI_Allgather(s, L, MPI_UNSIGNED, r, L, MPI_UNSIGNED, MPI_COMM_WORLD);
    say("allgather", L, r, L * 4 * n);
    FILL MPI_Alltoall(s, L, MPI_UNSIGNED, r, L, MPI_UNSIGNED, MPI_COMM_WORLD);
    say("alltoall", L, r, L * 4 * n);
    FILL MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, s, L, MPI_UNSIGNED, MPI_COMM_WORLD);
    say("alltoall_in", L, s, L * 4 * n);
    FILL MPI_Reduce_scatter_block(s, r, L, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
    say("reduce_scatter_block", L, r, L * 4);
    {
      int cnt[64];
      for (int i = 0; i < n; i++) cnt[i] = i % 2 ? L : L / 2;
      FILL MPI_Reduce_scatter(s, r, cnt, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
      say("reduce_scatter", L, r, cnt[me] * 4);
      FILL MPI_Reduce_scatter(s, r, cnt, mat, op, MPI_COMM_WORLD);
      say("reduce_scatter_nc", L, r, cnt[me] * 16);
    }
    {
      int sc[64], sd[64], rc[64], rd[64];
      long a = 0, b = 0;
      for (int i = 0; i < n; i++) {
        sc[i] = (me + 2 * i) % 3 * L / 2;
        sd[i] = a;
        a += sc[i];
        rc[i] = (i + 2 * me) % 3 * L / 2;
        rd[i] = b;
        b += rc[i];
      }
      FILL MPI_Alltoallv(s, sc, sd, MPI_UNSIGNED, r, rc, rd, MPI_UNSIGNED, MPI_COMM_WORLD);
      say("alltoallv", L, r, b * 4);
      MPI_Request q;
      FILL MPI_Ialltoallv(s, sc, sd, MPI_UNSIGNED, r, rc, rd, MPI_UNSIGNED, MPI_COMM_WORLD, &q);
      MPI_Wait(&q, MPI_STATUS_IGNORE);
      say("ialltoallv", L, r, b * 4);
      FILL MPI_Iallreduce(s, r, L, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD, &q);
      MPI_Wait(&q, MPI_STATUS_IGNORE);
      say("iallreduce", L, r, L * 4);
      FILL MPI_Iscan(s, r, L, mat, op, MPI_COMM_WORLD, &q);
      MPI_Wait(&q, MPI_STATUS_IGNORE);
      say("iscan_nc", L, r, L * 16);
    }
    {
      int rc[64], rd[64];
      long b = 0;
      for (int i = 0; i < n; i++) {
        rc[i] = (i * 5) % 7 * L / 7;
        rd[i] = b;
        b += rc[i];
      }
      FILL MPI_Allgatherv(s, rc[me], MPI_UNSIGNED, r, rc, rd, MPI_UNSIGNED, MPI_COMM_WORLD);
      say("allgatherv", L, r, b * 4);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    free(s);
    free(r);
  }
  /* communicators */
  MPI_Comm half, dup;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &half);
  int hr, hn;
  MPI_Comm_rank(half, &hr);
  MPI_Comm_size(half, &hn);
  int pair[2] = {hr, hn};
  say("split", 0, pair, 8);
  int x = me, y;
  MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, half);
  say("splitsum", 0, &y, 4);
  MPI_Comm_dup(half, &dup);
  MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_MAX, dup);
  say("dupmax", 0, &y, 4);
  MPI_Comm_free(&dup);
  MPI_Comm_free(&half);
  int dims[2] = {0, 0}, per[2] = {1, 0};
  MPI_Dims_create(n, 2, dims);
  MPI_Comm cart;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, per, 0, &cart);
  say("dims", 0, dims, 8);
  int co[2], l, r2, u, d;
  MPI_Cart_coords(cart, me, 2, co);
  MPI_Cart_shift(cart, 0, 1, &u, &d);
  MPI_Cart_shift(cart, 1, 1, &l, &r2);
  int w[6] = {co[0], co[1], u >= 0 ? u : -9, d >= 0 ? d : -9, l >= 0 ? l : -9, r2 >= 0 ? r2 : -9};
  say("cart", 0, w, 24);
  int nb[4] = {-5, -5, -5, -5}, in[4] = {me * 4, me * 4 + 1, me * 4 + 2, me * 4 + 3};
  MPI_Neighbor_alltoall(in, 1, MPI_INT, nb, 1, MPI_INT, cart);
  say("neighbor", 0, nb, 16);
  MPI_Neighbor_allgather(&me, 1, MPI_INT, nb, 1, MPI_INT, cart);
  say("neighborgather", 0, nb, 16);
  if (n > 1) {
    MPI_Comm part, inter, merged;
    MPI_Comm_split(MPI_COMM_WORLD, me < n / 2, 0, &part);
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, me < n / 2 ? n / 2 : 0, 5, &inter);
    int rs;
    MPI_Comm_remote_size(inter, &rs);
    say("inter", 0, &rs, 4);
    MPI_Intercomm_merge(inter, me < n / 2, &merged);
    int mr;
    MPI_Comm_rank(merged, &mr);
    say("merge", 0, &mr, 4);
  }
  MPI_Finalize();
  return 0;
}
