#include "mpi_library/transport/tagged_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace assay::abi {
namespace {

void write_whole(int stream, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(stream, text.data(), text.size());
    if (written <= 0) return;  // nobody reads it any more
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// What came of one stream, behind its last whole line.
struct Stream {
  std::string tag, rest;
  bool open = true;

  void took(std::string_view text, int to) {
    rest.append(text);
    std::string lines;
    std::size_t begin = 0;
    for (std::size_t end; (end = rest.find('\n', begin)) != rest.npos; begin = end + 1)
      lines.append(tag).append(rest, begin, end + 1 - begin);
    rest.erase(0, begin);
    write_whole(to, lines);
  }
  void ended(int to) {
    open = false;
    if (!rest.empty()) took("\n", to);
  }
  // All that is there now.
  void read_from(int file, int to) {
    char text[65536];
    for (ssize_t got; open && (got = read(file, text, sizeof text)) >= 0;) {
      if (got == 0) return ended(to);
      took({text, static_cast<std::size_t>(got)}, to);
    }
  }
};

}  // namespace

bool TaggedOutput::before() {
  if (!wanted_) return true;
  if (read_.empty()) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  for (int& end : ends_) {
    int both[2];
    if (pipe2(both, O_CLOEXEC) != 0) return false;
    fcntl(both[0], F_SETFL, O_NONBLOCK);
    read_.push_back(both[0]);
    end = both[1];
  }
  return true;
}
void TaggedOutput::in_rank() {
  if (!wanted_) return;
  for (int stream = 0; stream < 2; ++stream) {
    dup2(ends_[stream], stream + 1);
    close(ends_[stream]);
  }
  for (const int each : read_) close(each);
}
void TaggedOutput::in_parent() {
  if (!wanted_) return;
  for (const int each : ends_) close(each);
}

void TaggedOutput::start() {
  int control[2];
  if (!wanted_ || pipe(control) != 0) return;
  const pid_t parent = getpid();
  writer_ = fork();
  if (writer_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    close(control[1]);
    write_lines(control[0]);
  }
  close(control[0]);
  control_ = control[1];
  for (const int each : read_) close(each);
}
void TaggedOutput::finish() const {
  if (control_ >= 0) close(control_);
  if (writer_ > 0) waitpid(writer_, nullptr, 0);
}

void TaggedOutput::write_lines(int ranks_are_over) const {
  std::vector<Stream> streams;
  std::vector<pollfd> polled;
  for (std::size_t i = 0; i < read_.size(); ++i) {
    streams.push_back({"[" + std::to_string(i / 2) + "] ", {}});
    polled.push_back({read_[i], POLLIN, 0});
  }
  polled.push_back({ranks_are_over, POLLIN, 0});
  for (bool over = false; !over;) {
    if (poll(polled.data(), polled.size(), -1) < 0) continue;
    over = polled.back().revents != 0;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (!streams[i].open || (!over && polled[i].revents == 0)) continue;
      const int to = 1 + static_cast<int>(i % 2);
      streams[i].read_from(read_[i], to);
      if (over && streams[i].open) streams[i].ended(to);
      if (!streams[i].open) polled[i].fd = -1;
    }
  }
  _exit(0);
}

}  // namespace assay::abi
