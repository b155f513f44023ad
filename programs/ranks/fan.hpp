// What fan-in and fan-out share: rank 0 and 1 to p of its neighbours, windows of messages one way, words back.
//
// The neighbours are the ranks one hop away, all others where hops are unknown. Rank 0 says when to begin.
#pragma once

#include "ranks/paths.hpp"
#include "ranks/sampling.hpp"
#include "ranks/streams.hpp"

namespace assay::ranks {

class Fan {
 public:
  static constexpr int window = 16;
  struct Case {
    std::size_t bytes;
    int count;  // neighbours that take part
  };
  static constexpr std::string_view metric = "time";
  std::string_view cache(const Case&) const { return Buffers::said(Buffers::Way::same); }
  Case at(const timing::CaseSettings& settings) const {
    return {static_cast<std::size_t>(settings.at("bytes").integer),
            static_cast<int>(settings.at("neighbours").integer)};
  }
  template <Communicator C>
  timing::Json label(C&, const Case& at) const {
    timing::Json json;
    return json.integer("bytes", static_cast<std::int64_t>(at.bytes)).integer("neighbours", at.count);
  }

 protected:
  template <Communicator C>
  void prepare(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    around_ = &session.shared<std::vector<int>>([&] { return neighbours(comm, 0); });
    const auto most = static_cast<std::int64_t>(around_->size());
    session.widen("neighbours", [&] { return steps_up_to(most); });
    session.keep([&](const auto& each) { return each.at("neighbours").integer <= most; },
                 "left out: rank 0 has " + std::to_string(most) + " neighbours", comm.rank() == 0);
    const auto found = std::ranges::find(*around_, comm.rank());
    place_ = found == around_->end() ? -1 : static_cast<int>(found - around_->begin());
    if (comm.rank() == 0 || place_ >= 0) buffers_ = Buffers(comm, session, Buffers::Way::same);
    if (comm.rank() == 0 && !comm.hops(0, 1)) {
      session.note("which ranks are one hop from rank 0 is unknown here: any others serve as its neighbours");
    }
  }
  bool takes_part(int rank, const Case& at) const { return rank == 0 || (place_ >= 0 && place_ < at.count); }
  std::vector<int> chosen(const Case& at) const { return {around_->begin(), around_->begin() + at.count}; }

  const std::vector<int>* around_ = nullptr;
  int place_ = -1;  // of this rank among them
  Buffers buffers_;
};

}  // namespace assay::ranks
