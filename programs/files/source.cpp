#include "files/source.hpp"

#include <cstdio>

namespace assay::files {
namespace {

constexpr double nearly_all = 0.95;  // counters of whole pages and sectors, of bytes that were asked for

Source plain(Below below) {
  if (below == Below::device) return Source::device;
  if (below == Below::memory) return Source::cache;
  return below == Below::remote ? Source::remote : Source::unknown;
}

bool covers(std::int64_t counted, std::int64_t bytes) {
  return static_cast<double>(counted) >= nearly_all * static_cast<double>(bytes);
}

std::string of(std::int64_t part, std::int64_t whole) {
  return std::to_string(part) + " of " + std::to_string(whole) + " bytes";
}

}  // namespace

Sources sources_of_reads(const Evidence& evidence) {
  const auto bytes = [&](Found found) { return evidence.bytes[static_cast<std::size_t>(found)]; };
  const Source below = plain(evidence.below);
  Sources sources;
  const auto set = [&](Found found, Source rate, Source latency) {
    sources.rate[static_cast<std::size_t>(found)] = rate;
    sources.latency[static_cast<std::size_t>(found)] = latency;
  };
  set(Found::held, Source::cache, Source::cache);
  set(Found::part, Source::unknown, Source::unknown);
  set(Found::came, Source::unknown, Source::unknown);
  set(Found::nothing, below, below);
  if (below == Source::cache) {
    set(Found::part, Source::cache, Source::cache);
    set(Found::came, Source::cache, Source::cache);
  }
  if (below != Source::device) {
    if (below == Source::remote && bytes(Found::came) > 0) {
      sources.why = "what a file system of another host read ahead is not counted";
      if (evidence.counted.fetched > 0 && covers(evidence.counted.fetched, bytes(Found::nothing) + bytes(Found::came)))
        set(Found::came, Source::remote, Source::cache);
    }
    if (below == Source::unknown) sources.why = "what lies below the file system is not known";
    return sources;
  }
  const std::int64_t missing = bytes(Found::nothing) + bytes(Found::came) + bytes(Found::part);
  const Counters& counted = evidence.counted;
  if (missing == 0) return sources;
  // Bytes that were partly held need not all be fetched: they are left out of what must be.
  const std::int64_t needed = bytes(Found::nothing) + bytes(Found::came);
  const bool own = counted.fetched < 0 || covers(counted.fetched, needed);
  const bool moved = counted.device_read < 0 || covers(counted.device_read, needed);
  if (counted.fetched < 0 && counted.device_read < 0) {
    set(Found::nothing, Source::unknown, Source::unknown);
    sources.why = "neither the process's nor a device's bytes are counted here";
  } else if (!moved) {
    set(Found::nothing, Source::unknown, Source::unknown);
    sources.why = "the device read " + of(counted.device_read, needed) + ": the rest came from somewhere else";
  } else if (own) {
    set(Found::came, Source::device, Source::cache);  // our own read-ahead: the device's rate, but a copy's latency
    if (counted.fetched < 0) set(Found::came, Source::unknown, Source::unknown);
  } else if (!covers(counted.fetched, bytes(Found::nothing))) {
    set(Found::nothing, Source::unknown, Source::unknown);
    sources.why = "the kernel fetched " + of(counted.fetched, needed) + " for these reads: the rest came from a cache";
  } else {
    sources.why = "another process read " + of(needed - counted.fetched, needed) + " into the page cache meanwhile";
  }
  return sources;
}

Source no_faster_than_copies(Source label, double per_byte, double copy, std::int64_t in_flight, std::string& why) {
  if ((label != Source::device && label != Source::remote) || copy <= 0) return label;
  if (per_byte * static_cast<double>(in_flight) >= copy) return label;
  why = "the bytes came faster than they can be copied: not from the storage";
  return Source::unknown;
}

Source no_faster_than_link(Source label, double per_byte, const Link& link, std::string& why) {
  if ((label != Source::device && label != Source::remote) || link.rate <= 0) return label;
  if (per_byte * link.rate >= 1) return label;
  char text[96];
  std::snprintf(text, sizeof text, "%.4g MB/s are more than the %.4g MB/s of the ", 1e-6 / per_byte, 1e-6 * link.rate);
  why = text + link.words + ": not from the storage";
  return Source::unknown;
}

Source source_of_writes(const Evidence& evidence, std::string& why) {
  const Source below = plain(evidence.below);
  if (!evidence.synced && !evidence.direct && below != Source::cache) {
    why = "fsync does nothing there, for the overlay is mounted volatile: what was written may be in memory still";
    return Source::unknown;
  }
  if (below != Source::device) {
    if (below == Source::unknown) why = "what lies below the file system is not known";
    return below;
  }
  if (!evidence.unflushed.empty()) {
    why = evidence.unflushed;
    return Source::unknown;
  }
  if (evidence.counted.device_wrote < 0) {
    why = "no device's counters are visible here";
    return Source::unknown;
  }
  if (evidence.counted.sent >= 0 && !covers(evidence.counted.sent, evidence.written)) {
    why =
        "the kernel counts " + of(evidence.counted.sent, evidence.written) + " as written to a device by this process";
    return Source::unknown;
  }
  if (covers(evidence.counted.device_wrote, evidence.written)) return Source::device;
  why = "the device wrote " + of(evidence.counted.device_wrote, evidence.written) + " by the time fsync returned";
  return Source::unknown;
}

}  // namespace assay::files
