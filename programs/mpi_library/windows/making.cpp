#include "mpi_library/windows/making.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "mpi_library/errors/errhandler.hpp"
#include "mpi_library/info/info.hpp"
#include "mpi_library/transport/process.hpp"

namespace assay::abi {
namespace {

void check(const Communicator& parent, std::int64_t bytes, std::int64_t unit) {
  if (parent.is_inter()) fail(MPI_ERR_COMM, "a window of an intercommunicator");
  if (bytes < 0) fail(MPI_ERR_SIZE, std::to_string(bytes) + "; expected 0 or more");
  if (unit < 1 || unit > std::int64_t{1} << 30)
    fail(MPI_ERR_DISP, "a displacement unit of " + std::to_string(unit) + "; expected 1 or more");
}

int low(std::uint64_t number) { return static_cast<int>(number & 0xffffffff); }
int high(std::uint64_t number) { return static_cast<int>(number >> 32); }
std::uint64_t joined(int low, int high) {
  return static_cast<std::uint64_t>(static_cast<unsigned>(high)) << 32 | static_cast<unsigned>(low);
}

void* mapping(std::int64_t bytes, int flags, int file) {
  void* const made =
      mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, file, 0);
  if (made == MAP_FAILED) fail(MPI_ERR_NO_MEM, "no memory for a window of " + std::to_string(bytes) + " bytes");
  return made;
}

// The file of another process, which has it open.
int opened(int process_id, int file) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", process_id, file);
  const int found = open(path, O_RDWR | O_CLOEXEC);
  if (found < 0) fail(MPI_ERR_OTHER, std::string("the shared memory cannot be opened: ") + path);
  return found;
}

}  // namespace

Window& make_window(Communicator& parent, void* base, std::int64_t bytes, std::int64_t unit, int flavour,
                    MPI_Info info) {
  check(parent, bytes, unit);
  auto made = std::make_unique<Window>();
  const auto address = reinterpret_cast<std::uint64_t>(base), size = static_cast<std::uint64_t>(bytes);
  int context = 0;
  for (const auto& each : gather_all(
           parent, {free_context(), low(address), high(address), low(size), high(size), static_cast<int>(unit)})) {
    context = std::max(context, each[0]);
    made->parts.push_back({joined(each[1], each[2]), static_cast<std::int64_t>(joined(each[3], each[4])), each[5]});
  }
  made->comm = make_communicator(parent, parent.local->members(), context);
  made->base = base;
  made->bytes = bytes;
  made->unit = static_cast<int>(unit);
  made->flavour = flavour;
  made->info = kept(info);
  return *made.release();
}

Window& allocate_window(Communicator& parent, std::int64_t bytes, std::int64_t unit, MPI_Info info) {
  check(parent, bytes, unit);
  void* const memory = bytes == 0 ? nullptr : mapping(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  Window& made = make_window(parent, memory, bytes, unit, MPI_WIN_FLAVOR_ALLOCATE, info);
  made.mapped = memory;
  made.mapped_bytes = static_cast<std::size_t>(bytes);
  return made;
}

// The first rank's file, without a name in any folder, which the others open through that process.
Window& share_window(Communicator& parent, std::int64_t bytes, std::int64_t unit, MPI_Info info) {
  check(parent, bytes, unit);
  const bool first = parent.rank == 0;
  int file = first ? memfd_create("assay-window", MFD_CLOEXEC) : -1;
  const std::string* const apart = info == MPI_INFO_NULL ? nullptr : abi::info(info).find("alloc_shared_noncontig");
  const bool padded = apart && *apart == "true";
  const auto size = static_cast<std::uint64_t>(bytes);
  const auto all = gather_all(
      parent, {static_cast<int>(process.control->node), process.control->pid, file, low(size), high(size), padded});
  std::vector<std::int64_t> places{0};
  bool aligned = false, one_node = true;
  for (const auto& each : all) {
    aligned = aligned || each[5] != 0;
    one_node = one_node && each[0] == all[0][0];
  }
  for (const auto& each : all) {
    const auto part = static_cast<std::int64_t>(joined(each[3], each[4]));
    constexpr std::int64_t page = page_bytes;
    places.push_back(places.back() + (aligned ? (part + page - 1) / page * page : part));
  }
  if (!one_node) {
    if (first) close(file);
    fail(MPI_ERR_RMA_SHARED,
         "the ranks are on several nodes of the machine; MPI_Comm_split_type with MPI_COMM_TYPE_SHARED gives those of "
         "one");
  }
  void* memory = nullptr;
  if (places.back() > 0) {
    if (first && ftruncate(file, places.back()) != 0) fail(MPI_ERR_NO_MEM, "no memory for a shared window");
    if (!first) file = opened(all[0][1], all[0][2]);
    memory = mapping(places.back(), MAP_SHARED, file);
    if (!first) close(file);
  }
  const auto mine = static_cast<std::size_t>(parent.rank);
  Window& made = make_window(parent, memory ? static_cast<char*>(memory) + places[mine] : nullptr, bytes, unit,
                             MPI_WIN_FLAVOR_SHARED, info);
  if (first) close(file);  // the others have opened it
  made.mapped = memory;
  made.mapped_bytes = static_cast<std::size_t>(places.back());
  made.places = std::move(places);
  return made;
}

}  // namespace assay::abi
