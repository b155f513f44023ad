#include "kernels/intrinsics/judge.hpp"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <thread>

#include "kernels/intrinsics/hard_arguments.hpp"
#include "kernels/intrinsics/mpfr.hpp"
#include "kernels/intrinsics/screening.hpp"
#include "kernels/intrinsics/worst.hpp"

namespace assay::kernels {
namespace {

constexpr std::size_t kept_of_chunk = 4, kept = 1000, neighbourhoods = 8;
constexpr std::int64_t drawn = 1000;  // arguments of float32 that MPFR judges beside the worst

struct Partial {  // of one chunk
  double sum = 0;
  std::int64_t other_kind = 0;
  std::vector<Argument> worst;  // descending, the first of equals first
};

void keep(std::vector<Argument>& worst, const Argument& found, std::size_t most) {
  if (worst.size() == most && !(found.ulp > worst.back().ulp)) return;
  std::size_t at = worst.size();
  while (at > 0 && found.ulp > worst[at - 1].ulp) --at;
  worst.insert(worst.begin() + static_cast<std::ptrdiff_t>(at), found);
  if (worst.size() > most) worst.pop_back();
}

template <class T>
Loop<T> loop_of(const Entry& entry) {
  if constexpr (sizeof(T) == 4)
    return entry.single;
  else
    return entry.twice;
}

template <class T>
[[gnu::always_inline]] inline Error error_at(const Reference& of, double x, double y, T made) {
  if constexpr (sizeof(T) == 4)
    return error_of<float, double>(made, exact(of, x, y));
  else
    return error_of_double(of, x, y, made);
}

// Arguments, and what a variant makes of them.
template <class T>
struct Chunk {
  std::vector<T> x, y, made;

  // Arguments `from` to `to`, without it, of `count`.
  void take(const Reference& of, const Range& range, std::int64_t from, std::int64_t to, std::int64_t count) {
    const auto length = static_cast<std::size_t>(to - from);
    x.resize(length), y.assign(length, T{0});
    if (every_one<T>(range, count) && of.one) {
      for (std::size_t i = 0; i < length; ++i)
        x[i] = std::bit_cast<T>(static_cast<Bits<T>>(static_cast<std::size_t>(from) + i));
      return;
    }
    for (std::size_t i = 0; i < length; ++i) {
      x[i] = argument<T>(range, from + static_cast<std::int64_t>(i), count);
      if (of.two) y[i] = second_argument<T>(range, from + static_cast<std::int64_t>(i), count);
    }
  }
  void clear() { x.clear(), y.clear(); }
  void add(T first, T second) { x.push_back(first), y.push_back(second); }
  // For `made` the length becomes a multiple of any vector's: scalar code makes the results behind the last whole
  // vector. Results start as NaN: one that a loop never wrote is of another kind.
  void make(Loop<T> loop) {
    const std::size_t count = x.size(), padded = (count + 63) / 64 * 64;
    x.resize(padded, x.back()), y.resize(padded, y.back());
    made.assign(padded, std::numeric_limits<T>::quiet_NaN());
    loop(x.data(), y.data(), made.data(), static_cast<long>(padded));
    x.resize(count), y.resize(count);
  }
};

template <class T, class Seen>
Partial judge_chunk(Loop<T> loop, const Reference& of, Chunk<T>& chunk, Seen&& seen) {
  chunk.make(loop);
  Partial partial;
  for (std::size_t i = 0; i < chunk.x.size(); ++i) {
    const Error error = error_at<T>(of, chunk.x[i], chunk.y[i], chunk.made[i]);
    partial.sum += error.ulp;
    partial.other_kind += error.other_kind;
    seen(partial, i, error.ulp);
  }
  return partial;
}

// Keeps the worst few of a chunk: those of a float64 sample are centres of a search, which is to look in many places.
template <class T>
auto few(const Chunk<T>& of) {
  return [&of](Partial& partial, std::size_t i, double ulp) {
    keep(partial.worst, {of.x[i], of.y[i], ulp}, kept_of_chunk);
  };
}

struct Sampled {
  double sum = 0;
  std::int64_t other_kind = 0;
  std::vector<Argument> worst;  // descending: of float32 of all the sample, wherever they lie
};

template <class T>
Sampled sample(Loop<T> loop, const Reference& of, const Range& range, std::int64_t count, int threads) {
  const std::int64_t chunk = std::int64_t{1} << (count >> 26 ? 16 : 12);
  std::vector<Partial> partials(static_cast<std::size_t>((count + chunk - 1) / chunk));
  // Chunks far apart follow each other: where errors grow with the argument, each would be the worst so far.
  std::size_t stride = partials.size() * 5 / 8 + 1;
  while (std::gcd(stride, partials.size()) != 1) ++stride;
  std::atomic<std::size_t> next = 0;
  std::mutex joining;
  Worst worst(kept);
  const auto work = [&] {
    Worst own(kept);
    Chunk<T> some;
    for (std::size_t turn; (turn = next++) < partials.size();) {
      const std::size_t at = turn * stride % partials.size();
      const std::int64_t from = static_cast<std::int64_t>(at) * chunk, to = std::min(count, from + chunk);
      some.take(of, range, from, to, count);
      if constexpr (sizeof(T) == 4)
        partials[at] = judge_chunk<T>(loop, of, some, [&](Partial&, std::size_t i, double ulp) {
          own.add(ulp, from + static_cast<std::int64_t>(i));
        });
      else
        partials[at] = judge_chunk<T>(loop, of, some, few(some));
    }
    const std::lock_guard lock(joining);
    worst.add(own);
  };
  std::vector<std::thread> others;
  for (int other = 1; other < threads; ++other) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  Sampled all;
  for (const Worst::Placed& each : worst.descending())
    all.worst.push_back(
        {argument<T>(range, each.at, count), of.one ? T{0} : second_argument<T>(range, each.at, count), each.ulp});
  for (const Partial& partial : partials) {  // in their order: the sum does not depend on the threads
    all.sum += partial.sum;
    all.other_kind += partial.other_kind;
    for (const Argument& each : partial.worst) keep(all.worst, each, kept);
  }
  return all;
}

// `by` representable numbers from `value`, none beyond the finite ones.
template <class T>
double beside(double value, std::int64_t by) {
  T at = static_cast<T>(value);
  using Signed = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  const T moved = std::bit_cast<T>(static_cast<Bits<T>>(std::bit_cast<Signed>(at) + static_cast<Signed>(by)));
  return std::isfinite(moved) ? moved : value;
}

// Steps of one to 16 numbers and of each power of two, both ways, around each of the worst.
template <class T>
std::int64_t search_around(Loop<T> loop, const Reference& of, const Range& range, int rounds, bool replay,
                           std::vector<Argument>& worst, std::int64_t& other_kind) {
  std::int64_t judged = 0;
  std::uint64_t state = 1;
  Chunk<T> some;
  const auto judge_all = [&] {
    if (some.x.empty()) return;
    const Partial partial = judge_chunk<T>(loop, of, some, few(some));
    judged += static_cast<std::int64_t>(some.x.size());
    other_kind += partial.other_kind;
    for (const Argument& each : partial.worst) keep(worst, each, kept);
  };
  if constexpr (sizeof(T) == 8)
    if (rounds > 1) {
      const Screen screen(loop, of, range, rounds);
      for (const Argument& each : screen.worst()) some.add(each.x, each.y);
    }
  for (const HardArgument& each : hard_arguments)
    if (replay && std::string_view(each.function) == of.name && inside(range, each.x, each.y))
      some.add(static_cast<T>(each.x), static_cast<T>(each.y));
  judge_all();
  for (int round = 0; round < rounds; ++round) {
    std::vector<Argument> around(worst.begin(), worst.begin() + std::min(worst.size(), neighbourhoods));
    for (const Argument& centre : around) {
      some.clear();
      const auto add = [&](double first, double second) {
        if (!inside(range, first, second)) return;
        some.add(static_cast<T>(first), static_cast<T>(second));
      };
      for (std::int64_t by = 1; by <= 16; ++by)
        for (const std::int64_t step : {by, -by}) {
          add(beside<T>(centre.x, step), centre.y);
          if (of.two) add(centre.x, beside<T>(centre.y, step));
        }
      for (int power = 5; power < Format<T>::digits - 2; ++power)
        for (const int sign : {1, -1}) {
          const auto random = static_cast<std::int64_t>(scattered(state += 0x9e3779b97f4a7c15) >> (63 - power)) + 1;
          add(beside<T>(centre.x, sign * random), centre.y);
          if (of.two) add(beside<T>(centre.x, sign * random / 3), beside<T>(centre.y, random));
        }
      judge_all();
    }
  }
  return judged;
}

// The greatest difference, in ulp, between the errors by the double function and by MPFR, over arguments drawn at
// random.
template <class T>
double disagreement(Loop<T> loop, const Reference& of, const Range& range, std::int64_t count) {
  Chunk<T> some;
  for (std::int64_t i = 0; i < drawn; ++i) {
    const auto at =
        static_cast<std::int64_t>(scattered(static_cast<std::uint64_t>(i)) % static_cast<std::uint64_t>(count));
    some.add(argument<T>(range, at, count), of.one ? T{0} : second_argument<T>(range, at, count));
  }
  some.make(loop);
  double most = 0;
  for (std::size_t i = 0; i < some.x.size(); ++i) {
    const double exactly = mpfr_error<T>(of.name, some.x[i], some.y[i], some.made[i]).ulp;
    most = std::max(most, std::abs(exactly - error_at<T>(of, some.x[i], some.y[i], some.made[i]).ulp));
  }
  return most;
}

}  // namespace

template <class T>
Judged judge(const Entry& entry, const Range& range, std::int64_t count, int search, int threads, bool replay) {
  constexpr bool single = sizeof(T) == 4;
  const Reference& of = reference(entry.name);
  Judged judged;
  const Sampled sampled = sample<T>(loop_of<T>(entry), of, range, count, threads);
  std::vector<Argument> worst = sampled.worst;
  judged.other_kind = sampled.other_kind;
  judged.mean = sampled.sum / static_cast<double>(count);
  judged.arguments = count;
  judged.every = of.one && every_one<T>(range, count);
  judged.reference = single ? "double" : judge_of_doubles();
  if (!single && search > 0)
    judged.arguments += search_around<T>(loop_of<T>(entry), of, range, search, replay, worst, judged.other_kind);
  if (single && !mpfr_version().empty()) {
    judged.disagreement = disagreement<T>(loop_of<T>(entry), of, range, count);
    std::vector<Argument> again;
    Chunk<T> some;
    for (const Argument& each : worst) some.add(static_cast<T>(each.x), static_cast<T>(each.y));
    some.make(loop_of<T>(entry));
    for (std::size_t i = 0; i < worst.size(); ++i) {
      const double exactly = mpfr_error<T>(of.name, some.x[i], some.y[i], some.made[i]).ulp;
      const double here = error_at<T>(of, some.x[i], some.y[i], some.made[i]).ulp;
      judged.disagreement = std::max(judged.disagreement, std::abs(exactly - here));
      keep(again, {worst[i].x, worst[i].y, exactly}, kept);
    }
    worst = again;
    judged.reference = "double and " + mpfr_version();
  }
  judged.worst = worst.front();
  judged.most = judged.worst.ulp;
  return judged;
}

template Judged judge<float>(const Entry&, const Range&, std::int64_t, int, int, bool);
template Judged judge<double>(const Entry&, const Range&, std::int64_t, int, int, bool);

std::string exact_text(const Reference& of, const Argument& argument) {
  char text[80];
  if (of.one)
    std::snprintf(text, sizeof text, "%a", argument.x);
  else
    std::snprintf(text, sizeof text, "%a, %a", argument.x, argument.y);
  return text;
}

}  // namespace assay::kernels
