// A binary hypercube with e-cube routing, highest dimension first, without tables: a link is a number made of dimension
// and node, a route is the exclusive or of two addresses. One word of 4 bytes a network channel; the words of injection
// and ejection links follow, one a channel and one more for the queue where there are several.
#pragma once
#include <bit>
#include <cstdint>

namespace assay::network {

class Cube {
 public:
  struct Place {
    std::uint32_t here,
        rest;  // the node that the head is bound for next; the dimensions still to be crossed from there
  };

  /// `own`: messages from a node to itself may occur.
  Cube(std::uint32_t dimension, std::uint32_t injection, std::uint32_t ejection, bool own)
      : dimension_(dimension), injection_(injection), ejection_(ejection) {
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
  [[nodiscard]] std::uint32_t network_words() const { return in_base_; }
  [[nodiscard]] std::uint32_t injection_channels() const { return injection_; }
  [[nodiscard]] std::uint32_t ejection_channels() const { return ejection_; }
  [[nodiscard]] bool open_sink() const { return open_sink_; }
  [[nodiscard]] std::uint32_t injection(std::uint32_t node) const { return in_base_ + node * in_stride_; }
  [[nodiscard]] std::uint32_t ejection(std::uint32_t node) const { return out_base_ + node * out_stride_; }
  [[nodiscard]] bool is_injection(std::uint32_t link) const { return link < out_base_; }  // of those past the network's

  static Place begin(std::uint32_t source, std::uint32_t destination) { return {source, source ^ destination}; }
  /// Takes the highest dimension that is left; gives the link.
  std::uint32_t step(Place& place) const {
    const auto across = static_cast<std::uint32_t>(std::bit_width(place.rest)) - 1;
    const std::uint32_t link = (across << dimension_) + place.here;
    place.here ^= 1u << across;
    place.rest ^= 1u << across;
    return link;
  }

 private:
  std::uint32_t dimension_, injection_, ejection_, in_base_, out_base_, in_stride_, out_stride_;
  bool open_sink_;
};

}  // namespace assay::network
