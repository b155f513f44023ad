// What is counted of a hypercube with I/O nodes (io_nodes.hpp): latencies by what they are of and by kind of message,
// and how many flits the transactions of each element moved.
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "network/outcome.hpp"
#include "storage/io_stages.hpp"

namespace assay::storage {

class IoRecord {
 public:
  /// `files`: reads are of files ([io.files]); `serves`: I/O nodes serve one access at a time (io.service).
  IoRecord(std::uint32_t elements, bool files, bool serves) : files_(files), served_(elements, 0) {
    if (serves) kept_.push_back({"service_waiting", &service_waiting});
    if (files)
      kept_.insert(kept_.end(), {{"response", &response},
                                 {"broadcast", &broadcast},
                                 {"block", &block},
                                 {"disk", &disk},
                                 {"disk_waiting", &disk_waiting}});
  }
  IoRecord(const IoRecord&) = delete;

  [[nodiscard]] bool measures() const { return measuring_; }
  void measure(std::size_t batches) {
    measuring_ = true;
    for (auto& [name, one] : kept_) one->begin(batches);
    for (auto& one : by_kind_) one.begin(batches);
  }
  void turn(std::size_t batch) {
    for (auto& [name, one] : kept_) one->turn(batch);
    for (auto& one : by_kind_) one.turn(batch);
  }
  /// A message whose transaction is an element's has arrived, so many cycles after it was generated.
  void arrived(const IoMessage& m, std::uint32_t element, std::uint32_t head, std::uint32_t latency) {
    ++messages_;
    flits_ += m.flits;
    served_[element] += m.flits;
    header_.add(latency);
    network_.add(head + 1 - m.entered);
    by_kind_[m.tag.kind].add(latency);
    const bool from_element = m.tag.kind == pe_pe || m.tag.kind == pe_io || m.tag.kind == pe_write;
    (from_element ? pe_waiting_ : io_waiting_).add(m.entered - m.born);
    if (m.tag.kind == io_io) forward_waiting_.add(m.entered - m.born);
  }
  void report(network::Outcome& outcome) {
    const auto cycles = static_cast<double>(outcome.measured_cycles);
    outcome.messages = messages_;
    outcome.throughput = static_cast<double>(flits_) / cycles / static_cast<double>(served_.size());
    outcome.worst_node = static_cast<double>(*std::min_element(served_.begin(), served_.end())) / cycles;
    static constexpr const char* names[] = {"pe_pe", "pe_io", "io_io", "io_pe", "write", "cast_io", "cast_pe"};
    const auto keep = [&](const char* name, network::Latency& latency) {
      latency.finish();
      outcome.latencies[name] = std::move(latency);
    };
    for (auto& [name, latency] : kept_) keep(name, *latency);
    const std::size_t used = files_ ? io_kinds : cast_io;
    for (std::size_t kind = 0; kind < used; ++kind) keep(names[kind], by_kind_[kind]);
  }

  // Added to while it measures: header latencies of reads, of all I/O transactions, and waiting for an I/O node; the
  // last five of [io.files].
  network::Latency read, transaction, service_waiting, response, broadcast, block, disk, disk_waiting;

 private:
  bool files_, measuring_ = false;
  network::Latency header_, network_, pe_waiting_, io_waiting_, forward_waiting_;
  std::vector<std::pair<const char*, network::Latency*>> kept_ = {{"header", &header_},
                                                                  {"network", &network_},
                                                                  {"pe_waiting", &pe_waiting_},
                                                                  {"io_waiting", &io_waiting_},
                                                                  {"io_io_waiting", &forward_waiting_},
                                                                  {"read", &read},
                                                                  {"transaction", &transaction}};
  std::array<network::Latency, io_kinds> by_kind_;
  std::uint64_t messages_ = 0, flits_ = 0;
  std::vector<std::uint64_t> served_;  // flits of each element's transactions, whoever sent them
};

}  // namespace assay::storage
