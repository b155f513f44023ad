// The frame of the benchmark programs without a clock and without a program: options, stopping rules, the
// sampled loop, JSON lines, memory limits.
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <semaphore>
#include <thread>

#include "expect.hpp"
#include "threads/parameters.hpp"
#include "timing/host_facts.hpp"
#include "timing/memory_limits.hpp"
#include "timing/program.hpp"
#include "timing/quota.hpp"
#include "timing/sampler.hpp"
#include "timing/settle.hpp"

using namespace assay::timing;

namespace {

// The message of the fault that `act` throws, "" when it throws none.
std::string fault(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputFault& seen) {
    return seen.what();
  }
  return "";
}

void expect_fault(const std::function<void()>& act, const std::vector<std::string>& words) {
  const std::string seen = fault(act);
  for (const std::string& word : words)
    expect(seen.find(word) != std::string::npos, "'" + word + "' in the fault '" + seen + "'");
  expect(seen.find('\n') == std::string::npos, "one line: " + seen);
}

void names() {
  expect(name_of("\nname = \"sample\"  # a comment\ntitle = \"x\"\n") == "sample", "the name that a record gives");
  expect(name_of("title = \"name = \\\"no\\\"\"\n  name=\"fan-in\"\n[metric.name]\n") == "fan-in", "without spaces");
  expect(name_of("names = \"no\"\nname = 3\n") == "program" && name_of("") == "program", "a record without a name");
}

Options options(std::vector<const char*> words) {
  words.insert(words.begin(), "sample");
  return parse_options(static_cast<int>(words.size()), words.data());
}

void lists_of_the_machine() {
  name_values("some", [] { return std::vector<std::int64_t>{2, 5}; });
  const auto values = [&](const char* text) {
    std::string found;
    for (const CaseSettings& each : options({"--integer", text}).cases) found += each.at("size").text + " ";
    return found;
  };
  expect(values("size=some") == "2 5 ", "a list that the machine fills");
  expect(values("size=1,some") == "1 2 5 ", "beside a value");
  expect_fault([&] { values("size=none"); }, {"'size'", "'none'", "name of a list"});
  expect_fault([&] { values("size=5,some"); }, {"'size'", "'5'", "twice"});
  using assay::threads::counts_up_to;
  expect(counts_up_to(1) == std::vector<std::int64_t>{1}, "one processor");
  expect(counts_up_to(2) == std::vector<std::int64_t>{1, 2}, "two");
  expect(counts_up_to(4) == std::vector<std::int64_t>{1, 2, 3, 4}, "four");
  expect(counts_up_to(6) == std::vector<std::int64_t>{1, 2, 3, 4, 6}, "six: all of them too");
  expect(counts_up_to(96) == std::vector<std::int64_t>{1, 2, 3, 4, 8, 16, 32, 64, 96}, "ninety-six");
}

void command_lines() {
  expect(options({}).cases.size() == 1 && options({}).metrics.empty(), "no parameters: one case, nothing resolved");
  const Options chosen =
      options({"--metrics", "time,rate",   "--integer", "size=4,1024", "--choice=form=throughput,one",
               "--real",    "share=-0.25", "--blocks",  "3",           "--batch=7",
               "--seed",    "9",           "--slice",   "1",           "--slice",
               "0.25",      "--needs",     "self,host", "--host",      "--or-nothing"});
  std::string cases;
  for (const CaseSettings& each : chosen.cases) cases += json_of(each).str();
  expect(cases == R"({"size":4,"form":"throughput","share":-0.25}{"size":4,"form":"one","share":-0.25})"
                  R"({"size":1024,"form":"throughput","share":-0.25}{"size":1024,"form":"one","share":-0.25})",
         "the product in the order given, the last parameter running fastest: " + cases);
  expect(chosen.cases[3].at("size").integer == 1024 && chosen.cases[3].at("share").real == -0.25, "values by name");
  expect(chosen.blocks == 3 && chosen.batch == 7 && chosen.seed == 9 && chosen.slice == 0.25, "the options, last wins");
  expect(chosen.metrics == std::vector<std::string>{"time", "rate"} && chosen.needs.size() == 2, "lists of names");
  expect(chosen.host && chosen.or_nothing && !options({}).host && !options({}).or_nothing, "what is so or not");
  expect(json_of(options({"--real", "x=1e+16", "--integer", "n=9007199254740993"}).cases[0]).str() ==
             R"({"x":1e+16,"n":9007199254740993})",
         "a real number and an integer of more digits than a double holds");
  expect_fault([] { options({"--integer", "size=1.5"}); }, {"'size'", "'1.5'", "integer"});
  expect_fault([] { options({"--integer", "size=99999999999999999999"}); }, {"'size'", "integer"});
  expect_fault([] { options({"--integer", "size="}); }, {"'size'", "''"});
  expect_fault([] { options({"--integer", "size=4,4"}); }, {"'size'", "twice"});
  expect_fault([] { options({"--integer", "size=4", "--integer", "size=5"}); }, {"'size'", "twice"});
  expect_fault([] { options({"--real", "share=nan"}); }, {"'share'", "'nan'", "a number"});
  expect_fault([] { options({"--real", "share=0x1"}); }, {"'share'", "'0x1'"});
  expect_fault([] { options({"--integer", "size"}); }, {"'size'", "NAME=VALUE"});
  expect_fault([] { options({"--integer"}); }, {"--integer", "missing"});
  expect_fault([] { options({"--set", "size=4"}); }, {"'--set'", "--integer"});
  expect_fault([] { options({"--profile", "slow"}); }, {"--profile", "'slow'", "quick, standard, full"});
  expect_fault([] { options({"--slice", "-1"}); }, {"--slice", "'-1'", "0 to 3600"});
  expect_fault([] { options({"--slice", "nan"}); }, {"--slice", "'nan'", "0 to 3600"});
  expect_fault([] { options({"--blocks", "0"}); }, {"--blocks", "'0'", "1 to 10000"});
  expect_fault([] { options({"--batch", "1.5"}); }, {"--batch", "'1.5'", "integer"});
  expect_fault([] { options({"--fast"}); }, {"'--fast'", "--profile"});
  expect_fault([] { options({"4"}); }, {"'4'", "--integer"});
  expect_fault([] { options({}).cases[0].at("size"); }, {"'size'", "reads"});
}

void stopping_rules() {
  std::size_t look = 0;
  std::string looks;
  for (int count = 0; count < 16; ++count) looks += std::to_string(look = next_look(look)) + " ";
  expect(looks == "1 2 3 4 5 6 7 8 10 12 14 16 20 24 28 32 ", "looks four an octave: " + looks);
  const TimeSlice slice(0.5);
  expect(!slice.stop(0, 9) && !slice.stop(3, 0.4999) && slice.stop(1, 0.5) == "slice spent", "a time slice");
  const SampleCount count(10, "repetitions done");
  expect(!count.stop(9, 1e9) && count.stop(10, 0) == "repetitions done", "a count");
}

// A clock that the work itself moves: every operation takes `cost` ns, every reading of the clock 5 ns.
void sampling() {
  std::int64_t time = 0, operations = 0;
  Sampler sampler([&] { return time += 5; });
  const Work work = [&](std::int64_t count) { operations += count, time += 100 * count; };
  const Work part = [&](std::int64_t count) { time += 30 * count; };
  const std::int64_t batch = sampler.calibrate(work, 3, 10e-6);
  expect(batch == 192, "3 doubled until it lasts 10 us: 192, not " + std::to_string(batch));
  const auto runs = [&](double before) {  // of 300 operations, 30 us: above the target, not above eight times it
    operations = 0;
    expect(sampler.calibrate(work, 300, 10e-6, before) == 300, "one unit lasts long enough");
    return operations / 300;
  };
  expect(runs(0) == 2 && runs(30e-6) == 1, "the reading before is the second of two");
  expect(runs(9e-6) == 2 && runs(70e-6) == 2, "but not where it was too short, or held the cost of a first call");
  operations = 0;
  const Samples counted = sampler.block(work, nullptr, 4, SampleCount(11, "repetitions done"));
  expect(counted.values.size() == 12, "the first look at or after 11 samples is at 12");
  expect(operations == 48, "nothing but the samples is run");
  expect(std::abs(counted.values[0] - 405e-9 / 4) < 1e-15, "time of an operation");
  const Samples pair = sampler.block(work, part, 10, TimeSlice(1e-5));
  expect(std::abs(pair.values[0] - 70e-9) < 1e-15, "the subtracted part");
  expect(std::abs(pair.subtracted[0] - 30.5e-9) < 1e-15, "the part's own samples");
  // A sample takes 1010 + 1 * 305 ns = 1.31 us: 7 would do for 8, not for 10 us; the looks are at 7 and 8.
  expect(pair.values.size() == 8 && pair.ended == "slice spent", "a slice ends at a look");
  const Samples full = sampler.block(work, nullptr, 1, TimeSlice(1e9));
  expect(full.values.size() == Sampler::most && full.ended == "sample store full", "the store ends a block");
}

void lines() {
  const Json json = Json().text("a", "say \"x\"\n\\").number("b", 0.1).null("c").numbers("d", {1, 2.5e-9});
  expect(json.str() == R"({"a":"say \"x\"\u000a\\","b":0.1,"c":null,"d":[1,2.5e-09]})", json.str());
  bool refused = false;
  try {
    Json().number("x", NAN);
  } catch (const MeasurementFault&) {
    refused = true;
  }
  expect(refused, "NaN is refused");
}

void shuffles() {
  std::vector<int> left{1, 2, 3, 4, 5, 6, 7, 8}, right = left, other = left;
  std::uint64_t one = 1, again = 1, two = 2;
  shuffle(left, one);
  shuffle(right, again);
  shuffle(other, two);
  expect(left == right && left != other, "a seed gives its order");
  std::ranges::sort(other);
  expect(other == std::vector<int>({1, 2, 3, 4, 5, 6, 7, 8}), "a permutation");
}

void memory_limits() {
  namespace fs = std::filesystem;
  char folder[] = "/tmp/limits-XXXXXX";
  if (!mkdtemp(folder)) return expect(false, "a scratch folder");
  const std::string root = std::string(folder) + "/";
  const auto put = [&](const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  };
  put("proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 600000 kB\n");
  put("proc/self/cgroup", "0::/a/b\n");
  using namespace assay::memory;
  expect(read_headroom(root).bytes == 600000 * 1024, "no cgroup limit: what the kernel says");
  put("sys/fs/cgroup/a/memory.max", "300000000\n");
  put("sys/fs/cgroup/a/memory.current", "200000000\n");
  put("sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 50000000\n");
  put("sys/fs/cgroup/a/b/memory.max", "max\n");
  put("sys/fs/cgroup/a/b/memory.current", "150000000\n");
  const Headroom second = read_headroom(root);
  expect(second.bytes == 150000000, "an ancestor's v2 limit, dropping its page cache: " + std::to_string(second.bytes));
  expect(second.by.find("/a/memory.max") != std::string::npos, "who limits: " + second.by);
  expect(read_total(root) == 300000000, "the total is the container's");
  put("proc/self/cgroup", "7:cpu,memory:/job\n3:cpuset:/\n");
  put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9000\n");
  put("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "4000\n");
  expect(read_headroom(root).bytes == 5000, "a v1 limit");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  put("sys/fs/cgroup/memory/memory.usage_in_bytes", "4000\n");
  expect(read_headroom(root).bytes == 5000, "v1 without a limit");
  fs::remove_all(root);
}

void processor_quotas() {
  namespace fs = std::filesystem;
  char folder[] = "/tmp/quota-XXXXXX";
  if (!mkdtemp(folder)) return expect(false, "a scratch folder");
  const std::string root = std::string(folder) + "/";
  const auto put = [&](const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  };
  expect(read_quota(root).share == 0 && times_stopped(root) == 0, "no cgroup: no limit");
  put("proc/self/cgroup", "0::/a/b\n");
  put("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  put("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  put("sys/fs/cgroup/a/cpu.stat", "usage_usec 77\nnr_periods 9\nnr_throttled 4\nthrottled_usec 5\n");
  put("sys/fs/cgroup/a/b/cpu.stat", "usage_usec 7\nnr_periods 0\nnr_throttled 0\n");
  expect(read_quota(root).share == 1.5, "an ancestor's quota");
  expect(read_quota(root).file.ends_with("/a/cpu.max"), "who says so");
  expect(times_stopped(root) == 4, "how often the ancestor was stopped");
  put("proc/self/cgroup", "7:cpu,cpuacct:/job\n3:cpuset:/\n0::/\n");
  put("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "50000\n");
  put("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  put("sys/fs/cgroup/cpu/job/cpu.stat", "nr_periods 8\nnr_throttled 3\nthrottled_time 12\n");
  expect(read_quota(root).share == 0.5 && times_stopped(root) == 3, "version 1");
  fs::remove_all(root);
}

// One socket of two cores of two threads, a cpuset of three processors and a quota of half a processor.
void facts_of_a_host() {
  namespace fs = std::filesystem;
  char folder[] = "/tmp/facts-XXXXXX";
  if (!mkdtemp(folder)) return expect(false, "a scratch folder");
  const std::string root = std::string(folder) + "/";
  const auto put = [&](const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  };
  expect(cpu_list("0-2,8") == std::vector<std::int64_t>{0, 1, 2, 8} && cpu_list("").empty(), "a list of processors");
  for (int cpu = 0; cpu < 4; ++cpu) {
    const std::string topology = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    put(topology + "thread_siblings_list", cpu % 2 == 0 ? "0,2\n" : "1,3\n");
    put(topology + "physical_package_id", "0\n");
  }
  put("sys/devices/system/cpu/online", "0-3\n");
  put("proc/cpuinfo",
      "processor : 0\nmodel name\t: Some \"fast\" CPU\ncpu MHz\t\t: 2500.000\nflags\t\t: fpu hypervisor sse avx2 "
      "fma\n");
  put("proc/meminfo", "MemTotal:       1000 kB\n");
  put("proc/self/cgroup", "0::/job\n");
  put("sys/fs/cgroup/job/cpuset.cpus.effective", "0-2\n");
  put("sys/fs/cgroup/job/cpu.max", "50000 100000\n");
  const Span one = span_of({0}, root), core = span_of({1, 3}, root), both = span_of({0, 1}, root);
  expect(one.cores == 1 && one.threads == 2 && one.sockets == 1, "one thread of a core");
  expect(core.cores == 1 && core.threads == 2, "both threads of a core");
  expect(both.cores == 2 && both.threads == 4, "a thread of each core");
  const std::string facts = host_facts("n1", root).str();
  for (const char* part :
       {R"("host":"n1")", R"("cpu":"Some \"fast\" CPU")", R"("sockets":1,"cores":2,"threads":4,"processors":3)",
        R"("usable_cpus":0.5,"cpu_quota":0.5)", R"("memory":1024000)", R"("governor":null)",
        R"("frequency":2.5e+09,"vectors":["avx2","fma"],)",
        R"("energy":"not readable: no powercap interface: a virtual machine has none","virtualised":true})"})
    expect(facts.find(part) != std::string::npos, std::string(part) + " in " + facts);
  fs::remove_all(root);
}

// A thread that spins as a library's does, for `seconds`, and then sleeps: whether it still spins after settle(most).
bool spins_after_settling(double seconds, double most) {
  std::atomic<bool> started{false}, spinning{true};
  std::binary_semaphore over{0};
  std::thread other([&] {
    const std::int64_t end = now_ns() + static_cast<std::int64_t>(1e9 * seconds);
    started = true;
    while (now_ns() < end) continue;
    spinning = false;
    over.acquire();
  });
  while (!started) std::this_thread::yield();
  settle(most);
  const bool still = spinning;
  over.release();
  other.join();
  return still;
}

void threads_left_behind() {
  for (int time = 0; time < 5; ++time) expect(!spins_after_settling(0.02, 10), "a spinning thread is waited for");
  expect(spins_after_settling(0.5, 0.01), "one that goes on spinning is not waited for any longer");
}

}  // namespace

int main() {
  names();
  lists_of_the_machine();
  command_lines();
  stopping_rules();
  sampling();
  lines();
  shuffles();
  memory_limits();
  processor_quotas();
  facts_of_a_host();
  threads_left_behind();
  if (failures == 0) std::puts("all hold");
  return failures == 0 ? 0 : 1;
}
