// A described machine as the simulator uses it: decoded once from the tables that Python validated
// (src/assay/described/machine_tables.py documents every key), times in picoseconds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "network/parameters.hpp"
#include "ranks/kernel_cost.hpp"
#include "ranks/message_model.hpp"
#include "ranks/replayed_noise.hpp"
#include "storage/storage_parameters.hpp"

namespace assay::described {

// How messages up to some length travel.
struct Protocol {
  static constexpr std::uint64_t any = ~std::uint64_t{0};
  std::uint64_t up_to = any;                              // bytes
  Time startup = 0, receive = 0;                          // the sender's and the receiver's processor
  double copy = 0, receive_copy = 0;                      // ps per byte
  std::uint64_t copy_limit = any, minimum = 0;            // bytes
  std::uint64_t packet = 0, header = 0, envelope = 0;     // bytes; packet 0: in one piece
  Time packet_startup = 0;                                // for each packet after the first
  bool handshake = false, posted = false;                 // request and reply first; the reply waits for the receive
  Time handshake_startup = 0;                             // the sender's processor, for each handshake
  std::uint32_t handshake_every = 0, handshake_from = 0;  // packets: before each so many-th, from that one on
  std::uint32_t acknowledge_every = 0;                    // packets: a header goes back for each so many-th; 0: none
  bool buffered = false;                                  // the sender goes on once its processor is done
  bool loses = false;                                     // a message in ready mode that finds no receive
};

enum class Progress : std::uint8_t { calls, interrupt, hardware };

struct MachineParameters {
  std::string name;
  int nodes = 0;                     // of the constant machine; 0: any
  double startup = 0, per_byte = 0;  // of the constant machine, s and s/B
  std::vector<Protocol> protocols, ready, one_sided, self, host;
  double tick = 0;  // ps per cycle of the network
  double flit_bytes = 1;
  int processors = 1;
  double memory = 0;     // bytes of a node; 0: not said
  double bus = 0;        // ps per byte that the interface takes of the bus
  double interface = 0;  // ps per byte that crosses a node's interface, either way
  double intake = 0;     // ps per flit that a node's processor takes in, one thing at a time; 0: its interface does
  Time clock_tick = 1;
  std::map<std::string, KernelCost, std::less<>> costs;  // of a unit of work, by kernel
  std::string mpi;                                       // the library whose collectives these are; none: ""
  std::vector<ReplayedNoise> noise;  // of processors, taken by the ranks in turn; none: they compute undisturbed
  Time forward = 0;                  // a passing message's, of the node's processor
  double forward_byte = 0;           // ps
  Progress progress = Progress::hardware;
  Time interrupt = 0;
  Time barrier = -1;  // of the machine's own barrier, a step; less than 0: made of messages
  BarrierBy barrier_by = BarrierBy::dissemination;
  bool host_files = false;  // files lie at the host processor
  std::optional<storage::StorageParameters> storage;
  std::optional<network::Table> network;  // for the network's own reader (network/live/make.hpp)
  bool says_progress = false, says_forwarding = false;
};

// ParameterError for a value of another kind.
MachineParameters read_machine(const network::Table& description);
// The first whose up_to holds so many bytes.
const Protocol& protocol_for(const std::vector<Protocol>& protocols, std::uint64_t bytes);

}  // namespace assay::described
