// A ring of bytes in a mapping that two processes share: one writes, one reads, each with a counter of its own that
// the other only loads (Lamport 1977). Long messages go in pieces, so that both copies run at the same time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "files/waiting.hpp"

namespace assay::files {

struct Ring {
  static constexpr std::uint64_t capacity = std::uint64_t{1} << 18;  // bytes: half of it fits a small second cache
  static constexpr std::uint64_t piece = std::uint64_t{1} << 14;     // bytes that are announced at once

  alignas(threads::line_bytes) std::atomic<std::uint64_t> written{0};
  alignas(threads::line_bytes) std::atomic<std::uint64_t> taken{0};
  alignas(threads::line_bytes) std::byte data[capacity];
};

// One process's end of a pair of rings: it writes into one and reads from the other.
class SharedMemory {
 public:
  SharedMemory(Ring& out, Ring& in) : out_(&out), in_(&in) {}

  void send(const std::byte* from, std::size_t bytes, const Patience& wait) {
    for (std::uint64_t done = 0; done < bytes;) {
      if (sent_ - freed_ == Ring::capacity)
        wait.until([&] { return sent_ - (freed_ = out_->taken.load(std::memory_order_acquire)) < Ring::capacity; });
      const std::uint64_t part = whole(sent_, bytes - done, Ring::capacity - (sent_ - freed_));
      std::memcpy(out_->data + sent_ % Ring::capacity, from + done, part);
      done += part;
      out_->written.store(sent_ += part, std::memory_order_release);
    }
  }
  void receive(std::byte* into, std::size_t bytes, const Patience& wait) {
    for (std::uint64_t done = 0; done < bytes;) {
      if (got_ == there_) wait.until([&] { return (there_ = in_->written.load(std::memory_order_acquire)) != got_; });
      const std::uint64_t part = whole(got_, bytes - done, there_ - got_);
      std::memcpy(into + done, in_->data + got_ % Ring::capacity, part);
      done += part;
      in_->taken.store(got_ += part, std::memory_order_release);
    }
#ifdef ASSAY_BREAK
    into[bytes / 2] ^= std::byte{1};
#endif
  }

 private:
  // What may be copied at once: of what is wanted and there, to the end of the ring, and no more than a piece.
  static std::uint64_t whole(std::uint64_t at, std::uint64_t wanted, std::uint64_t there) {
    return std::min({wanted, there, Ring::capacity - at % Ring::capacity, Ring::piece});
  }
  Ring *out_, *in_;
  std::uint64_t sent_ = 0, freed_ = 0, got_ = 0, there_ = 0;
};

}  // namespace assay::files
