// What the other nodes of a job do: a process on each writes the node's counters to a file of its own in the job's
// folder, node-HOST.jsonl, as long as the job runs. The batch system starts them, by a command of its own.
#pragma once
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include "jobs/record_lines.hpp"

namespace assay::jobs {

constexpr double often = 0.25, rarely = 60;  // s between looks: the first, or such a part of how long it has looked
constexpr double silent = 10;  // s that the starter's record may stand still, and a tenth of how long it runs

/// How a process is started on each of a job's nodes. `words`: the command; {count} in it is the number of nodes, from
/// the environment's variable `count`; {host}, with which there is a command for each node, comes from the lines of the
/// file that the variable `hosts` names, their first words.
struct NodeCommand {
  std::vector<std::string> words;
  std::string hosts, count;
};

namespace nodes {

inline std::string variable(const std::string& name) {
  const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
  return value ? value : "";
}

inline std::vector<std::string> hosts_in(const std::string& path) {
  std::vector<std::string> found;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::string name = line.substr(0, line.find_first_of(" \t"));
    if (!name.empty() && std::find(found.begin(), found.end(), name) == found.end()) found.push_back(name);
  }
  return found;
}

inline pid_t started(std::vector<std::string> words, const std::string& log, const sigset_t& mask) {
  const pid_t child = fork();
  if (child != 0) return child;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  const int nothing = open("/dev/null", O_RDONLY);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (nothing < 0 || out < 0 || dup2(nothing, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) _exit(127);
  std::vector<char*> passed;
  for (std::string& word : words) passed.push_back(word.data());
  passed.push_back(nullptr);
  execvp(passed[0], passed.data());
  std::fprintf(stderr, "job_record: %s cannot be started: %s\n", passed[0], std::strerror(errno));
  _exit(127);
}

}  // namespace nodes

/// Starts them: `own`, this program, on all nodes; what they say goes to nodes.log in `folder`. Gives what is to be
/// ended with the job, each a process group; none where the job has one node.
inline std::vector<pid_t> watch_other_nodes(const NodeCommand& by, const std::string& own, const std::string& folder,
                                            const sigset_t& mask) {
  std::vector<pid_t> made;
  if (by.words.empty()) return made;
  const std::string count = nodes::variable(by.count);
  if (count == "1" || (!by.count.empty() && count.empty())) return made;
  const std::vector<std::string> hosts =
      by.hosts.empty() ? std::vector<std::string>{""} : nodes::hosts_in(nodes::variable(by.hosts));
  if (!by.hosts.empty() && hosts.size() < 2) return made;
  for (const std::string& node : hosts) {
    if (!node.empty() && node == host()) continue;
    std::vector<std::string> words;
    for (const std::string& word : by.words)
      words.push_back(word == "{host}" ? node : word == "{count}" ? count : word);
    words.insert(words.end(), {own, "--watch", folder, host()});
    if (const pid_t child = nodes::started(words, folder + "/nodes.log", mask); child > 0) made.push_back(child);
  }
  return made;
}

/// Whether the record has its end; it is read from its last lines.
inline bool has_ended(const std::string& record) {
  std::ifstream file(record, std::ios::ate);
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - 4096));
  for (std::string line; std::getline(file, line);)
    if (line.find("\"event\": \"end\"") != std::string::npos) return true;
  return false;
}

/// On one of the nodes: looks until the job has ended, this process is asked to end, or the job's record stands still,
/// as its starter was killed. Nothing where the node is the first, or is looked at already. Gives the exit status.
inline int watch_this_node(const std::string& folder, const std::string& first) {
  const std::string name = host(), record = folder + "/record.jsonl";
  if (name == first) return 0;
  const int file = open((folder + "/node-" + name + ".jsonl").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0644);
  if (file < 0 && errno == EEXIST) return 0;
  if (file < 0) return std::perror("job_record: --watch"), 1;
  sigset_t watched;
  sigemptyset(&watched);
  for (const int each : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&watched, each);
  sigprocmask(SIG_BLOCK, &watched, nullptr);
  const double began = clock_of(CLOCK_MONOTONIC);
  double moved = began;
  off_t size = -1;
  for (bool ending = false;;) {
    write_node(file);
    const double now = clock_of(CLOCK_MONOTONIC), elapsed = now - began;
    struct stat about{};
    if (stat(record.c_str(), &about) == 0 && about.st_size != size) {
      size = about.st_size;
      moved = now;
      if (has_ended(record)) return 0;
    }
    if (ending || now - moved > silent + elapsed / 10) return 0;
    const timespec wait = timespec_of(std::max(often, elapsed / rarely));
    ending = sigtimedwait(&watched, nullptr, &wait) > 0;
  }
}

}  // namespace assay::jobs
