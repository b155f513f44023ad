/* Reads datatypes in postfix form from a file, a line each, and prints what MPI says of them and what packing moves.
   A line: constructors with their numbers, each taking the types before it; then the count of elements. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const MPI_Datatype* basics(void) {
  static MPI_Datatype all[8];
  MPI_Datatype these[8] = {MPI_CHAR,       MPI_SHORT,     MPI_INT,       MPI_DOUBLE,
                           MPI_DOUBLE_INT, MPI_FLOAT_INT, MPI_SHORT_INT, MPI_LONG};
  memcpy(all, these, sizeof these);
  return all;
}
static const char* combiner(int c) {
  if (c == MPI_COMBINER_NAMED) return "named";
  if (c == MPI_COMBINER_DUP) return "dup";
  if (c == MPI_COMBINER_CONTIGUOUS) return "contiguous";
  if (c == MPI_COMBINER_VECTOR) return "vector";
  if (c == MPI_COMBINER_HVECTOR) return "hvector";
  if (c == MPI_COMBINER_INDEXED) return "indexed";
  if (c == MPI_COMBINER_HINDEXED) return "hindexed";
  if (c == MPI_COMBINER_INDEXED_BLOCK) return "indexed_block";
  if (c == MPI_COMBINER_HINDEXED_BLOCK) return "hindexed_block";
  if (c == MPI_COMBINER_STRUCT) return "struct";
  if (c == MPI_COMBINER_SUBARRAY) return "subarray";
  if (c == MPI_COMBINER_DARRAY) return "darray";
  if (c == MPI_COMBINER_RESIZED) return "resized";
  return "?";
}
static int named_value(int v) { /* MPI_ORDER_C and its like differ between libraries */
  if (v == MPI_ORDER_C) return -101;
  if (v == MPI_ORDER_FORTRAN) return -102;
  if (v == MPI_DISTRIBUTE_BLOCK) return -103;
  if (v == MPI_DISTRIBUTE_CYCLIC) return -104;
  if (v == MPI_DISTRIBUTE_NONE) return -105;
  if (v == MPI_DISTRIBUTE_DFLT_DARG) return -106;
  return v;
}
static unsigned long long sum(const unsigned char* data, long bytes) {
  unsigned long long h = 1469598103934665603ull;
  for (long i = 0; i < bytes; i++) h = (h ^ data[i]) * 1099511628211ull;
  return h;
}
static int number(char** at) { return (int)strtol(*at, at, 10); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  static char line[1 << 16];
  enum { room = 1 << 18 };
  unsigned char *from = malloc(2 * room), *to = malloc(2 * room), *packed = malloc(room);
  for (int i = 0; i < 2 * room; i++) from[i] = (unsigned char)(i * 37 + i / 251);
  for (int k = 0; k < 8; k++) { /* predefined ones: sizes and extents */
    MPI_Aint lower, extent;
    int size;
    MPI_Type_size(basics()[k], &size);
    MPI_Type_get_extent(basics()[k], &lower, &extent);
    printf("basic %d: %d %ld %ld\n", k, size, (long)lower, (long)extent);
  }
  FILE* cases = fopen(argv[1], "r");
  while (fgets(line, sizeof line, cases)) {
    MPI_Datatype stack[64];
    int top = 0, a[64], b[64], c[64], d[64];
    MPI_Aint p[64];
    char* at = line;
    int count = 1;
    for (;;) {
      while (*at == ' ') at++;
      char* word = at;
      while (*at && *at != ' ' && *at != '\n') at++;
      if (at == word) break;
      char end = *at;
      *at = '\0';
      char what[32];
      strncpy(what, word, sizeof what - 1);
      *at = end;
      MPI_Datatype old = top ? stack[top - 1] : MPI_DATATYPE_NULL, made = MPI_DATATYPE_NULL;
      if (!strcmp(what, "basic")) {
        stack[top++] = basics()[number(&at)];
        continue;
      }
      if (!strcmp(what, "count")) {
        count = number(&at);
        continue;
      }
      int n = number(&at);
      if (!strcmp(what, "contiguous"))
        MPI_Type_contiguous(n, old, &made);
      else if (!strcmp(what, "vector")) {
        int l = number(&at), s = number(&at);
        MPI_Type_vector(n, l, s, old, &made);
      } else if (!strcmp(what, "hvector")) {
        int l = number(&at), s = number(&at);
        MPI_Type_create_hvector(n, l, s, old, &made);
      } else if (!strcmp(what, "indexed")) {
        for (int i = 0; i < n; i++) a[i] = number(&at), b[i] = number(&at);
        MPI_Type_indexed(n, a, b, old, &made);
      } else if (!strcmp(what, "hindexed")) {
        for (int i = 0; i < n; i++) a[i] = number(&at), p[i] = number(&at);
        MPI_Type_create_hindexed(n, a, p, old, &made);
      } else if (!strcmp(what, "indexed_block")) {
        int l = number(&at);
        for (int i = 0; i < n; i++) b[i] = number(&at);
        MPI_Type_create_indexed_block(n, l, b, old, &made);
      } else if (!strcmp(what, "hindexed_block")) {
        int l = number(&at);
        for (int i = 0; i < n; i++) p[i] = number(&at);
        MPI_Type_create_hindexed_block(n, l, p, old, &made);
      } else if (!strcmp(what, "struct")) { /* takes the last n types */
        for (int i = 0; i < n; i++) a[i] = number(&at), p[i] = number(&at);
        MPI_Type_create_struct(n, a, p, stack + top - n, &made);
        top -= n - 1;
      } else if (!strcmp(what, "subarray")) {
        int order = number(&at) ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
        for (int i = 0; i < n; i++) a[i] = number(&at), b[i] = number(&at), c[i] = number(&at);
        MPI_Type_create_subarray(n, a, b, c, order, old, &made);
      } else if (!strcmp(what, "darray")) {
        int order = number(&at) ? MPI_ORDER_FORTRAN : MPI_ORDER_C, rank = number(&at), ranks = 1;
        int ways[3] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
        for (int i = 0; i < n; i++) {
          a[i] = number(&at), b[i] = ways[number(&at)], c[i] = number(&at), d[i] = number(&at);
          if (c[i] == 0) c[i] = MPI_DISTRIBUTE_DFLT_DARG;
          ranks *= d[i];
        }
        MPI_Type_create_darray(ranks, rank % ranks, n, a, b, c, d, order, old, &made);
      } else if (!strcmp(what, "resized"))
        MPI_Type_create_resized(old, n, number(&at), &made);
      else if (!strcmp(what, "dup"))
        MPI_Type_dup(old, &made);
      else {
        fprintf(stderr, "%s?\n", what);
        return 3;
      }
      stack[top - 1] = made;
    }
    MPI_Datatype type = stack[0];
    MPI_Type_commit(&type);
    MPI_Aint lower, extent, true_lower, true_extent;
    int size, integers, addresses, types, how;
    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &how);
    printf("size %d extent %ld %ld true %ld %ld %s", size, (long)lower, (long)extent, (long)true_lower,
           (long)true_extent, combiner(how));
    if (how != MPI_COMBINER_NAMED) {
      int ints[256];
      MPI_Aint adds[256];
      MPI_Datatype olds[64];
      MPI_Type_get_contents(type, integers, addresses, types, ints, adds, olds);
      for (int i = 0; i < integers; i++) printf(" %d", named_value(ints[i]));
      for (int i = 0; i < addresses; i++) printf(" @%ld", (long)adds[i]);
      for (int i = 0; i < types; i++) {
        int of_size, x, y, z, its;
        MPI_Type_size(olds[i], &of_size);
        MPI_Type_get_envelope(olds[i], &x, &y, &z, &its);
        printf(" (%d %s)", of_size, combiner(its));
      }
    }
    int place = 0, need = 0;
    if (size > 0) MPI_Pack_size(count, type, MPI_COMM_SELF, &need); /* MPICH divides by it */
    if (size > 0) MPI_Pack(from + room, count, type, packed, room, &place, MPI_COMM_SELF);
    printf(" packed %d %llx", place, sum(packed, place));
    memset(to, 0, 2 * room);
    place = 0;
    if (size > 0) MPI_Unpack(packed, room, &place, to + room, count, type, MPI_COMM_SELF);
    printf(" unpacked %llx", sum(to, 2 * room));
    MPI_Status status;
    memset(&status, 0, sizeof status);
    int got = -7;
    MPI_Status_set_elements(&status, MPI_BYTE, size * 2);
    if (size > 0) {
      MPI_Get_count(&status, type, &got);
    }
    printf(" count %d\n", got == MPI_UNDEFINED ? -1 : got);
    if (how != MPI_COMBINER_NAMED) MPI_Type_free(&type);
  }
  MPI_Finalize();
  return 0;
}
