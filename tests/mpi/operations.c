/* Every predefined operation on every predefined type that it is defined for: what MPI_Reduce_local makes of small
   values. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { integer = 1, real = 2, complex = 4, logical = 8, bytes = 16, located = 32 };
struct row {
  const char* name;
  MPI_Datatype type;
  int kind;
};
static void fill(unsigned char* to, const struct row* row, int size, int base) {
  memset(to, 0, 64 * 32);
  MPI_Aint lower, extent;
  MPI_Type_get_extent(row->type, &lower, &extent);
  for (int i = 0; i < 8; i++) {
    const int v = (base * (i + 3) + i * i) % 11 + 1; /* small, above zero */
    unsigned char* at = to + i * extent;
    if (row->kind == integer || row->kind == bytes)
      at[0] = (unsigned char)v;
    else if (row->kind == logical)
      at[0] = v % 2;
    else if (row->kind == real) {
      if (size == 4) {
        float x = v * .5f;
        memcpy(at, &x, 4);
      } else if (size == 8) {
        double x = v * .25;
        memcpy(at, &x, 8);
      } else {
        long double x = v * .125L;
        memcpy(at, &x, 10);
      }
    } else if (row->kind == complex) {
      if (size == 8) {
        float x[2] = {v, 2 - v};
        memcpy(at, x, 8);
      } else if (size == 16) {
        double x[2] = {v, 3 - v};
        memcpy(at, x, 16);
      }
    } else if (row->type == MPI_2INT) {
      int x[2] = {v, i};
      memcpy(at, x, 8);
    } else if (row->type == MPI_FLOAT_INT) {
      struct {
        float a;
        int b;
      } x = {v, i};
      memcpy(at, &x, 8);
    } else if (row->type == MPI_DOUBLE_INT) {
      double x = v;
      int y = i + base;
      memcpy(at, &x, 8);
      memcpy(at + 8, &y, 4);
    } else if (row->type == MPI_LONG_INT) {
      long x = v;
      int y = i + base;
      memcpy(at, &x, 8);
      memcpy(at + 8, &y, 4);
    } else if (row->type == MPI_SHORT_INT) {
      short x = v;
      int y = i + base;
      memcpy(at, &x, 2);
      memcpy(at + 4, &y, 4);
    }
  }
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const struct row rows[] = {{"short", MPI_SHORT, integer},
                             {"int", MPI_INT, integer},
                             {"long", MPI_LONG, integer},
                             {"long long", MPI_LONG_LONG, integer},
                             {"unsigned short", MPI_UNSIGNED_SHORT, integer},
                             {"unsigned", MPI_UNSIGNED, integer},
                             {"unsigned long", MPI_UNSIGNED_LONG, integer},
                             {"unsigned long long", MPI_UNSIGNED_LONG_LONG, integer},
                             {"signed char", MPI_SIGNED_CHAR, integer},
                             {"unsigned char", MPI_UNSIGNED_CHAR, integer},
                             {"int8", MPI_INT8_T, integer},
                             {"int16", MPI_INT16_T, integer},
                             {"int32", MPI_INT32_T, integer},
                             {"int64", MPI_INT64_T, integer},
                             {"uint8", MPI_UINT8_T, integer},
                             {"uint16", MPI_UINT16_T, integer},
                             {"uint32", MPI_UINT32_T, integer},
                             {"uint64", MPI_UINT64_T, integer},
                             {"aint", MPI_AINT, integer},
                             {"offset", MPI_OFFSET, integer},
                             {"count", MPI_COUNT, integer},
                             {"float", MPI_FLOAT, real},
                             {"double", MPI_DOUBLE, real},
                             {"long double", MPI_LONG_DOUBLE, real},
                             {"float complex", MPI_C_FLOAT_COMPLEX, complex},
                             {"double complex", MPI_C_DOUBLE_COMPLEX, complex},
                             {"bool", MPI_C_BOOL, logical},
                             {"byte", MPI_BYTE, bytes},
                             {"float int", MPI_FLOAT_INT, located},
                             {"double int", MPI_DOUBLE_INT, located},
                             {"long int", MPI_LONG_INT, located},
                             {"2int", MPI_2INT, located},
                             {"short int", MPI_SHORT_INT, located}};
  const struct {
    const char* name;
    MPI_Op op;
    int kinds;
  } ops[] = {{"sum", MPI_SUM, integer | real | complex},
             {"prod", MPI_PROD, integer | real | complex},
             {"min", MPI_MIN, integer | real},
             {"max", MPI_MAX, integer | real},
             {"land", MPI_LAND, integer | logical},
             {"lor", MPI_LOR, integer | logical},
             {"lxor", MPI_LXOR, integer | logical},
             {"band", MPI_BAND, integer | bytes},
             {"bor", MPI_BOR, integer | bytes},
             {"bxor", MPI_BXOR, integer | bytes},
             {"minloc", MPI_MINLOC, located},
             {"maxloc", MPI_MAXLOC, located}};
  for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++)
    for (unsigned o = 0; o < sizeof ops / sizeof *ops; o++) {
      if (!(ops[o].kinds & rows[r].kind)) continue;
      static unsigned char in[64 * 32], inout[64 * 32];
      int size;
      MPI_Type_size(rows[r].type, &size);
      fill(in, rows + r, size, 5);
      fill(inout, rows + r, size, 7);
      MPI_Reduce_local(in, inout, 8, rows[r].type, ops[o].op);
      unsigned long long h = 1469598103934665603ull;
      MPI_Aint lower, extent;
      MPI_Type_get_extent(rows[r].type, &lower, &extent);
      for (int i = 0; i < 8 * extent; i++) { /* without what lies between the parts of an element */
        if (rows[r].type == MPI_LONG_DOUBLE && i % 16 >= 10) continue;
        h = (h ^ inout[i]) * 1099511628211ull;
      }
      printf("%s %s %llx\n", rows[r].name, ops[o].name, h);
    }
  MPI_Finalize();
  return 0;
}
