// Fortran's arguments as C's: every one is an address, handles are numbers, and named constants such as MPI_IN_PLACE
// are places in common blocks (mpif.h, which src/assay/mpi/fortran.py writes).
//
// Only the C interface of the ABI is called, so that a program runs over any library that has it. No part of the C++
// library is needed, for Fortran programs are linked without it.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <tuple>
#include <type_traits>
#include <utility>

#include "mpi_library/abi/mpi.h"

extern "C" {
extern int assay_mpi_bottom_, assay_mpi_in_place_, assay_mpi_unweighted_, assay_mpi_weights_empty_;
extern int assay_mpi_status_ignore_[8], assay_mpi_statuses_ignore_[8];
}

namespace assay::fortran {

inline MPI_Comm from_number(MPI_Comm, int n) { return MPI_Comm_fromint(n); }
inline MPI_Datatype from_number(MPI_Datatype, int n) { return MPI_Type_fromint(n); }
inline MPI_Errhandler from_number(MPI_Errhandler, int n) { return MPI_Errhandler_fromint(n); }
inline MPI_Group from_number(MPI_Group, int n) { return MPI_Group_fromint(n); }
inline MPI_Info from_number(MPI_Info, int n) { return MPI_Info_fromint(n); }
inline MPI_Message from_number(MPI_Message, int n) { return MPI_Message_fromint(n); }
inline MPI_Op from_number(MPI_Op, int n) { return MPI_Op_fromint(n); }
inline MPI_Request from_number(MPI_Request, int n) { return MPI_Request_fromint(n); }
inline MPI_Win from_number(MPI_Win, int n) { return MPI_Win_fromint(n); }
inline int number_of(MPI_Comm x) { return MPI_Comm_toint(x); }
inline int number_of(MPI_Datatype x) { return MPI_Type_toint(x); }
inline int number_of(MPI_Errhandler x) { return MPI_Errhandler_toint(x); }
inline int number_of(MPI_Group x) { return MPI_Group_toint(x); }
inline int number_of(MPI_Info x) { return MPI_Info_toint(x); }
inline int number_of(MPI_Message x) { return MPI_Message_toint(x); }
inline int number_of(MPI_Op x) { return MPI_Op_toint(x); }
inline int number_of(MPI_Request x) { return MPI_Request_toint(x); }
inline int number_of(MPI_Win x) { return MPI_Win_toint(x); }

template <class T>
concept Handle = requires(T x) { number_of(x); };

inline void* memory(void* at) {
  if (at == &assay_mpi_bottom_) return MPI_BOTTOM;
  if (at == &assay_mpi_in_place_) return MPI_IN_PLACE;
  return at;
}
inline MPI_Status* status(void* at) {
  const bool ignored = at == assay_mpi_status_ignore_ || at == assay_mpi_statuses_ignore_;
  return ignored ? MPI_STATUS_IGNORE : static_cast<MPI_Status*>(at);
}
inline int* integers(void* at) {
  if (at == &assay_mpi_unweighted_) return MPI_UNWEIGHTED;
  if (at == &assay_mpi_weights_empty_) return MPI_WEIGHTS_EMPTY;
  return static_cast<int*>(at);
}

// One argument during a call. `in`: a handle that is given by address is read before, too.
template <class T, bool in>
struct Argument {
  explicit Argument(void* at) : at_(at) {}
  T get() const {
    if constexpr (Handle<T>)
      return from_number(T{}, *static_cast<int*>(at_));
    else
      return *static_cast<T*>(at_);
  }
  void store() const {}
  void* at_;
};
template <class T, bool in>
  requires(!Handle<T*>)
struct Argument<T*, in> {
  using Plain = std::remove_const_t<T>;
  explicit Argument(void* at) : at_(at) {
    if constexpr (Handle<Plain>) handle_ = in ? from_number(Plain{}, *static_cast<int*>(at)) : Plain{};
  }
  T* get() {
    if constexpr (Handle<Plain>)
      return &handle_;
    else if constexpr (std::is_void_v<T>)
      return memory(at_);
    else if constexpr (std::is_same_v<Plain, MPI_Status>)
      return status(at_);
    else if constexpr (std::is_same_v<Plain, int>)
      return integers(at_);
    else
      return static_cast<T*>(at_);
  }
  void store() const {
    if constexpr (Handle<Plain>) *static_cast<int*>(at_) = number_of(handle_);
  }
  struct Nothing {};
  void* at_;
  std::conditional_t<Handle<Plain>, Plain, Nothing> handle_{};
};

// `all`: the arguments' addresses, that of the error code last.
template <auto function, bool in, class... T, std::size_t... place>
void call_with(void** all, int (*)(T...), std::index_sequence<place...>) {
  std::tuple<Argument<T, in>...> arguments{Argument<T, in>(all[place])...};
  *static_cast<int*>(all[sizeof...(T)]) = function(std::get<place>(arguments).get()...);
  (std::get<place>(arguments).store(), ...);
}
template <auto function, bool in, std::size_t count, class... T>
void call(void* (&all)[count], int (*type)(T...)) {
  static_assert(count == sizeof...(T) + 1);
  call_with<function, in>(all, type, std::index_sequence_for<T...>{});
}

// Arrays of handles.
template <class T>
struct Handles {
  Handles(int count, int* numbers) : count_(count), numbers_(numbers) {
    all = static_cast<T*>(std::malloc(sizeof(T) * static_cast<std::size_t>(count > 0 ? count : 1)));
    for (int i = 0; i < count; ++i) all[i] = from_number(T{}, numbers[i]);
  }
  ~Handles() { std::free(all); }
  Handles(const Handles&) = delete;
  void store() const {
    for (int i = 0; i < count_; ++i) numbers_[i] = number_of(all[i]);
  }
  T* all;

 private:
  int count_;
  int* numbers_;
};

}  // namespace assay::fortran
