// What the twin simulates: links, messages with their paths, and the rule by which messages move.
//
// The twin is a second simulator of the network, written to be obviously right rather than fast: time goes on tick by
// tick, every flit is an object in a buffer. It shares no line with core/network and reads nothing of it; this file is
// its whole vocabulary.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace twin {

/// A directed link with `channels` parallel channels; each channel has a wire and, at its far end, `slots` buffers of
/// `buffer` flits (0: as many flits as a message has). Times in ticks, counted from the start of a flit's crossing.
struct Link {
  std::string name;
  int channels = 1;
  int lanes = 1;        // virtual channels of a channel: each its own buffer, one wire flit by flit between them
  int slots = 1;        // messages that one channel's far end can hold at once; 0: any number
  int buffer = 1;       // flits in a slot; 0: a whole message
  int flit = 1;         // until the wire can take the next flit
  int body = 1;         // until a body flit may move on
  int head = 1;         // the same for the head
  int credit = 0;       // until a place is known to be free, from when its flit starts to leave
  bool failed = false;  // nothing passes: a message that would is never sent
  int acknowledge = 1;  // circuit switching: the acknowledgement's way back over this link
};

enum class Switching { wormhole, cut_through, store_and_forward, circuit };

struct Message {
  std::int64_t id = 0;
  int stage = 0;
  std::int64_t cycle = 0;  // generated
  int source = 0, destination = 0, flits = 1;
  std::vector<int> lanes;  // of each link of the path; empty: the first
  std::vector<int> path;   // links, injection first, ejection last
  int after = -1;          // index of the message whose delivery generates this one `delay` ticks later
  std::int64_t delay = 0;
  int crossed = 0;                    // flits over the last link
  std::int64_t head = -1, tail = -1;  // results: when they start to cross the last link; -1 if never
};

struct Plan {
  std::vector<Link> links;
  std::vector<Message> messages;
  Switching switching = Switching::wormhole;
  int sink_flit = 1;     // the destination takes a flit from the last buffer every so many ticks
  bool fifo = false;     // packets leave a channel's far buffer in the order in which they came (head-of-line
                         // blocking), into the destination too, which then takes one at a time
  bool queued = false;   // packets stand in queues before their next link: they leave a buffer for a place in one
  int places = 0;        // packets that such a queue holds; 0: any number
  int packet_flits = 0;  // longer messages go as packets of this length, one after the other; 0: whole
  int packet_gap = 1;    // from the tick in which a packet has left its first channel to the request of the next
  bool release_at_delivery = false;  // circuit switching: the whole path at once when the tail is delivered
};

}  // namespace twin
