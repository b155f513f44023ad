// Memory that ranks expose to each other.
#pragma once

#include <string>
#include <vector>

#include "mpi_library/communicators/communicator.hpp"

namespace assay::abi {

struct Window : Object {
  static constexpr Kind kind_of = Kind::window;
  Window() : Object(kind_of) {}
  ~Window() override;

  Communicator* comm = nullptr;  // of its own
  void* base = nullptr;
  MPI_Aint bytes = 0;
  int unit = 1;
  int flavour = MPI_WIN_FLAVOR_CREATE, model = MPI_WIN_UNIFIED;
  Errhandler* errhandler = nullptr;
  std::string name;
  Attributes attributes;
  Info* info = nullptr;

  // The value of MPI_WIN_BASE and its like, as MPI_Win_get_attr gives it; null for any other key.
  void* predefined_attribute(int key);
};

}  // namespace assay::abi
