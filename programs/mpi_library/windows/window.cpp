#include "mpi_library/windows/window.hpp"

#include <sys/mman.h>

#include "mpi_library/errors/errhandler.hpp"
#include "mpi_library/info/info.hpp"

namespace assay::abi {

Window::~Window() {
  --windows;
  if (mapped) munmap(mapped, mapped_bytes);
  if (errhandler) release(*errhandler);
  if (info) release(*info);
  if (comm) release(*comm);
}

void* Window::predefined_attribute(int key) {
  switch (key) {
    case MPI_WIN_BASE:
      return dynamic() ? nullptr : base;
    case MPI_WIN_SIZE:
      return &bytes;
    case MPI_WIN_DISP_UNIT:
      return &unit;
    case MPI_WIN_CREATE_FLAVOR:
      return &flavour;
    case MPI_WIN_MODEL:
      return &model;
    default:
      return nullptr;
  }
}

}  // namespace assay::abi
