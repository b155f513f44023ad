#include "applications/account.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "timing/processor_time.hpp"

namespace assay::applications {

void Account::sent(std::size_t bytes) {
  const auto place = std::min<std::size_t>(most_lengths - 1, static_cast<std::size_t>(std::bit_width(bytes)));
  lengths[place].calls += 1;
  lengths[place].amount += static_cast<double>(bytes);
}

int Account::computed(std::string_view kernel, double amount, double took) {
  const std::size_t length = std::min(kernel.size(), Kernel{}.name.size() - 1);
  for (Kernel& each : kernels) {
    if (each.calls == 0) std::copy_n(kernel.data(), length, each.name.data());
    if (std::string_view(each.name.data()) != kernel.substr(0, length)) continue;
    each.seconds += took;
    each.calls += 1;
    each.amount += amount;
    return static_cast<int>(&each - kernels.data());
  }
  return -1;
}

void Ledger::note(const Span& span) {
  if (spans.size() < most_spans)
    spans.push_back(span);
  else
    ++passed;
}

void Ledger::begin(int ranks, std::size_t most) {
  account = {};
  spans.clear();
  spans.reserve(most);
  most_spans = most;
  passed = 0;
  waited.assign(static_cast<std::size_t>(ranks), 0);
  const timing::ProcessorTime spent = timing::processor_time();
  user_ = spent.user;
  system_ = spent.system;
  on = true;
}

void Ledger::end(double ended, bool real) {
  on = false;
  account.ended = ended;
  for (const Account::Spent& each : account.calls) account.seconds += each.seconds;
  if (real) {
    const timing::ProcessorTime spent = timing::processor_time();
    account.user = spent.user - user_;
    account.system = spent.system - system_;
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    account.memory = 1024 * static_cast<double>(used.ru_maxrss);
  }
  std::vector<int> order(waited.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const auto longer = [&](int a, int b) {
    return waited[static_cast<std::size_t>(a)] > waited[static_cast<std::size_t>(b)];
  };
  const std::size_t kept = std::min(order.size(), account.waits.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(), longer);
  for (std::size_t i = 0; i < kept; ++i) account.waits[i] = {order[i], waited[static_cast<std::size_t>(order[i])]};
  waited.clear();
}

namespace {

constexpr std::size_t shown_waits = 64;

std::string list(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ",") + timing::Json::write(value);
  return "[" + text + "]";
}
std::string three(const Account::Spent& spent) { return list({spent.seconds, spent.calls, spent.amount}); }

void add(Account::Spent& sum, const Account::Spent& each) {
  sum.seconds += each.seconds;
  sum.calls += each.calls;
  sum.amount += each.amount;
}

std::string waits_of(const std::vector<const Account*>& ranks) {
  struct Wait {
    std::size_t rank;
    Account::Waited on;
  };
  std::vector<Wait> all;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    for (const Account::Waited& each : ranks[rank]->waits)
      if (each.seconds > 0) all.push_back({rank, each});
  std::stable_sort(all.begin(), all.end(), [](const Wait& a, const Wait& b) { return a.on.seconds > b.on.seconds; });
  if (all.size() > shown_waits) all.resize(shown_waits);
  std::string text;
  for (const Wait& each : all)
    text += (text.empty() ? "" : ",") +
            list({static_cast<double>(each.rank), static_cast<double>(each.on.rank), each.on.seconds});
  return "[" + text + "]";
}

}  // namespace

timing::Json account_event(const timing::Json& label, const std::vector<const Account*>& ranks,
                           const std::vector<MessageTime>& messages, bool real) {
  double time = 0;
  std::vector<double> computing, communicating, ended, user, system, memory;
  Account sum{};
  for (const Account* const each : ranks) {
    time = std::max(time, each->ended);
    computing.push_back(each->ended - each->seconds);
    communicating.push_back(each->seconds);
    ended.push_back(each->ended);
    if (real) {
      user.push_back(each->user);
      system.push_back(each->system);
      memory.push_back(each->memory);
    }
    for (std::size_t i = 0; i < sum.calls.size(); ++i) add(sum.calls[i], each->calls[i]);
    for (std::size_t i = 0; i < sum.lengths.size(); ++i) add(sum.lengths[i], each->lengths[i]);
    for (const Account::Kernel& kernel : each->kernels) {
      if (kernel.calls == 0) continue;
      const auto same = std::find_if(sum.kernels.begin(), sum.kernels.end(), [&](const Account::Kernel& other) {
        return other.calls == 0 || other.name == kernel.name;
      });
      if (same == sum.kernels.end()) continue;
      same->name = kernel.name;
      add(*same, kernel);
    }
  }
  timing::Json calls, kernels;
  std::string lengths;
  for (std::size_t i = 0; i < sum.calls.size(); ++i)
    if (sum.calls[i].calls > 0) calls.raw(call_names[i], three(sum.calls[i]));
  for (std::size_t i = 0; i < sum.lengths.size(); ++i)
    if (sum.lengths[i].calls > 0)
      lengths += (lengths.empty() ? "" : ",") + list({i == 0 ? 0.0 : static_cast<double>(std::size_t{1} << (i - 1)),
                                                      sum.lengths[i].calls, sum.lengths[i].amount});
  for (const Account::Kernel& each : sum.kernels)
    if (each.calls > 0) kernels.raw(each.name.data(), three(each));
  std::string echoed;
  for (const MessageTime& each : messages)
    echoed += (echoed.empty() ? "" : ",") + list({static_cast<double>(each.bytes), each.seconds});
  timing::Json json;
  json.text("event", "account").object("case", label).integer("ranks", static_cast<std::int64_t>(ranks.size()));
  json.number("time", time).numbers("computing", computing).numbers("communicating", communicating);
  json.numbers("ended", ended).numbers("user", user).numbers("system", system).numbers("memory", memory);
  json.object("calls", calls).raw("lengths", "[" + lengths + "]").raw("waits", waits_of(ranks));
  return json.object("kernels", kernels).raw("messages", "[" + echoed + "]");
}

}  // namespace assay::applications
