// Files of programs that come and go in one world: each finds its own data whatever the others call theirs, whoever had
// its ranks before and whatever that one had asked of the I/O nodes when it was ended; and none that waits for a disk
// is taken for one that never goes on.
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "beside.hpp"
#include "ranks/collectives.hpp"
#include "ranks/file_system.hpp"

using namespace assay::described;
using assay::ranks::Task;

namespace {

constexpr int servers = 3;
constexpr std::uint64_t length = 500;  // of a rank's part, which fits no stripe

assay::storage::StorageParameters storage(std::mt19937_64& dice) {
  constexpr Time us = 1'000'000;
  assay::storage::StorageParameters found;
  found.io_nodes = servers;
  found.stripe = 64;
  found.request = 2 * us;
  found.client_request = us;
  found.outstanding = 1 + static_cast<std::uint32_t>(dice() % 4);
  found.disks = 1 + static_cast<std::uint32_t>(dice() % 2);
  found.buffers = dice() % 3 * 4;
  found.write_behind = dice() % 2 == 0;
  found.read_ahead = dice() % 3 * 192;
  found.copies = 1 + static_cast<std::uint32_t>(dice() % 2);
  if (dice() % 3 == 0) found.failed_disk = {1U, 0U};
  if (dice() % 3 == 0) found.failed_link = 2U;
  if (found.failed_link && found.failed_disk) found.failed_disk.reset();
  found.device = {.access = 20 * us, .per_byte = 1000, .at_once = 1, .capacity = 1U << 30};
  return found;
}

// The world, with I/O nodes behind the ranks.
struct WithFiles {
  WithFiles(int ranks, MessageModel& machine, const assay::storage::StorageParameters& storage)
      : beside(ranks + servers, machine), files(behind(beside.world), storage, ranks) {
    beside.world.files(&files);
    for (int server = 0; server < servers; ++server) beside.world.start(ranks + server, files.serve(server));
  }
  static World& behind(World& world) {
    world.last_are_servers(servers);
    return world;
  }
  Beside beside;
  FileSystem files;
};

std::byte pattern(int job, int rank, int round, std::uint64_t at) {
  return static_cast<std::byte>(static_cast<std::uint64_t>(17 * job + 5 * rank + 3 * round) + at);
}

// Everything that a rank can have asked of files, for ever.
Task busy(Simulated& comm) {
  for (int round = 0;; ++round) {
    std::vector<std::byte> data(length, std::byte{0xee});
    Simulated::File file;
    const std::string name = "all";  // g++ 12 spoils temporary texts of an awaited expression
    co_await comm.open(file, name, round % (servers + 1), round % 2 == 0 ? 4 * length : 0);
    co_await comm.write(file, data.data(), length, static_cast<std::uint64_t>(comm.rank()) * length);
    co_await comm.compute(1e-6 * (1 + comm.rank()), [] {});
    co_await comm.read(file, data.data(), length, 0);
    if (comm.rank() == round % comm.size()) co_await comm.forget();
    co_await comm.close(file);
  }
}

// Writes, and reads what its neighbour wrote: a file that all share, one for each round.
Task keeps(Simulated& comm, int job, std::vector<std::string>& wrong) {
  const auto own = static_cast<std::uint64_t>(comm.rank());
  const int next = (comm.rank() + 1) % comm.size();
  for (int round = 0; round < 3; ++round) {
    std::vector<std::byte> data(length);
    Simulated::File file;
    const std::string name = round == 0 ? "all" : "all " + std::to_string(round);
    co_await comm.open(file, name, 0, 0);
    for (std::uint64_t at = 0; at < length; ++at) data[at] = pattern(job, comm.rank(), round, at);
    co_await comm.write(file, data.data(), length, own * length);
    std::ranges::fill(data, std::byte{});
    co_await assay::ranks::barrier(comm);
    if (round == 1 && comm.rank() == 0) co_await comm.forget();
    co_await comm.read(file, data.data(), length, static_cast<std::uint64_t>(next) * length);
    for (std::uint64_t at = 0; at < length; ++at)
      if (data[at] != pattern(job, next, round, at)) {
        wrong.push_back("job " + std::to_string(job) + ", rank " + std::to_string(comm.rank()) + ", byte " +
                        std::to_string(at) + " of round " + std::to_string(round));
        break;
      }
    co_await comm.close(file);
  }
}

void ended_at_any_moment(MessageModel& machine, int trials) {
  std::mt19937_64 dice(11);
  for (int trial = 0; trial < trials; ++trial) {
    WithFiles one(12, machine, storage(dice));
    Beside& beside = one.beside;
    std::vector<std::string> wrong;
    const auto kept = [&wrong](int job) { return [&wrong, job](Simulated& comm) { return keeps(comm, job, wrong); }; };
    std::deque<Beside::Job*> good{&beside.begin(static_cast<Time>(dice() % 50'000'000), {1, 3, 5}, kept(1)),
                                  &beside.begin(beside.world.now(), {7, 9}, kept(2))};
    for (int turn = 0; turn < 4; ++turn) {  // two who have the same ranks are ended one after the other
      Beside::Job& some = beside.begin(beside.world.now() + static_cast<Time>(dice() % 20'000'000), {0, 2, 4, 6}, busy);
      beside.go_on(beside.world.now() + static_cast<Time>(dice() % 900'000'000));
      expect(!beside.world.stuck(some.group), "it will have its answer");
      beside.end(some);
    }
    good.push_back(&beside.begin(beside.world.now() + static_cast<Time>(dice() % 20'000'000), {6, 0, 2, 8}, kept(3)));
    beside.go_on(never - 1);
    for (const Beside::Job* each : good)
      expect(each->end != never, "trial " + std::to_string(trial) + ": it ends, whatever others left behind");
    for (const auto& each : wrong) expect(false, "trial " + std::to_string(trial) + ": " + each);
  }
}

// A request of who has left needs its sender's rank once more, where the next program computes and is ended, too: the
// I/O node that waits for it serves others all the same.
void a_request_of_who_has_left_goes_on() {
  constexpr Time us = 1'000'000;
  std::mt19937_64 dice(1);
  Handshaking machine;
  WithFiles one(4, machine, storage(dice));
  Beside& beside = one.beside;
  const auto opens = [](Simulated& comm) -> Task {
    const std::string name = "all";
    Simulated::File file;
    co_await comm.open(file, name, 0, 0);
  };
  Beside::Job& first = beside.begin(0, {0}, opens);
  beside.go_on(6 * us);  // its request is on the way
  beside.end(first);
  Beside::Job& next = beside.begin(7 * us, {0}, [](Simulated& comm) -> Task { co_await comm.compute(1, [] {}); });
  beside.go_on(200 * us);  // it has been asked for its part
  beside.end(next);
  Beside::Job& other = beside.begin(300 * us, {1}, opens);
  beside.go_on(never - 1);
  expect(other.end != never, "an I/O node serves others when a request of who has left needed its rank");
}

// Who has left some of its work to the I/O nodes when the world ends leaves nothing behind in memory.
void the_world_ends_first(MessageModel& machine) {
  std::mt19937_64 dice(5);
  for (int trial = 0; trial < 50; ++trial) {
    WithFiles one(4, machine, storage(dice));
    one.beside.begin(0, {0, 1, 2, 3}, busy);
    one.beside.go_on(static_cast<Time>(dice() % 900'000'000));
  }
}

}  // namespace

int main() {
  Constant constant{1e-5, 1e-9, 0};
  Handshaking handshaking;
  ended_at_any_moment(constant, 150);
  ended_at_any_moment(handshaking, 150);
  a_request_of_who_has_left_goes_on();
  the_world_ends_first(handshaking);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
