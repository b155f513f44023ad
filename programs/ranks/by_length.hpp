// What kernels (sampling.hpp) between ranks 0 and 1 share whose case is the length of a message.
#pragma once

#include "ranks/buffers.hpp"
#include "ranks/sampling.hpp"

namespace assay::ranks {

class ByLength {
 public:
  using Case = std::size_t;  // bytes
  std::string_view cache(Case) const { return Buffers::label(Buffers::Way::same); }
  Case at(const timing::CaseSettings& settings) const { return static_cast<std::size_t>(settings.at("bytes").integer); }
  template <Communicator C>
  timing::Json label(C&, Case bytes) const {
    return timing::Json().integer("bytes", static_cast<std::int64_t>(bytes));
  }

 protected:
  // Before the first case, on every rank.
  template <Communicator C>
  void prepare(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    if (comm.rank() < 2) buffers_ = Buffers(comm, session, Buffers::Way::same);
  }
  Buffers buffers_;
};

}  // namespace assay::ranks
