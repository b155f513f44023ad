// One-sided operations on a rank: their arguments to the simulator, and what they fetch into the program's memory.
#pragma once

#include "mpi_library/operations/operation.hpp"
#include "mpi_library/requests/request.hpp"
#include "mpi_library/windows/window.hpp"

namespace assay::abi {

// Elements of a type at a displacement of a rank's part of a window.
struct Target {
  int rank;
  std::int64_t displacement, count;
  Datatype& type;
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(count * type.size); }
};
// An Error for a count below zero, or a type that cannot be used.
Target target(int rank, std::int64_t displacement, std::int64_t count, MPI_Datatype type);

// An operation on the target's memory: `brings` is a block of the arena, or 0; `fetched` where what it fetches goes, or
// null. Gives null for MPI_PROC_NULL. An Error outside of an epoch or of the window.
struct AccessKind {
  Access access;
  Basic type = Basic::none;
  Reduction reduction = Reduction::none;
  std::int64_t element = 1;  // bytes
};
UnderWay* begin_access(Window& window, const Target& target, const AccessKind& does, Place brings, std::uint64_t bytes,
                       const Buffer* fetched);

// Waits for what is under way to a rank, any rank for MPI_ANY_SOURCE; with `local` only for what it fetches.
void complete_accesses(Window& window, int rank, bool local = false);

// Behind MPI_Rput and its like: over at once where nothing is fetched, as what was brought has been copied.
class AccessRequest final : public Request {
 public:
  AccessRequest(Window& window, UnderWay* access);
  void start() override;
  int complete(MPI_Status* status) override;
  bool leave() override;  // what is under way goes on without it
  void over();            // that has been waited for

 private:
  Window& window_;
  UnderWay* access_;
};

}  // namespace assay::abi
