// Who meets whom: a round-robin tournament by the circle method. Of an even number of places all but the last stand in
// a circle; in round t those at t - i and t + i meet, and the one at t itself meets the last. In places - 1 rounds
// each place meets each other one once, all of a round at the same time. With an odd number of ranks the last place is
// nobody: its partner rests. Which rank stands where, and the order of the rounds, are drawn anew for each pass, so
// that pairs which disturb one another in one pass do not in the next. Source: Kirkman 1847, On a problem in
// combinations; Anderson 1997, Combinatorial designs and tournaments, chapter 1.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "ranks/session.hpp"

namespace assay::ranks {

class Circle {
 public:
  static constexpr int no_partner = -1;

  // The same on every rank that gives the same seed.
  Circle(int ranks, std::uint64_t seed) : ranks_(ranks), places_(ranks + ranks % 2) {
    at_.resize(static_cast<std::size_t>(ranks));
    std::iota(at_.begin(), at_.end(), 0);
    order_.resize(static_cast<std::size_t>(rounds()));
    std::iota(order_.begin(), order_.end(), 0);
    Session::shuffle(at_, seed);
    Session::shuffle(order_, seed);
    place_.resize(at_.size());
    for (int place = 0; place < ranks; ++place) place_[static_cast<std::size_t>(rank_at(place))] = place;
  }

  int rounds() const { return places_ - 1; }
  int rank_at(int place) const { return at_[static_cast<std::size_t>(place)]; }
  int place_of(int rank) const { return place_[static_cast<std::size_t>(rank)]; }
  const std::vector<int>& ranks_by_place() const { return at_; }
  // Whom `rank` meets in round `turn`, or nobody.
  int partner(int rank, int turn) const {
    const int place = place_of(rank), last = places_ - 1, t = order_[static_cast<std::size_t>(turn)];
    int other = place == last ? t : (2 * t - place + last) % last;
    if (other == place) other = last;
    return other < ranks_ ? rank_at(other) : no_partner;
  }
  // Of two that meet, the one that sends first.
  bool leads(int rank, int other) const { return place_of(rank) < place_of(other); }

 private:
  int ranks_, places_;
  std::vector<int> at_, place_, order_;
};

}  // namespace assay::ranks
