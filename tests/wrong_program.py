"""A message-passing program of a person's own that goes wrong in ways no compiler sees: its parameter says which."""

WRONG = r"""
#pragma once
#include <unistd.h>
#include <csignal>
#include "ranks/sampling.hpp"
namespace assay::ranks {
struct Wrong {
  static constexpr std::string_view record = R"record(
name = "wrong"
[parameter.how]
type = "choice"
default = "stuck"
choices = ["stuck", "lost", "longer", "rank", "tag", "below", "killed", "stopped"]
)record";
  template <Communicator C>
  static Task run(C& comm, Session& session) {
    const std::string how = session.cases().front().at("how").text;
    char room[64] = {};
    if (comm.rank() == 1) {
      if (how == "lost") _exit(7);
      if (how == "killed") raise(SIGKILL);
      if (how == "stopped") raise(SIGSTOP);
      if (how == "longer") co_await comm.send(room, 64, 0, 5);
      if (how == "rank") co_await comm.send(room, 8, 9, 5);
      if (how == "below") co_await comm.send(room, 8, -1, 5);
      if (how == "tag") co_await comm.send(room, 8, 0, -5);
    }
    co_await comm.recv(room, 8, 1 - comm.rank(), 5);
  }
};
using Program = Wrong;
}  // namespace assay::ranks
"""


def started_as(how: str) -> list[str]:
    """The words behind the compiled program's file that make it go wrong in this way."""
    return ["--metrics", "time", "--choice", f"how={how}"]
