// Asks parts of programs/files and the histogram what tests/test_file_parts.py compares with closed forms and twins.
#include <fcntl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "files/flush.hpp"
#include "files/order.hpp"
#include "files/pattern.hpp"
#include "files/source.hpp"
#include "timing/histogram.hpp"

using namespace assay;
using namespace assay::files;

namespace {

void order(std::int64_t blocks, std::uint64_t seed) {
  const BlockOrder random(blocks, true, seed), plain(blocks, false, seed);
  for (std::int64_t turn = 0; turn < blocks; ++turn)
    std::printf("%lld %lld\n", static_cast<long long>(random(turn)), static_cast<long long>(plain(turn)));
}

void histogram() {  // numbers from standard input, dealt to three histograms that are merged
  timing::Histogram several[3], whole;
  long long value = 0;
  for (int at = 0; std::scanf("%lld", &value) == 1; at = (at + 1) % 3) several[at].add(value);
  for (const timing::Histogram& each : several) whole.merge(each);
  std::printf("%lld %lld", static_cast<long long>(whole.count()), static_cast<long long>(whole.most()));
  for (const double q : {0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) std::printf(" %.17g", whole.quantile(q));
  std::printf("\n");
}

void pattern(std::int64_t bytes, std::int64_t offset) {
  const Pattern of(bytes);
  std::vector<char> block(static_cast<std::size_t>(bytes)), other(block);
  of.stamp(block.data(), offset, {1, 2, 3});
  const auto says = [&](std::int64_t at, const Origin& origin) {
    return of.right(block.data(), at, origin) ? '1' : '0';
  };
  std::printf("%c%c%c%c%c%c ", says(offset, {1, 2, 3}), says(offset + bytes, {1, 2, 3}), says(offset, {9, 2, 3}),
              says(offset, {1, 9, 3}), says(offset, {1, 2, 9}), says(offset, {1, 2, 3, 9}));
  int seen = 0;
  for (std::int64_t at = 0; at < bytes; ++at) {  // each byte once damaged
    block[static_cast<std::size_t>(at)] = static_cast<char>(block[static_cast<std::size_t>(at)] ^ 1);
    seen += !of.right(block.data(), offset, {1, 2, 3});
    block[static_cast<std::size_t>(at)] = static_cast<char>(block[static_cast<std::size_t>(at)] ^ 1);
  }
  std::printf("%d\n", seen);
}

// Blocks of a file one after the other, as they are written.
void content(std::int64_t bytes, std::int64_t blocks, const Origin& whose) {
  const Pattern of(bytes);
  std::vector<char> block(static_cast<std::size_t>(bytes));
  for (std::int64_t at = 0; at < blocks; ++at) {
    of.stamp(block.data(), at * bytes, whose);
    std::fwrite(block.data(), 1, block.size(), stdout);
  }
}

// below nothing held came part fetched device_read device_wrote written sent direct synced
void source(char** words) {
  Evidence evidence;
  evidence.below = static_cast<Below>(std::atoi(words[0]));
  for (std::size_t at = 0; at < 4; ++at) evidence.bytes[at] = std::atoll(words[1 + at]);
  evidence.counted.fetched = std::atoll(words[5]);
  evidence.counted.device_read = std::atoll(words[6]);
  evidence.counted.device_wrote = std::atoll(words[7]);
  evidence.written = std::atoll(words[8]);
  evidence.counted.sent = std::atoll(words[9]);
  evidence.direct = std::atoi(words[10]) != 0;
  evidence.synced = std::atoi(words[11]) != 0;
  evidence.unflushed = words[12];
  const Sources found = sources_of_reads(evidence);
  for (const auto& each : {found.rate, found.latency})
    for (const Source of : each) std::printf("%s ", source_names[static_cast<std::size_t>(of)]);
  std::string why;
  std::printf("%s\n", source_names[static_cast<std::size_t>(source_of_writes(evidence, why))]);
}

void link(const Link& link) { std::printf("%.9g %s\n", link.rate, link.words.c_str()); }

}  // namespace

int main(int count, char** words) {
  const std::string what = words[1];
  if (what == "order") order(std::atoll(words[2]), std::strtoull(words[3], nullptr, 10));
  if (what == "histogram") histogram();
  if (what == "pattern") pattern(std::atoll(words[2]), std::atoll(words[3]));
  if (what == "content" && count >= 8)
    content(std::atoll(words[2]), std::atoll(words[3]),
            {std::strtoull(words[4], nullptr, 10), std::strtoull(words[5], nullptr, 10),
             std::strtoull(words[6], nullptr, 10), of_launch(words[7])});
  if (what == "copies" && count >= 6) {
    std::string why;
    const Source may = no_faster_than_copies(static_cast<Source>(std::atoi(words[2])), std::atof(words[3]),
                                             std::atof(words[4]), std::atoll(words[5]), why);
    std::printf("%s %d\n", source_names[static_cast<std::size_t>(may)], !why.empty());
  }
  if (what == "link") link(link_of_device(words[2], words[3]));
  if (what == "network") link(link_of_network(words[2]));
  if (what == "below") {  // what lies under a folder by a fake /proc and /sys
    const int folder = open(words[2], O_RDONLY | O_DIRECTORY);
    const Storage found = storage_of(folder, words[2], words[3]);
    link(found.link);
    const char* names[] = {"device", "memory", "remote", "unknown"};
    std::printf("%s%s\n", names[static_cast<std::size_t>(found.below)], found.synced ? "" : " volatile");
    for (const std::string& each : found.counted) std::printf("%s ", each.c_str());
    std::printf("\n%s\n%s\n", found.words().c_str(), found.caveat.c_str());
    std::printf("%lld\n", static_cast<long long>(flushes(found, words[3])));
  }
  if (what == "behind" && count >= 5) {
    std::string why;
    const Link rated{std::atof(words[4]), "SATA link of 6.0 Gbps"};
    const Source may = no_faster_than_link(static_cast<Source>(std::atoi(words[2])), std::atof(words[3]), rated, why);
    std::printf("%s %s\n", source_names[static_cast<std::size_t>(may)], why.c_str());
  }
  if (what == "source" && count >= 15) source(words + 2);
}
