// What became of requests, whose data are there then, and which stay until a wait or a test: MPI_Request_get_status and
// its forms for several.
#include <algorithm>
#include <vector>

#include "mpi_library/calls/status.hpp"
#include "mpi_library/calls/timed.hpp"
#include "mpi_library/requests/several.hpp"

using namespace assay::abi;

namespace {

// Places of those that are over; `active`: of how many.
std::vector<int> over_now(std::span<const MPI_Request> requests, TestMode mode, int* active) {
  Several several(requests);
  *active = several.active();
  if (several.any_active()) several.test(mode);
  for (const int each : several.over()) request(requests[static_cast<std::size_t>(each)]).complete_early();
  return several.over();
}
std::span<const MPI_Request> all_of(int count, const MPI_Request* requests) {
  check_count(count);
  return {requests, static_cast<std::size_t>(count)};
}
void report(MPI_Request handle, MPI_Status* status) {
  if (handle != MPI_REQUEST_NULL && request(handle).active)
    copy_status(request(handle).status, status);
  else
    set_empty(status);
}
MPI_Status* at(MPI_Status* statuses, std::size_t place) { return statuses ? statuses + place : nullptr; }

}  // namespace

MPI_FUNCTION(MPI_Request_get_status, (MPI_Request handle, int* flag, MPI_Status* status)) {
  return timed_call(Function::MPI_Request_get_status, MPI_COMM_WORLD, [&](Timed&) {
    int active = 0;
    *flag = !over_now({&handle, 1}, TestMode::all, &active).empty() || active == 0;
    if (*flag) report(handle, status);
  });
}
MPI_FUNCTION(MPI_Request_get_status_all, (int count, const MPI_Request handles[], int* flag, MPI_Status statuses[])) {
  return timed_call(Function::MPI_Request_get_status_all, MPI_COMM_WORLD, [&](Timed&) {
    int active = 0;
    *flag = static_cast<int>(over_now(all_of(count, handles), TestMode::all, &active).size()) == active;
    for (int i = 0; *flag && i < count; ++i) report(handles[i], at(statuses, static_cast<std::size_t>(i)));
  });
}
MPI_FUNCTION(MPI_Request_get_status_any,
             (int count, const MPI_Request handles[], int* index, int* flag, MPI_Status* status)) {
  return timed_call(Function::MPI_Request_get_status_any, MPI_COMM_WORLD, [&](Timed&) {
    int active = 0;
    const auto over = over_now(all_of(count, handles), TestMode::any, &active);
    *index = MPI_UNDEFINED;
    *flag = !over.empty() || active == 0;
    if (active == 0) return set_empty(status);
    if (over.empty()) return;
    *index = over.front();
    report(handles[*index], status);
  });
}
MPI_FUNCTION(MPI_Request_get_status_some,
             (int count, const MPI_Request handles[], int* over, int indices[], MPI_Status statuses[])) {
  return timed_call(Function::MPI_Request_get_status_some, MPI_COMM_WORLD, [&](Timed&) {
    int active = 0;
    const auto found = over_now(all_of(count, handles), TestMode::some, &active);
    *over = active == 0 ? int{MPI_UNDEFINED} : static_cast<int>(found.size());
    std::ranges::copy(found, indices);
    for (std::size_t i = 0; i < found.size(); ++i) report(handles[indices[i]], at(statuses, i));
  });
}
