// Which forms of the shared bus there can be on a machine: every rank on a hardware thread of its own, memory for the
// arrays, and messages that arrive while their target computes. What cannot be is left out and said.
#pragma once

#include <array>
#include <limits>

#include "ranks/bus_sides.hpp"
#include "ranks/seats.hpp"
#include "timing/memory_limits.hpp"

namespace assay::ranks {

template <Communicator C>
class BusForms {
 public:
  BusForms(C& comm, Session& session, std::size_t size) : comm_(comm), session_(session), size_(size) {}

  bool put() const { return can_[0]; }
  bool echo() const { return can_[1]; }
  bool wants(std::string_view key, std::string_view choice) const {
    return std::ranges::any_of(session_.cases(), [&](const auto& each) { return each.at(key).text == choice; });
  }

  // Decides on every rank, and exposes the window that messages are put into.
  Task find(const std::vector<Seat>& seats, typename WindowOf<C>::type& window) {
    can_ = {true, comm_.size() >= 3};
    if (comm_.rank() == 0) {
      const bool wants_put = wants("form", "put"), wants_echo = wants("form", "echo");
      can_[0] = wants_put && apart(seats, 2);
      can_[1] = wants_echo && can_[1] && apart(seats, 3);
      if (wants_put && !can_[0]) leave_out("form put: it needs 2 ranks, each with a hardware thread of its own");
      if (wants_echo && !can_[1]) leave_out("form echo: it needs 3 ranks, each with a hardware thread of its own");
      if (can_[0] && seats[0].host != seats[1].host)
        session_.note("rank 1 is on another host: what it puts comes in over the network");
    }
    co_await find_room();
    if constexpr (OneSided<C>) {
      window = co_await comm_.expose(comm_.rank() == 0 && can_[0] ? size_ : 1);
      if (can_[0]) {
        co_await probe(window);
        if (!can_[0]) leave_out("form put: this library delivers it only while its target calls the library");
      }
    } else {
      if (can_[0]) leave_out("form put: this machine has no one-sided messages");
      can_[0] = false;
    }
    co_await broadcast(comm_, can_.data(), sizeof can_);
  }

 private:
  void leave_out(const std::string& why) {
    if (comm_.rank() == 0) session_.skip(why);
  }

  // No rank may take more than its share of half of what the host, a cgroup or a limit leaves; all learn what can be.
  Task find_room() {
    std::int64_t least = comm_.rank() < 3 ? memory::read_headroom().bytes : std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> all(static_cast<std::size_t>(comm_.size()));
    co_await gather(comm_, &least, sizeof least, all.data());
    if (comm_.rank() == 0) {
      least = *std::ranges::min_element(all);
      const auto size = static_cast<std::int64_t>(size_);
      const std::int64_t stream = (wants("kernel", "copy") ? 2 : 1) * size, messages[2] = {2 * size, 4 * size};
      for (const std::size_t form : {0, 1}) {
        if (!can_[form] || stream + messages[form] <= least / 2) continue;
        can_[form] = false;
        leave_out(std::string("form ") + (form == 0 ? "put" : "echo") + ": " + std::to_string(stream + messages[form]) +
                  " bytes are more than half of the " + std::to_string(least) + " that are free for it");
      }
      if (can_[0] && can_[1] && stream + messages[0] + messages[1] > least / 2) {
        can_[1] = false;
        leave_out("form echo: beside the memory of form put there is none left; ask for it alone");
      }
    }
    co_await broadcast(comm_, can_.data(), sizeof can_);
  }

  // Whether a put arrives while its target does not call the library.
  Task probe(typename WindowOf<C>::type& window)
    requires OneSided<C>
  {
    auto* flag = reinterpret_cast<volatile unsigned char*>(window.data());
    if (comm_.rank() == 0) *flag = 0;
    co_await barrier(comm_);
    const std::byte one{1};
    if (comm_.rank() == 1) {
      co_await comm_.put(window, &one, 1, 0, 0);
      co_await comm_.complete(window, 0);
    } else if (comm_.rank() == 0) {
      const std::int64_t end = comm_.now() + static_cast<std::int64_t>(0.5 * C::ticks_a_second);
      while (*flag != 1 && comm_.now() < end) continue;
      can_[0] = *flag == 1;
    }
    co_await barrier(comm_);
  }

  C& comm_;
  Session& session_;
  std::size_t size_;
  std::array<bool, 2> can_{};  // put, echo
};

}  // namespace assay::ranks
