#include "storage/io_paths.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "network/placement.hpp"

namespace assay::storage {

using network::ParameterError;

IoPaths::IoPaths(std::uint32_t dimension, const network::InputOutput& io)
    : dimension_(dimension), io_(io), at_(io.nodes) {
  place();
  lay_links();
  choose();
}

void IoPaths::place() {
  if (at_.empty()) at_ = network::hamming_placement(dimension_);
  io_count_ = static_cast<std::uint32_t>(at_.size());
  if (!std::has_single_bit(io_count_))
    throw ParameterError("io.nodes", "has " + std::to_string(io_count_) + " elements, accepted is a power of two");
  for (std::size_t i = 0; i < at_.size(); ++i) {
    if (at_[i] >= nodes())
      throw ParameterError(
          "io.nodes", "names element " + std::to_string(at_[i]) + ", accepted are 0 to " + std::to_string(nodes() - 1));
    if (std::find(at_.begin(), at_.begin() + static_cast<std::ptrdiff_t>(i), at_[i]) !=
        at_.begin() + static_cast<std::ptrdiff_t>(i))
      throw ParameterError("io.nodes", "names element " + std::to_string(at_[i]) + " twice, accepted is each once");
  }
  io_dimension_ = static_cast<std::uint32_t>(std::bit_width(io_count_)) - 1;
  const std::uint32_t longest = std::max(dimension_ + 2, io_dimension_ + dimension_ + 3);
  if (std::min({io_.message_flits, io_.request_flits, io_.forward_flits, io_.reply_flits, io_.write_flits}) < longest)
    throw ParameterError("io", "a message is shorter than the longest path, " + std::to_string(longest) + " links");
}

void IoPaths::lay_links() {
  const auto group = [this](std::uint32_t count, std::uint32_t channels) {
    const auto first = static_cast<std::uint32_t>(links_.all().size());
    for (std::uint32_t i = 0; i < count; ++i) links_.add(channels);
    return first;
  };
  const std::uint32_t n = io_.n != 0 ? io_.n : 4 * io_.b, r = io_.r != 0 ? io_.r : 4 * io_.b;
  group(dimension_ << dimension_, 1);
  links_.end_inner();
  in_ = group(nodes(), io_.k);
  out_ = group(nodes(), io_.k);
  io_in_ = group(io_count_, io_.m);
  io_out_ = group(io_count_, io_.m);
  if (io_.b != 0) {
    io_links_ = group(io_dimension_ * io_count_, io_.b);
    router_in_ = group(io_count_, r);
    router_out_ = group(io_count_, r);
    across_ = group(io_count_, n);
  }
}

void IoPaths::choose() {
  std::vector<bool> works(io_count_, true);
  for (const std::uint32_t each : io_.failed) {
    if (each >= io_count_)
      throw ParameterError("io.failed", "names I/O address " + std::to_string(each) + ", accepted are 0 to " +
                                            std::to_string(io_count_ - 1));
    works[each] = false;
  }
  if (!io_.failed.empty() && io_.b == 0)
    throw ParameterError("io.failed", "needs an I/O network, over which others reach the devices; accepted with b > 0");
  if (std::find(works.begin(), works.end(), true) == works.end())
    throw ParameterError("io.failed", "names all I/O nodes, accepted is to leave one");
  const auto working = [&](const auto& away) {  // the one over the fewest, of these the lowest, dimensions
    const auto far = [&](std::uint32_t address) { return std::pair(std::popcount(away(address)), away(address)); };
    std::uint32_t best = io_count_;
    for (std::uint32_t address = 0; address < io_count_; ++address)
      if (works[address] && (best == io_count_ || far(address) < far(best))) best = address;
    return static_cast<std::uint16_t>(best);
  };
  for (std::uint32_t element = 0; element < nodes(); ++element) {
    // Of equally near ones that over the lowest dimensions: in cubes put together of perfect ones, the own part's (the
    // same rule as in network/composition.cpp).
    home_.push_back(working([&](std::uint32_t address) { return at_[address] ^ element; }));
  }
  for (std::uint32_t block = 0; block < io_count_; ++block)
    stand_in_.push_back(working([&](std::uint32_t address) { return address ^ block; }));
}

}  // namespace assay::storage
