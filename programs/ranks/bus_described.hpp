// The shared bus on a simulated machine: the stream is computing, at the rate of the bus or, where that is less, of
// [compute]'s kernel "stream"; every byte that the node's interface takes in or out makes it longer by its time on the
// same bus ([node] bus). Messages are those of the network.
//
//   put    the first rank on another node puts into rank 0's memory
//   echo   rank 1 shares rank 0's node and echoes with the first rank on another one (Dunigan 1995, section 3)
//
// The rounds are those of bus.hpp.
#pragma once

#include <algorithm>
#include <vector>

#include "ranks/buffers.hpp"
#include "ranks/bus_sides.hpp"
#include "ranks/one_sided.hpp"
#include "ranks/sampling.hpp"

namespace assay::ranks {

template <OneSided C>
class DescribedBus {
 public:
  DescribedBus(C& comm, Session& session) : comm_(comm), session_(session) {}

  Task measure() {
    const auto& given = session_.cases().front();
    window_ = static_cast<std::int64_t>(given.at("window").real * C::ticks_a_second);
    rate_ = given.at("stream").real;
    if (const auto cost = comm_.cost_of("stream"); rate_ == 0 && cost) rate_ = 1 / *cost;
    for (int rank = comm_.size() - 1; rank > 0; --rank)
      if (!comm_.same_node(0, rank)) away_ = rank;
    if (away_ < 0 || rate_ == 0) {
      leave_out(
          rate_ == 0
              ? "not described: [node] bus and [compute] rate.stream, how fast a processor streams (or --set stream=)"
              : "no two of the ranks are on nodes with a network between them");
      co_return;
    }
    shares_ = comm_.same_node(0, 1);
    std::size_t most = 1;
    for (const auto& each : session_.cases()) most = std::max(most, bytes_of(each));
    exposed_ = co_await comm_.expose(comm_.rank() == 0 ? most : 0);
    out_.assign(most, std::byte{0});
    in_.assign(most, std::byte{0});
    if (!shares_ &&
        std::ranges::any_of(session_.cases(), [](const auto& each) { return each.at("form").text != "put"; }))
      leave_out("form echo: ranks 0 and 1 are on nodes of their own; --set machine.node.processors=2 puts both on one");
    if (!has_one_sided(comm_) &&
        std::ranges::any_of(session_.cases(), [](const auto& each) { return each.at("form").text == "put"; }))
      leave_out(std::string("form put: ") + no_one_sided);
    co_await sample(comm_, session_, *this);
    co_await comm_.withdraw(exposed_);
  }

  // What the sampling loop asks of a kernel of several metrics. One round is enough, as nothing varies.
  using Case = BusCase;
  static constexpr auto metrics = bus_metrics;
  Case at(const timing::CaseSettings& settings) const {
    return {settings.at("form").text == "put", settings.at("kernel").text == "copy", bytes_of(settings)};
  }
  bool possible(const Case& at) const { return at.put ? has_one_sided(comm_) : shares_; }
  timing::Json label(C&, const Case& at) const { return bus_label(at, "both"); }
  const char* cache(const Case&) const { return "described"; }
  const char* ended() const { return "repetitions"; }

  Task take(C&, const Case& at, std::vector<BlockLine>& lines) {
    put_ = at.put;
    bytes_ = at.bytes;
    messenger_ = put_ ? away_ : 1;
    double rates[3][2];  // B/s, of the stream and of the messages under each load
    for (const BusLoad load : {BusLoad::stream, BusLoad::messages, BusLoad::both}) {
      BusSide streamed, passed;
      co_await enter(load, streamed, passed);
      rates[static_cast<int>(load)][0] = streamed.rate(C::ticks_a_second);
      rates[static_cast<int>(load)][1] = passed.rate(C::ticks_a_second);
    }
    if (comm_.rank() != 0) co_return;
    const auto rounds = static_cast<std::size_t>(*session_.pacing().repetitions);
    const auto add = [&](std::string_view metric, const char* load, double value) {
      lines.push_back({metric, bus_label(at, load), 1, std::vector<double>(rounds, value)});
    };
    const double stream = rates[0][0], messages = rates[1][1], stream_both = rates[2][0], messages_both = rates[2][1];
    add("stream", "alone", stream);
    add("messages", "alone", messages);
    add("stream", "both", stream_both);
    add("messages", "both", messages_both);
    add("sum", "both", stream_both + messages_both);
    add("stream_kept", "both", stream_both / stream);
    add("messages_kept", "both", messages_both / messages);
  }

  Task verify(C&, const Case&, Verdict& verdict) {
    std::int64_t wrong = 0;
    if (comm_.rank() == 0) poison(exposed_.data(), bytes_);
    co_await barrier(comm_);
    if (comm_.rank() == messenger_) {
      write_pattern(out_.data(), bytes_, bytes_, true);
      if (put_) {
        co_await comm_.put(exposed_, out_.data(), bytes_, 0, 0);
        co_await comm_.complete(exposed_, 0);
      } else {
        co_await comm_.send(out_.data(), bytes_, away_, tag);
      }
    } else if (comm_.rank() == away_ && !put_) {
      co_await comm_.recv(in_.data(), bytes_, 1, tag);
      wrong = wrong_bytes(in_.data(), bytes_, bytes_, true);
      co_await comm_.send(&wrong, sizeof wrong, 0, done_tag);
    }
    if (comm_.rank() == 0 && !put_) co_await comm_.recv(&wrong, sizeof wrong, away_, done_tag);
    co_await barrier(comm_);
    if (comm_.rank() != 0) co_return;
    if (put_) wrong = wrong_bytes(exposed_.data(), bytes_, bytes_, true);
    verdict.passed = wrong == 0;
    verdict.detail = std::to_string(wrong) + " bytes of a message wrong";
  }

 private:
  static constexpr int tag = 1, done_tag = 2;
  static constexpr double piece = 65536;  // bytes of the stream between two looks at the clock
  static std::size_t bytes_of(const timing::CaseSettings& settings) {
    return static_cast<std::size_t>(settings.at("bytes").integer);
  }
  void leave_out(const std::string& why) {
    if (comm_.rank() == 0) session_.skip(why);
  }

  Task run_stream(BusSide& moved) {
    const std::int64_t start = comm_.now();
    do {
      if (const auto cost = comm_.cost_of("stream"))  // a rate that was set wants the bus as much as the machine's own
        co_await comm_.compute(Work{"stream", piece / (rate_ * *cost)}, [] {});
      else
        co_await comm_.compute(piece / rate_, [] {});
      moved.bytes += piece;
    } while (comm_.now() - start < window_);
    moved.ticks = static_cast<double>(comm_.now() - start);
  }
  Task put_messages(BusSide& moved) {
    const std::int64_t start = comm_.now();
    do {
      co_await comm_.put(exposed_, out_.data(), bytes_, 0, 0);
      co_await comm_.complete(exposed_, 0);
      moved.bytes += static_cast<double>(bytes_);
    } while (comm_.now() - start < window_);
    moved.ticks = static_cast<double>(comm_.now() - start);
  }
  // The first byte says whether it is the last round trip.
  Task echo_messages(BusSide& moved) {
    const std::int64_t start = comm_.now();
    for (bool last = false, over = false; !over; last = comm_.now() - start >= window_) {
      out_[0] = std::byte{last};
      co_await comm_.send(out_.data(), bytes_, away_, tag);
      co_await comm_.recv(in_.data(), bytes_, away_, tag);
      moved.bytes += 2 * static_cast<double>(bytes_);
      over = last;
    }
    moved.ticks = static_cast<double>(comm_.now() - start);
  }
  Task answer() {
    for (bool last = false; !last;) {
      co_await comm_.recv(in_.data(), bytes_, 1, tag);
      last = in_[0] != std::byte{0};
      co_await comm_.send(out_.data(), bytes_, 1, tag);
    }
  }

  Task enter(BusLoad load, BusSide& streamed, BusSide& passed) {
    co_await barrier(comm_);
    if (load != BusLoad::messages && comm_.rank() == 0) co_await run_stream(streamed);
    if (load == BusLoad::stream) co_return;
    if (!put_ && comm_.rank() == away_) co_await answer();
    if (comm_.rank() == messenger_) {
      BusSide mine;
      if (put_)
        co_await put_messages(mine);
      else
        co_await echo_messages(mine);
      co_await comm_.send(&mine, sizeof mine, 0, done_tag);
    }
    if (comm_.rank() == 0) co_await comm_.recv(&passed, sizeof passed, messenger_, done_tag);
  }

  C& comm_;
  Session& session_;
  typename C::Window exposed_{};
  bool put_ = false;
  int away_ = -1, messenger_ = -1;
  bool shares_ = false;
  std::int64_t window_ = 0;
  double rate_ = 0;
  std::size_t bytes_ = 0;
  std::vector<std::byte> out_, in_;
};

}  // namespace assay::ranks
