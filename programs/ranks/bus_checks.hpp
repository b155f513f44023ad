// Whether the bytes that the bus's two sides moved are right: several messages with a pattern of their position, and
// the stream's sum or copy.
#pragma once

#include "ranks/buffers.hpp"
#include "ranks/bus_sides.hpp"

namespace assay::ranks {

template <Communicator C>
class BusChecks {
 public:
  BusChecks(C& comm, BusSides<C>& sides) : comm_(comm), sides_(sides) {}

  // Bytes of messages that were wrong, at rank 0.
  Task messages(const BusCase& at, std::int64_t& wrong) {
    if constexpr (OneSided<C>) {
      if (at.put) co_await put(at, wrong);
    }
    if (!at.put) co_await echo(at, wrong);
  }

  // For rank 0.
  bool stream(const BusCase& at) {
    return at.copy ? copied() : sides_.sum(sides_.from.data(), sides_.from.size()) == closed_sum(sides_.from.size());
  }

 private:
  static constexpr int tag = BusSides<C>::tag, done_tag = BusSides<C>::done_tag;

  Task put(const BusCase& at, std::int64_t& wrong)
    requires OneSided<C>
  {
    const std::size_t places[] = {0, (sides_.size() - at.bytes) / 2, sides_.size() - at.bytes};
    if (comm_.rank() == 0)
      for (const std::size_t place : places) poison(sides_.window.data() + place, at.bytes);
    co_await barrier(comm_);
    if (comm_.rank() == 1) {
      for (const std::size_t place : places) {
        write_pattern(sides_.out.data() + place, at.bytes, place, true);
        co_await comm_.put(sides_.window, sides_.out.data() + place, at.bytes, 0, place);
        co_await comm_.complete(sides_.window, 0);
      }
    }
    co_await barrier(comm_);
    if (comm_.rank() == 0)
      for (const std::size_t place : places) wrong += wrong_bytes(sides_.window.data() + place, at.bytes, place, true);
  }

  Task echo(const BusCase& at, std::int64_t& wrong) {
    if (comm_.rank() == 1) {
      write_pattern(sides_.out.data(), at.bytes, at.bytes, false);
      poison(sides_.in.data(), at.bytes);
      co_await comm_.send(sides_.out.data(), at.bytes, 2, tag);
      co_await comm_.recv(sides_.in.data(), at.bytes, 2, tag);
      wrong = wrong_bytes(sides_.in.data(), at.bytes, at.bytes, true);
      co_await comm_.send(&wrong, sizeof wrong, 0, done_tag);
    } else if (comm_.rank() == 2) {
      poison(sides_.in.data(), at.bytes);
      co_await comm_.recv(sides_.in.data(), at.bytes, 1, tag);
      const bool came = wrong_bytes(sides_.in.data(), at.bytes, at.bytes, false) == 0;
      write_pattern(sides_.out.data(), at.bytes, at.bytes, came);  // what came wrong goes back wrong
      co_await comm_.send(sides_.out.data(), at.bytes, 1, tag);
    } else if (comm_.rank() == 0) {
      co_await comm_.recv(&wrong, sizeof wrong, 1, done_tag);
    }
  }

  static constexpr std::uint64_t factor = BusSides<C>::factor;
  // Of factor * i over [0, n), modulo 2^64.
  static std::uint64_t closed_sum(std::size_t n) {
    const std::uint64_t half = n % 2 == 0 ? n / 2 : n, other = n % 2 == 0 ? n - 1 : (n - 1) / 2;
    return factor * half * other;
  }
  bool copied() {
    std::memset(sides_.to.data(), 0xa5, sides_.to.size() * sizeof sides_.to.front());
    std::memcpy(sides_.to.data(), sides_.from.data(), sides_.to.size() * sizeof sides_.to.front());
    for (std::size_t i = 0; i < sides_.to.size();
         i += i + 1 < sides_.to.size() ? std::min<std::size_t>(61, sides_.to.size() - 1 - i) : 1)
      if (sides_.to[i] != factor * i) return false;
    return true;
  }

  C& comm_;
  BusSides<C>& sides_;
};

}  // namespace assay::ranks
