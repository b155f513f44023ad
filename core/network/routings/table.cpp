// Any topology: ways that a person gives, hop by hop, as rows of a table: at which router a message for a node goes on
// to which router, on which lane; if wanted, by the node that it comes from, too. What the table leaves out between two
// nodes, and circles, are refused. Whether waiting can close a circle is worked out from the rows (Dally and Seitz
// 1987).
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "network/registry.hpp"

namespace assay::network::routings::table {
namespace {

constexpr std::uint32_t most_lanes = 64, most_nodes = 8192;
constexpr std::uintmax_t longest_file = 1 << 30;  // B
constexpr const char* columns = "router,destination,next, and if wanted lane, source";

struct Hop {
  std::uint32_t router, link, lane;
};

/// The rows by destination, or by source and destination, then by router.
struct Rows {
  bool by_source = false;
  std::uint32_t nodes = 0, lanes = 1;
  std::vector<std::size_t> begin;  // of each slot; one more at the end
  std::vector<Hop> hops;

  [[nodiscard]] std::size_t slot(std::uint32_t source, std::uint32_t destination) const {
    return by_source ? std::size_t{source} * nodes + destination : destination;
  }
  [[nodiscard]] const Hop* find(std::size_t slot, std::uint32_t router) const {
    const auto first = hops.begin() + static_cast<std::ptrdiff_t>(begin[slot]);
    const auto last = hops.begin() + static_cast<std::ptrdiff_t>(begin[slot + 1]);
    const auto at =
        std::lower_bound(first, last, router, [](const Hop& hop, std::uint32_t of) { return hop.router < of; });
    return at == last || at->router != router ? nullptr : &*at;
  }
};

class Reader {
 public:
  Reader(const Fabric& fabric, std::string place, const std::string& text)
      : fabric_(fabric), place_(std::move(place)), lines_(text) {}

  Rows read() {
    Rows rows;
    std::vector<std::string> names;
    if (!next(names)) fail("no line, accepted is a first line with " + std::string(columns));
    std::array<std::size_t, 5> column;
    column.fill(names.size());
    static constexpr std::array<const char*, 5> known{"router", "destination", "next", "lane", "source"};
    for (std::size_t index = 0; index < names.size(); ++index) {
      const auto found = std::find(known.begin(), known.end(), names[index]);
      if (found == known.end()) fail("column \"" + names[index] + "\", accepted are " + columns);
      auto& at = column[static_cast<std::size_t>(found - known.begin())];
      if (at != names.size()) fail("column \"" + names[index] + "\" for the second time");
      at = index;
    }
    for (const auto needed : {0, 1, 2})
      if (column[needed] == names.size()) fail("no column " + std::string(known[needed]) + ", accepted are " + columns);
    rows.nodes = fabric_.nodes;
    rows.by_source = column[4] != names.size();
    std::vector<std::pair<std::size_t, Hop>> found;
    std::vector<std::uint32_t> line_of;
    for (std::vector<std::string> fields; next(fields);) {
      if (fields.size() != names.size())
        fail(std::to_string(fields.size()) + " fields, the first line has " + std::to_string(names.size()));
      const auto field = [&](std::size_t which, std::uint32_t bound) {
        return number(fields[column[which]], known[which], bound - 1);
      };
      const auto router = field(0, fabric_.routers), destination = field(1, fabric_.nodes),
                 to = field(2, fabric_.routers);
      const auto lane = column[3] == names.size() ? 0 : field(3, most_lanes);
      const auto source = rows.by_source ? field(4, fabric_.nodes) : 0;
      const auto link = fabric_.between(router, to);
      if (link == none) fail("no link leads from router " + std::to_string(router) + " to " + std::to_string(to));
      rows.lanes = std::max(rows.lanes, lane + 1);
      found.emplace_back(rows.slot(source, destination), Hop{router, link, lane});
      line_of.push_back(line_);
    }
    sort_in(rows, found, line_of);
    return rows;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { fail_at(line_, message); }
  [[noreturn]] void fail_at(std::uint32_t line, const std::string& message) const {
    throw ParameterError("network.table", place_ + std::to_string(line) + ": " + message);
  }
  bool next(std::vector<std::string>& fields) {
    for (std::string line; std::getline(lines_, line);) {
      ++line_;
      line.erase(std::min(line.find('#'), line.size()));
      const auto blank = [](unsigned char letter) { return std::isspace(letter) != 0; };
      std::erase_if(line, blank);
      if (line.empty()) continue;
      fields.clear();
      std::istringstream parts(line);
      for (std::string part; std::getline(parts, part, ',');) fields.push_back(part);
      if (line.back() == ',') fields.emplace_back();
      return true;
    }
    return false;
  }
  [[nodiscard]] std::uint32_t number(const std::string& word, const char* name, std::uint32_t most) const {
    std::uint32_t value = 0;
    const auto* end = word.data() + word.size();
    const auto [at, error] = std::from_chars(word.data(), end, value);
    if (word.empty() || at != end || error != std::errc{} || value > most)
      fail(std::string(name) + " \"" + word + "\", accepted is an integer from 0 to " + std::to_string(most));
    return value;
  }
  void sort_in(Rows& rows, const std::vector<std::pair<std::size_t, Hop>>& found,
               const std::vector<std::uint32_t>& line_of) const {
    const std::size_t slots = rows.by_source ? std::size_t{rows.nodes} * rows.nodes : rows.nodes;
    std::vector<std::size_t> order(found.size());
    for (std::size_t index = 0; index < order.size(); ++index) order[index] = index;
    const auto key = [&](std::size_t index) { return std::pair{found[index].first, found[index].second.router}; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    for (std::size_t index = 1; index < order.size(); ++index)
      if (key(order[index - 1]) == key(order[index]))
        fail_at(line_of[order[index]], "the same router and way as line " + std::to_string(line_of[order[index - 1]]));
    rows.begin.assign(slots + 1, 0);
    for (const auto index : order) {
      ++rows.begin[found[index].first + 1];
      rows.hops.push_back(found[index].second);
    }
    for (std::size_t slot = 0; slot < slots; ++slot) rows.begin[slot + 1] += rows.begin[slot];
  }

  const Fabric& fabric_;
  std::string place_;
  std::istringstream lines_;
  std::uint32_t line_ = 0;
};

/// Walks every way: refuses what ends too early or goes in a circle; notes which lane of a link is held while which
/// other one is asked for.
class Walk {
 public:
  Walk(const Fabric& fabric, const Rows& rows)
      : fabric_(fabric), rows_(rows), seen_(fabric.routers, 0), after_(fabric.links.size() * rows.lanes) {
    for (std::uint32_t source = 0; source < fabric.nodes; ++source)
      for (std::uint32_t destination = 0; destination < fabric.nodes; ++destination)
        if (source != destination) walk(source, destination);
  }
  /// Kahn: whether what waits for something else can be taken away until nothing is left.
  [[nodiscard]] bool free_of_deadlock() const {
    std::vector<std::uint32_t> before(after_.size()), ready;
    for (const auto& others : after_)
      for (const auto other : others) ++before[other];
    for (std::uint32_t one = 0; one < before.size(); ++one)
      if (before[one] == 0) ready.push_back(one);
    std::size_t removed = 0;
    for (; !ready.empty(); ++removed) {
      const auto one = ready.back();
      ready.pop_back();
      for (const auto other : after_[one])
        if (--before[other] == 0) ready.push_back(other);
    }
    return removed == after_.size();
  }

 private:
  void walk(std::uint32_t source, std::uint32_t destination) {
    const auto slot = rows_.slot(source, destination);
    const auto last = fabric_.router_of(destination);
    const auto way = "node " + std::to_string(source) + " to node " + std::to_string(destination);
    ++walk_;
    std::uint32_t held = none;
    for (auto at = fabric_.entered_by(source); at != last;) {
      if (seen_[at] == walk_)
        throw ParameterError("network.table",
                             "leads from " + way + " in a circle, back to router " + std::to_string(at));
      seen_[at] = walk_;
      const auto* hop = rows_.find(slot, at);
      if (hop == nullptr)
        throw ParameterError("network.table",
                             "has no row for the way from " + way + " at router " + std::to_string(at));
      const auto wanted = hop->link * rows_.lanes + hop->lane;
      if (held != none)
        if (auto& others = after_[held]; std::find(others.begin(), others.end(), wanted) == others.end())
          others.push_back(wanted);
      held = wanted;
      at = fabric_.links[hop->link].to;
    }
  }

  const Fabric& fabric_;
  const Rows& rows_;
  std::vector<std::uint64_t> seen_;
  std::uint64_t walk_ = 0;
  std::vector<std::vector<std::uint32_t>> after_;  // by link and lane
};

class TableRouting final : public Routing {
 public:
  TableRouting(const Fabric& fabric, Rows rows)
      : Routing(fabric, {"table", false, Walk(fabric, rows).free_of_deadlock(), rows.lanes, Selection::first}),
        rows_(std::move(rows)) {}

 protected:
  void next(std::uint32_t router, std::uint32_t, unsigned, RouteState& state, Choices& out) const override {
    if (eject(router, state, out)) return;
    if (const auto* hop = rows_.find(rows_.slot(state.source, state.destination), router))
      out.add(hop->link, hop->lane);
  }

 private:
  Rows rows_;
};

std::unique_ptr<Routing> make(const Fabric& fabric, const Settings& settings) {
  const auto& text = settings.text("table");
  if (fabric.nodes > most_nodes)
    throw settings.wrong(
        "table", "serves up to " + std::to_string(most_nodes) + " nodes; there are " + std::to_string(fabric.nodes));
  if (text.find('\n') != std::string::npos)
    return std::make_unique<TableRouting>(fabric, Reader(fabric, "line ", text).read());
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(text, unknown) || std::filesystem::file_size(text, unknown) > longest_file)
    throw settings.wrong("table", text + " cannot be read");
  std::ifstream file(text);
  std::ostringstream held;
  if (!file || !(held << file.rdbuf() || file.peek() == std::ifstream::traits_type::eof()))
    throw settings.wrong("table", text + " cannot be read");
  return std::make_unique<TableRouting>(fabric, Reader(fabric, text + ":", held.str()).read());
}

}  // namespace

extern const RoutingRecord record;
const RoutingRecord record{
    "table",
    "any topology: the ways that a table gives, row by row; free of deadlock or not, as its rows are",
    {{"table",
      Kind::text,
      {},
      "",
      "a CSV file, or its lines themselves: at `router` a message for node `destination` goes on to router `next`; "
      "columns lane (0 by default) and source (the node that it comes from) if wanted"}},
    make};

}  // namespace assay::network::routings::table
