// The segment that the simulator shares with an MPI program's ranks (programs/mpi_library/shared/segment.hpp): memory
// without a name in any folder, which is gone with the last process that has it, however these end.
#pragma once

#include <cstdint>
#include <vector>

#include "mpi_library/shared/segment.hpp"

namespace assay::mpirun {

class OwnedSegment {
 public:
  // `nodes`: of each rank; `factor`: simulated seconds of a second of CPU time, 0: not charged; `marks`: whether calls
  // are noted; `in_regions`: only computing in the program's regions is charged. timing::MeasurementFault where the
  // system has no such memory.
  OwnedSegment(const std::vector<std::uint32_t>& nodes, double factor, bool marks, bool in_regions = false);
  ~OwnedSegment();
  OwnedSegment(const OwnedSegment&) = delete;
  OwnedSegment& operator=(const OwnedSegment&) = delete;

  int file() const { return file_; }
  int ranks() const { return header_->ranks; }
  abi::Header& header() const { return *header_; }
  abi::Control& control(int rank) const { return *abi::control_of(header_, rank); }
  // So many bytes of a rank's arena; null for none. timing::MeasurementFault beyond its end.
  std::byte* data(int rank, std::uint64_t at, std::uint64_t bytes) const;

 private:
  int file_ = -1;
  std::uint64_t bytes_ = 0;
  abi::Header* header_ = nullptr;
};

}  // namespace assay::mpirun
