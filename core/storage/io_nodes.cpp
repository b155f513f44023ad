#include "storage/io_nodes.hpp"

#include "network/drive.hpp"
#include "network/worm/paths.hpp"
#include "storage/block_files.hpp"
#include "storage/io_paths.hpp"
#include "storage/io_record.hpp"
#include "storage/node_service.hpp"

namespace assay::storage {

namespace {

using namespace network;

constexpr std::uint64_t never = std::uint64_t{1} << 62;  // later than any run's end

class IoNodes {
 public:
  using Tag = Transaction;
  using Message = IoMessage;
  IoNodes(std::uint32_t dimension, const InputOutput& io, events::Random random);

  [[nodiscard]] const LinkTable& links() const { return paths_.links(); }
  [[nodiscard]] std::uint32_t nodes() const { return paths_.nodes(); }
  /// Other I/O nodes than the nearest that a read is passed on to, and blocks that it brings; not of broadcasts.
  [[nodiscard]] double remote() const;
  [[nodiscard]] double blocks() const;
  [[nodiscard]] std::uint32_t io_nodes() const { return io_count_; }
  [[nodiscard]] std::uint64_t next_cycle() const { return cycle_; }
  void first(Message& m);
  template <class Engine>
  void delivered(Engine& engine, const Message& m, std::uint32_t head);
  /// Whether a message that is to be sent waits for its I/O node instead, and until when it does.
  [[nodiscard]] bool waits(const Message& m) const { return m.tag.kind == io_asked; }
  std::uint64_t serve(Message& m, std::uint64_t now);
  void moved_base(std::uint32_t) {}
  /// Writes down what is delivered, and generates no more than so many transactions.
  void trace(std::vector<Sent>& sent, std::uint64_t transactions) {
    sent_ = &sent;
    left_ = transactions;
  }

  // What `drive` wants of a collector.
  [[nodiscard]] std::uint64_t all() const { return all_; }
  void measure(std::size_t batches) { record_.measure(batches); }
  void turn(std::size_t batch) { record_.turn(batch); }
  void report(Outcome& outcome) {
    outcome.simulated_messages = all_;
    record_.report(outcome);
  }

 private:
  template <class Of>
  double over_files(Of&& of) const;
  template <class Engine>
  [[gnu::noinline]] void file_stage(Engine& engine, const Message& arrived, std::uint32_t head, std::uint32_t latency);
  template <class Engine>
  void answer(Engine& engine, const Message& request, std::uint32_t part, std::uint64_t cycle);
  template <class Engine>
  void cast(Engine& engine, Message m, std::uint32_t from, std::uint32_t dimensions, std::uint64_t cycle);
  std::uint64_t find(std::uint32_t place, BlockFiles::File file, std::uint32_t block, std::uint64_t cycle);
  std::uint64_t access();
  [[nodiscard]] auto waited() {
    return [this](std::uint64_t cycles) {
      if (record_.measures()) record_.service_waiting.add(static_cast<std::uint32_t>(cycles));
    };
  }
  template <class Engine>
  [[gnu::noinline]] void write_down(Engine& engine, const Message& m, std::uint32_t head);

  const InputOutput io_;
  events::Random random_;
  IoPaths paths_;
  IoRecord record_;
  const std::uint32_t io_count_;
  double time_ = 0, gap_;
  std::uint64_t cycle_ = 0;

  NodeService service_;
  std::optional<BlockFiles> files_;
  Numbered<Request> requests_;
  Numbered<Part> parts_;

  std::uint64_t all_ = 0;
  std::vector<Sent>* sent_ = nullptr;
  std::uint64_t left_ = ~std::uint64_t{0};
};

IoNodes::IoNodes(std::uint32_t dimension, const InputOutput& io, events::Random random)
    : io_(io),
      random_(random),
      paths_(dimension, io),
      record_(paths_.nodes(), io.files.has_value(), io.service > 0),
      io_count_(paths_.io_nodes()),
      service_(paths_.io_nodes(), io.service) {
  const auto share = [](const char* key, double value) {
    if (!(value >= 0 && value <= 1)) throw ParameterError(key, "is " + std::to_string(value) + ", accepted is 0 to 1");
  };
  share("io.io_rate", io.io_rate);
  share("io.read_ratio", io.read_ratio);
  share("io.locality", io.locality);
  share("io.hit_rate", io.hit_rate);
  if (!(io.interval > 0)) throw ParameterError("io.interval", "must be above 0 cycles");
  if (io.service > 0 && io.files)
    throw ParameterError("io.service", "has no use with [io.files], whose disks serve one access at a time");
  if (io.files) files_.emplace(io, io_count_);
  gap_ = io.interval / nodes();
  time_ = random_.exponential() * gap_;
  cycle_ = static_cast<std::uint64_t>(time_);
}

/// Mean over elements and where the files begin that they ask for, of what holds for an element's I/O node and these.
template <class Of>
double IoNodes::over_files(Of&& of) const {
  double sum = 0;
  for (const std::uint16_t home : paths_.homes())
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
        if (paths_.stand_in((first + k) % io_count_) != home) elsewhere += files_->reach(first, k);
      return elsewhere;
    });
  }
  std::uint64_t pairs = 0;
  for (const std::uint16_t home : paths_.homes())
    for (std::uint32_t block = 0; block < io_count_; ++block) pairs += block != home && paths_.stand_in(block) != home;
  return (1 - io_.locality) * static_cast<double>(pairs) / (static_cast<double>(nodes()) * (io_count_ - 1));
}

void IoNodes::first(Message& m) {
  const std::uint32_t element = random_.below(nodes());
  Transaction& t = m.tag;
  t = {static_cast<std::uint16_t>(element), paths_.homes()[element], 0, pe_pe, 0};
  if (random_.uniform() >= io_.io_rate) {
    m.flits = io_.message_flits;
    std::uint32_t destination = random_.below(nodes() - 1);
    if (destination >= element) ++destination;
    paths_.to_element(m, destination);
  } else {
    const bool read = random_.uniform() < io_.read_ratio;
    t.kind = read ? pe_io : pe_write;
    m.flits = read ? io_.request_flits : io_.write_flits;
    t.block = t.home;
    if (read && io_count_ > 1 && !files_ && random_.uniform() >= io_.locality) {
      t.block = static_cast<std::uint16_t>(random_.below(io_count_ - 1));
      if (t.block >= t.home) ++t.block;
    }
    t.block = paths_.stand_in(t.block);
    paths_.to_home(m);
  }
  time_ += random_.exponential() * gap_;
  cycle_ = --left_ == 0 ? never : static_cast<std::uint64_t>(static_cast<std::int64_t>(time_));
}

template <class Engine>
void IoNodes::write_down(Engine& engine, const Message& m, std::uint32_t head) {
  // Where a message begins and ends, by its stage.
  const std::uint32_t element = m.tag.element, home = nodes() + m.tag.home, block = nodes() + m.tag.block;
  std::uint32_t from = element, to = home;
  if (m.tag.kind == pe_pe) to = paths_.end_of(m);
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
  if (record_.measures())
    record_.arrived(m, m.tag.kind < cast_io ? m.tag.element : requests_[m.tag.waited].element, head, latency);
  if (m.tag.kind == pe_pe) return;
  if (m.tag.kind == pe_write) {
    if (record_.measures()) record_.transaction.add(latency);
    if (io_.service > 0) service_.write(m.tag.block, engine.absolute(head) + m.flits, engine.now(), waited());
    return;
  }
  if (files_) [[unlikely]]
    return file_stage(engine, m, head, latency);
  if (m.tag.kind == io_pe) {
    if (record_.measures()) {
      record_.read.add(m.tag.waited + latency);
      record_.transaction.add(m.tag.waited + latency);
    }
    return;
  }
  Message then = m;
  then.key += 1;
  then.tag.waited += latency;
  const std::uint64_t tail = engine.absolute(head) + m.flits;  // the tail is in at A(H) + L
  std::uint64_t sent = tail + io_.startup;
  if (m.tag.kind == pe_io && m.tag.block != m.tag.home) {
    paths_.forward(then);
  } else if (paths_.reply(then); io_.service > 0) {
    then.tag.kind = io_asked;
    sent = tail;  // when it is served
  } else {
    sent += access();
  }
  engine.follow(then, sent);
}

/// A read whose request is in now and that waits for its I/O node: the cycle in which the reply is sent.
std::uint64_t IoNodes::serve(Message& m, std::uint64_t now) {
  m.tag.kind = io_pe;
  const std::uint64_t begun = service_.read(m.tag.block, now, waited());
  return begun + io_.service + io_.startup + access();
}

std::uint64_t IoNodes::access() {
  return random_.uniform() >= io_.hit_rate ? std::uint64_t{io_.access} + io_.disk : io_.access;
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
    if (record_.measures()) record_.broadcast.add(static_cast<std::uint32_t>(tail - request.born));
    return requests_.give_back(m.tag.waited);
  }
  if (m.tag.kind == io_pe) {
    const Part part = parts_[m.tag.waited];
    parts_.give_back(m.tag.waited);
    Request& request = requests_[part.request];
    request.worst = std::max(request.worst, part.waited + latency);
    if (--request.left > 0) return;
    if (record_.measures()) {
      record_.read.add(request.worst);
      record_.transaction.add(request.worst);
      record_.response.add(static_cast<std::uint32_t>(tail - request.born));
    }
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
    return cast(engine, first, m.tag.home, paths_.io_dimension(), find(m.tag.home, request.file, 0, ready));
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
    then.tag.block = paths_.stand_in(place);
    if (then.tag.block == then.tag.home) {
      answer(engine, then, then.tag.waited, ready);
    } else {
      ++then.key;
      paths_.forward(then);
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
    paths_.reply(then);
    engine.follow(then, find(given.place, file, block, cycle));
  }
}

/// When a block that was asked for can leave its I/O node.
std::uint64_t IoNodes::find(std::uint32_t place, BlockFiles::File file, std::uint32_t block, std::uint64_t cycle) {
  const BlockFiles::Found found = files_->find(paths_.stand_in(place), place, file, block, cycle, random_);
  if (record_.measures()) {
    record_.block.add(static_cast<std::uint32_t>(found.cycle - cycle));
    if (!found.hit) record_.disk.add(static_cast<std::uint32_t>(found.served));
    if (!found.hit) record_.disk_waiting.add(static_cast<std::uint32_t>(found.waited));
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
    paths_.forward(m);
    m.flits = io_.reply_flits;
    m.tag.kind = cast_io;
    m.tag.element = static_cast<std::uint16_t>(d);
    engine.follow(m, cycle);
  }
  m.tag.block = m.tag.home;
  for (std::uint32_t element = 0; element < nodes(); ++element) {
    if (paths_.homes()[element] != from) continue;
    m.tag.element = static_cast<std::uint16_t>(element);
    paths_.reply(m);
    m.tag.kind = cast_pe;
    engine.follow(m, cycle);
  }
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
