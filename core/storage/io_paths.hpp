// The links of a hypercube with I/O nodes, who asks which I/O node, and the ways of each stage (io_nodes.hpp).
//
// An element's I/O node is the nearest one that works; for a failed one the working one that is nearest in the I/O
// network stands in.
#pragma once

#include <vector>

#include "network/settings.hpp"
#include "storage/io_stages.hpp"

namespace assay::storage {

class IoPaths {
 public:
  /// ParameterError where the I/O nodes do not fit the cube, or a message is shorter than its path.
  IoPaths(std::uint32_t dimension, const network::InputOutput& io);

  [[nodiscard]] const network::LinkTable& links() const { return links_; }
  [[nodiscard]] std::uint32_t nodes() const { return 1u << dimension_; }
  [[nodiscard]] std::uint32_t io_nodes() const { return io_count_; }
  [[nodiscard]] std::uint32_t io_dimension() const { return io_dimension_; }
  /// I/O address of an element's I/O node, by element.
  [[nodiscard]] const std::vector<std::uint16_t>& homes() const { return home_; }
  /// Who serves the blocks of an I/O address: itself where it works.
  [[nodiscard]] std::uint16_t stand_in(std::uint32_t address) const { return stand_in_[address]; }

  /// The ways of a message from an element: to another one, and to its I/O node.
  void to_element(IoMessage& m, std::uint32_t destination) const {
    Way way(m);
    way.put(in_ + m.tag.element);
    across(way, m.tag.element, destination);
    way.end(out_ + destination);
  }
  void to_home(IoMessage& m) const {
    Way way(m);
    way.put(in_ + m.tag.element);
    across(way, m.tag.element, at_[m.tag.home]);
    way.end(io_in_ + m.tag.home);
  }
  /// From an I/O node to the one that has the block, and from that one to the element; their kinds and lengths, too.
  void forward(IoMessage& m) const;
  void reply(IoMessage& m) const;
  /// The element at which a message to an element ends.
  [[nodiscard]] std::uint32_t end_of(const IoMessage& m) const { return m.path[m.hops - 1u] - out_; }

 private:
  /// Writes a path down, link by link.
  class Way {
   public:
    explicit Way(IoMessage& m) : m_(m), at_(m.path.data()) {}
    void put(std::uint32_t link) { *at_++ = static_cast<std::uint16_t>(link); }
    /// Through a cube, highest dimension first; link `first` + (d << dimension) + node leaves a node over dimension d.
    /// Every dimension is written and only those crossed stay: a loop of one length costs less than one that the
    /// processor cannot foresee.
    void across(std::uint32_t first, std::uint32_t dimension, std::uint32_t from, std::uint32_t to) {
      for (std::uint32_t d = dimension; d-- > 0;) {
        const std::uint32_t crossed = (from ^ to) >> d & 1;
        *at_ = static_cast<std::uint16_t>(first + (d << dimension) + from);
        at_ += crossed;
        from ^= crossed << d;
      }
    }
    void end(std::uint32_t link) {
      put(link);
      m_.hops = static_cast<std::uint8_t>(at_ - m_.path.data());
    }

   private:
    IoMessage& m_;
    std::uint16_t* at_;
  };
  void across(Way& way, std::uint32_t from, std::uint32_t to) const { way.across(0, dimension_, from, to); }
  void across_io(Way& way, std::uint32_t from, std::uint32_t to) const {
    way.across(io_links_, io_dimension_, from, to);
  }
  void place();
  void lay_links();
  void choose();

  std::uint32_t dimension_, io_count_ = 0, io_dimension_ = 0;
  const network::InputOutput io_;
  network::LinkTable links_;
  std::uint32_t in_ = 0, out_ = 0, io_in_ = 0, io_out_ = 0, io_links_ = 0, router_in_ = 0, router_out_ = 0, across_ = 0;
  std::vector<std::uint32_t> at_;        // element of an I/O address
  std::vector<std::uint16_t> home_;      // I/O address of an element
  std::vector<std::uint16_t> stand_in_;  // who serves the blocks of an I/O address
};

inline void IoPaths::forward(IoMessage& m) const {
  Way way(m);
  m.flits = io_.forward_flits;
  m.tag.kind = io_io;
  if (io_.b != 0) {
    way.put(router_out_ + m.tag.home);
    across_io(way, m.tag.home, m.tag.block);
    way.end(router_in_ + m.tag.block);
  } else {
    way.put(io_out_ + m.tag.home);
    across(way, at_[m.tag.home], at_[m.tag.block]);
    way.end(io_in_ + m.tag.block);
  }
}

inline void IoPaths::reply(IoMessage& m) const {
  Way way(m);
  m.flits = io_.reply_flits;
  m.tag.kind = io_pe;
  if (m.tag.block != m.tag.home && io_.b != 0) {
    way.put(router_out_ + m.tag.block);
    across_io(way, m.tag.block, m.tag.home);
    way.put(across_ + m.tag.home);
    across(way, at_[m.tag.home], m.tag.element);
  } else {
    way.put(io_out_ + m.tag.block);
    across(way, at_[m.tag.block], m.tag.element);
  }
  way.end(out_ + m.tag.element);
}

}  // namespace assay::storage
