// Programs are added while one plays, as a thread does that loads a person's own while another simulates: play() runs
// without Python's lock.
#include <atomic>
#include <string>
#include <thread>

#include "expect.hpp"
#include "ranks/play.hpp"
#include "ranks/playing.hpp"

using namespace assay;

namespace {

constexpr std::string_view record = "name = \"adds\"\n";
int runs = 0;

// Each rank adds programs before it ends: what the next rank is started by is what was found at the beginning.
ranks::Task adds(described::Simulated&, ranks::Session&) {
  ++runs;
  for (int more = 0; more < 100; ++more) described::add({"name = \"other\"\n", nullptr});
  co_return;
}

}  // namespace

int main() {
  described::add({record, adds});
  described::MachineParameters machine;
  machine.name = "test";
  machine.startup = 1e-6;
  machine.per_byte = 1e-9;
  std::atomic<bool> over = false;
  std::thread other([&] {  // as Python lists them meanwhile
    while (!over) expect(!described::program_names().empty(), "programs are listed");
  });
  const std::string lines = described::play("adds", machine, 64, {"--metrics", "time"}).lines;
  over = true;
  other.join();
  expect(runs == 64, "every rank ran the program that was asked for");
  expect(lines.find("\"event\":\"done\"") != std::string::npos, "the launch ended: " + lines);
  return failures == 0 ? 0 : 1;
}
