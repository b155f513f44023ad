// Messages over a simulated network, by protocols: start-up and copying on the sender's processor, then the network
// engine (hops, bytes, contention, the interface's channels), then the receiver's processor.
//
//   eager       startup + copy | data through the network | matched on arrival, receive
//   handshake   startup + copy | request | reply | data: three messages of the network; the reply goes back once there
//               is a buffer (at once) or once the receive is posted
//   packets     one after another, each when the one before has left the node and its start-up is paid; every so
//               many-th may ask for buffers again
//   acknowledgements    for every so many-th packet of a message one of a header alone goes back; nobody waits for it
//   interface   what goes out or comes in crosses the node's interface first, packet by packet in turn with all others
//               of its node; a message's next packet does while the one before leaves
//   intake      the receiver's processor moves what comes into memory, one thing at a time, in the order of arrival: a
//               packet, in no less than its time on the last channel, and after a message's last one the processor's
//               part of the receive; an answer to a request, which is an interrupt
// Answering a request, and sending on a reply, need the node's *progress*: inside a message call, by an interrupt that
// costs the computing it interrupts, or by hardware. A rank's node is rank / processors; messages inside a node take
// [self]. Times of the processors are charged where they are spent; what passes a node lengthens the computing
// there; at its bus messages and what computes from memory wait for each other. One-sided messages:
// networked_one_sided.cpp. What goes to and from files of the host processor takes [host], one message at a time.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "network/live/live.hpp"
#include "ranks/machine_parameters.hpp"
#include "ranks/world.hpp"

namespace assay::described {

// Where messages' time went, summed in picoseconds.
struct Where {
  Time startup = 0, copying = 0, waiting = 0, transport = 0, protocol = 0;
  std::uint64_t messages = 0, bytes = 0;
};

class Networked final : public MessageModel {
 public:
  Networked(MachineParameters machine, std::unique_ptr<network::Live> live);
  int nodes() const override { return static_cast<int>(live_->nodes()) * machine_.processors; }
  std::optional<int> hops(int from, int to) const override;
  bool same_node(int a, int b) const override { return node(a) == node(b); }
  bool has_host() const override { return !machine_.host.empty(); }
  void host_is(int rank) override { host_ = rank; }
  void servers_are(int first, const std::vector<std::uint32_t>& nodes) override;
  bool describes_puts() const override { return !machine_.one_sided.empty(); }
  void send(World& world, MessageId id, const Message& message) override;
  void fetch(int rank) const override { live_->fetch(node(rank)); }
  void matched(World& world, MessageId id) override;
  void arriving(World& world, const Message& message) override;
  void acknowledge(World& world, MessageId id) override;
  bool loses_unposted() const override { return !machine_.ready.empty() && machine_.ready.front().loses; }
  bool arrives_quietly() const override { return machine_.bus == 0 && machine_.intake == 0; }
  Time receiving(const Message& message) override;
  bool interrupts() const override { return machine_.progress == Progress::interrupt; }
  void event(World& world, std::uint64_t subject) override;
  void serve(World& world) override;
  Time barrier(int among) const override;
  BarrierBy barrier_messages() const override { return machine_.barrier_by; }
  Time grain() const override { return tick_; }
  bool keeps_order() const override;
  std::string stuck() const override { return live_->stuck(); }
  const Where* where() const override { return &where_; }
  void forget_where() override { where_ = {}; }

 private:
  // What a network message, or an event, is about: in the low bits of its number.
  enum Stage : std::uint32_t {
    request,
    reply,
    data,
    submit,
    answer,
    go,
    requesting,
    packet,
    passing,
    landing,
    landed,
    known,
    outgoing,
    whole,           // data in one piece, without a Sending of its own
    whole_buffered,  // and whose sender has gone on already
    fetched,         // a packet is over its node's interface
    drained,         // has come, and goes over the interface of the node where it is
    clear,           // the one before has left
    acknowledging,   // a packet has come, and is acknowledged
    acknowledged     // its acknowledgement, on its way or there
  };
  static constexpr unsigned stage_bits = 5;
  struct alignas(64) Sending {
    const Protocol* protocol = nullptr;
    std::uint64_t left = 0;                    // bytes not yet handed to the network
    std::uint32_t sent = 0, open = 0;          // packets; open: under way
    Time requested = 0, handed = 0, last = 0;  // a request, a packet handed to the network; the last packet's arrival
    Time cleared = 0;                          // since when the next packet waits for the sender's interface alone
    std::uint32_t taken = 0;                   // packets that have crossed the receiver's interface
    bool crossing = false, crossed = false, clear = false;  // the next packet over the sender's; the one before gone
  };

  static Log::Crossing crossing(Stage stage) { return static_cast<Log::Crossing>(std::min(stage, data)); }
  std::uint32_t node(int rank) const {
    if (rank >= first_server_) [[unlikely]]
      return servers_[static_cast<std::size_t>(rank - first_server_)];
    return static_cast<std::uint32_t>(alone_ ? rank : rank / machine_.processors);
  }
  bool served(const Message& message) const {
    return message.source >= first_server_ || message.destination >= first_server_;
  }
  // Whether it goes between a node and the host: a program's, or files'.
  bool hosted(const Message& message) const {
    return message.source == host_ || message.destination == host_ || (machine_.host_files && served(message));
  }
  std::uint32_t flits(const Protocol& protocol, std::uint64_t bytes) const;
  void inside_node(World& world, MessageId id, const Message& message, const std::vector<Protocol>& path);
  // What a message between two nodes takes of their processors, and of the network in one piece.
  struct Quote {
    const Protocol* protocol = nullptr;
    std::uint64_t bytes = 0;
    Time startup = 0, copying = 0, receive = 0, receive_copying = 0;
    std::uint32_t flits = 0;
    bool ready = false, whole = false;
  };
  // The next message is mostly like the last.
  const Quote& quote(std::uint64_t bytes, bool ready) {
    if (bytes != quoted_.bytes || ready != quoted_.ready || !quoted_.protocol) quote_anew(bytes, ready);
    return quoted_;
  }
  void quote_anew(std::uint64_t bytes, bool ready);
  // Gives the time of the cycle in which it is submitted.
  Time hand_in(World& world, Time at, int from, int to, std::uint32_t flits, MessageId id, Stage stage);
  // One-sided messages: networked_one_sided.cpp.
  void send_one_sided(World& world, MessageId id, const Message& message);
  void one_sided_event(World& world, MessageId id, const Message& message, Stage stage);
  Time own_part(World& world, int rank, Time cost);
  bool stays(const Message& message) const;
  void ask(World& world, MessageId id);
  void next_packet(World& world, MessageId id, Time at);
  void hand_packet(World& world, MessageId id, Time at);
  void bring_packet(World& world, MessageId id);
  void take_packet(World& world, MessageId id);
  Time over_interface(Time now, int rank, std::uint64_t bytes);
  Time take_in(World& world, int rank, std::uint32_t flits, Time receive);
  bool takes_in(const Message& message) const { return machine_.intake > 0 && message.destination < first_server_; }
  std::uint64_t piece(const Protocol& protocol, std::uint64_t left) const {
    return protocol.packet == 0 ? left : std::min(left, protocol.packet);
  }
  void packet_there(World& world, MessageId id, Time time);
  void attend(World& world, int rank, MessageId id, Stage stage);
  void handle_reports(World& world);
  void handle(World& world, const network::Report& report);
  void account(Time handed, std::uint32_t hops, std::uint32_t flits, Time until);
  void account_interface(std::uint64_t bytes, Time took);
  void packet_left(World& world, MessageId id, Time time);
  void packet_arrived(World& world, MessageId id, const network::Report& report, Time time);
  void forward(World& world, std::uint64_t node_and_flits);
  void use_bus(World& world, std::uint32_t node, std::uint64_t bytes);
  Time bus_wait(const World& world, std::uint32_t node, std::uint64_t bytes) const;
  template <class Do>
  void for_ranks(const World& world, std::uint32_t node, Do each) const {
    const int first = static_cast<int>(node) * machine_.processors;
    for (int rank = first; rank < std::min(world.ranks(), first + machine_.processors); ++rank) each(rank);
  }
  void steal(World& world, std::uint32_t node, Time cost);

  MachineParameters machine_;
  const bool alone_ = machine_.processors == 1;  // a rank is a node: nothing to divide, eight times per message
  std::unique_ptr<network::Live> live_;
  Time tick_;
  double ticks_;        // a picosecond
  std::uint32_t word_;  // flits of a message without data
  std::vector<network::Report> reports_;
  Quote quoted_;
  Time handed_ = -1;  // the last one's time, and its cycle
  std::uint64_t handed_cycle_ = 0;
  Where where_;
  int host_ = -1;
  Time host_free_ = 0;                // when it has passed the files' messages so far
  std::vector<Time> interface_free_;  // by node; empty where interfaces take no time
  std::vector<Time> intake_free_;     // likewise of processors that take in what comes
  int first_server_ = std::numeric_limits<int>::max();
  std::vector<std::uint32_t> servers_;  // the I/O nodes' places
};

}  // namespace assay::described
