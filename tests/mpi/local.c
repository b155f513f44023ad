/* Attributes, info objects and graph topologies: what a rank is told of them. */
#include "said.h"
static int me, n, copies, deletes;
static int copy(MPI_Comm comm, int key, void* state, void* value, void* out, int* flag) {
  (void)comm, (void)key;
  copies++;
  *(void**)out = (char*)value + *(int*)state;
  *flag = 1;
  return MPI_SUCCESS;
}
static int delete(MPI_Comm comm, int key, void* value, void* state) {
  (void)comm, (void)key, (void)value, (void)state;
  deletes++;
  return MPI_SUCCESS;
}
static void attribute(const char* what, MPI_Comm comm, int key) {
  void* value = 0;
  int flag;
  MPI_Comm_get_attr(comm, key, &value, &flag);
  const long words[3] = {flag, flag ? (long)value : 0, copies * 100 + deletes};
  say(what, 0, words, sizeof words);
}
static void attributes(void) {
  int counted, same, none, step = 5, flag;
  MPI_Comm other, third;
  MPI_Comm_create_keyval(copy, delete, &counted, &step);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &same, 0);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &none, 0);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Comm_set_attr(other, counted, (void*)100l);
  MPI_Comm_set_attr(other, same, (void*)200l);
  MPI_Comm_set_attr(other, none, (void*)300l);
  MPI_Comm_dup(other, &third);
  attribute("copied", third, counted);
  attribute("the_same", third, same);
  attribute("not_copied", third, none);
  MPI_Comm_set_attr(third, counted, (void*)7l);
  attribute("set_again", third, counted);
  MPI_Comm_delete_attr(third, counted);
  attribute("deleted", third, counted);
  MPI_Comm_free(&third);
  MPI_Comm_free(&other);
  attribute("freed", MPI_COMM_WORLD, counted);
  MPI_Comm_free_keyval(&counted);
  MPI_Comm_free_keyval(&same);
  MPI_Comm_free_keyval(&none);
  int* value;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
  const int room = flag && *value >= 32767 && counted == MPI_KEYVAL_INVALID;
  say("predefined", 0, &room, sizeof room);
  /* of a datatype */
  MPI_Datatype type, twin;
  MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &same, 0);
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_set_attr(type, same, (void*)42l);
  MPI_Type_dup(type, &twin);
  void* found = 0;
  MPI_Type_get_attr(twin, same, &found, &flag);
  const long words[2] = {flag, (long)found};
  say("of_a_type", 0, words, sizeof words);
  MPI_Type_free(&type);
  MPI_Type_free(&twin);
  MPI_Type_free_keyval(&same);
}
static void info(void) {
  MPI_Info made, twin, of;
  int count, flag, length;
  char text[MPI_MAX_INFO_VAL + 1], all[4096] = "";
  MPI_Info_create(&made);
  MPI_Info_set(made, "one", "1");
  MPI_Info_set(made, "two words", "a value = with signs");
  MPI_Info_set(made, "three", "3");
  MPI_Info_set(made, "one", "first");
  MPI_Info_delete(made, "three");
  MPI_Info_dup(made, &twin);
  MPI_Info_set(made, "four", "4");
  MPI_Info_get_nkeys(twin, &count);
  for (int i = 0; i < count; i++) {
    char key[MPI_MAX_INFO_KEY + 1];
    MPI_Info_get_nthkey(twin, i, key);
    MPI_Info_get_valuelen(twin, key, &length, &flag);
    MPI_Info_get(twin, key, MPI_MAX_INFO_VAL, text, &flag);
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s=%s(%d,%d);", key, text, length, flag);
  }
  MPI_Info_get(twin, "four", MPI_MAX_INFO_VAL, text, &flag);
  snprintf(all + strlen(all), sizeof all - strlen(all), "%d;", flag);
  length = 4;
  MPI_Info_get_string(made, "two words", &length, text, &flag);
  snprintf(all + strlen(all), sizeof all - strlen(all), "%s,%d,%d", text, length, flag);
  say("info", count, all, strlen(all));
  if (me == 0) printf("info is %s\n", all);
  MPI_Comm comm;
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, made, &comm);
  MPI_Comm_get_info(comm, &of);
  flag = of != MPI_INFO_NULL;
  say("info_of_a_communicator", 0, &flag, sizeof flag);
  MPI_Info_free(&of);
  MPI_Comm_free(&comm);
  MPI_Info_free(&made);
  MPI_Info_free(&twin);
}
static void graphs(void) {
  /* a ring with a chord from rank 0 to the middle */
  int index[64], edges[256], at = 0, size, count, kind;
  for (int i = 0; i < n; i++) {
    edges[at++] = (i + 1) % n;
    edges[at++] = (i - 1 + n) % n;
    if (i == 0) edges[at++] = n / 2;
    if (i == n / 2) edges[at++] = 0;
    index[i] = at;
  }
  MPI_Comm graph, part;
  MPI_Graph_create(MPI_COMM_WORLD, n, index, edges, 0, &graph);
  MPI_Topo_test(graph, &kind);
  MPI_Graphdims_get(graph, &size, &count);
  const int dims[3] = {kind == MPI_GRAPH, size, count};
  say("graph", 0, dims, sizeof dims);
  int got_index[64], got_edges[256], near[64];
  MPI_Graph_get(graph, n, at, got_index, got_edges);
  say("graph_index", 0, got_index, n * 4);
  say("graph_edges", 0, got_edges, at * 4);
  MPI_Graph_neighbors_count(graph, me, &count);
  MPI_Graph_neighbors(graph, me, count, near);
  say("graph_neighbours", 0, near, count * 4);
  int got[64];
  memset(got, 0, sizeof got);
  MPI_Neighbor_allgather(&me, 1, MPI_INT, got, 1, MPI_INT, graph);
  say("graph_allgather", 0, got, count * 4);
  MPI_Comm_dup(graph, &part);
  MPI_Graph_neighbors_count(part, 0, &count);
  say("graph_dup", 0, &count, sizeof count);
  MPI_Comm_free(&part);
  MPI_Comm_free(&graph);
  /* rank 0 says all of a distributed one */
  const int sources[3] = {0, 1 % n, n - 1}, degrees[3] = {2, 1, 1};
  const int targets[4] = {n - 1, 1 % n, 0, 0}, weights[4] = {3, 5, 7, 9};
  MPI_Dist_graph_create(MPI_COMM_WORLD, me == 0 ? 3 : 0, sources, degrees, targets, weights, MPI_INFO_NULL, 0, &graph);
  int in, out, weighted;
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  const int words[3] = {in, out, weighted};
  say("dist_graph", 0, words, sizeof words);
  int from[8], to[8], in_weights[8], out_weights[8], sums[4] = {0, 0, 0, 0};
  MPI_Dist_graph_neighbors(graph, in, from, in_weights, out, to, out_weights);
  for (int i = 0; i < in; i++) sums[0] += from[i], sums[1] += in_weights[i] * (from[i] + 1);
  for (int i = 0; i < out; i++) sums[2] += to[i], sums[3] += out_weights[i] * (to[i] + 1);
  say("dist_graph_neighbours", 0, sums, sizeof sums);
  MPI_Comm_free(&graph);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  attributes();
  info();
  graphs();
  MPI_Finalize();
  return 0;
}
