// The flits of one message over a row of columns, flit by flit until the pattern of their starts repeats.
//
// X(j,k), the start of flit k on column j, follows from
//   X(j,k) = max(X(j,k-1) + f(j), X(j-1,k) + w(j-1), X(j+1,k-B(j)) + r(j)),   X(j,0) = A(j),
// the last term where column j has a buffer of B(j) flits and there is a column behind it, for k >= B(j). This is
// linear in the algebra of maximum and sum (Baccelli, Cohen, Olsder and Quadrat 1992): the starts grow, from some flit
// on, by q times the largest cycle mean in every q flits. Its cycles are a wire (mean f, q = 1) and a buffer with its
// credits (mean (w + r) / B, q = B). Where an open buffer lies between columns nothing is held back, and what is behind
// it may go on at a slower pace of its own.
//
// So pace and period are known beforehand, and what is looked for is the flit from which they hold: as many rows as a
// new one depends on must all be those of a period before, moved by the same times. Then the rest is one jump.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace assay::network {

using Tick = std::uint64_t;

class Flits {
 public:
  /// A column: the head's start, then f, w, r and B as in train.hpp (B = 0: open).
  struct Pass {
    Tick head;
    std::uint32_t flit, body, credit, buffer;
  };

  void clear() { columns_.clear(); }
  void add(const Pass& column) { columns_.push_back(column); }
  /// Starts of the last of `flits` flits.
  void run(std::uint32_t flits);
  [[nodiscard]] Tick tail(std::size_t column) const { return row(at_)[column]; }

 private:
  static constexpr std::uint64_t longest_period = 4096;  // beyond, no jump is tried

  [[nodiscard]] bool held_back(std::size_t j) const { return j + 1 < columns_.size() && columns_[j].buffer != 0; }
  [[nodiscard]] Tick* row(std::size_t at) { return rows_.data() + at * columns_.size(); }
  [[nodiscard]] const Tick* row(std::size_t at) const { return rows_.data() + at * columns_.size(); }
  [[nodiscard]] std::size_t before(std::size_t rows) const { return at_ >= rows ? at_ - rows : at_ + kept_ - rows; }
  void find_period();
  bool next_row(std::uint32_t flit);

  std::vector<Pass> columns_;
  std::vector<Tick> growth_;  // of each column in a period
  std::vector<Tick> rows_;    // a ring of the last `kept_` rows
  std::size_t kept_ = 0, at_ = 0;
  std::uint64_t period_ = 0, deepest_ = 0;
};

/// The pace of each column: the largest cycle mean of its part between open buffers, or of a part before.
inline void Flits::find_period() {
  period_ = 1;
  growth_.assign(columns_.size(), 0);
  std::uint64_t ticks = 0, flits = 1, period = 1;  // the pace, ticks / flits, and how many flits it takes to repeat
  const auto pace = [&](std::uint64_t more, std::uint64_t per) {
    const std::uint64_t ours = ticks * per, theirs = more * flits;
    if (theirs < ours) return;
    if (theirs > ours) ticks = more, flits = per, period = 1;
    period = std::min(std::lcm(period, per), longest_period + 1);
  };
  const auto each = [&](auto call) {
    for (std::size_t first = 0, j = 0; j < columns_.size(); ++j) {
      pace(columns_[j].flit, 1);
      if (held_back(j)) {
        pace(std::uint64_t{columns_[j].body} + columns_[j].credit, columns_[j].buffer);
        continue;
      }
      call(first, j + 1);
      first = j + 1;
    }
  };
  each([&](std::size_t, std::size_t) { period_ = std::min(std::lcm(period_, period), longest_period + 1); });
  if (period_ > longest_period) return;
  ticks = 0, flits = 1, period = 1;
  each([&](std::size_t first, std::size_t end) {
    std::fill(growth_.begin() + static_cast<std::ptrdiff_t>(first), growth_.begin() + static_cast<std::ptrdiff_t>(end),
              ticks * period_ / flits);
  });
}

/// Row `flit` after the one before; whether it is the row of a period before, moved by the columns' growth, and no
/// column of a slower pace was held up by one of a faster pace before it.
inline bool Flits::next_row(std::uint32_t flit) {
  const Tick* const last = row(at_);
  at_ = at_ + 1 == kept_ ? 0 : at_ + 1;
  Tick* const now = row(at_);
  bool repeats = flit >= period_ && period_ <= longest_period;
  const Tick* const then = repeats ? row(before(period_)) : nullptr;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const Pass& column = columns_[j];
    Tick start = last[j] + column.flit;
    if (held_back(j) && flit >= column.buffer)
      start = std::max(start, row(before(column.buffer))[j + 1] + column.credit);
    if (j > 0) {
      const Tick come = now[j - 1] + columns_[j - 1].body;
      repeats &= come <= start || growth_[j] == growth_[j - 1];
      start = std::max(start, come);
    }
    now[j] = start;
    if (repeats) repeats = start - then[j] == growth_[j];
  }
  return repeats;
}

inline void Flits::run(std::uint32_t flits) {
  const std::size_t columns = columns_.size();
  find_period();
  deepest_ = 1;
  for (std::size_t j = 0; j < columns; ++j)
    if (held_back(j)) deepest_ = std::max<std::uint64_t>(deepest_, std::min(columns_[j].buffer, flits));
  const std::uint64_t wanted = std::max(deepest_, period_ > longest_period ? 1 : period_);
  kept_ = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, flits)) + 1;
  rows_.resize(kept_ * columns);
  at_ = 0;
  for (std::size_t j = 0; j < columns; ++j) rows_[j] = columns_[j].head;
  std::uint64_t repeated = 0;
  for (std::uint32_t flit = 1; flit < flits; ++flit) {
    repeated = next_row(flit) ? repeated + 1 : 0;
    if (repeated < wanted || flit + 1 < deepest_ + period_) continue;
    const std::uint64_t periods = (flits - 1 - flit) / period_;
    if (periods == 0) continue;
    for (std::size_t at = 0; at < kept_; ++at)
      for (std::size_t j = 0; j < columns; ++j) row(at)[j] += periods * growth_[j];
    flit += static_cast<std::uint32_t>(periods * period_);
    repeated = 0;
  }
}

}  // namespace assay::network
