/* Basic elements in so many bytes of a structure of a double, two ints and a char, and in whole ones. */
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int lengths[3] = {1, 2, 1}, count;
  MPI_Aint places[3] = {0, 8, 16};
  MPI_Datatype parts[3] = {MPI_DOUBLE, MPI_INT, MPI_CHAR}, type;
  MPI_Type_create_struct(3, lengths, places, parts, &type);
  MPI_Type_commit(&type);
  int bytes[7] = {0, 8, 12, 14, 17, 25, 29};
  MPI_Status status;
  for (int i = 0; i < 7; i++) {
    MPI_Status_set_elements(&status, MPI_BYTE, bytes[i]);
    MPI_Get_elements(&status, type, &count);
    printf("%d ", count == MPI_UNDEFINED ? -1 : count);
  }
  MPI_Status_set_elements(&status, MPI_BYTE, 17);
  MPI_Get_count(&status, type, &count);
  printf("%d ", count);
  MPI_Status_set_elements(&status, MPI_BYTE, 18);
  MPI_Get_count(&status, type, &count);
  printf("%d\n", count == MPI_UNDEFINED ? -1 : count);
  MPI_Finalize();
  return 0;
}
