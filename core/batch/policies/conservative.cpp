// Conservative backfilling with compression (Mu'alem and Feitelson 2001, section 2.1): every job has a reservation from
// its submission on, at the earliest place that delays no other's. When a job ends before it was expected to, each
// waiting job, in order of submission, is lifted out and put back at the earliest place, which is never later than it
// had; the others keep theirs. This is repeated until none moves, so that no job is kept back where none would be
// delayed. A reservation keeps what limits of queues and users have room for, too; of two queues the one of the higher
// rank goes first where reservations are made anew.
//
// All jobs are as early as they can be when something becomes free, and each that moves makes something free itself. A
// job can have become able to move only to where its time meets one of these spans, so that only jobs that fit there
// are looked at: for each span, those of the order once, from the place on at which it became free. Either all of the
// time that a job requests is free before its reservation, or only the time just before it, and the job moves into its
// own time: then the reservation begins within the span or at its end. What a move takes can only make a job that was
// found fit no longer, which is seen when its turn comes; what it leaves is a span of its own.
#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "batch/profile.hpp"
#include "batch/reserved.hpp"
#include "batch/scheduler.hpp"
#include "batch/starts.hpp"
#include "events/stop.hpp"

namespace assay::batch {
namespace {

class Conservative final : public Policy {
 public:
  Conservative(const Jobs& jobs, const Machine& machine)
      : jobs_(jobs),
        limits_(machine.queues),
        profile_(machine.processors),
        reserved_(jobs.size()),
        order_(jobs.size()),
        place_(jobs.size()),
        index_(jobs) {
    for (const Limit& limit : limits_.queues().limits) limited_.emplace_back(limit.most);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return limits_.queues().order(jobs[a], jobs[b]) < 0; });
    for (std::size_t place = 0; place < order_.size(); ++place) {
      const Job& job = jobs[order_[place]];
      place_[order_[place]] = place;
      reserved_[place] = {0, job.requested, static_cast<std::uint32_t>(place), job.processors};
    }
  }

  void submit(std::size_t job) override {
    compress(jobs_[job].submitted);
    profile_.advance(jobs_[job].submitted);
    reserve(place_[job]);
    waiting_.insert(place_[job]);
  }

  void end(std::size_t job) override {
    const Job& ended = jobs_[job];
    const Seconds now = ended.started + ended.runs, expected = ended.started + ended.requested;
    profile_.advance(now);
    take(reserved_[place_[job]], now, expected, -1);
    if (now < expected) freed(expected);
  }

  void withdraw(std::size_t job, Seconds now) override {
    profile_.advance(now);
    const std::size_t place = place_[job];
    lift(place);
    leave(place);
    freed(reserved_[place].begins + reserved_[place].requested);
  }

  // The reservations were made without the time that it takes now: all are lifted out and made anew, in order.
  void extend(std::size_t job, Seconds more, Seconds now) override {
    const Job& on = jobs_[job];
    profile_.advance(now);
    lift_all();
    take(reserved_[place_[job]], on.started + on.requested, on.started + on.requested + more, 1);
    reserve_all();
  }

  void adopt(std::size_t job, Seconds now) override {
    profile_.advance(now);
    take(reserved_[place_[job]], now, jobs_[job].started + jobs_[job].requested, 1);
  }

  void decide(Seconds now, Scheduler& scheduler) override {
    compress(now);
    if (late(now)) begin_anew(now);
    while (!starts_.empty() && starts_.front().at <= now) {
      const std::size_t place = starts_.front().place;
      starts_.remove(starts_.front());
      leave(place);
      scheduler.start(order_[place]);
    }
  }

  Seconds wakes() const override { return starts_.empty() ? never : starts_.front().at; }

 private:
  // What became free since some job of the order was looked at, and how far the look at all of them has come. Positions
  // go through the order, from its first place to its last, again and again.
  struct Freed {
    Seconds from = 0, to = 0;
    std::size_t ends = 0;   // the position after the last one to be looked at
    std::size_t next = 0;   // the first one for which there is room
    std::size_t place = 0;  // of the order, where that is
    Seconds begins = 0;     // that job begins no earlier where all of its time is free
  };

  void freed(Seconds to) { freed_until_ = std::max(freed_until_, to); }

  void reserve(std::size_t place) {
    Reservation& job = reserved_[place];
    job.begins = earliest(job, Profile::endless, profile_.begin());
    take(job, job.begins, job.begins + job.requested, 1);
    starts_.add(start_of(job));
    index_.add(job);
  }
  static Start start_of(const Reservation& job) { return {job.begins, job.place, job.processors}; }
  void leave(std::size_t place) {
    waiting_.erase(place);
    index_.remove(reserved_[place]);
  }

  // The first second from `begins` on at which there are processors and every limit has room, for as long as the job
  // requests; from `latest` on, where it begins at the latest, it has them.
  Seconds earliest(const Reservation& of, Seconds latest, Seconds begins) {
    for (Seconds at = std::max(begins, profile_.begin());;) {
      const Seconds before = at;
      at = profile_.earliest(of.processors, of.requested, latest, at);
      for (const std::int32_t limit : limits_of(of)) {
        Profile& room = limited_[static_cast<std::size_t>(limit)];
        room.advance(profile_.begin());
        at = room.earliest(amount(limit, of), of.requested, latest, at);
      }
      if (at == before || at >= latest) return at;
    }
  }

  // In [from, to), of the machine and of the limits; given back where `sign` is negative.
  void take(const Reservation& of, Seconds from, Seconds to, std::int64_t sign) {
    profile_.take(from, to, sign * of.processors);
    for (const std::int32_t limit : limits_of(of))
      limited_[static_cast<std::size_t>(limit)].take(from, to, sign * amount(limit, of));
  }
  std::span<const std::int32_t> limits_of(const Reservation& of) const {
    if (limited_.empty()) return {};
    return limits_.of(jobs_[order_[of.place]]).limits;
  }
  std::int64_t amount(std::int32_t limit, const Reservation& of) const {
    return limits_.queues().limits[static_cast<std::size_t>(limit)].amount(of.processors);
  }

  void reserve_all() {
    events::Paced paced;
    for (const std::size_t place : waiting_) {
      paced.step();
      reserve(place);
    }
    freed_until_ = never;
  }

  // The scheduler comes after a reservation's beginning.
  bool late(Seconds now) const { return !starts_.empty() && starts_.front().at < now; }

  void begin_anew(Seconds now) {
    lift_all();
    profile_.advance(now);
    reserve_all();
  }

  void lift(std::size_t place) {
    const Reservation& of = reserved_[place];
    const Seconds end = of.begins + of.requested;
    take(of, std::min(std::max(of.begins, profile_.begin()), end), end, -1);
    starts_.remove(start_of(of));
  }

  void lift_all() {
    for (const std::size_t place : waiting_) {
      lift(place);
      index_.remove(reserved_[place]);
    }
  }

  void compress(Seconds now) {
    if (freed_until_ == never || late(now)) return;
    profile_.advance(now);
    look({now, std::exchange(freed_until_, never), order_.size()}, 0);
    for (events::Paced paced; !freed_.empty(); paced.step()) {
      const std::size_t position = freed_.back().next;
      try_to_move(position);
      while (!freed_.empty() && freed_.back().next == position) {
        const Freed freed = freed_.back();
        freed_.pop_back();
        look(freed, position + 1);
      }
    }
  }

  // From the position on: the next job of the order for which there is room in what became free. It is kept for then.
  void look(Freed freed, std::size_t position) {
    const std::size_t places = order_.size(), round = position / places * places, from = position - round;
    const std::size_t end = std::min(places, freed.ends - round), next_end = freed.ends - round - end;
    std::size_t place = end, next_place = next_end;  // in this round and in the next one
    std::int64_t most = 0;
    rooms_.clear();
    profile_.rooms(freed.from, freed.to, index_.narrowest(), index_.longest(), rooms_);
    for (const Room& room : rooms_) {
      most = std::max(most, room.processors);
      place = index_.next(from, place, room);
      if (place == end) next_place = index_.next(0, next_place, room);
    }
    if (most > 0)
      starts_.visit(freed.from, freed.to, [&](const Start& start) {
        std::size_t& first = start.place < from ? next_place : place;
        if (start.place >= first || start.processors > most) return;
        for (const Room& room : rooms_)
          if (room.from < start.at && start.at <= room.to && start.processors <= room.processors) first = start.place;
      });
    if (place == end && next_place == next_end) return;
    freed.place = place < end ? place : next_place;
    freed.next = place < end ? round + place : round + places + next_place;
    const Reservation& job = reserved_[freed.place];
    freed.begins = job.begins;
    for (const Room& room : rooms_)
      if (room.processors >= job.processors && room.to - room.from >= job.requested)
        freed.begins = std::min(freed.begins, room.from);
    auto at = freed_.end();
    while (at != freed_.begin() && std::prev(at)->next < freed.next) --at;
    freed_.insert(at, freed);
  }

  // The job that comes next, into the first room that is still there.
  void try_to_move(std::size_t position) {
    Reservation& job = reserved_[freed_.back().place];
    const Seconds had = job.begins, ended = had + job.requested;
    Seconds begins = profile_.since(had, job.processors);
    for (auto each = freed_.rbegin(); each != freed_.rend() && each->next == position; ++each)
      begins = std::min(begins, each->begins);
    const Seconds at = earliest(job, had, begins);
    if (at == had) return;
    const Seconds now_free = std::max(had, at + job.requested);
    take(job, at, std::min(had, at + job.requested), 1);
    take(job, now_free, ended, -1);
    starts_.remove(start_of(job));
    job.begins = at;
    starts_.add(start_of(job));
    index_.move(job);
    look({now_free, ended, position + 1 + order_.size()}, position + 1);
  }

  const Jobs& jobs_;
  Limits limits_;
  Profile profile_;
  std::vector<Profile> limited_;            // what is left of each limit
  std::vector<Reservation> reserved_;       // of each place, once it waits
  std::vector<std::size_t> order_, place_;  // jobs by queue, and in order of submission; each one's place
  std::set<std::size_t> waiting_;           // places
  Starts starts_;                           // reservations of those that wait, by time
  Reserved index_;                          // the same, by place
  Seconds freed_until_ = never;  // from now until then something may have become free since the last compression
  std::vector<Freed> freed_;     // of this compression, with a job still to be looked at: the next one last
  std::vector<Room> rooms_;      // free ones that meet what is looked at
};

}  // namespace

std::unique_ptr<Policy> conservative(const Jobs& jobs, const Machine& machine) {
  return std::make_unique<Conservative>(jobs, machine);
}

}  // namespace assay::batch
