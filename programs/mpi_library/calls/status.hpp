// Statuses, as the library fills them in.
#pragma once

#include <cstdint>
#include <cstring>

#include "mpi_library/abi/mpi.h"

namespace assay::abi {

inline std::int64_t bytes_of(const MPI_Status& status) {
  std::int64_t bytes;
  std::memcpy(&bytes, status.MPI_internal, sizeof bytes);
  return bytes;
}
inline void set_bytes(MPI_Status& status, std::int64_t bytes) {
  std::memcpy(status.MPI_internal, &bytes, sizeof bytes);
}
inline bool is_cancelled(const MPI_Status& status) { return status.MPI_internal[2] != 0; }
inline void set_cancelled(MPI_Status& status, bool cancelled) { status.MPI_internal[2] = cancelled; }

// Null is MPI_STATUS_IGNORE. MPI_ERROR is left as it is: only calls with several statuses set it.
inline void set_status(MPI_Status* status, int source, int tag, std::int64_t bytes) {
  if (!status) return;
  status->MPI_SOURCE = source;
  status->MPI_TAG = tag;
  set_bytes(*status, bytes);
  set_cancelled(*status, false);
}
inline void copy_status(const MPI_Status& from, MPI_Status* to) {
  set_status(to, from.MPI_SOURCE, from.MPI_TAG, bytes_of(from));
  if (to) set_cancelled(*to, is_cancelled(from));
}
// Of a null or inactive request.
inline void set_empty(MPI_Status* status) {
  set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
  if (status) status->MPI_ERROR = MPI_SUCCESS;
}

}  // namespace assay::abi
