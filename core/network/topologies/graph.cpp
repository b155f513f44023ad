// Any graph, from a file or from the keys themselves.
//
// A file ending in .toml holds `links = [[from, to], [from, to, channels], ...]` and, if wanted, `nodes = [router,
// ...]` and `directed = true`; any other is an edge list: a line `from to` or `from to channels`, or `node router`; #
// begins a comment. Routers are numbered from 0. Without nodes there is one at each router.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "network/registry.hpp"

namespace assay::network::topologies::graph {
namespace {

constexpr std::uintmax_t longest_file = 1 << 30;  // B

struct Edge {
  std::int64_t from, to, channels, longer = 0;  // longer: ticks added to its head's and its body's
};
struct Description {
  std::vector<Edge> edges;
  std::vector<std::int64_t> nodes;
  bool directed = false;
};

// Reads one file; every complaint begins with file:line.
class Reader {
 public:
  Reader(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}

  Description edge_list() {
    Description out;
    std::istringstream lines(text_);
    for (std::string line; std::getline(lines, line); ++line_) {
      line.erase(std::min(line.find('#'), line.size()));
      std::istringstream words(line);
      std::vector<std::string> word;
      for (std::string one; words >> one;) word.push_back(one);
      if (word.empty()) continue;
      if (word[0] == "node" && word.size() == 2) {
        out.nodes.push_back(number(word[1], most_routers - 1));
      } else if (word.size() == 2 || word.size() == 3) {
        out.edges.push_back({number(word[0], most_routers - 1), number(word[1], most_routers - 1),
                             word.size() == 3 ? number(word[2], 65535) : 0});
        if (word.size() == 3 && out.edges.back().channels == 0) fail("0 channels, accepted is 1 to 65535");
      } else {
        fail("\"" + line + "\", accepted is: from to [channels], or: node router");
      }
    }
    return out;
  }

  Description toml() {
    Description out;
    std::set<std::string> seen;
    for (blank(); at_ < text_.size(); blank()) {
      std::string key;
      while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
        key += text_[at_++];
      blank();
      if (key != "links" && key != "nodes" && key != "directed")
        fail("key \"" + key + "\", accepted is links, nodes or directed");
      if (!seen.insert(key).second) fail("key \"" + key + "\" for the second time");
      expect('=');
      if (key == "directed") {
        const bool yes = text_.compare(at_, 4, "true") == 0;
        if (!yes && text_.compare(at_, 5, "false") != 0) fail("directed takes true or false");
        at_ += yes ? 4 : 5;
        out.directed = yes;
      } else if (key == "nodes") {
        out.nodes = list(most_routers - 1);
      } else {
        expect('[');
        while (!accept(']')) {
          const auto link = list(most_routers - 1);
          if (link.size() != 2 && link.size() != 3)
            fail("a link of " + std::to_string(link.size()) +
                 " numbers, accepted is [from, to] or [from, to, channels]");
          if (link.size() == 3 && (link[2] < 1 || link[2] > 65535))
            fail(std::to_string(link[2]) + " channels, accepted is 1 to 65535");
          out.edges.push_back({link[0], link[1], link.size() == 3 ? link[2] : 0});
          if (!accept(',')) {
            expect(']');
            break;
          }
        }
      }
    }
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw ParameterError("network.file", path_ + ":" + std::to_string(line_) + ": " + message);
  }
  [[nodiscard]] std::int64_t number(const std::string& word, std::int64_t most) const {
    std::int64_t value = 0;
    for (const char digit : word) {
      if (digit < '0' || digit > '9')
        fail("\"" + word + "\", accepted is an integer from 0 to " + std::to_string(most));
      value = value * 10 + (digit - '0');
      if (value > most) fail(word + ", accepted is an integer from 0 to " + std::to_string(most));
    }
    if (word.empty())
      fail(at_ < text_.size() ? std::string("'") + text_[at_] + "' where a number is expected" : "ends too early");
    return value;
  }
  void blank() {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '#')
        while (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
      else if (text_[at_] == '\n')
        ++line_;
      else if (!std::isspace(static_cast<unsigned char>(text_[at_])))
        return;
    }
  }
  bool accept(char wanted) {
    blank();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    blank();
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail(std::string("'") + wanted + "' is missing");
  }
  std::vector<std::int64_t> list(std::int64_t most) {
    std::vector<std::int64_t> out;
    expect('[');
    while (!accept(']')) {
      std::string word;
      while (at_ < text_.size() && !std::isspace(static_cast<unsigned char>(text_[at_])) &&
             std::string(",[]#=").find(text_[at_]) == std::string::npos)
        word += text_[at_++];
      out.push_back(number(word, most));
      if (!accept(',')) {
        expect(']');
        break;
      }
    }
    return out;
  }

  std::string path_, text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

Description read(const Settings& settings) {
  Description out;
  if (settings.has("file")) {
    const auto& path = settings.text("file");
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(path, unknown) || std::filesystem::file_size(path, unknown) > longest_file)
      throw settings.wrong("file", path + " cannot be read");
    std::ifstream file(path);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf() || file.peek() == std::ifstream::traits_type::eof()))
      throw settings.wrong("file", path + " cannot be read");
    Reader reader(path, text.str());
    out = path.ends_with(".toml") ? reader.toml() : reader.edge_list();
  } else if (settings.has("links")) {
    for (const auto& [from, to] : settings.pairs("links")) {
      if (from < 0 || to < 0 || from >= most_routers || to >= most_routers)
        throw settings.wrong("links", "has [" + std::to_string(from) + ", " + std::to_string(to) +
                                          "], accepted are routers from 0 to " + std::to_string(most_routers - 1));
      out.edges.push_back({from, to, 0});
    }
    const auto each = [&](const char* key, std::int64_t Edge::* of) {
      const auto values = settings.integers(key);
      if (values.empty()) return;
      if (values.size() != out.edges.size())
        throw settings.wrong(key, "has " + std::to_string(values.size()) + " numbers, accepted are as many as links, " +
                                      std::to_string(out.edges.size()));
      for (std::size_t index = 0; index < values.size(); ++index) out.edges[index].*of = values[index];
    };
    each("link_channels", &Edge::channels);
    each("link_delays", &Edge::longer);
  } else {
    throw settings.wrong("file", "must be given, or links");
  }
  if (settings.has("nodes")) out.nodes = settings.integers("nodes");
  out.directed = out.directed || settings.flag("directed");
  return out;
}

// Every node must reach every other; what failed links cut off later is a result, not a mistake.
void check_joined(const Fabric& fabric, const Settings& settings, const char* key) {
  for (const bool back : {false, true}) {  // from the first node's router, and with all links turned round to it
    std::vector<std::vector<std::uint32_t>> next(fabric.routers);
    for (const auto& link : fabric.links)
      if (link.kind == LinkKind::network) next[back ? link.to : link.from].push_back(back ? link.from : link.to);
    std::vector<bool> seen(fabric.routers);
    std::vector<std::uint32_t> open{fabric.router_of(0)};
    seen[open[0]] = true;
    while (!open.empty()) {
      const auto router = open.back();
      open.pop_back();
      for (const auto to : next[router])
        if (!seen[to]) seen[to] = true, open.push_back(to);
    }
    for (std::uint32_t node = 0; node < fabric.nodes; ++node) {
      const auto router = fabric.router_of(node);
      if (seen[router]) continue;
      const auto at = [&](std::uint32_t one) {
        return "node " + std::to_string(one) + " (router " + std::to_string(fabric.router_of(one)) + ")";
      };
      const bool bare = std::none_of(fabric.links.begin(), fabric.links.end(), [&](const Link& link) {
        return link.kind == LinkKind::network && (link.from == router || link.to == router);
      });
      throw settings.wrong(key, "leaves no way from " + at(back ? node : 0) + " to " + at(back ? 0 : node) +
                                    (bare ? "; no link joins router " + std::to_string(router) : ""));
    }
  }
}

Fabric build(const Settings& settings, const LinkClasses& classes) {
  const auto description = read(settings);
  std::int64_t routers = 0;
  for (const auto& edge : description.edges) routers = std::max({routers, edge.from + 1, edge.to + 1});
  for (const auto node : description.nodes) routers = std::max(routers, node + 1);
  const char* key = settings.has("file") ? "file" : "links";
  if (routers == 0) throw settings.wrong(key, "holds no router");
  FabricBuilder builder("graph", static_cast<std::uint32_t>(routers), classes.network, classes.injection,
                        classes.ejection);
  std::set<std::pair<std::int64_t, std::int64_t>> joined;
  for (const auto& edge : description.edges) {
    const auto name = std::to_string(edge.from) + " to " + std::to_string(edge.to);
    if (edge.from == edge.to) throw settings.wrong(key, "joins router " + std::to_string(edge.from) + " with itself");
    auto link = classes.network;
    if (edge.channels) link.channels = static_cast<std::uint16_t>(edge.channels);
    link.head += static_cast<std::uint32_t>(edge.longer);
    link.body += static_cast<std::uint32_t>(edge.longer);
    for (const bool back : {false, true}) {
      if (back && description.directed) break;
      const auto from = back ? edge.to : edge.from, to = back ? edge.from : edge.to;
      if (!joined.insert({from, to}).second)
        throw settings.wrong(key, "joins " + name + " twice; give the link more channels");
      builder.connect(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), 0, 0, link);
    }
  }
  if (description.nodes.empty()) {
    for (std::uint32_t router = 0; router < routers; ++router) builder.attach(router);
  } else {
    for (const auto router : description.nodes) builder.attach(static_cast<std::uint32_t>(router));
  }
  auto fabric = builder.finish(nullptr);
  check_joined(fabric, settings, key);
  return fabric;
}

}  // namespace

extern const TopologyRecord record;
const TopologyRecord record{
    "graph",
    "any graph, from an edge list, a TOML file or the keys themselves",
    "Routers as the file numbers them; nodes in the order of its list, or node i at router i.",
    {{"file",
      Kind::text,
      {},
      "",
      "edge list (from to [channels]; node router) or .toml (links, nodes, directed)",
      0,
      0,
      {},
      true},
     {"links", Kind::pairs, {}, "", "pairs of routers, instead of a file", 0, 0, {}, true},
     {"link_channels", Kind::integers, Value::List{}, "", "parallel channels of each of `links`; channels by default",
      1, 65535},
     {"link_delays", Kind::integers, Value::List{}, "ticks",
      "of each of `links`: how much longer than others it takes a head and a body flit, as a longer wire", 0, 1e9},
     {"nodes", Kind::integers, {}, "", "the router of each node; one at each router by default", 0, 4194303, {}, true},
     {"directed", Kind::flag, false, "", "links go one way only"}},
    "up-down",
    build};

}  // namespace assay::network::topologies::graph
