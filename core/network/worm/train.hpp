// How the flits of one message follow its head over links of unlike speed: when the tail starts on each link and when
// each link is free again, as far as that is settled by the crossings of the head that are known.
//
// Columns 0..H-1 are the links of the path, column H the sink. A(j) is the head's start on column j; T(i) the tail's.
// Per link f flit time, w and h until a body flit or the head may move on, r credit return, B buffer (0: open, holds
// any message). Where the buffers cover the credit loop (h >= w and B(i) max(f(i), f(i+1)) >= w(i) + r(i)):
//   T(i) = max(T(i-1) + w(i-1), max over j >= i with Bs(i,j) <= L-1 of A(j) + rho(i,j) + F(i,j) (L-1-Bs(i,j))),
// Bs and rho the sums of B and r over columns i..j-1, F(i,j) the largest f of i..j. Else flit by flit:
//   X(j,k) = max(X(j,k-1) + f(j), X(j-1,k) + w(j-1), X(j+1,k-B(j)) + r(j)), X(j,0) = A(j), T(i) = X(i,L-1),
// up to where the pattern repeats, which does not depend on the message's length (see Flits); where all links are alike
// and h >= w this has a closed form, too (see by_loops).
// Link i is free at R(i) = max(T(i+1) + r(i), T(i) + f(i)), an open link at T(i) + f(i); settled when the head is
// granted the first column j with B(i+1) + … + B(j) > L-1, or the last link.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/fabric.hpp"
#include "network/worm/flits.hpp"
#include "network/worm/mutant.hpp"

namespace assay::network {

/// One link of a worm's path that the head has been granted.
struct Column {
  std::uint32_t link = 0;
  std::uint32_t channel = 0;
  Tick head = 0;  // A
  Tick tail = 0;  // T, once settled
};

/// What is known of a worm's train while its head goes on: of columns 0..n-1, those before `settled` are settled.
struct Progress {
  std::uint32_t settled = 0, flit = 0;  // flit: f of the first column
  std::uint64_t behind = 0;             // flits that the buffers of the columns after the first unsettled one hold
  bool covered = true, even = true;     // whether buffers cover the credit loop; whether all have the same f
};

class Train {
 public:
  Train(const std::vector<Link>& links, std::uint32_t sink) : links_(links), sink_(sink), one_(links.front()) {
    alike_ = std::all_of(links.begin(), links.end(), [this](const Link& link) {
      return link.flit == one_.flit && link.body == one_.body && link.head == one_.head && link.credit == one_.credit &&
             link.buffer == one_.buffer;
    });
    all_covered_ = alike_ && covers(one_, one_.flit);
    looped_ = alike_ && !all_covered_ && one_.head >= one_.body && one_.head >= 1;
  }

  /// The head has been granted the last column of `path`: the columns that are settled now. Their T, and the next
  /// one's where there is one, are filled in; gives T of the sink if `last`.
  Tick grant(std::vector<Column>& path, Progress& progress, std::uint32_t flits, bool last) {
    const std::size_t before = progress.settled, size = path.size();
    const Link& own = like(path.back().link);
    if (size == 1) {
      progress.flit = own.flit;
      progress.covered = !alike_ || all_covered_;
    } else if (!alike_) {
      progress.covered &= covers(like(path[size - 2].link), own.flit);
      progress.even &= own.flit == progress.flit;
    }
    if (before + 1 < size) progress.behind += own.buffer;
    const std::uint64_t most = flits - 1, unsettled = progress.behind;
    if (last || own.buffer == 0) {
      progress.settled = static_cast<std::uint32_t>(size);
      progress.behind = 0;
    } else {
      while (progress.behind > most && progress.settled + 1 < size)
        progress.behind -= like(path[++progress.settled].link).buffer;
    }
    if (progress.settled == before) return 0;
    if (looped_) return by_loops(path, before, progress.settled, flits, last);
    if (!progress.covered || !covers(own, own.flit)) return by_flit(path, flits, last);
    if (last && progress.even && own.buffer != 0 && sink_ <= own.flit && before < size &&
        unsettled + like(path[before].link).buffer <= most)
      return evenly(path, before, flits);
    return closed_form(path, before, progress.settled, flits, last);
  }
  /// R of a link whose T and whose successor's T are known.
  [[nodiscard]] Tick release(std::uint32_t link, Tick own_tail, Tick next_tail) const {
    const Link& l = like(link);
    if (l.buffer == 0) return own_tail + l.flit;
    return std::max(next_tail + l.credit, own_tail + l.flit);
  }

 private:
  [[nodiscard]] static bool covers(const Link& l, std::uint32_t next_flit) {
    return l.head >= l.body && l.head >= 1 &&
           (l.buffer == 0 || std::uint64_t{l.buffer} * std::max(l.flit, next_flit) >= std::uint64_t{l.body} + l.credit);
  }

  [[nodiscard]] Tick sink_head(const std::vector<Column>& path) const {
    return path.back().head + like(path.back().link).head;
  }

  /// The closed form at the last grant where every f is the same, the sink's no larger, and the buffers from column
  /// `first` on hold less than the message: with S(j) = max(A(j), S(j+1) + r(j) - f B(j)), T(i) = max(T(i-1) + w(i-1),
  /// S(i) + f (L-1)).
  Tick evenly(std::vector<Column>& path, std::size_t first, std::uint32_t flits) {
    const auto stream = static_cast<std::int64_t>(like(path.back().link).flit) * (flits - 1);
    auto start = static_cast<std::int64_t>(sink_head(path));
    const Tick at_sink = sink_head(path) + std::uint64_t{sink_} * (flits - 1);
    for (std::size_t j = path.size(); j-- > first;) {
      const Link& l = like(path[j].link);
      start = std::max(static_cast<std::int64_t>(path[j].head),
                       start + l.credit - static_cast<std::int64_t>(std::uint64_t{l.flit} * l.buffer));
      path[j].tail = static_cast<Tick>(start + stream);
    }
    Tick least = first == 0 ? 0 : path[first - 1].tail + like(path[first - 1].link).body;
    for (std::size_t i = first; i < path.size(); ++i) {
      path[i].tail = std::max(path[i].tail, least);
      least = path[i].tail + like(path[i].link).body;
    }
    return std::max(least, at_sink);
  }

  Tick closed_form(std::vector<Column>& path, std::size_t settled, std::size_t until, std::uint32_t flits, bool last) {
    const std::size_t columns = path.size() + (last ? 1 : 0);
    const std::uint64_t most = flits - 1;
    Tick sink_tail = 0;
    for (std::size_t i = settled; i < columns && i <= until; ++i) {
      Tick tail = i == 0 ? 0 : path[i - 1].tail + like(path[i - 1].link).body;
      std::uint64_t buffers = 0, credits = 0, slowest = 0;
      for (std::size_t j = i; j < columns; ++j) {
        const bool sink = j == path.size();
        slowest = std::max<std::uint64_t>(slowest, sink ? sink_ : like(path[j].link).flit);
        tail = std::max(tail, (sink ? sink_head(path) : path[j].head) + credits + slowest * (most - buffers));
        if (sink || like(path[j].link).buffer == 0) break;
        buffers += like(path[j].link).buffer;
        credits += like(path[j].link).credit;
        if (buffers > most) break;
      }
      if (i < path.size())
        path[i].tail = tail;
      else
        sink_tail = tail;
    }
    return sink_tail;
  }

  /// The starts flit by flit as the longest way through them, where all links are alike, h >= w and a buffer's loop is
  /// what holds flits back: w + r > f B. A way from the head on column j to flit n = L-1 on column i <= j goes up j - i
  /// times, r and B flits each, and on the spot by loops, w + r and B flits each, and by f a flit for what is left:
  /// A(j) + (j-i) r + g(n - (j-i) B) = g(n) + A(j) - (j-i) w with g(n) = (n div B) (w + r) + (n mod B) f. As A grows by
  /// h >= w from column to column, the last column that is known and has (j-i) B <= n is the one that counts, and no
  /// column before i does. At the sink the flits that are left may take longer than f.
  Tick by_loops(std::vector<Column>& path, std::size_t settled, std::size_t until, std::uint32_t flits, bool last) {
    const std::uint64_t most = flits - 1, loop = std::uint64_t{one_.body} + one_.credit, buffer = one_.buffer;
    const std::uint64_t up = most / buffer, rest = most % buffer, hold = up * loop + rest * one_.flit;
    const std::size_t size = path.size();
    for (std::size_t i = settled; i < size && i <= until; ++i) {
      const std::size_t j = std::min<std::size_t>(size - 1, i + up);
      path[i].tail = path[j].head + hold - (j - i) * one_.body + (mutant == 4 && j > i ? 1 : 0);
    }
    if (!last) return 0;
    const Tick start = sink_head(path);
    const std::uint64_t slow = std::max(sink_, one_.flit);
    // By so many loops and the others at the slower pace: the most is at one end or the other.
    const auto beyond = [&](std::uint64_t n, std::uint64_t least) {
      const std::uint64_t loops = n / buffer;
      return loops < least ? std::uint64_t{0}
                           : std::max(least * loop + (n - least * buffer) * slow, loops * loop + n % buffer * slow);
    };
    for (std::size_t i = settled; i < size; ++i)
      if (const std::uint64_t above = size - i; above <= up)
        path[i].tail = std::max(path[i].tail, start + above * one_.credit + beyond(most - above * buffer, 0));
    for (std::size_t i = std::max<std::size_t>(settled, 1); i < size; ++i)
      path[i].tail = std::max(path[i].tail, path[i - 1].tail + one_.body);
    return std::max({path.back().tail + one_.body, start + most * sink_, start + beyond(most, 1)});
  }

  /// Columns past the last known one hold nothing back: what they would hold back is not settled, and is overwritten
  /// when it is.
  Tick by_flit(std::vector<Column>& path, std::uint32_t flits, bool last) {
    flits_.clear();
    for (const auto& column : path) {
      const Link& l = like(column.link);
      flits_.add({column.head, l.flit, l.body, l.credit, l.buffer});
    }
    if (last) flits_.add({sink_head(path), sink_, 0, 0, 0});
    flits_.run(flits);
    for (std::size_t j = 0; j < path.size(); ++j) path[j].tail = flits_.tail(j);
    return last ? flits_.tail(path.size()) : 0;
  }

  /// What is asked here of a link; where all are alike their list is not touched.
  [[nodiscard]] const Link& like(std::uint32_t link) const { return alike_ ? one_ : links_[link]; }

  const std::vector<Link>& links_;
  std::uint32_t sink_;
  const Link one_;  // the first of them
  bool alike_ = false, all_covered_ = false;
  bool looped_ = false;  // alike, and no buffer covers its credit loop
  Flits flits_;
};

}  // namespace assay::network
