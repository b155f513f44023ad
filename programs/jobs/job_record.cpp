// What a batch system starts for each job of `assay throughput`: runs the job's command under its time limit, checks
// its answer, and writes the job's own record, a line of JSON when it starts and one when it ends, each synced to the
// disk; between them, one for what the node did so far: at the start, each second (in the end each sixtieth of how long
// the job has run), at the end.
//
//     job_record --record FILE --output FILE [--limit SECONDS] [--cpus 0,1] [--answer TEXT] [--check WORD]…
//                [--samples FILE]… [--nodes WORD]… [--hosts NAME] [--count NAME] -- COMMAND… [--then COMMAND…]…
//     job_record --watch FOLDER HOST
//
// `--nodes` and what goes with it (other_nodes.hpp) start the second form on the other nodes of a job that has several:
// it writes what its own node does to the job's folder.
//
// `--samples` names the file of a benchmark program's own lines: its checks in there decide whether the answer is
// right, whatever its exit status says, and the first one that failed is put into the record. A job of several programs
// names a file for each, and `--then` begins the next one's command: they run one after the other until one fails.
//
// The record is claimed by its creation: a second start of the same job finds it there, adds a line that says so, and
// runs nothing. It stays locked while the job runs, so that a reader can tell a running job from one that was killed.
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "jobs/other_nodes.hpp"
#include "timing/affinity.hpp"

namespace {

using namespace assay::jobs;

constexpr int bad_options = 64, no_storage = 74, started_before = 75, not_started = 127;
constexpr off_t record_room = 16384;  // bytes that are set aside for a record, so that it can say that the disk is full
constexpr double grace = 1.0;         // s, between asking a command to end and killing it

struct Wishes {
  std::string record, output, answer;
  std::vector<std::string> samples;
  double limit = 0;
  std::vector<std::int64_t> cpus;
  std::vector<char*> check;
  std::vector<std::vector<char*>> commands;
  NodeCommand nodes;
  bool answers = false;
};

[[noreturn]] void refuse(const char* problem) {
  std::fprintf(stderr, "job_record: %s\n", problem);
  std::exit(bad_options);
}

std::vector<std::int64_t> numbers(const char* text) {
  constexpr std::int64_t most = 1 << 20;
  std::vector<std::int64_t> found;
  for (char* end = nullptr; *text; text = *end ? end + 1 : end) {
    found.push_back(std::strtol(text, &end, 10));
    if (end == text || (*end != ',' && *end != 0) || found.back() < 0 || found.back() >= most)
      refuse("--cpus takes numbers below 1048576 with commas");
  }
  return found;
}

Wishes read_options(int count, char** words) {
  Wishes wishes;
  int at = 1;
  for (; at + 1 < count && std::strcmp(words[at], "--") != 0; at += 2) {
    const std::string key = words[at];
    char* value = words[at + 1];
    if (key == "--record")
      wishes.record = value;
    else if (key == "--output")
      wishes.output = value;
    else if (key == "--limit")
      wishes.limit = std::atof(value);
    else if (key == "--cpus")
      wishes.cpus = numbers(value);
    else if (key == "--answer")
      wishes.answer = value, wishes.answers = true;
    else if (key == "--samples")
      wishes.samples.emplace_back(value);
    else if (key == "--check")
      wishes.check.push_back(value);
    else if (key == "--nodes")
      wishes.nodes.words.emplace_back(value);
    else if (key == "--hosts")
      wishes.nodes.hosts = value;
    else if (key == "--count")
      wishes.nodes.count = value;
    else
      refuse("unknown option");
  }
  wishes.commands.emplace_back();
  for (++at; at < count; ++at) {
    if (!wishes.samples.empty() && std::strcmp(words[at], "--then") == 0)
      wishes.commands.emplace_back();
    else
      wishes.commands.back().push_back(words[at]);
  }
  for (std::vector<char*>& command : wishes.commands) {
    if (wishes.record.empty() || wishes.output.empty() || command.empty())
      refuse("needs --record FILE --output FILE -- COMMAND");
    command.push_back(nullptr);
  }
  if (!wishes.check.empty()) wishes.check.push_back(nullptr);
  return wishes;
}

[[noreturn]] void become(const std::vector<char*>& command) {
  execvp(command[0], command.data());
  std::fprintf(stderr, "job_record: %s cannot be started: %s\n", command[0], std::strerror(errno));
  _exit(not_started);
}

// One command after the other, until one fails: ends as that one did.
[[noreturn]] void run_all(const std::vector<std::vector<char*>>& commands) {
  for (const std::vector<char*>& command : commands) {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      become(command);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) _exit(not_started);
    if (WIFSIGNALED(status)) {
      signal(WTERMSIG(status), SIG_DFL);
      raise(WTERMSIG(status));
    }
    if (status != 0) _exit(WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : 1);
  }
  _exit(0);
}

// Starts commands in a process group of their own, which is killed when this process is.
pid_t start(const std::vector<std::vector<char*>>& commands, const std::string& output, const sigset_t& before) {
  const pid_t child = fork();
  if (child != 0) {
    if (child > 0) setpgid(child, child);
    return child;
  }
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  const int nothing = open("/dev/null", O_RDONLY);
  const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (nothing < 0 || out < 0 || dup2(nothing, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) _exit(not_started);
  if (commands.size() == 1) become(commands.front());
  run_all(commands);
}

// When this process began, in the kernel's ticks since its start (proc(5)): its number may pass to another one.
std::string began_at() {
  std::ifstream file("/proc/self/stat");
  std::string text, word;
  std::getline(file, text);
  std::istringstream words(text.substr(std::min(text.rfind(')') + 1, text.size())));
  for (int at = 3; at <= 22; ++at) words >> word;
  return words ? word : "null";
}

struct Ended {
  int status = 0;
  bool limited = false, cancelled = false;
  rusage used{};
};

// Waits for a command, and ends it at the limit (0: none) or when this process is asked to end. `record` (-1: none)
// gets lines of what the node does meanwhile.
Ended await(pid_t child, double limit, const sigset_t& watched, int record) {
  Ended ended;
  if (child < 0) {
    ended.status = not_started << 8;  // as of a process that ended so
    return ended;
  }
  const double began = clock_of(CLOCK_MONOTONIC);
  double kill_at = 0;  // 0: nobody has asked it to end
  double look_at = began + 1.0;
  for (;;) {
    siginfo_t over{};
    if (waitid(P_PID, static_cast<id_t>(child), &over, WEXITED | WNOHANG | WNOWAIT) == 0 && over.si_pid == child) break;
    const double now = clock_of(CLOCK_MONOTONIC);
    double left = kill_at > 0 ? kill_at - now : limit > 0 ? began + limit - now : 3600.0;
    if (left <= 0) {
      kill(-child, kill_at > 0 ? SIGKILL : SIGTERM);
      if (kill_at == 0) ended.limited = true;
      kill_at = now + grace;
      left = grace;
    }
    if (record >= 0) {
      if (now >= look_at) {
        write_node(record);
        look_at = now + std::max(1.0, (now - began) / 60);
      }
      left = std::min(left, look_at - now);
    }
    const timespec wait = timespec_of(left);
    const int signal = sigtimedwait(&watched, nullptr, &wait);
    if ((signal == SIGTERM || signal == SIGINT || signal == SIGHUP) && kill_at == 0) {
      ended.cancelled = true;
      kill(-child, SIGTERM);
      kill_at = clock_of(CLOCK_MONOTONIC) + grace;
    }
  }
  kill(-child, SIGKILL);  // what it started and left behind; its number is nobody else's before it is waited for
  while (wait4(child, &ended.status, 0, &ended.used) < 0 && errno == EINTR) {
  }
  return ended;
}

bool says(const std::string& output, const std::string& text) {
  std::ifstream file(output);
  for (std::string line; std::getline(file, line);)
    if (line.find(text) != std::string::npos) return true;
  return false;
}

// What a benchmark program's lines say of its answer (programs/timing/output.cpp writes them, rank 0 alone).
struct Judged {
  bool checked = false, done = false;
  std::string failed;  // the line of the first check that failed
};

Judged judged(const std::string& samples) {
  Judged found;
  std::ifstream file(samples);
  for (std::string line; std::getline(file, line);) {
    const auto is = [&](const char* name) { return line.starts_with("{\"event\":\"" + std::string(name) + "\","); };
    found.done = found.done || is("done");
    if (!is("check") || !line.ends_with("}")) continue;
    found.checked = true;  // inside a text of the line every quotation mark has a backslash before it
    if (found.failed.empty() && line.find(",\"passed\":false,") != std::string::npos) found.failed = line;
  }
  return found;
}

// Of all programs of a job: each has to have checked something and come to its end.
Judged judged_together(const std::vector<std::string>& samples) {
  Judged all{true, true, ""};
  for (const std::string& file : samples) {
    const Judged each = judged(file);
    all.checked = all.checked && each.checked;
    all.done = all.done && each.done;
    if (all.failed.empty()) all.failed = each.failed;
  }
  return all;
}

// Why nothing can be written into a folder, in the system's words; "" where it can be.
std::string storage_fault(const std::string& folder) {
  const std::string path = folder + "/.space";
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return errno == EEXIST ? "" : std::strerror(errno);
  const std::string bytes(65536, ' ');
  errno = ENOSPC;  // of a write that is cut short
  const bool fits = write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) && fsync(file) == 0;
  const std::string fault = fits ? "" : std::strerror(errno);
  close(file);
  unlink(path.c_str());
  return fault;
}

}  // namespace

int main(int count, char** words) {
  if (count == 4 && std::strcmp(words[1], "--watch") == 0) return watch_this_node(words[2], words[3]);
  const Wishes wishes = read_options(count, words);
  sigset_t watched, before;
  sigemptyset(&watched);
  for (const int each : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&watched, each);
  sigprocmask(SIG_BLOCK, &watched, &before);

  int record = open(wishes.record.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (record < 0 && errno == EEXIST) {
    record = open(wishes.record.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (record >= 0) write_line(record, event("again") + "}");
    return started_before;
  }
  if (record < 0 || flock(record, LOCK_EX | LOCK_NB) != 0) {
    std::fprintf(stderr, "job_record: %s: %s\n", wishes.record.c_str(), std::strerror(errno));
    return bad_options;
  }
  if (fallocate(record, FALLOC_FL_KEEP_SIZE, 0, record_room) != 0 && (errno == ENOSPC || errno == EDQUOT)) {
    std::fprintf(stderr, "job_record: %s: the disk is full (%s): the job was not started\n", wishes.record.c_str(),
                 std::strerror(errno));
    unlink(wishes.record.c_str());
    return no_storage;
  }
  if (!wishes.cpus.empty()) {
    if (const int error = assay::timing::bind_to(wishes.cpus); error != 0)
      std::fprintf(stderr, "job_record: cannot be pinned: %s\n", std::strerror(error));
  }
  const pid_t child = start(wishes.commands, wishes.output, before);
  if (child < 0) {
    std::fprintf(stderr, "job_record: no process can be made (%s): the job was not started\n", std::strerror(errno));
    unlink(wishes.record.c_str());
    return not_started;
  }
  write_line(record, event("start") + ", \"group\": " + std::to_string(child) + ", \"began\": " + began_at() + "}");
  write_node(record);
  const std::string folder = wishes.record.substr(0, wishes.record.rfind('/'));
  const std::vector<pid_t> watchers = watch_other_nodes(wishes.nodes, words[0], folder, before);
  const Ended ended = await(child, wishes.limit, watched, record);

  const int status = WIFEXITED(ended.status) ? WEXITSTATUS(ended.status) : 0;
  const int signal = WIFSIGNALED(ended.status) ? WTERMSIG(ended.status) : 0;
  const bool by_itself = signal == 0 && !ended.limited && !ended.cancelled;
  const bool well = by_itself && status == 0;
  const double at_end = clock_of(CLOCK_REALTIME);
  for (const pid_t each : watchers) kill(-each, SIGTERM);
  write_node(record);
  const char* answer = "null";
  if (well && (wishes.answers || !wishes.check.empty())) {
    bool right = !wishes.answers || says(wishes.output, wishes.answer);
    if (right && !wishes.check.empty()) {
      const Ended checked = await(start({wishes.check}, wishes.output, before), 0, watched, -1);
      right = checked.status == 0;
    }
    answer = right ? "true" : "false";
  }
  Judged program;
  if (by_itself && !wishes.samples.empty()) {
    program = judged_together(wishes.samples);
    if (!program.failed.empty() || (well && !program.done))
      answer = "false";
    else if (well && program.checked)
      answer = "true";
  }
  std::string storage;  // a full disk takes an answer's place: the job did not say what it found
  if (by_itself && program.failed.empty() && (!well || std::strcmp(answer, "false") == 0))
    storage = storage_fault(folder);
  if (!storage.empty()) answer = "null";
  char text[512];
  std::snprintf(
      text, sizeof text,
      ", \"ended\": %.6f, \"status\": %d, \"signal\": %d, \"limited\": %s, \"cancelled\": %s, \"answer\": %s, "
      "\"user\": %.6f, \"system\": %.6f}",
      at_end, status, signal, ended.limited ? "true" : "false", ended.cancelled ? "true" : "false", answer,
      static_cast<double>(ended.used.ru_utime.tv_sec) + 1e-6 * static_cast<double>(ended.used.ru_utime.tv_usec),
      static_cast<double>(ended.used.ru_stime.tv_sec) + 1e-6 * static_cast<double>(ended.used.ru_stime.tv_usec));
  std::string line = event("end") + text;
  if (!program.failed.empty()) line.insert(line.size() - 1, ", \"check\": " + program.failed);
  if (!storage.empty()) line.insert(line.size() - 1, ", \"storage\": \"" + storage + "\"");
  write_line(record, line);
  if (ftruncate(record, lseek(record, 0, SEEK_END)) != 0) std::perror("job_record");  // frees what was set aside
  if (!storage.empty()) return no_storage;
  return well || !program.failed.empty() ? 0 : status != 0 ? status : 1;
}
