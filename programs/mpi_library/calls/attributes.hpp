// Attributes of communicators, datatypes and windows: keys with the program's functions for copies and deletion.
#pragma once

#include "mpi_library/objects/object.hpp"

namespace assay::abi {

// What MPI_X_dup copies, as the keys' functions say; an Error where one of them fails.
void copy_attributes(MPI_Comm from, const Attributes& source, Attributes& target);
void copy_attributes(MPI_Datatype from, const Attributes& source, Attributes& target);
// As the object is freed; the latest first.
void delete_attributes(MPI_Comm of, Attributes& attributes);
void delete_attributes(MPI_Datatype of, Attributes& attributes);
void delete_attributes(MPI_Win of, Attributes& attributes);

}  // namespace assay::abi
