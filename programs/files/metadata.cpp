// Metadata: how many files a file system creates, finds, opens, lists, renames and removes per second, for one process
// and for several at once, in one folder that they share or in a folder for each.
//
// A block is one cycle over new files: all processes start each operation together, on all of their files, and its time
// ends with the last of them. Creating and removing end in the kernel's memory where the file system lets them; how
// long the folder then takes to reach the device is an operation of its own (sync). Between operations the whole tree
// is looked through. After mdtest (of IOR), whose cycle this is; Dunigan's reports time opening and closing with files.
#include <sys/statvfs.h>

#include <array>
#include <cmath>

#include "files/crowd.hpp"
#include "files/tree.hpp"
#include "threads/parameters.hpp"
#include "threads/team.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "metadata"
title = "Metadata of files"
part = "files"
kind = "node"
summary = "files created, found (stat), opened, listed, renamed and removed per second, by processes and folders"
cost = "one operation is one system call on one file, for create and open with its close; readdir: an entry of a listing; sync: one fsync of a folder"
check = "between any two operations the tree is walked: each file there, empty, under its name, and no other; each stat and each listing is compared with what was created"
source = "after mdtest (IOR); Dunigan 1995, section 4 (opening and closing counted with a file)"
blocks_quick = 3
blocks_standard = 3
blocks_full = 5

[parameter.folder]
type = "path"
default = "scratch"
help = "folder in which the launch makes one of its own for the files, removed at the end"

[parameter.processes]
type = "integer"
default = "processors"
words = ["processors"]
min = 1
max = 4096
sweep = true
help = "processes at work at once; processors: 1, 2, 3, 4, 8 … and as many as hardware threads that this process may use"

[parameter.files]
type = "integer"
default = 500
quick = 200
full = 2000
min = 1
max = 1000000
sweep = true
help = "empty files of each process"

[parameter.sharing]
type = "choice"
default = ["own", "one"]
choices = ["own", "one"]
sweep = true
help = "own: a folder for each process; one: one folder for all"

[parameter.whose]
type = "choice"
default = "own"
choices = ["own", "neighbour"]
sweep = true
help = "whose files a process finds, opens and lists: its own, or those that the next process created, which no cache of its own node holds on a file system over a network"

[metric.cycle]
unit = "s"
help = "time of all operations of a cycle, each from its common start to the last process's end"

[metric.time]
unit = "s"
help = "time per operation of all processes together: from the common start to the last process's end, over all their operations"

[metric.latency]
unit = "s"
help = "time of a single operation at this percentile of all of a block"

[headline.create]
figure = "rate"
where = "operation=create sharing=own"
title = "files created, a folder per process"
says = "creates files at up to"
order = 10

[headline.stat]
figure = "rate"
where = "operation=stat sharing=own"
title = "files found (stat), a folder per process"
order = 11

[figure.rate]
metric = "time"
formula = "1 / value"
unit = "1/s"
better = "higher"
headline = true
help = "operations per second of all processes together"

[figure.latency]
metric = "latency"
unit = "s"
better = "lower"
help = "time of a single operation, by percentile"

[figure.cycle]
metric = "cycle"
unit = "s"
better = "lower"
help = "time of a whole cycle"
)record";

namespace {

using namespace assay;
using namespace assay::timing;
using files::Tree;
using files::TreeMember;

struct Operation {
  const char* name;
  void (*act)(TreeMember&, std::size_t);
  char after;     // what the files' names begin with then; 0: there are none
  bool per_file;  // else once for each process
};
constexpr std::array<Operation, 7> operations = {{
    {"create", [](TreeMember& m, std::size_t i) { m.create(i); }, 'f', true},
    {"sync", [](TreeMember& m, std::size_t i) { m.sync(i); }, 'f', false},
    {"stat", [](TreeMember& m, std::size_t i) { m.stat(i); }, 'f', true},
    {"open", [](TreeMember& m, std::size_t i) { m.open(i); }, 'f', true},
    {"readdir", [](TreeMember& m, std::size_t i) { m.list(i); }, 'f', false},
    {"rename", [](TreeMember& m, std::size_t i) { m.rename(i); }, 'g', true},
    {"unlink", [](TreeMember& m, std::size_t i) { m.unlink(i); }, 0, true},
}};

// The percentiles that so many operations give, with the fewest that an interval of each needs.
struct Percentile {
  const char* name;
  double share;
  std::int64_t least;
};
constexpr std::array<Percentile, 3> percentiles = {{{"p50", 0.5, 6}, {"p95", 0.95, 73}, {"p99", 0.99, 368}}};

class Cycle {
 public:
  Cycle(Tree tree, bool neighbours, std::vector<int> cpus)
      : tree_(std::move(tree)),
        name_(tree_.name),
        neighbours_(neighbours),
        cpus_(std::move(cpus)),
        per_(static_cast<std::size_t>(tree_.files)),
        crowd_(tree_.processes),
        took_(operations.size() * members() * per_),
        bounds_(operations.size() * members()),
        wrong_(members()) {}

  // One cycle; s in all.
  double run() {
    tree_.name = std::string(name_).append(1, '.').append(std::to_string(cycles_));
    tree_.make();
    std::unique_ptr<TreeMember> member;  // of each forked process its own
    crowd_.run(
        static_cast<int>(operations.size()),
        [&](int rank, int phase) {
          const auto of = static_cast<std::size_t>(rank), at = static_cast<std::size_t>(phase);
          if (!member) {
            if (rank < static_cast<int>(cpus_.size())) threads::pin(cpus_[of]);
            member = std::make_unique<TreeMember>(tree_, rank, neighbours_);
          }
          const Operation& operation = operations[at];
          std::int64_t* const took = &took_[(at * members() + of) * per_];
          const std::size_t count = operation.per_file ? per_ : 1;
          const std::int64_t start = now_ns();
          std::int64_t last = start;
          for (std::size_t i = 0; i < count; ++i) {
            operation.act(*member, i);
            const std::int64_t now = now_ns();
            took[i] = now - std::exchange(last, now);
          }
          bounds_[at * members() + of] = {start, last};
          wrong_[of] = member->wrong;
        },
        [&](int phase) { bad_ += tree_.wrong(operations[static_cast<std::size_t>(phase)].after); });
    for (std::size_t of = 0; of < members(); ++of) bad_ += wrong_[of];
    ++cycles_;
    double all = 0;
    for (std::size_t at = 0; at < operations.size(); ++at) all += time(at);
    if (bad_ == 0) tree_.remove();  // else what is wrong stays for the end, where all goes
    return all;
  }
  // s from the first start to the last end of an operation.
  double time(std::size_t at) {
    std::int64_t start = bounds_[at * members()].first, end = 0;
    for (std::size_t of = 0; of < members(); ++of) {
      start = std::min(start, bounds_[at * members() + of].first);
      end = std::max(end, bounds_[at * members() + of].second);
    }
    return 1e-9 * static_cast<double>(end - start);
  }
  double count(std::size_t at) const {  // of operations, all processes together
    const double each = static_cast<double>(tree_.processes);
    if (operations[at].per_file) return each * static_cast<double>(tree_.files);
    const bool lists = std::string_view(operations[at].name) == "readdir";
    return lists ? each * static_cast<double>(tree_.files * (tree_.shared ? tree_.processes : 1)) : each;
  }
  double percentile(std::size_t at, double share) {  // s; the least that so large a share does not pass
    const std::int64_t* const from = &took_[at * members() * per_];
    std::vector<std::int64_t> all(from, from + members() * per_);
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(all.size()))) - 1;
    std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(rank));
    return 1e-9 * static_cast<double>(all[rank]);
  }
  Check verdict() const {
    return {bad_ == 0 && cycles_ > 0, std::to_string(cycles_) + " cycles over " + std::to_string(tree_.files) +
                                          " files of each of " + std::to_string(tree_.processes) + " processes, " +
                                          std::to_string(bad_) + " entries wrong"};
  }

 private:
  std::size_t members() const { return static_cast<std::size_t>(tree_.processes); }

  Tree tree_;
  const std::string name_;  // of its trees, with a number for each cycle
  bool neighbours_;
  std::vector<int> cpus_;
  std::size_t per_;
  files::Crowd crowd_;
  files::SharedArray<std::int64_t> took_;
  files::SharedArray<std::pair<std::int64_t, std::int64_t>> bounds_;  // ns
  files::SharedArray<std::int64_t> wrong_;
  std::int64_t bad_ = 0, cycles_ = 0;
};

// Whether the file system has so many files to give, of which a quarter may be ours; says why not.
bool has_room(Case& at, int folder, std::int64_t files) {
  struct statvfs about{};
  if (fstatvfs(folder, &about) != 0 || about.f_files == 0) return true;  // it counts none
  const auto most = static_cast<std::int64_t>(about.f_favail / 4);
  if (files <= most) return true;
  at.skip("more files than a quarter of those that the file system still takes (" + std::to_string(most) + ")");
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const threads::Processors processors = threads::find_processors();
  std::shared_ptr<files::OwnFolder> own;
  int trees = 0;
  return run_program(record, argc, argv, [&](Case& at) {
    const int processes = static_cast<int>(at.integer("processes"));
    const bool neighbours = at.choice("whose") == "neighbour";
    if (neighbours && processes == 1) return at.skip("a neighbour's files: there is one process");
    if (!own) own = std::make_shared<files::OwnFolder>(at.path("folder"), at.subfolder());
    const std::int64_t files = at.integer("files");
    if (!has_room(at, own->descriptor(), files * processes)) return;
    const bool pinned = processes <= processors.usable();
    if (!pinned)
      at.note("beyond " + std::to_string(processors.usable()) + " processes, several share a hardware thread");
    const Tree tree{*own, std::string("tree").append(std::to_string(trees++)), processes, files,
                    at.choice("sharing") == "one"};
    auto cycle = std::make_shared<Cycle>(tree, neighbours, pinned ? processors.cpus : std::vector<int>());
    at.observe("cycle", [cycle, keep = own] { return cycle->run(); });
    for (std::size_t op = 0; op < operations.size(); ++op) {
      const std::string name = operations[op].name;
      at.observe("time", "operation", name, [=] { return cycle->time(op) / cycle->count(op); });
      for (const Percentile& each : percentiles)
        if (operations[op].per_file && files * processes >= each.least)
          at.observe("latency", {{"operation", name}, {"percentile", each.name}},
                     [=, share = each.share] { return cycle->percentile(op, share); });
    }
    at.check([cycle] { return cycle->verdict(); });
  });
}
