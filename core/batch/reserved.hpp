// The jobs that wait with a reservation each, in the order in which compression looks at them, indexed: the next one
// that fits into what is free before its reservation is found without looking at each. Jobs of about as many
// processors and about as long requests are in one bin, by place in the order; of each bin and all those of as many
// processors and shorter requests the last beginning of a reservation is kept, so that most bins are passed over.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "batch/profile.hpp"
#include "batch/scheduler.hpp"

namespace assay::batch {

struct Reservation {
  Seconds begins = 0, requested = 0;
  std::uint32_t place = 0;  // in the order
  std::int32_t processors = 0;
};

class Reserved {
 public:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  /// `jobs`: all that will ever wait.
  explicit Reserved(const Jobs& jobs) {
    for (const Job& job : jobs) {
      rows_ = std::max(rows_, row_of(job.processors) + 1);
      columns_ = std::max(columns_, column_of(job.requested) + 1);
    }
    bins_.resize(rows_ * columns_);
    last_.resize(bins_.size());
  }

  void add(const Reservation& added) {
    Bin& bin = bins_[bin_of(added)];
    bin.insert(bin.begin() + from_place(bin, added.place), added);
    sum_up(bin_of(added));
  }
  /// The same job begins then.
  void move(const Reservation& moved) {
    const std::size_t bin = bin_of(moved);
    Seconds& begins = bins_[bin][static_cast<std::size_t>(from_place(bins_[bin], moved.place))].begins;
    const bool was_last = std::exchange(begins, moved.begins) == last_[bin].row;
    if (was_last || moved.begins > last_[bin].row) sum_up(bin);
  }
  void remove(const Reservation& removed) {
    Bin& bin = bins_[bin_of(removed)];
    bin.erase(bin.begin() + from_place(bin, removed.place));
    if (removed.begins == last_[bin_of(removed)].row) sum_up(bin_of(removed));
  }

  /// At most as many as any of the jobs needs.
  std::int64_t narrowest() const {
    for (std::size_t row = 0; row < rows_; ++row)
      if (last_[(row + 1) * columns_ - 1].row != never) return least_of(row);
    return std::numeric_limits<std::int64_t>::max();
  }
  /// At least as long as any of them requests.
  Seconds longest() const {
    for (std::size_t column = columns_; column-- > 0;)
      for (std::size_t at = column; at < bins_.size(); at += columns_)
        if (!bins_[at].empty()) return static_cast<Seconds>((std::uint64_t{1} << column) - 1);
    return 0;
  }

  /// The first place in [from, before) of a job that fits into the room and begins after the room does; `before` where
  /// there is none.
  std::size_t next(std::size_t from, std::size_t before, const Room& room) const {
    const Seconds time = room.to - room.from;
    const std::size_t rows = std::min(rows_, row_of(room.processors) + 1);
    const std::size_t columns = std::min(columns_, column_of(time) + 1);
    for (std::size_t row = rows; row-- > 0 && last_[row * columns_ + columns - 1].within > room.from;)
      for (std::size_t at = row * columns_ + columns; at-- > row * columns_ && last_[at].row > room.from;)
        for (const Reservation& each : bins_[at]) {
          if (each.place >= before) break;
          if (each.place >= from && each.begins > room.from && each.requested <= time &&
              each.processors <= room.processors)
            before = each.place;
        }
    return before;
  }

 private:
  using Bin = std::vector<Reservation>;
  // The last beginning of a reservation,
  struct Last {
    Seconds row = never;     // of a bin and those before it in its row
    Seconds within = never;  // and of the same columns of all rows before it
  };

  // The first one from the place on.
  static std::ptrdiff_t from_place(const Bin& bin, std::size_t place) {
    return std::partition_point(bin.begin(), bin.end(), [&](const Reservation& each) { return each.place < place; }) -
           bin.begin();
  }
  void sum_up(std::size_t at) {
    for (const std::size_t end = at - at % columns_ + columns_; at < end; ++at) {
      Seconds last = at % columns_ == 0 ? never : last_[at - 1].row;
      for (const Reservation& each : bins_[at]) last = std::max(last, each.begins);
      if (last_[at].row == last) return;
      last_[at].row = last;
      for (std::size_t within = at; within < last_.size(); within += columns_) {
        const Seconds latest = std::max(last_[within].row, within < columns_ ? never : last_[within - columns_].within);
        if (std::exchange(last_[within].within, latest) == latest) break;
      }
    }
  }

  // Four rows between a power of two and the next, a column for each power of two.
  static std::size_t row_of(std::int64_t processors) {
    const auto wide = static_cast<std::uint64_t>(processors);
    const auto beyond = static_cast<std::size_t>(std::max(0, static_cast<int>(std::bit_width(wide)) - 3));
    return 4 * beyond + (wide >> beyond);
  }
  static std::int64_t least_of(std::size_t row) {
    return static_cast<std::int64_t>(row < 8 ? row : (row % 4 + 4) << (row / 4 - 1));
  }
  static std::size_t column_of(Seconds time) {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(time)));
  }
  std::size_t bin_of(const Reservation& of) const { return row_of(of.processors) * columns_ + column_of(of.requested); }

  std::size_t rows_ = 0, columns_ = 0;
  std::vector<Bin> bins_;  // row after row
  std::vector<Last> last_;
};

}  // namespace assay::batch
