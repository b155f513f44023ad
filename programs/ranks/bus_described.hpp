// The shared bus on a described machine: the stream is computing, at the rate of the bus or, where that is less, of
// [compute]'s kernel "stream"; every byte that the node's interface takes in or out makes it longer by its time on the
// same bus ([node] bus). Messages are those of the network.
//
//   put    the first rank on another node puts into rank 0's memory
//   echo   rank 1 shares rank 0's node and echoes with the first rank on another one (Dunigan 1995, section 3)
//
// The rounds are those of bus.hpp; one is enough, as nothing varies.
#pragma once

#include <vector>

#include "ranks/buffers.hpp"
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
      if (comm_.hops(0, rank).value_or(0) > 0) away_ = rank;
    if (away_ < 0 || rate_ == 0) {
      leave_out(
          rate_ == 0
              ? "not described: [node] bus and [compute] rate.stream, how fast a processor streams (or --set stream=)"
              : "no two of the ranks are on nodes with a network between them");
      co_return;
    }
    const bool shares = comm_.hops(0, 1) == 0;  // rank 1 is on rank 0's node
    std::size_t most = 1;
    for (const auto& each : session_.cases()) most = std::max(most, bytes_of(each));
    exposed_ = co_await comm_.expose(comm_.rank() == 0 ? most : 0);
    out_.assign(most, std::byte{0});
    in_.assign(most, std::byte{0});
    std::int64_t order = 0;
    for (const std::size_t index : Session::Order(session_.order(0))) {
      const timing::CaseSettings& settings = session_.cases()[index];
      put_ = settings.at("form").text == "put";
      bytes_ = bytes_of(settings);
      messenger_ = put_ ? away_ : 1;
      if (!put_ && !shares) {
        leave_out(
            "form echo: ranks 0 and 1 are on nodes of their own; --set machine.node.processors=2 puts both on one");
        continue;
      }
      co_await take(settings, order);
      co_await verify(settings);
    }
    co_await comm_.withdraw(exposed_);
  }

 private:
  static constexpr int tag = 1, done_tag = 2;
  static constexpr double piece = 65536;  // bytes of the stream between two looks at the clock
  enum Load { stream, messages, both };
  struct Side {
    double bytes = 0, ticks = 0;
    double rate() const { return ticks > 0 ? bytes / ticks * C::ticks_a_second : 0; }
  };

  static std::size_t bytes_of(const timing::CaseSettings& settings) {
    return static_cast<std::size_t>(settings.at("bytes").integer);
  }
  void leave_out(const std::string& why) {
    if (comm_.rank() == 0) session_.note("left out: " + why);
  }

  Task run_stream(Side& moved) {
    const std::int64_t start = comm_.now();
    do {
      co_await comm_.compute(piece / rate_, [] {});
      moved.bytes += piece;
    } while (comm_.now() - start < window_);
    moved.ticks = static_cast<double>(comm_.now() - start);
  }
  Task put_messages(Side& moved) {
    const std::int64_t start = comm_.now();
    do {
      co_await comm_.put(exposed_, out_.data(), bytes_, 0, 0);
      co_await comm_.complete(exposed_, 0);
      moved.bytes += static_cast<double>(bytes_);
    } while (comm_.now() - start < window_);
    moved.ticks = static_cast<double>(comm_.now() - start);
  }
  // The first byte says whether it is the last round trip.
  Task echo_messages(Side& moved) {
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

  Task enter(Load load, Side& streamed, Side& passed) {
    co_await barrier(comm_);
    if (load != messages && comm_.rank() == 0) co_await run_stream(streamed);
    if (load == stream) co_return;
    if (!put_ && comm_.rank() == away_) co_await answer();
    if (comm_.rank() == messenger_) {
      Side mine;
      if (put_)
        co_await put_messages(mine);
      else
        co_await echo_messages(mine);
      co_await comm_.send(&mine, sizeof mine, 0, done_tag);
    }
    if (comm_.rank() == 0) co_await comm_.recv(&passed, sizeof passed, messenger_, done_tag);
  }

  Task take(const timing::CaseSettings& settings, std::int64_t& order) {
    const std::int64_t rounds = *session_.pacing().repetitions, from = comm_.now();
    Side sides[3][2];
    for (const Load load : {stream, messages, both}) co_await enter(load, sides[load][0], sides[load][1]);
    if (comm_.rank() != 0) co_return;
    timing::Accounting nobody;
    nobody.wall = static_cast<double>(comm_.now() - from) / C::ticks_a_second;
    const double start = session_.began + static_cast<double>(from) / C::ticks_a_second;
    const auto write = [&](const char* metric, const char* load, double value) {
      timing::Json line;
      line.text("event", "block").object("case", label(settings, load)).text("metric", metric);
      line.integer("block", 0).integer("order", order++).integer("batch", 1).null("first");
      line.numbers("values", std::vector<double>(static_cast<std::size_t>(rounds), value)).text("ended", "repetitions");
      line.number("t0", start).number("t1", start + nobody.wall).text("cache", "described");
      session_.write(line.object("accounting", nobody.json()));
    };
    write("stream", "alone", sides[stream][0].rate());
    write("messages", "alone", sides[messages][1].rate());
    write("stream", "both", sides[both][0].rate());
    write("messages", "both", sides[both][1].rate());
    write("sum", "both", sides[both][0].rate() + sides[both][1].rate());
    write("stream_kept", "both", sides[both][0].rate() / sides[stream][0].rate());
    write("messages_kept", "both", sides[both][1].rate() / sides[messages][1].rate());
  }

  timing::Json label(const timing::CaseSettings& settings, const char* load) const {
    timing::Json json;
    json.text("form", settings.at("form").text).text("kernel", settings.at("kernel").text);
    return json.integer("bytes", settings.at("bytes").integer).text("load", load);
  }

  Task verify(const timing::CaseSettings& settings) {
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
    Verdict verdict;
    verdict.passed = wrong == 0;
    verdict.detail = std::to_string(wrong) + " bytes of a message wrong";
    session_.check(label(settings, "both"), verdict);
  }

  C& comm_;
  Session& session_;
  typename C::Window exposed_{};
  bool put_ = false;
  int away_ = -1, messenger_ = -1;
  std::int64_t window_ = 0;
  double rate_ = 0;
  std::size_t bytes_ = 0;
  std::vector<std::byte> out_, in_;
};

}  // namespace assay::ranks
