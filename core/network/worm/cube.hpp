// A binary hypercube with e-cube routing, highest dimension first, without tables: a link is a number made of dimension
// and node, a route is the exclusive or of two addresses. One word of 4 bytes a network channel; the words of injection
// and ejection links follow, one a channel and one more for the queue where there are several.
#pragma once
#include <bit>
#include <cstdint>

#include "network/worm/alike.hpp"

namespace assay::network {

class Cube {
 public:
  /// `own`: messages from a node to itself may occur.
  Cube(std::uint32_t dimension, std::uint32_t injection, std::uint32_t ejection, bool own, std::uint32_t buffer = 1)
      : dimension_(dimension), injection_(injection), ejection_(ejection), buffer_(buffer) {
    in_base_ = dimension << dimension;
    in_stride_ = injection == 1 ? 1 : injection + 1;
    // As many ejection channels as can ever be wanted at once never make a head wait: they need no words.
    open_sink_ = ejection >= dimension + (own ? injection : 0);
    out_base_ = in_base_ + (in_stride_ << dimension);
    out_stride_ = open_sink_ ? 0 : ejection == 1 ? 1 : ejection + 1;
  }
  [[nodiscard]] std::uint32_t nodes() const { return 1u << dimension_; }
  [[nodiscard]] std::uint32_t dimension() const { return dimension_; }
  [[nodiscard]] std::uint32_t longest() const { return dimension_ + 2; }
  [[nodiscard]] std::uint64_t words() const { return out_base_ + (std::uint64_t{out_stride_} << dimension_); }
  [[nodiscard]] std::uint32_t injection_channels() const { return injection_; }
  [[nodiscard]] std::uint32_t ejection_channels() const { return ejection_; }
  [[nodiscard]] bool open_sink() const { return open_sink_; }
  [[nodiscard]] std::uint32_t injection(std::uint32_t node) const { return in_base_ + node * in_stride_; }
  [[nodiscard]] std::uint32_t ejection(std::uint32_t node) const { return out_base_ + node * out_stride_; }

  // --- as AlikeEngine has it: a link's number is that of its first word
  [[nodiscard]] LinkTimes times() const {
    LinkTimes times;
    times.buffer = buffer_;
    return times;
  }
  [[nodiscard]] std::uint32_t singles() const {
    const bool out = ejection_ == 1 || open_sink_;
    return injection_ != 1 ? in_base_ : out ? ~std::uint32_t{0} : out_base_;
  }
  [[nodiscard]] static std::uint32_t word(std::uint32_t link) { return link; }
  [[nodiscard]] std::uint32_t channels(std::uint32_t link) const {
    return link < in_base_ ? 1 : link < out_base_ ? injection_ : ejection_;
  }
  /// As many channels as can ever be wanted never make a head wait.
  [[nodiscard]] bool open(std::uint32_t link) const { return open_sink_ && link >= out_base_; }
  template <class Call>
  void several(Call call) const {
    for (std::uint32_t node = 0; node < nodes(); ++node) {
      if (injection_ > 1) call(injection(node), injection_);
      if (ejection_ > 1 && !open_sink_) call(ejection(node), ejection_);
    }
  }
  /// The highest dimension first.
  template <class Put>
  void route(std::uint32_t source, std::uint32_t destination, Put put) const {
    put(injection(source));
    for (std::uint32_t here = source, rest = source ^ destination; rest != 0;) {
      const auto across = static_cast<std::uint32_t>(std::bit_width(rest)) - 1;
      put((across << dimension_) + here);
      here ^= 1u << across;
      rest ^= 1u << across;
    }
    put(ejection(destination));
  }
  [[nodiscard]] static std::size_t memory() { return 0; }

 private:
  std::uint32_t dimension_, injection_, ejection_, buffer_, in_base_, out_base_, in_stride_, out_stride_;
  bool open_sink_;
};

}  // namespace assay::network
