#include "storage/io_nodes.hpp"

#include <bit>

#include "network/drive.hpp"
#include "network/placement.hpp"
#include "network/worm/paths.hpp"
#include "storage/block_files.hpp"

namespace assay::storage {

namespace {

using namespace network;

constexpr std::uint64_t never = std::uint64_t{1} << 62;  // later than any run's end

// cast_io, cast_pe: a block that all elements are sent, between I/O nodes and from these
enum Kind : std::uint8_t { pe_pe, pe_io, io_io, io_pe, write, cast_io, cast_pe, kinds };

struct Transaction {
  std::uint16_t element, home, block;  // who asks; its I/O address; where the block is
  Kind kind;
  std::uint32_t waited;  // header latencies of the stages so far; of [io.files] the number of a Part, or of a Request
};

// A read of a file, or of a block for all elements, until the last block is in.
struct Request {
  std::uint64_t born;
  storage::BlockFiles::File file;
  std::uint32_t element, left, worst;  // blocks, or elements, that are still missing; header latencies of the slowest
};
// What is asked of one I/O node, and what that sends back.
struct Part {
  std::uint32_t request, waited;  // header latencies so far
  std::uint32_t place;            // I/O address of the drive
};

// Numbered things of which some are given back.
template <class Thing>
class Numbered {
 public:
  std::uint32_t add(Thing thing) {
    if (free_.empty()) {
      things_.push_back(thing);
      return static_cast<std::uint32_t>(things_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    things_[number] = thing;
    return number;
  }
  void give_back(std::uint32_t number) { free_.push_back(number); }
  Thing& operator[](std::uint32_t number) { return things_[number]; }

 private:
  std::vector<Thing> things_;
  std::vector<std::uint32_t> free_;
};

class IoNodes {
 public:
  using Tag = Transaction;
  using Message = PathMessage<Tag>;
  IoNodes(std::uint32_t dimension, const InputOutput& io, events::Random random);

  [[nodiscard]] const LinkTable& links() const { return links_; }
  [[nodiscard]] std::uint32_t nodes() const { return 1u << dimension_; }
  /// Other I/O nodes than the nearest that a read is passed on to, and blocks that it brings; not of broadcasts.
  [[nodiscard]] double remote() const;
  [[nodiscard]] double blocks() const;
  [[nodiscard]] std::uint32_t io_nodes() const { return io_count_; }
  [[nodiscard]] std::uint64_t next_cycle() const { return cycle_; }
  void first(Message& m);
  template <class Engine>
  void delivered(Engine& engine, const Message& m, std::uint32_t head);
  void moved_base(std::uint32_t) {}
  /// Writes down what is delivered, and generates no more than so many transactions.
  void trace(std::vector<Sent>& sent, std::uint64_t transactions) {
    sent_ = &sent;
    left_ = transactions;
  }

  // What `drive` wants of a collector.
  [[nodiscard]] std::uint64_t all() const { return all_; }
  void measure(std::size_t batches) {
    measuring_ = true;
    for (auto& [name, one] : kept_) one->begin(batches);
    for (auto& one : by_kind_) one.begin(batches);
  }
  void turn(std::size_t batch) {
    for (auto& [name, one] : kept_) one->turn(batch);
    for (auto& one : by_kind_) one.turn(batch);
  }
  void report(Outcome& outcome);

 private:
  /// Writes a path down, link by link.
  class Way {
   public:
    explicit Way(Message& m) : m_(m), at_(m.path.data()) {}
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
    Message& m_;
    std::uint16_t* at_;
  };
  void across(Way& way, std::uint32_t from, std::uint32_t to) const { way.across(0, dimension_, from, to); }
  void across_io(Way& way, std::uint32_t from, std::uint32_t to) const {
    way.across(io_links_, io_dimension_, from, to);
  }
  template <class Of>
  double over_files(Of&& of) const;
  void forward(Message& m) const;
  void reply(Message& m) const;
  template <class Engine>
  [[gnu::noinline]] void file_stage(Engine& engine, const Message& arrived, std::uint32_t head, std::uint32_t latency);
  template <class Engine>
  void answer(Engine& engine, const Message& request, std::uint32_t part, std::uint64_t cycle);
  template <class Engine>
  void cast(Engine& engine, Message m, std::uint32_t from, std::uint32_t dimensions, std::uint64_t cycle);
  std::uint64_t find(std::uint32_t place, BlockFiles::File file, std::uint32_t block, std::uint64_t cycle);
  template <class Engine>
  [[gnu::noinline]] void write_down(Engine& engine, const Message& m, std::uint32_t head);

  std::uint32_t dimension_, io_count_ = 0, io_dimension_ = 0;
  const InputOutput io_;
  events::Random random_;
  LinkTable links_;
  std::uint32_t in_ = 0, out_ = 0, io_in_ = 0, io_out_ = 0, io_links_ = 0, router_in_ = 0, router_out_ = 0, across_ = 0;
  std::vector<std::uint32_t> at_;        // element of an I/O address
  std::vector<std::uint16_t> home_;      // I/O address of an element
  std::vector<std::uint16_t> stand_in_;  // who serves the blocks of an I/O address: itself where it works
  double time_ = 0, gap_;
  std::uint64_t cycle_ = 0;

  std::optional<BlockFiles> files_;
  Numbered<Request> requests_;
  Numbered<Part> parts_;

  Latency header_, network_, pe_waiting_, io_waiting_, forward_waiting_, read_;
  Latency response_, broadcast_, block_, disk_, disk_waiting_;  // of [io.files]
  std::vector<std::pair<const char*, Latency*>> kept_ = {{"header", &header_},
                                                         {"network", &network_},
                                                         {"pe_waiting", &pe_waiting_},
                                                         {"io_waiting", &io_waiting_},
                                                         {"io_io_waiting", &forward_waiting_},
                                                         {"read", &read_}};
  std::array<Latency, kinds> by_kind_;
  std::uint64_t all_ = 0, messages_ = 0, flits_ = 0;
  std::vector<std::uint64_t> served_;  // flits of each element's transactions, whoever sent them
  bool measuring_ = false;
  std::vector<Sent>* sent_ = nullptr;
  std::uint64_t left_ = ~std::uint64_t{0};
};

IoNodes::IoNodes(std::uint32_t dimension, const InputOutput& io, events::Random random)
    : dimension_(dimension), io_(io), random_(random), at_(io.nodes), served_(nodes(), 0) {
  if (at_.empty()) at_ = hamming_placement(dimension);
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
  const auto share = [](const char* key, double value) {
    if (!(value >= 0 && value <= 1)) throw ParameterError(key, "is " + std::to_string(value) + ", accepted is 0 to 1");
  };
  share("io.io_rate", io.io_rate);
  share("io.read_ratio", io.read_ratio);
  share("io.locality", io.locality);
  share("io.hit_rate", io.hit_rate);
  if (!(io.interval > 0)) throw ParameterError("io.interval", "must be above 0 cycles");
  io_dimension_ = static_cast<std::uint32_t>(std::bit_width(io_count_)) - 1;
  const std::uint32_t longest = std::max(dimension + 2, io_dimension_ + dimension + 3);
  if (std::min({io.message_flits, io.request_flits, io.forward_flits, io.reply_flits, io.write_flits}) < longest)
    throw ParameterError("io", "a message is shorter than the longest path, " + std::to_string(longest) + " links");

  const auto group = [this](std::uint32_t count, std::uint32_t channels) {
    const auto first = static_cast<std::uint32_t>(links_.all().size());
    for (std::uint32_t i = 0; i < count; ++i) links_.add(channels);
    return first;
  };
  const std::uint32_t n = io.n != 0 ? io.n : 4 * io.b, r = io.r != 0 ? io.r : 4 * io.b;
  group(dimension << dimension, 1);
  links_.end_inner();
  in_ = group(nodes(), io.k);
  out_ = group(nodes(), io.k);
  io_in_ = group(io_count_, io.m);
  io_out_ = group(io_count_, io.m);
  if (io.b != 0) {
    io_links_ = group(io_dimension_ * io_count_, io.b);
    router_in_ = group(io_count_, r);
    router_out_ = group(io_count_, r);
    across_ = group(io_count_, n);
  }
  std::vector<bool> works(io_count_, true);
  for (const std::uint32_t each : io.failed) {
    if (each >= io_count_)
      throw ParameterError("io.failed", "names I/O address " + std::to_string(each) + ", accepted are 0 to " +
                                            std::to_string(io_count_ - 1));
    works[each] = false;
  }
  if (!io.failed.empty() && io.b == 0)
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
  if (io.files) {
    files_.emplace(io, io_count_);
    kept_.insert(kept_.end(), {{"response", &response_},
                               {"broadcast", &broadcast_},
                               {"block", &block_},
                               {"disk", &disk_},
                               {"disk_waiting", &disk_waiting_}});
  }
  gap_ = io.interval / nodes();
  time_ = random_.exponential() * gap_;
  cycle_ = static_cast<std::uint64_t>(time_);
}

/// Mean over elements and where the files begin that they ask for, of what holds for an element's I/O node and these.
template <class Of>
double IoNodes::over_files(Of&& of) const {
  double sum = 0;
  for (const std::uint16_t home : home_)
    for (std::uint32_t first = 0; first < io_count_; ++first) {
      const double other = io_count_ > 1 ? (1 - io_.locality) / (io_count_ - 1) : 0;
      sum += (io_count_ == 1 ? 1 : first == home ? io_.locality : other) * of(home, first);
    }
  return sum / nodes();
}

double IoNodes::blocks() const {
  return files_ ? over_files([&](std::uint32_t, std::uint32_t first) { return files_->mean_blocks(first); }) : 1;
}

double IoNodes::remote() const {
  if (io_count_ == 1) return 0;
  if (files_) {
    return over_files([&](std::uint32_t home, std::uint32_t first) {
      double elsewhere = 0;
      for (std::uint32_t k = 0; k < io_.files->declustering; ++k)
        if (stand_in_[(first + k) % io_count_] != home) elsewhere += files_->reach(first, k);
      return elsewhere;
    });
  }
  std::uint64_t pairs = 0;
  for (const std::uint16_t home : home_)
    for (std::uint32_t block = 0; block < io_count_; ++block) pairs += block != home && stand_in_[block] != home;
  return (1 - io_.locality) * static_cast<double>(pairs) / (static_cast<double>(nodes()) * (io_count_ - 1));
}

void IoNodes::first(Message& m) {
  const std::uint32_t element = random_.below(nodes());
  Transaction& t = m.tag;
  t = {static_cast<std::uint16_t>(element), home_[element], 0, pe_pe, 0};
  Way way(m);
  way.put(in_ + element);
  if (random_.uniform() >= io_.io_rate) {
    m.flits = io_.message_flits;
    std::uint32_t destination = random_.below(nodes() - 1);
    if (destination >= element) ++destination;
    across(way, element, destination);
    way.end(out_ + destination);
  } else {
    const bool read = random_.uniform() < io_.read_ratio;
    t.kind = read ? pe_io : write;
    m.flits = read ? io_.request_flits : io_.write_flits;
    t.block = t.home;
    if (read && io_count_ > 1 && !files_ && random_.uniform() >= io_.locality) {
      t.block = static_cast<std::uint16_t>(random_.below(io_count_ - 1));
      if (t.block >= t.home) ++t.block;
    }
    t.block = stand_in_[t.block];
    across(way, element, at_[t.home]);
    way.end(io_in_ + t.home);
  }
  time_ += random_.exponential() * gap_;
  cycle_ = --left_ == 0 ? never : static_cast<std::uint64_t>(static_cast<std::int64_t>(time_));
}

void IoNodes::forward(Message& m) const {
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

void IoNodes::reply(Message& m) const {
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

template <class Engine>
void IoNodes::write_down(Engine& engine, const Message& m, std::uint32_t head) {
  // Where a message begins and ends, by its stage.
  const std::uint32_t element = m.tag.element, home = nodes() + m.tag.home, block = nodes() + m.tag.block;
  std::uint32_t from = element, to = home;
  if (m.tag.kind == pe_pe) to = m.path[m.hops - 1u] - out_;
  if (m.tag.kind == io_io || m.tag.kind == cast_io) from = home, to = block;
  if (m.tag.kind == io_pe || m.tag.kind == cast_pe) from = block, to = element;
  sent_->push_back({m.key, engine.absolute(m.born), engine.absolute(head), from, to, m.flits, m.hops});
}

template <class Engine>
void IoNodes::delivered(Engine& engine, const Message& m, std::uint32_t head) {
  ++all_;
  if (sent_ != nullptr) [[unlikely]]
    write_down(engine, m, head);
  const std::uint32_t latency = head + 1 - m.born;
  if (measuring_) {
    ++messages_;
    flits_ += m.flits;
    served_[m.tag.kind < cast_io ? m.tag.element : requests_[m.tag.waited].element] += m.flits;
    header_.add(latency);
    network_.add(head + 1 - m.entered);
    by_kind_[m.tag.kind].add(latency);
    const bool from_element = m.tag.kind == pe_pe || m.tag.kind == pe_io || m.tag.kind == write;
    (from_element ? pe_waiting_ : io_waiting_).add(m.entered - m.born);
    if (m.tag.kind == io_io) forward_waiting_.add(m.entered - m.born);
  }
  if (m.tag.kind == pe_pe || m.tag.kind == write) return;
  if (files_) [[unlikely]]
    return file_stage(engine, m, head, latency);
  if (m.tag.kind == io_pe) {
    if (measuring_) read_.add(m.tag.waited + latency);
    return;
  }
  Message then = m;
  then.key += 1;
  then.tag.waited += latency;
  std::uint64_t delay = io_.startup;
  if (m.tag.kind == pe_io && m.tag.block != m.tag.home) {
    forward(then);
  } else {
    delay += io_.access;
    if (random_.uniform() >= io_.hit_rate) delay += io_.disk;
    reply(then);
  }
  engine.follow(then, engine.absolute(head) + m.flits + delay);  // the tail is in at A(H) + L
}

// --- reads of files

template <class Engine>
void IoNodes::file_stage(Engine& engine, const Message& arrived, std::uint32_t head, std::uint32_t latency) {
  const Message m = arrived;  // what follows may move it
  const std::uint64_t begun = engine.absolute(head), tail = begun + m.flits, ready = tail + io_.startup;
  if (m.tag.kind == cast_io) return cast(engine, m, m.tag.block, m.tag.element, ready);
  if (m.tag.kind == cast_pe) {
    Request& request = requests_[m.tag.waited];
    if (--request.left > 0) return;
    if (measuring_) broadcast_.add(static_cast<std::uint32_t>(tail - request.born));
    return requests_.give_back(m.tag.waited);
  }
  if (m.tag.kind == io_pe) {
    const Part part = parts_[m.tag.waited];
    parts_.give_back(m.tag.waited);
    Request& request = requests_[part.request];
    request.worst = std::max(request.worst, part.waited + latency);
    if (--request.left > 0) return;
    if (measuring_) read_.add(request.worst), response_.add(static_cast<std::uint32_t>(tail - request.born));
    return requests_.give_back(part.request);
  }
  if (m.tag.kind == io_io) {
    parts_[m.tag.waited].waited += latency;
    return answer(engine, m, m.tag.waited, ready);
  }
  Request request{engine.absolute(m.born), {m.tag.home, 0}, m.tag.element, nodes(), 0};
  const double drawn = io_.files->broadcast > 0 ? random_.uniform() : 1;
  request.file.number = files_->draw(random_);
  if (drawn < io_.files->broadcast) {
    Message first = m;
    first.tag.waited = requests_.add(request);
    return cast(engine, first, m.tag.home, io_dimension_, find(m.tag.home, request.file, 0, ready));
  }
  if (io_count_ > 1 && random_.uniform() >= io_.locality) {
    request.file.first = random_.below(io_count_ - 1);
    if (request.file.first >= m.tag.home) ++request.file.first;
  }
  request.left = files_->blocks(request.file);
  const std::uint32_t number = requests_.add(request), spread = files_->spread(request.file);
  for (std::uint32_t k = 0; k < spread; ++k) {
    const std::uint32_t place = (request.file.first + k) % io_count_;
    Message then = m;
    then.tag.waited = parts_.add({number, latency, place});
    then.tag.block = stand_in_[place];
    if (then.tag.block == then.tag.home) {
      answer(engine, then, then.tag.waited, ready);
    } else {
      ++then.key;
      forward(then);
      engine.follow(then, ready);
    }
  }
}

/// The blocks of a part, all asked for in that cycle, each sent when it is in a buffer.
template <class Engine>
void IoNodes::answer(Engine& engine, const Message& request, std::uint32_t part, std::uint64_t cycle) {
  const Part given = parts_[part];
  parts_.give_back(part);
  const BlockFiles::File file = requests_[given.request].file;
  const std::uint32_t blocks = files_->blocks(file), apart = io_.files->declustering;
  for (std::uint32_t block = (given.place + io_count_ - file.first) % io_count_; block < blocks; block += apart) {
    Message then = request;
    ++then.key;
    then.tag.waited = parts_.add(given);
    reply(then);
    engine.follow(then, find(given.place, file, block, cycle));
  }
}

/// When a block that was asked for can leave its I/O node.
std::uint64_t IoNodes::find(std::uint32_t place, BlockFiles::File file, std::uint32_t block, std::uint64_t cycle) {
  const BlockFiles::Found found = files_->find(stand_in_[place], place, file, block, cycle, random_);
  if (measuring_) {
    block_.add(static_cast<std::uint32_t>(found.cycle - cycle));
    if (!found.hit) disk_.add(static_cast<std::uint32_t>(found.served));
    if (!found.hit) disk_waiting_.add(static_cast<std::uint32_t>(found.waited));
  }
  return found.cycle + io_.access;
}

/// A block goes from an I/O node over each of the I/O network's lower dimensions, and to the elements whose nearest it
/// is: a binomial tree, of as many steps as there are dimensions and one to the elements.
template <class Engine>
void IoNodes::cast(Engine& engine, Message m, std::uint32_t from, std::uint32_t dimensions, std::uint64_t cycle) {
  m.key |= 3;
  m.tag.home = static_cast<std::uint16_t>(from);
  for (std::uint32_t d = dimensions; d-- > 0;) {
    m.tag.block = static_cast<std::uint16_t>(from ^ 1u << d);
    forward(m);
    m.flits = io_.reply_flits;
    m.tag.kind = cast_io;
    m.tag.element = static_cast<std::uint16_t>(d);
    engine.follow(m, cycle);
  }
  m.tag.block = m.tag.home;
  for (std::uint32_t element = 0; element < nodes(); ++element) {
    if (home_[element] != from) continue;
    m.tag.element = static_cast<std::uint16_t>(element);
    reply(m);
    m.tag.kind = cast_pe;
    engine.follow(m, cycle);
  }
}

void IoNodes::report(Outcome& outcome) {
  outcome.messages = messages_;
  outcome.simulated_messages = all_;
  outcome.throughput = static_cast<double>(flits_) / static_cast<double>(outcome.measured_cycles) / nodes();
  outcome.worst_node = static_cast<double>(*std::min_element(served_.begin(), served_.end())) /
                       static_cast<double>(outcome.measured_cycles);
  static constexpr const char* names[] = {"pe_pe", "pe_io", "io_io", "io_pe", "write", "cast_io", "cast_pe"};
  const auto keep = [&](const char* name, Latency& latency) {
    latency.finish();
    outcome.latencies[name] = std::move(latency);
  };
  for (auto& [name, latency] : kept_) keep(name, *latency);
  const std::size_t used = files_ ? kinds : cast_io;
  for (std::size_t kind = 0; kind < used; ++kind) keep(names[kind], by_kind_[kind]);
}

}  // namespace

Outcome simulate_io(std::uint32_t dimension, const InputOutput& io, const Method& method) {
  const double started = thread_seconds();
  IoNodes model(dimension, io, events::Random(method.seed, method.stream));
  PathEngine<IoNodes> engine(model.links(), model, 2048);
  Outcome outcome;
  const double reads = io.io_rate * io.read_ratio, cast = reads * (io.files ? io.files->broadcast : 0);
  const double remote = model.remote(), blocks = model.blocks(), io_nodes = model.io_nodes();
  const double messages = 1 + (reads - cast) * (remote + blocks) + cast * (io_nodes - 1 + model.nodes());
  drive(engine, model, method, messages * model.nodes() / io.interval, outcome);
  outcome.engine = "worm";
  outcome.offered = (io.message_flits * (1 - io.io_rate) + io.write_flits * (io.io_rate - reads) +
                     reads * io.request_flits + (reads - cast) * (remote * io.forward_flits + blocks * io.reply_flits) +
                     cast * (io_nodes - 1 + model.nodes()) * io.reply_flits) /
                    io.interval;
  outcome.cpu_seconds = thread_seconds() - started;
  return outcome;
}

std::vector<Sent> trace_io(std::uint32_t dimension, const InputOutput& io, std::uint64_t seed,
                           std::uint64_t transactions) {
  std::vector<Sent> sent;
  IoNodes model(dimension, io, events::Random(seed, 0));
  model.trace(sent, transactions);
  PathEngine<IoNodes> engine(model.links(), model, 2048);
  events::Pieces().run(engine, never);
  return sent;
}

}  // namespace assay::storage
