// What fan-in and fan-out share: a central rank and 1 to p of its neighbours, windows of messages one way, 0-byte
// messages back.
//
// The neighbours are the ranks one hop away, all others where hops are unknown. The central rank is rank 0 unless set
// otherwise (in a mesh rank 0 is in a corner); it measures the time, and sends it to rank 0 afterwards.
#pragma once

#include "ranks/paths.hpp"
#include "ranks/sampling.hpp"
#include "ranks/streams.hpp"

namespace assay::ranks {

inline constexpr std::string_view fan_fragment = R"fragment(
[parameter.bytes]
type = "integer"
default = [8, 64, 512, 4096, 32768, 262144]
quick = [8, 4096, 262144]
described = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 65536]
min = 0
max = 16777216
unit = "B"
sweep = true
help = "length of a message"

[parameter.neighbours]
type = "integer"
default = 0
min = 0
max = 16777216
unit = "1"
sweep = true
help = "how many take part at once; 0: 1 to 8, powers of two beyond, and all"

[parameter.middle]
type = "integer"
default = 0
min = 0
max = 16777215
unit = "1"
help = "the rank that they stand around"
)fragment";

class Fan {
 public:
  static constexpr int window = 16;
  struct Case {
    std::size_t bytes;
    int count;  // neighbours that take part
  };
  static constexpr std::string_view metric = "time";
  std::string_view cache(const Case&) const { return Buffers::label(Buffers::Way::same); }
  Case at(const timing::CaseSettings& settings) const {
    return {static_cast<std::size_t>(settings.at("bytes").integer),
            static_cast<int>(settings.at("neighbours").integer)};
  }
  template <Communicator C>
  timing::Json label(C&, const Case& at) const {
    timing::Json json;
    json.integer("bytes", static_cast<std::int64_t>(at.bytes)).integer("neighbours", at.count);
    return middle_ == 0 ? json : json.integer("middle", middle_);
  }

 protected:
  template <Communicator C>
  void prepare(C& comm, Session& session) {
    needs(comm.size() >= 2, "2 ranks or more", comm.size());
    const std::int64_t middle = session.cases().front().at("middle").integer;
    if (middle >= comm.size())
      refuse("middle", "no such rank", std::to_string(middle), "0 to " + std::to_string(comm.size() - 1));
    middle_ = static_cast<int>(middle);
    around_ = &session.shared<std::vector<int>>([&] { return nearest(comm, middle_); });
    needs(!around_->empty(), "among its ranks some on other nodes", comm.size());
    const auto most = static_cast<std::int64_t>(around_->size());
    session.widen("neighbours", [&] { return steps_up_to(most); });
    session.keep([&](const auto& each) { return each.at("neighbours").integer <= most; },
                 {"more neighbours than rank " + std::to_string(middle) + " has", "neighbours",
                  "0 (all) to " + std::to_string(most)},
                 comm.rank() == 0);
    const auto found = std::ranges::find(*around_, comm.rank());
    place_ = found == around_->end() ? -1 : static_cast<int>(found - around_->begin());
    if (comm.rank() == middle_ || comm.rank() == 0 || place_ >= 0)
      buffers_ = Buffers(comm, session, Buffers::Way::same);
    if (const auto hops = comm.hops(middle_, around_->front()); comm.rank() == 0 && hops.value_or(1) > 1) {
      session.note("no rank is one hop from rank " + std::to_string(middle_) + ": those " + std::to_string(*hops) +
                   " hops away serve as neighbours");
    }
    if (comm.rank() == 0 && !comm.hops(0, 1)) {
      session.note("which ranks are one hop from which is unknown here: any others serve as neighbours");
    }
  }
  bool takes_part(int rank, const Case& at) const { return rank == middle_ || (place_ >= 0 && place_ < at.count); }
  std::vector<int> chosen(const Case& at) const { return {around_->begin(), around_->begin() + at.count}; }

  // How many bytes were wrong, in the words of a check.
  static Verdict judged(const Case& at, std::int64_t wrong) {
    const std::string detail = std::to_string(at.count) + " neighbours, a window each";
    return {wrong == 0, wrong == 0 ? detail : detail + ": " + std::to_string(wrong) + " wrong"};
  }

  // What the middle found, at rank 0 too, which writes it down; untimed. Others do nothing.
  template <Communicator C, class Value>
  Task forward(C& comm, Value* values, std::size_t count) const {
    if (middle_ == 0) co_return;
    if (comm.rank() == middle_) co_await comm.send(values, count * sizeof(Value), 0, forward_tag);
    if (comm.rank() == 0) co_await comm.recv(values, count * sizeof(Value), middle_, forward_tag);
  }

  static constexpr int forward_tag = 100;
  const std::vector<int>* around_ = nullptr;
  int middle_ = 0;
  int place_ = -1;  // of this rank among them
  Buffers buffers_;
};

}  // namespace assay::ranks
