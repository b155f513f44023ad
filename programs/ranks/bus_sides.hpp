// The two sides of the shared bus on one rank: the stream and the messages, each at work for a window of time, and the
// memory that they step through.
#pragma once

#include <array>
#include <cstring>
#include <vector>

#include "ranks/collectives.hpp"
#include "ranks/one_sided.hpp"
#include "ranks/session.hpp"

namespace assay::ranks {

inline constexpr std::array<std::string_view, 5> bus_metrics = {"stream", "messages", "sum", "stream_kept",
                                                                "messages_kept"};

struct BusCase {
  bool put = false, copy = false;
  std::size_t bytes = 0;
};

inline timing::Json bus_label(const BusCase& at, const char* load) {
  timing::Json json;
  json.text("form", at.put ? "put" : "echo").text("kernel", at.copy ? "copy" : "read");
  return json.integer("bytes", static_cast<std::int64_t>(at.bytes)).text("load", load);
}

// What one side did.
struct BusSide {
  double bytes = 0, ticks = 0;

  double rate(double ticks_a_second) const { return ticks > 0 ? bytes / ticks * ticks_a_second : 0; }
  void operator+=(const BusSide& other) {
    bytes += other.bytes;
    ticks += other.ticks;
  }
};

enum class BusLoad { stream, messages, both };

template <class C>
struct NoWindow {};
template <class C>
struct WindowOf {
  using type = NoWindow<C>;
};
template <OneSided C>
struct WindowOf<C> {
  using type = typename C::Window;
};

// Ranks beyond the third only keep step.
template <Communicator C>
class BusSides {
 public:
  static constexpr int tag = 1, done_tag = 2;
  static constexpr std::size_t piece = 65536;  // of the stream, between two looks at the clock
  static constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
  using Memory = std::vector<std::byte>;

  // `size`: bytes of each array; `seconds`: that each side works in one go.
  BusSides(C& comm, std::size_t size, double seconds)
      : comm_(comm), size_(size), window_ticks_(static_cast<std::int64_t>(seconds * C::ticks_a_second)) {}

  // Fills the memory that the forms need. The window was made by comm.expose().
  void fill(bool put, bool echo, bool copies) {
    const int me = comm_.rank();
    if (me == 0 && (put || echo)) {
      from.resize(size_ / sizeof(std::uint64_t));
      for (std::size_t i = 0; i < from.size(); ++i) from[i] = factor * i;
      if (copies) to.resize(from.size());
      if constexpr (OneSided<C>) {
        if (put) std::fill_n(window.data(), size_, std::byte{0});
      }
    }
    if ((me == 1 && (put || echo)) || (me == 2 && echo)) {
      out.assign(size_, std::byte{0});
      if (echo) in.assign(size_, std::byte{0});
    }
  }

  // One window of time, entered together; rank 0 learns what each side did.
  Task enter(const BusCase& at, BusLoad load, BusSide& streamed, BusSide& passed) {
    co_await barrier(comm_);
    BusSide mine;
    if (load != BusLoad::messages && comm_.rank() == 0) streamed = run_stream(at);
    if (load != BusLoad::stream) {
      if constexpr (OneSided<C>) {
        if (at.put) co_await put_messages(at, mine);
      }
      if (!at.put) co_await echo_messages(at, mine);
      if (comm_.rank() == 1) co_await comm_.send(&mine, sizeof mine, 0, done_tag);
      if (comm_.rank() == 0) co_await comm_.recv(&passed, sizeof passed, 1, done_tag);
    }
  }

  std::size_t size() const { return size_; }

  [[gnu::noinline]] static std::uint64_t sum(const std::uint64_t* words, std::size_t count) {
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < count; ++i) found += words[i];
    return found;
  }

  typename WindowOf<C>::type window{};
  std::vector<std::uint64_t> from, to;  // the stream's
  Memory out, in;                       // the messages'

 private:
  BusSide run_stream(const BusCase& at) {
    BusSide moved;
    constexpr std::size_t words = piece / sizeof(std::uint64_t);
    const std::int64_t start = comm_.now(), end = start + window_ticks_;
    std::int64_t now = start;
    do {
      if (streamed_ + words > from.size()) streamed_ = 0;
      if (at.copy) {
        std::memcpy(to.data() + streamed_, from.data() + streamed_, piece);
      } else {
        seen_ += sum(from.data() + streamed_, words);
      }
      streamed_ += words;
      moved.bytes += at.copy ? 2.0 * piece : 1.0 * piece;
      now = comm_.now();
    } while (now < end);
    moved.ticks = static_cast<double>(now - start);
    return moved;
  }

  Task put_messages(const BusCase& at, BusSide& moved)
    requires OneSided<C>
  {
    if (comm_.rank() != 1) co_return;
    const std::int64_t start = comm_.now(), end = start + window_ticks_;
    std::int64_t now = start;
    do {
      const std::size_t offset = step(at.bytes);
      co_await comm_.put(window, out.data() + offset, at.bytes, 0, offset);
      co_await comm_.complete(window, 0);
      moved.bytes += static_cast<double>(at.bytes);
      now = comm_.now();
    } while (now < end);
    moved.ticks = static_cast<double>(now - start);
  }

  // The first byte says whether it is the last round trip.
  Task echo_messages(const BusCase& at, BusSide& moved) {
    if (comm_.rank() == 1) {
      const std::int64_t start = comm_.now(), end = start + window_ticks_;
      std::int64_t now = start;
      for (bool last = false, over = false; !over; last = now >= end) {
        const std::size_t offset = step(at.bytes);
        out[offset] = std::byte{last};
        co_await comm_.send(out.data() + offset, at.bytes, 2, tag);
        co_await comm_.recv(in.data() + offset, at.bytes, 2, tag);
        moved.bytes += 2 * static_cast<double>(at.bytes);
        over = last;
        now = comm_.now();
      }
      moved.ticks = static_cast<double>(now - start);
    } else if (comm_.rank() == 2) {
      for (bool last = false; !last;) {
        const std::size_t offset = step(at.bytes);
        co_await comm_.recv(in.data() + offset, at.bytes, 1, tag);
        last = in[offset] != std::byte{0};
        co_await comm_.send(out.data() + offset, at.bytes, 1, tag);
      }
    }
  }

  std::size_t step(std::size_t bytes) {  // through the memory, a message after the other
    const std::size_t here = stepped_ + bytes > size_ ? 0 : stepped_;
    stepped_ = here + (bytes + 63) / 64 * 64;
    return here;
  }

  C& comm_;
  std::size_t size_ = 0, streamed_ = 0, stepped_ = 0;
  std::int64_t window_ticks_ = 0;
  std::uint64_t seen_ = 0;  // or the sums would be dropped
};

}  // namespace assay::ranks
