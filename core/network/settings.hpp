// What a run of the simulated network is given: the tables [traffic], [io] and [method] of NETWORK.toml as plain data.
// ([network] belongs to the topologies and routings; see registry.hpp and Switching
// below.) Times in cycles (ticks of the finest clock), lengths in flits, rates in flits per node per cycle.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "network/parameters.hpp"

namespace assay::network {

/// [network], the keys that say how a message moves rather than where.
struct Switching {
  std::string engine = "auto";
  std::string switching = "wormhole";  // wormhole, cut-through, store-and-forward, circuit
  std::uint32_t buffer_packets =
      1;                           // cut-through, store-and-forward: whole packets a link's far buffer holds (0: open)
  std::string buffers = "shared";  // shared: any waiting packet may go on; fifo: head-of-line blocking at each input;
                                   // output: packets queue at the outputs
  std::uint32_t output_packets = 0;      // output: places in the queue of a link's lane class (0: any number)
  std::string circuit_release = "tail";  // circuit: released as the tail passes, or "end": all at once behind it
  std::uint32_t acknowledgement = 1;     // circuit: cycles per link for the acknowledgement to come back
  std::uint32_t sink_ticks = 1;          // a destination takes a flit every so many ticks
  std::uint32_t packet_flits = 0;        // messages longer than this go as packets (0: whole)
  std::uint32_t header_flits = 0;        // flits that every packet has beside its payload
  std::uint32_t packet_gap = 1;  // cycles between one packet's injection channel getting free and the next request
};

/// [traffic]
struct Traffic {
  std::string pattern =
      "uniform";      // uniform transpose bit-complement bit-reversal shuffle tornado neighbour hotspot spherical
  bool self = false;  // uniform: a node may send to itself
  std::string arrivals = "poisson";                                   // poisson bernoulli burst
  double load = 0.0;                                                  // flits per node per cycle
  std::vector<std::pair<std::uint32_t, double>> flits = {{32, 1.0}};  // lengths and their weights; one number: constant
  std::string lengths = "table";              // table (above) or geometric (mean: the first length above)
  double burst_messages = 8;                  // burst: mean messages of a burst (geometric), one behind the other
  std::vector<std::uint32_t> hotspots = {0};  // hotspot
  double hotspot_share = 0.1;                 // of the messages that go there, the rest uniform
  std::uint32_t radius = 1;  // spherical: links away that still count as near (Reed and Grunwald's sphere)
  double locality = 0.8;     // spherical: the share that stays within
};

/// [io.drive]: a mechanical disk of each I/O node, whose sectors are blocks. Times in cycles.
struct BlockDrive {
  std::uint32_t cylinders, heads, sectors;  // sectors: blocks of a track
  std::uint32_t revolution, overhead, seek_short, seek_long, seek_split;
  double seek_short_root, seek_long_slope;
};

/// [io.files]: what elements read, in place of single blocks that are found in a cache as often as is stated.
struct BlockFiles {
  std::vector<std::uint32_t> blocks;  // of a file: the least and the most
  std::uint32_t files;                // that begin at each I/O node
  double skew;                        // exponent of Zipf's law, by which one file is asked for more often than another
  std::uint32_t declustering;         // I/O nodes that a file's blocks lie on in turn
  std::uint32_t cache;                // buffers of an I/O node, in blocks; 0: hit_rate says what is found
  double broadcast;                   // share of reads whose one block is sent to every element
  std::optional<BlockDrive> drive;    // none: a block that is not cached is there after `disk` cycles
};

/// [io]: the I/O nodes of Ghosh, Goveas and Draper, figure 2 and Table 1. Without defaults here: whoever asks for I/O
/// nodes gives every key but `nodes` (empty: the paper's placement).
struct InputOutput {
  std::vector<std::uint32_t> nodes;   // processing elements that have an I/O node, in the order of I/O addresses
  std::vector<std::uint32_t> failed;  // I/O addresses of those that do not answer
  std::uint32_t b;                    // channels of an I/O network link; 0: no I/O network
  std::uint32_t k;                    // injection and ejection channels of a processing element
  std::uint32_t m;                    // between an I/O node and its PE's router, each way
  std::uint32_t n;                    // from the I/O router to the PE router (0: 4 b)
  std::uint32_t r;                    // between an I/O node and its I/O router, each way (0: 4 b)
  double interval;                    // t_a: mean cycles between a PE's messages
  double io_rate;                     // P_io
  double read_ratio;                  // P_r
  double locality;                    // P_l
  double hit_rate;                    // P_c
  std::uint32_t startup;              // cycles
  std::uint32_t access;               // cycles
  std::uint32_t disk;                 // cycles
  std::uint32_t service;              // cycles that an access keeps its I/O node; 0: any number at a time
  std::uint32_t message_flits, request_flits, forward_flits, reply_flits, write_flits;
  std::optional<BlockFiles> files;
};

/// [method]
struct Method {
  std::uint64_t seed = 1;
  std::uint64_t stream = 0;  // replication: another stream of the same seed
  std::uint64_t warmup_cycles = 0;
  std::uint64_t cycles = 100000;  // simulated after the warm-up, and measured
  std::uint32_t batches = 32;
  std::uint64_t warmup_messages = 0;  // messages delivered before anything is measured (the paper: 50,000)
  std::uint64_t messages = 0;         // stop when so many are delivered in all (the paper: 150,000; 0: go by cycles)
  bool utilisation = false;           // busy share of each channel, in the result
};

/// Takes its keys out of [network]; what is left is the topology's and the routing's. ParameterError as everywhere.
Switching read_switching(Table& network);
Traffic read_traffic(const Table& config);
/// Nothing where the configuration has no [io].
std::optional<InputOutput> read_io(const Table& config);
Method read_method(const Table& config);

}  // namespace assay::network
