// JSON lines: each event is one line, written by one write(2) to a file opened with O_APPEND, so that lines of several
// processes never mix and a killed program leaves every finished line. Times are SI; NaN and infinities are refused.
// Each line has its place and a checksum (seal.hpp), computed as it is written, outside of what is measured.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "timing/options.hpp"

namespace assay::timing {

class Json {  // an object under construction; keys keep their order
 public:
  Json& number(std::string_view key, double value);
  Json& integer(std::string_view key, std::int64_t value);
  Json& text(std::string_view key, std::string_view value);
  Json& truth(std::string_view key, bool value);
  Json& null(std::string_view key);
  Json& object(std::string_view key, const Json& value);
  Json& numbers(std::string_view key, const std::vector<double>& values);
  Json& list(std::string_view key, const std::vector<std::string>& items);  // of JSON values
  Json& raw(std::string_view key, std::string_view json);
  std::string str() const;

  static std::string write(double value);  // as short as reads back the same
  static std::string quote(std::string_view text);

 private:
  std::string body_;
};

Json json_of(const CaseSettings& settings);

// What a program says beside its readings. A note is for people and decides nothing. A warning (event `doubt`) is of
// results that the program itself does not trust, a skip of cases that cannot be done here, a cut of readings for which
// there was no time. The same kinds are in src/assay/remarks.py.
enum class Remark { note, warning, skip, cut };
// The event; `of`: the case that it is about, or null.
Json remark(Remark kind, std::string_view text, const Json* of = nullptr);

class Output {
 public:
  explicit Output(const std::string& path);  // "" is standard output
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void line(const Json& event);
  // Written once for each case, however often it is called.
  void remark(Remark kind, std::string_view text, const Json* of = nullptr);
  void note(std::string_view text) { remark(Remark::note, text); }
  void check(const Json& settings, bool passed, std::string_view detail);

 private:
  int file_;
  std::string path_;
  std::vector<std::string> noted_;
  std::int64_t lines_ = 0;  // written so far
};

}  // namespace assay::timing
