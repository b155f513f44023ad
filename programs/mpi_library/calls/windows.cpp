// Windows: what makes and frees them, and what they are.
#include "mpi_library/calls/attributes.hpp"
#include "mpi_library/calls/text.hpp"
#include "mpi_library/calls/timed.hpp"
#include "mpi_library/info/info.hpp"
#include "mpi_library/windows/epochs.hpp"
#include "mpi_library/windows/making.hpp"

using namespace assay::abi;

namespace {
void give(MPI_Win* out, void* base, Window& made) {
  *out = handle_of<MPI_Win>(static_cast<Object&>(made));
  if (base) *static_cast<void**>(base) = made.base;
}
Window& dynamic_window(MPI_Win handle) {
  Window& its = window(handle);
  if (!its.dynamic()) fail(MPI_ERR_RMA_FLAVOR, "memory is attached to windows of MPI_Win_create_dynamic only");
  return its;
}
}  // namespace

#define CREATES(suffix, Unit)                                                                                       \
  MPI_FUNCTION(MPI_Win_create##suffix,                                                                              \
               (void* base, MPI_Aint bytes, Unit unit, MPI_Info info, MPI_Comm comm, MPI_Win* out)) {               \
    return timed_call(Function::MPI_Win_create##suffix, comm, [&](Timed&) {                                         \
      give(out, nullptr, make_window(communicator(comm), base, bytes, unit, MPI_WIN_FLAVOR_CREATE, info));          \
    });                                                                                                             \
  }                                                                                                                 \
  MPI_FUNCTION(MPI_Win_allocate##suffix,                                                                            \
               (MPI_Aint bytes, Unit unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* out)) {               \
    return timed_call(Function::MPI_Win_allocate##suffix, comm,                                                     \
                      [&](Timed&) { give(out, base, allocate_window(communicator(comm), bytes, unit, info)); });    \
  }                                                                                                                 \
  MPI_FUNCTION(MPI_Win_allocate_shared##suffix,                                                                     \
               (MPI_Aint bytes, Unit unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* out)) {               \
    return timed_call(Function::MPI_Win_allocate_shared##suffix, comm,                                              \
                      [&](Timed&) { give(out, base, share_window(communicator(comm), bytes, unit, info)); });       \
  }                                                                                                                 \
  MPI_FUNCTION(MPI_Win_shared_query##suffix, (MPI_Win handle, int rank, MPI_Aint* bytes, Unit* unit, void* base)) { \
    return call(__func__, handle, [&] {                                                                             \
      const Window& its = window(handle);                                                                           \
      if (its.flavour != MPI_WIN_FLAVOR_SHARED)                                                                     \
        fail(MPI_ERR_RMA_FLAVOR, "only windows of MPI_Win_allocate_shared are asked for it");                       \
      check_peer(*its.comm, rank);                                                                                  \
      std::size_t of = 0;                                                                                           \
      if (rank != MPI_PROC_NULL)                                                                                    \
        of = static_cast<std::size_t>(rank);                                                                        \
      else                                                                                                          \
        while (of + 1 < its.parts.size() && its.parts[of].bytes == 0) ++of;                                         \
      *bytes = its.parts[of].bytes;                                                                                 \
      *unit = its.parts[of].unit;                                                                                   \
      *static_cast<void**>(base) = its.mapped ? static_cast<char*>(its.mapped) + its.places[of] : nullptr;          \
    });                                                                                                             \
  }
CREATES(, int)
CREATES(_c, MPI_Aint)

MPI_FUNCTION(MPI_Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win* out)) {
  return timed_call(Function::MPI_Win_create_dynamic, comm, [&](Timed&) {
    give(out, nullptr, make_window(communicator(comm), MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC, info));
  });
}
MPI_FUNCTION(MPI_Win_attach, (MPI_Win handle, void* base, MPI_Aint bytes)) {
  return timed_call(Function::MPI_Win_attach, handle, [&](Timed&) {
    Window& its = dynamic_window(handle);
    if (bytes < 0) fail(MPI_ERR_SIZE, std::to_string(bytes) + "; expected 0 or more");
    const auto address = reinterpret_cast<std::uint64_t>(base), size = static_cast<std::uint64_t>(bytes);
    const auto after = its.attached.lower_bound(address);
    const bool overlaps = (after != its.attached.end() && after->first < address + size) ||
                          (after != its.attached.begin() &&
                           std::prev(after)->first + static_cast<std::uint64_t>(std::prev(after)->second) > address);
    if (overlaps) fail(MPI_ERR_RMA_ATTACH, "a part of it is attached already");
    its.attached[address] = bytes;
    Op& op = add(Does::attach);
    op.word = its.comm->context;
    op.at = address;
    op.bytes = size;
  });
}
MPI_FUNCTION(MPI_Win_detach, (MPI_Win handle, const void* base)) {
  return timed_call(Function::MPI_Win_detach, handle, [&](Timed&) {
    Window& its = dynamic_window(handle);
    const auto address = reinterpret_cast<std::uint64_t>(base);
    if (its.attached.erase(address) == 0) fail(MPI_ERR_BASE, "nothing was attached at this address");
    Op& op = add(Does::detach);
    op.word = its.comm->context;
    op.at = address;
  });
}
MPI_FUNCTION(MPI_Win_free, (MPI_Win * handle)) {
  return timed_call(Function::MPI_Win_free, *handle, [&](Timed&) {
    Window& its = window(*handle);
    close_window(its);
    delete_attributes(*handle, its.attributes);
    for (const auto& [address, _] : its.attached) {
      Op& op = add(Does::detach);
      op.word = its.comm->context;
      op.at = address;
    }
    release(its);
    *handle = MPI_WIN_NULL;
  });
}

MPI_FUNCTION(MPI_Win_get_group, (MPI_Win handle, MPI_Group* out)) {
  return call(__func__, handle, [&] {
    Group& its = *window(handle).comm->local;
    hold(its);
    *out = handle_of<MPI_Group>(static_cast<Object&>(its));
  });
}
MPI_FUNCTION(MPI_Win_set_name, (MPI_Win handle, const char* name)) {
  return call(__func__, handle, [&] { window(handle).name = cut(name, MPI_MAX_OBJECT_NAME); });
}
MPI_FUNCTION(MPI_Win_get_name, (MPI_Win handle, char* name, int* length)) {
  return call(__func__, handle, [&] { write(window(handle).name, name, length, MPI_MAX_OBJECT_NAME); });
}
MPI_FUNCTION(MPI_Win_set_info, (MPI_Win handle, MPI_Info info)) {
  return call(__func__, handle, [&] {
    Window& its = window(handle);
    Info* now = kept(info);
    if (its.info) release(*its.info);
    its.info = now;
  });
}
MPI_FUNCTION(MPI_Win_get_info, (MPI_Win handle, MPI_Info* info)) {
  return call(__func__, handle, [&] { *info = copy_of(window(handle).info); });
}
