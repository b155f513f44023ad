// GOAL as text: num_ranks, then for each rank its operations in braces, one a line; // and /* */ are comments.
//
//   l1: send 8b to 1 tag 3        l2: recv 8b from 0        l3: calc 1500        l3 requires l2
#include <charconv>
#include <limits>
#include <unordered_map>

#include "goal/schedule.hpp"

namespace assay::goal {
namespace {

using Word = std::string_view;

class Text {
 public:
  explicit Text(std::string_view text) : rest_(text) {}
  Schedule read();

 private:
  bool next_line();
  void split(std::string_view line);
  void statement();
  void rank();
  void operation(std::size_t at, Word label);
  void dependency(std::size_t middle);
  void close_rank();
  Word word(std::size_t at, const char* wanted) const {
    if (at >= words_.size()) throw Fault(line_, "the line ends early", "", wanted);
    return words_[at];
  }
  void ends(std::size_t at, const char* wanted) const {
    if (at < words_.size()) throw Fault(line_, "not understood", std::string(words_[at]), wanted);
  }
  std::uint64_t number(Word text, const char* wanted, std::uint64_t most = 1ULL << 62) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty() || value > most)
      throw Fault(line_, "no number that is accepted here", std::string(text), wanted);
    return value;
  }
  std::uint32_t labelled(Word label) const {
    const auto found = labels_.find(label);
    if (found == labels_.end())
      throw Fault(line_, "no operation of this rank has that label above", std::string(label));
    return found->second;
  }

  std::string_view rest_;
  std::size_t line_ = 0;
  bool comment_ = false;
  std::vector<Word> words_;
  Schedule made_;
  int rank_ = -1;
  std::unordered_map<Word, std::uint32_t> labels_;
  std::vector<Lists::Pair> starts_, ends_;
};

bool Text::next_line() {
  if (rest_.empty()) return false;
  ++line_;
  const std::size_t end = rest_.find('\n');
  split(rest_.substr(0, end));
  rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
  return true;
}

void Text::split(std::string_view line) {
  words_.clear();
  std::size_t at = 0;
  const auto here = [&](const char* text) { return line.compare(at, 2, text) == 0; };
  while (at < line.size()) {
    if (comment_) {
      at = line.find("*/", at);
      if (at == std::string_view::npos) return;
      comment_ = false;
      at += 2;
      continue;
    }
    const char c = line[at];
    if (c == ' ' || c == '\t' || c == '\r') {
      ++at;
    } else if (c == '/' && here("//")) {
      return;
    } else if (c == '/' && here("/*")) {
      comment_ = true;
      at += 2;
    } else {
      std::size_t end = at + 1;
      const auto alone = [](char each) { return each == ':' || each == '{' || each == '}'; };
      const auto over = [&](char each) {
        return each == ' ' || each == '\t' || each == '\r' || each == '/' || alone(each);
      };
      if (!alone(c))
        while (end < line.size() && !over(line[end])) ++end;
      words_.push_back(line.substr(at, end - at));
      at = end;
    }
  }
}

Schedule Text::read() {
  while (next_line())
    if (!words_.empty()) statement();
  if (rank_ >= 0) throw Fault(line_, "the file ends inside rank " + std::to_string(rank_), "", "}");
  if (made_.ranks.empty()) throw Fault(std::max<std::size_t>(line_, 1), "no schedule: num_ranks is missing");
  for (std::size_t rank = 0; rank < made_.ranks.size(); ++rank)
    if (!made_.ranks[rank].given)
      throw Fault(line_, "the file ends without rank " + std::to_string(rank), "",
                  "each of the " + std::to_string(made_.ranks.size()) + " ranks, also those that do nothing");
  return std::move(made_);
}

void Text::statement() {
  const Word first = words_[0];
  if (rank_ < 0) {
    if (first == "num_ranks") {
      if (!made_.ranks.empty()) throw Fault(line_, "num_ranks is given twice");
      const auto count = number(word(1, "a number of ranks"), "1 to 4194304", most_ranks);
      if (count == 0) throw Fault(line_, "no number that is accepted here", "0", "1 to 4194304");
      ends(2, "the end of the line");
      made_.ranks.resize(count);
    } else if (first == "rank") {
      rank();
    } else {
      throw Fault(line_, "not understood", std::string(first), made_.ranks.empty() ? "num_ranks N" : "rank N {");
    }
    return;
  }
  if (first == "}") {
    ends(1, "the end of the line");
    close_rank();
  } else if (words_.size() > 1 && words_[1] == ":") {
    operation(2, first);
  } else if (words_.size() > 1 && (words_[1] == "requires" || words_[1] == "irequires")) {
    dependency(1);
  } else {
    operation(0, {});
  }
}

void Text::rank() {
  if (made_.ranks.empty()) throw Fault(line_, "num_ranks is missing above the first rank");
  const auto which = number(word(1, "a rank"), "a rank");
  check_peer(line_, which, made_.ranks.size());
  if (word(2, "{") != "{") throw Fault(line_, "not understood", std::string(words_[2]), "{");
  ends(3, "the end of the line");
  if (made_.ranks[which].given) throw Fault(line_, "the rank is given twice", std::to_string(which));
  rank_ = static_cast<int>(which);
}

void Text::close_rank() {
  made_.ranks[static_cast<std::size_t>(rank_)].close(starts_, ends_);
  rank_ = -1;
  labels_.clear();
  starts_.clear();
  ends_.clear();
}

void Text::operation(std::size_t at, Word label) {
  static constexpr const char* kinds = "send, recv, calc, LABEL requires LABEL, LABEL irequires LABEL or }";
  const Word kind = word(at, kinds);
  Op op;
  op.line = static_cast<std::uint32_t>(line_);
  Word size = word(at + 1, kind == "calc" ? "nanoseconds" : "bytes: 8b");
  at += 2;
  if (kind == "calc") {
    op.size = number(size, "nanoseconds, a whole number");
  } else if (kind == "send" || kind == "recv") {
    const bool sends = kind == "send";
    op.kind = sends ? Kind::send : Kind::recv;
    if (size.ends_with('b'))
      size.remove_suffix(1);
    else if (word(at++, "b after the bytes") != "b")
      throw Fault(line_, "not understood", std::string(words_[at - 1]), "b after the bytes");
    op.size = number(size, "a whole number of bytes: 8b");
    const char* const side = sends ? "to" : "from";
    if (word(at, side) != side) throw Fault(line_, "not understood", std::string(words_[at]), side);
    const Word peer = word(at + 1, "a rank");
    op.peer = -1;
    if (sends || peer != "-1") {
      const auto whom = number(peer, sends ? "a rank" : "a rank, or -1");
      check_peer(line_, whom, made_.ranks.size());
      op.peer = static_cast<int>(whom);
    }
    at += 2;
  } else {
    throw Fault(line_, "not understood", std::string(kind), kinds);
  }
  std::uint64_t cpu = 0, nic = 0;
  for (; at < words_.size(); at += 2) {
    const Word key = words_[at];
    const Word value = word(at + 1, "a number");
    if (key == "tag" && op.kind != Kind::calc)
      op.tag = op.kind == Kind::recv && value == "-1"
                   ? -1
                   : static_cast<int>(number(value, "0 to 2147483647", std::numeric_limits<int>::max()));
    else if (key == "cpu")
      cpu = number(value, "0");
    else if (key == "nic")
      nic = number(value, "0");
    else
      throw Fault(line_, "not understood", std::string(key), op.kind == Kind::calc ? "cpu" : "tag, cpu or nic");
  }
  check_place(line_, cpu, nic);
  auto& ops = made_.ranks[static_cast<std::size_t>(rank_)].ops;
  if (!label.empty() && !labels_.try_emplace(label, static_cast<std::uint32_t>(ops.size())).second)
    throw Fault(line_, "the label is given twice in this rank", std::string(label));
  ops.push_back(op);
}

void Text::dependency(std::size_t middle) {
  const std::uint32_t later = labelled(words_[0]), sooner = labelled(word(middle + 1, "a label"));
  ends(middle + 2, "the end of the line");
  (words_[middle] == "requires" ? ends_ : starts_).push_back({sooner, later});
}

}  // namespace

Schedule read_text(std::string_view text) { return Text(text).read(); }

}  // namespace assay::goal
