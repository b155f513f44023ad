// The start of a launch: the line that says who measures, where and with what; and the leash that ends a program whose
// parent is gone.
#pragma once

#include "timing/clock.hpp"
#include "timing/host_facts.hpp"
#include "timing/output.hpp"

#ifndef ASSAY_FLAGS  // the build passes the flags it used, as a string
#define ASSAY_FLAGS "unknown"
#endif

namespace assay::timing {

// With ASSAY_PROCESS_TREE in the environment this process is killed when its parent ends.
void hold_leash();

struct Placement {
  std::int64_t rank = 0;
  std::string host;
  std::int64_t pid = 0;
  std::vector<std::int64_t> cpus;  // those allowed
  std::int64_t cpu = 0;            // the one we run on now
  Span span;                       // of those allowed

  Json json() const;
};

Placement here(std::int64_t rank);

// NAME:TOKEN with the name that the launcher has for this node, NAME-NODE:TOKEN; as it is where it has none.
std::string of_node(const std::string& subfolder);

std::string compiler_name();

// The version of the lines that programs write (src/assay/versions.py), which each launch states.
inline constexpr std::int64_t launch_version = 3;

// The launch event of the program of this name; `library` is the message-passing library, "" where there is none;
// `flags` are those of the program that asks, which may have more than this frame has; `hosts` are the facts of each
// host, JSON objects.
Json launch_event(std::string_view program, const Options& options, const std::vector<Placement>& placement,
                  const std::vector<std::string>& hosts, std::string_view transport, std::string_view library,
                  const ClockQuality& clock, std::string_view flags = ASSAY_FLAGS);

}  // namespace assay::timing
