// mpif.h and `use mpi`: the functions with strings, arrays of handles, functions of the program, or results.
#include <cstring>

#include "mpi_library/fortran/arguments.hpp"

using namespace assay::fortran;

namespace {

// Fortran's strings have a length, which comes last, and blanks at their end.
void give(const char* from, int length, char* to, std::size_t room) {
  std::size_t bytes = static_cast<std::size_t>(length) < room ? static_cast<std::size_t>(length) : room;
  std::memcpy(to, from, bytes);
  std::memset(to + bytes, ' ', room - bytes);
}
struct Text {
  Text(const char* from, std::size_t length) {
    while (length > 0 && from[length - 1] == ' ') --length;
    while (length > 0 && *from == ' ') ++from, --length;
    if (length >= sizeof text) length = sizeof text - 1;
    std::memcpy(text, from, length);
    text[length] = '\0';
  }
  char text[8192];
};

// The program's own reductions, called with Fortran's number of the type. C's function has no place for which one it
// is, so that each has one of these.
using Function = void (*)(void*, void*, int*, int*);
constexpr int most_functions = 64;
Function functions[most_functions];
template <int which>
void reduces(void* in, void* inout, int* count, MPI_Datatype* type) {
  int number = MPI_Type_toint(*type);
  functions[which](in, inout, count, &number);
}
template <int... which>
MPI_User_function* const* trampolines(std::integer_sequence<int, which...>) {
  static MPI_User_function* const all[] = {reduces<which>...};
  return all;
}

}  // namespace

extern "C" {

void mpi_init_(int* error) { *error = MPI_Init(nullptr, nullptr); }
void mpi_init_thread_(int* required, int* provided, int* error) {
  *error = MPI_Init_thread(nullptr, nullptr, *required, provided);
}
double mpi_wtime_() { return MPI_Wtime(); }
double mpi_wtick_() { return MPI_Wtick(); }
MPI_Aint mpi_aint_add_(MPI_Aint* a, MPI_Aint* b) { return MPI_Aint_add(*a, *b); }
MPI_Aint mpi_aint_diff_(MPI_Aint* a, MPI_Aint* b) { return MPI_Aint_diff(*a, *b); }
void mpi_pcontrol_(int* level) { MPI_Pcontrol(*level); }

void mpi_get_processor_name_(char* name, int* length, int* error, std::size_t room) {
  char text[MPI_MAX_PROCESSOR_NAME];
  *error = MPI_Get_processor_name(text, length);
  if (*error == MPI_SUCCESS) give(text, *length, name, room);
}
void mpi_get_library_version_(char* name, int* length, int* error, std::size_t room) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  *error = MPI_Get_library_version(text, length);
  if (*error == MPI_SUCCESS) give(text, *length, name, room);
}
void mpi_error_string_(int* code, char* name, int* length, int* error, std::size_t room) {
  char text[MPI_MAX_ERROR_STRING];
  *error = MPI_Error_string(*code, text, length);
  if (*error == MPI_SUCCESS) give(text, *length, name, room);
}
void mpi_comm_get_name_(int* comm, char* name, int* length, int* error, std::size_t room) {
  char text[MPI_MAX_OBJECT_NAME];
  *error = MPI_Comm_get_name(MPI_Comm_fromint(*comm), text, length);
  if (*error == MPI_SUCCESS) give(text, *length, name, room);
}
void mpi_comm_set_name_(int* comm, char* name, int* error, std::size_t length) {
  *error = MPI_Comm_set_name(MPI_Comm_fromint(*comm), Text(name, length).text);
}
void mpi_info_set_(int* info, char* key, char* value, int* error, std::size_t key_length, std::size_t value_length) {
  *error = MPI_Info_set(MPI_Info_fromint(*info), Text(key, key_length).text, Text(value, value_length).text);
}

void mpi_comm_get_attr_(int* comm, int* key, MPI_Aint* value, int* flag, int* error) {
  int* found = nullptr;
  *error = MPI_Comm_get_attr(MPI_Comm_fromint(*comm), *key, &found, flag);
  if (*flag) *value = *found;
}
void mpi_attr_get_(int* comm, int* key, int* value, int* flag, int* error) {
  MPI_Aint wide = 0;
  mpi_comm_get_attr_(comm, key, &wide, flag, error);
  if (*flag) *value = static_cast<int>(wide);
}

void mpi_op_create_(Function function, int* commutes, int* op, int* error) {
  for (int which = 0; which < most_functions; ++which) {
    if (functions[which] && functions[which] != function) continue;
    functions[which] = function;
    MPI_Op made = MPI_OP_NULL;
    *error = MPI_Op_create(trampolines(std::make_integer_sequence<int, most_functions>{})[which], *commutes, &made);
    *op = MPI_Op_toint(made);
    return;
  }
  *error = MPI_ERR_NO_MEM;
}

void mpi_waitall_(int* count, int* requests, void* statuses, int* error) {
  const Handles<MPI_Request> all(*count, requests);
  *error = MPI_Waitall(*count, all.all, status(statuses));
  all.store();
}
void mpi_waitany_(int* count, int* requests, int* place, void* of, int* error) {
  const Handles<MPI_Request> all(*count, requests);
  *error = MPI_Waitany(*count, all.all, place, status(of));
  if (*place >= 0) ++*place;  // MPI_UNDEFINED stays
  all.store();
}
void mpi_waitsome_(int* count, int* requests, int* over, int* places, void* statuses, int* error) {
  const Handles<MPI_Request> all(*count, requests);
  *error = MPI_Waitsome(*count, all.all, over, places, status(statuses));
  for (int i = 0; i < *over; ++i) ++places[i];
  all.store();
}
void mpi_testall_(int* count, int* requests, int* flag, void* statuses, int* error) {
  const Handles<MPI_Request> all(*count, requests);
  *error = MPI_Testall(*count, all.all, flag, status(statuses));
  all.store();
}
void mpi_testany_(int* count, int* requests, int* place, int* flag, void* of, int* error) {
  const Handles<MPI_Request> all(*count, requests);
  *error = MPI_Testany(*count, all.all, place, flag, status(of));
  if (*place >= 0) ++*place;
  all.store();
}
void mpi_testsome_(int* count, int* requests, int* over, int* places, void* statuses, int* error) {
  const Handles<MPI_Request> all(*count, requests);
  *error = MPI_Testsome(*count, all.all, over, places, status(statuses));
  for (int i = 0; i < *over; ++i) ++places[i];
  all.store();
}
void mpi_startall_(int* count, int* requests, int* error) {
  const Handles<MPI_Request> all(*count, requests);
  *error = MPI_Startall(*count, all.all);
  all.store();
}
void mpi_type_create_struct_(int* count, int* lengths, MPI_Aint* places, int* types, int* made, int* error) {
  const Handles<MPI_Datatype> all(*count, types);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  *error = MPI_Type_create_struct(*count, lengths, places, all.all, &type);
  *made = MPI_Type_toint(type);
}
void mpi_alltoallw_(void* from, int* sent, int* out, int* t, void* to, int* received, int* in, int* u, int* comm,
                    int* error) {
  int ranks = 0;
  MPI_Comm_size(MPI_Comm_fromint(*comm), &ranks);
  const Handles<MPI_Datatype> sending(ranks, t), receiving(ranks, u);
  *error = MPI_Alltoallw(memory(from), sent, out, sending.all, memory(to), received, in, receiving.all,
                         MPI_Comm_fromint(*comm));
}

// Constants that are functions.
void mpi_comm_null_copy_fn_() {}
void mpi_comm_null_delete_fn_() {}
}
