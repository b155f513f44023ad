// Statuses: what a message brought. The library's own words in one: bytes (8) and whether it was cancelled.
#include "mpi_library/calls/status.hpp"

#include <algorithm>
#include <limits>

#include "mpi_library/calls/call.hpp"
#include "mpi_library/types/datatype.hpp"

using namespace assay::abi;

namespace {

template <class Count>
void narrow(std::int64_t value, Count* out) {
  *out = value > std::numeric_limits<Count>::max() ? static_cast<Count>(MPI_UNDEFINED) : static_cast<Count>(value);
}
std::int64_t whole_elements(const MPI_Status& status, const Datatype& type) {
  const std::int64_t bytes = bytes_of(status);
  if (type.size == 0) return bytes == 0 ? 0 : std::int64_t{MPI_UNDEFINED};
  return bytes % type.size == 0 ? bytes / type.size : std::int64_t{MPI_UNDEFINED};
}
// Elements to bytes: whole elements of the type, then of its basic ones in order.
std::int64_t bytes_of_elements(const Datatype& type, std::int64_t elements) {
  std::int64_t in_one = 0;
  for (const Elements& run : type.elements) in_one += run.count;
  if (in_one == 0) return 0;
  std::int64_t bytes = elements / in_one * type.size, rest = elements % in_one;
  for (const Elements& run : type.elements) {
    const std::int64_t some = std::min(rest, run.count);
    bytes += some * run.bytes;
    rest -= some;
  }
  return bytes;
}

}  // namespace

#define COUNTS(name, body, Count)                                                   \
  MPI_FUNCTION(name, (const MPI_Status* status, MPI_Datatype type, Count* count)) { \
    return call(__func__, [&] { narrow(body, count); });                            \
  }
COUNTS(MPI_Get_count, whole_elements(*status, datatype(type)), int)
COUNTS(MPI_Get_count_c, whole_elements(*status, datatype(type)), MPI_Count)
COUNTS(MPI_Get_elements, elements_in(datatype(type), bytes_of(*status)), int)
COUNTS(MPI_Get_elements_c, elements_in(datatype(type), bytes_of(*status)), MPI_Count)
COUNTS(MPI_Get_elements_x, elements_in(datatype(type), bytes_of(*status)), MPI_Count)

#define SET_ELEMENTS(name, Count)                                             \
  MPI_FUNCTION(name, (MPI_Status * status, MPI_Datatype type, Count count)) { \
    return call(__func__, [&] {                                               \
      check_count(count);                                                     \
      set_bytes(*status, bytes_of_elements(datatype(type), count));           \
    });                                                                       \
  }
SET_ELEMENTS(MPI_Status_set_elements, int)
SET_ELEMENTS(MPI_Status_set_elements_c, MPI_Count)
SET_ELEMENTS(MPI_Status_set_elements_x, MPI_Count)

MPI_FUNCTION(MPI_Status_set_cancelled, (MPI_Status * status, int flag)) {
  set_cancelled(*status, flag != 0);
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Test_cancelled, (const MPI_Status* status, int* flag)) {
  *flag = is_cancelled(*status);
  return MPI_SUCCESS;
}

#define FIELD(name, field)                                                      \
  MPI_FUNCTION(MPI_Status_get_##name, (const MPI_Status* status, int* value)) { \
    *value = status->field;                                                     \
    return MPI_SUCCESS;                                                         \
  }                                                                             \
  MPI_FUNCTION(MPI_Status_set_##name, (MPI_Status * status, int value)) {       \
    status->field = value;                                                      \
    return MPI_SUCCESS;                                                         \
  }
FIELD(source, MPI_SOURCE)
FIELD(tag, MPI_TAG)
FIELD(error, MPI_ERROR)
