// Compiled at -Og: nothing in this file is timed.
#include "timing/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "timing/seal.hpp"

namespace assay::timing {

Json& Json::number(std::string_view key, double value) { return raw(key, write(value)); }
Json& Json::integer(std::string_view key, std::int64_t value) { return raw(key, std::to_string(value)); }
Json& Json::text(std::string_view key, std::string_view value) { return raw(key, quote(value)); }
Json& Json::truth(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
Json& Json::null(std::string_view key) { return raw(key, "null"); }
Json& Json::object(std::string_view key, const Json& value) { return raw(key, value.str()); }
Json& Json::numbers(std::string_view key, const std::vector<double>& values) {
  std::vector<std::string> items;
  for (const double value : values) items.push_back(write(value));
  return list(key, items);
}
Json& Json::list(std::string_view key, const std::vector<std::string>& items) {
  std::string all = "[";
  for (const std::string& item : items) {
    if (all.size() > 1) all += ',';
    all += item;
  }
  all += ']';
  return raw(key, all);
}
Json& Json::raw(std::string_view key, std::string_view json) {
  if (!body_.empty()) body_ += ',';
  body_ += quote(key);
  body_ += ':';
  body_ += json;
  return *this;
}
std::string Json::str() const {
  std::string text = "{";
  text += body_;
  return text += '}';
}

std::string Json::write(double value) {
  if (!std::isfinite(value)) throw MeasurementFault("a value is not finite, which no sample may be");
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}
std::string Json::quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') {
      quoted += {'\\', letter};
    } else if (static_cast<unsigned char>(letter) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(letter));
      quoted += escape;
    } else {
      quoted += letter;
    }
  }
  return quoted + "\"";
}

Json json_of(const CaseSettings& settings) {
  Json json;
  for (const auto& [name, setting] : settings.values) {
    if (setting.type == Type::integer) json.integer(name, setting.integer);
    if (setting.type == Type::real) json.number(name, setting.real);
    if (setting.type == Type::choice) json.text(name, setting.text);
  }
  return json;
}

Output::Output(const std::string& path) : file_(STDOUT_FILENO), path_(path.empty() ? "standard output" : path) {
  if (path.empty()) return;
  file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) throw MeasurementFault("cannot open " + path + " to append: " + std::strerror(errno));
}
Output::~Output() {
  if (file_ != STDOUT_FILENO) close(file_);
}

void Output::line(const Json& event) {
  const std::string text = sealed(Json(event).integer("seq", lines_++).str()) + "\n";
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = write(file_, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    // A short write to a file means that it is full; the rest, tried once more, gives the reason.
    if (wrote <= 0)
      throw MeasurementFault("cannot write to " + path_ + ": " + (wrote < 0 ? std::strerror(errno) : "no progress"));
    done += static_cast<std::size_t>(wrote);
  }
}
Json remark(Remark kind, std::string_view text, const Json* of) {
  static constexpr std::string_view names[] = {"note", "doubt", "skip", "cut"};
  Json event;
  event.text("event", names[static_cast<int>(kind)]).text("text", text);
  if (of != nullptr) event.object("case", *of);
  return event;
}

void Output::remark(Remark kind, std::string_view text, const Json* of) {
  const Json event = timing::remark(kind, text, of);
  const std::string written = event.str();
  if (std::find(noted_.begin(), noted_.end(), written) != noted_.end()) return;
  noted_.push_back(written);
  line(event);
}
void Output::check(const Json& settings, bool passed, std::string_view detail) {
  line(Json().text("event", "check").object("case", settings).truth("passed", passed).text("detail", detail));
}

}  // namespace assay::timing
