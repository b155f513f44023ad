/* Reads set algebra on groups from a file, a line each, and prints the ranks of each result. Groups are made in turn
   and named by their numbers; group 0 is that of MPI_COMM_WORLD. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  static MPI_Group groups[4096];
  int count = 1, rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_group(MPI_COMM_WORLD, &groups[0]);
  FILE* file = fopen(argv[1], "r");
  char what[32];
  while (fscanf(file, "%31s", what) == 1) {
    int a, b, n, ranks[64], ranges[16][3];
    fscanf(file, "%d", &a);
    MPI_Group* made = &groups[count];
    if (!strcmp(what, "union") || !strcmp(what, "intersection") || !strcmp(what, "difference") ||
        !strcmp(what, "compare")) {
      fscanf(file, "%d", &b);
      if (*what == 'u') MPI_Group_union(groups[a], groups[b], made);
      if (*what == 'i') MPI_Group_intersection(groups[a], groups[b], made);
      if (*what == 'd') MPI_Group_difference(groups[a], groups[b], made);
      if (*what == 'c') {
        MPI_Group_compare(groups[a], groups[b], &n);
        if (rank == 0) printf("%s\n", n == MPI_IDENT ? "ident" : n == MPI_SIMILAR ? "similar" : "unequal");
        continue;
      }
    } else if (!strcmp(what, "incl") || !strcmp(what, "excl")) {
      fscanf(file, "%d", &n);
      for (int i = 0; i < n; i++) fscanf(file, "%d", &ranks[i]);
      if (*what == 'i')
        MPI_Group_incl(groups[a], n, ranks, made);
      else
        MPI_Group_excl(groups[a], n, ranks, made);
    } else {
      fscanf(file, "%d", &n);
      for (int i = 0; i < n; i++) fscanf(file, "%d%d%d", &ranges[i][0], &ranges[i][1], &ranges[i][2]);
      if (what[6] == 'i')
        MPI_Group_range_incl(groups[a], n, ranges, made);
      else
        MPI_Group_range_excl(groups[a], n, ranges, made);
    }
    int size, all[64], world[64];
    MPI_Group_size(*made, &size);
    for (int i = 0; i < size; i++) all[i] = i;
    MPI_Group_translate_ranks(*made, size, all, groups[0], world);
    if (rank == 0) {
      for (int i = 0; i < size; i++) printf("%d ", world[i]);
      printf("\n");
    }
    count++;
  }
  MPI_Finalize();
  return 0;
}
