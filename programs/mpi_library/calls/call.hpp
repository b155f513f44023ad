// How every function of the library begins and ends: errors inside are exceptions, and end at the error handler of the
// communicator (or window) that the call was about.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "mpi_library/abi/mpi.h"

// Defines MPI_X and its second name PMPI_X, which tools call. They are strong; missing.cpp has a weak one of each.
#define MPI_FUNCTION(name, parameters)                             \
  extern "C" int P##name parameters __attribute__((alias(#name))); \
  extern "C" int name parameters

namespace assay::abi {

struct Error {
  int code;          // a class, or a code of MPI_Add_error_code
  std::string what;  // begins in lower case, has no full stop
};
[[noreturn, gnu::cold]] void fail(int code, std::string what);

// What an error leads to: the handler of `comm`, MPI_COMM_WORLD's where the call has none. The code that the function
// returns.
[[gnu::cold]] int raised(const char* function, MPI_Comm comm, const Error& error);
[[gnu::cold]] int raised(const char* function, MPI_Win window, const Error& error);

template <class Handle, class Body>
int call(const char* function, Handle about, Body&& body) {
  try {
    std::forward<Body>(body)();
    return MPI_SUCCESS;
  } catch (const Error& error) {
    return raised(function, about, error);
  } catch (const std::bad_alloc&) {
    return raised(function, about, Error{MPI_ERR_NO_MEM, "no memory left"});
  }
}
template <class Body>
int call(const char* function, Body&& body) {
  return call(function, MPI_COMM_SELF, std::forward<Body>(body));
}

// Arguments that most functions check.
inline void check_count(long long count, const char* what = "count") {
  if (count < 0) fail(MPI_ERR_COUNT, std::string(what) + " below zero: " + std::to_string(count));
}
inline void check_argument(bool good, const char* what) {
  if (!good) fail(MPI_ERR_ARG, what);
}

}  // namespace assay::abi
