// Memory that ranks expose to each other.
#pragma once

#include <list>
#include <map>
#include <string>
#include <vector>

#include "mpi_library/communicators/communicator.hpp"
#include "mpi_library/messages/message.hpp"
#include "mpi_library/transport/transport.hpp"

namespace assay::abi {

class AccessRequest;

// A one-sided operation that its rank has not yet waited for.
struct UnderWay {
  int target;  // within the window's communicator
  Slot slot;
  Place fetched = 0;                 // what it fetches comes here
  std::int64_t bytes = 0;            // of that
  void* into = nullptr;              // and goes there
  Datatype* type = nullptr;          // held
  AccessRequest* request = nullptr;  // of MPI_Rget and its like
};

struct Window : Object {
  static constexpr Kind kind_of = Kind::window;
  Window() : Object(kind_of) { ++windows; }
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

  // What each rank exposes, at addresses of its process.
  struct Part {
    std::uint64_t base;
    std::int64_t bytes;
    int unit;
  };
  std::vector<Part> parts;
  // The memory that was made for it, of one rank or of all ranks of a node; and where each rank's begins there.
  void* mapped = nullptr;
  std::size_t mapped_bytes = 0;
  std::vector<std::int64_t> places;
  std::map<std::uint64_t, std::int64_t> attached;  // bytes by address

  std::list<UnderWay> under_way;

  // Epochs (epochs.hpp).
  bool fenced = false, started = false, posted = false, locked_all = false;
  bool asked_all = false;            // with locks; else MPI_MODE_NOCHECK
  std::map<int, bool> locks;         // the same of each rank that is locked
  std::vector<int> targets;          // of MPI_Win_start, in order
  std::vector<Pending> posts, ends;  // messages to, and from, those to whom the memory was opened

  bool dynamic() const { return flavour == MPI_WIN_FLAVOR_DYNAMIC; }
  // The value of MPI_WIN_BASE and its like, as MPI_Win_get_attr gives it; null for any other key.
  void* predefined_attribute(int key);
};

inline Window& window(MPI_Win handle) { return object<Window>(handle); }

}  // namespace assay::abi
