// A machine's [storage] as the simulator uses it: read from the tables that Python validated
// (src/assay/described/storage_tables.py documents every key), times in picoseconds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "network/fields.hpp"
#include "storage/disk.hpp"
#include "storage/drive.hpp"
#include "storage/fitted_device.hpp"
#include "storage/solid_state.hpp"

namespace assay::storage {

struct StorageParameters {
  std::uint32_t io_nodes = 1;
  std::vector<std::uint32_t> nodes;  // of the network, that the I/O nodes are at; empty: spread evenly
  std::uint64_t stripe = 4096;       // bytes; also of a buffer
  Time request = 0, open = 0, close = 0, allocate = 0;  // the I/O node's processor; allocate: for each new stripe unit
  double per_byte = 0;                                  // ps
  Time client_request = 0;                              // the compute node's processor, for each request
  double client_per_byte = 0, client_write_byte = 0;    // ps
  std::uint32_t outstanding = 1;                        // requests of a compute node under way
  std::uint64_t buffers = 0, read_ahead = 0;            // buffers of an I/O node; bytes of a file
  bool write_behind = false;
  std::uint32_t disks = 1;  // of an I/O node
  Order order = Order::fcfs;
  std::optional<DiskParameters> disk;  // one of these three
  std::optional<SolidStateParameters> solid_state;
  std::optional<FittedParameters> device;
  std::uint32_t declustering = 0;  // I/O nodes that a file lies on; 0: all
  std::uint32_t copies = 1;        // of each unit: the next I/O nodes keep the others
  // What does not work: an I/O node with its disks; one that the network does not reach, whose disks the next one does;
  // a disk (I/O node, disk).
  std::optional<std::uint32_t> failed, failed_link;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> failed_disk;
};

// ParameterError for a value of another kind.
StorageParameters read_storage(const network::Fields& read);
std::unique_ptr<Device> make_device(const StorageParameters& storage);

}  // namespace assay::storage
