// Compiled at -Og: nothing in this file is timed.
#include "timing/case.hpp"

#include "timing/launch.hpp"

namespace assay::timing {

Case::Case(CaseSettings settings, const Options& options, Output& output)
    : settings_(std::move(settings)), options_(options), output_(output) {}
Case::~Case() = default;

std::string Case::subfolder() const { return of_node(options_.subfolder); }

void Case::measure(std::string metric, Work work, Traits traits) {
  measured_.push_back({std::move(metric), std::move(work), nullptr, std::move(traits), 0, std::nullopt, false});
}
void Case::observe(std::string metric, std::function<double()> value, bool once) {
  measured_.push_back({std::move(metric), nullptr, std::move(value), {}, 1, std::nullopt, once});
}
void Case::observe_too(std::string metric, std::optional<CaseSettings> settings, std::function<double()> value) {
  measured_.push_back({std::move(metric), nullptr, std::move(value), {}, 1, std::nullopt, false, std::move(settings)});
}
void Case::observe(std::string metric, std::string label, std::int64_t which, std::function<double()> value) {
  CaseSettings settings = settings_;
  settings.values.emplace_back(std::move(label), Setting{Type::integer, which, 0, std::to_string(which)});
  observe_too(std::move(metric), std::move(settings), std::move(value));
}
void Case::observe(std::string metric, std::string label, std::string which, std::function<double()> value) {
  CaseSettings settings = settings_;
  settings.values.emplace_back(std::move(label), Setting{Type::choice, 0, 0, std::move(which)});
  observe_too(std::move(metric), std::move(settings), std::move(value));
}
void Case::observe(std::string metric, const std::vector<std::pair<std::string, std::string>>& labels,
                   std::function<double()> value) {
  CaseSettings settings = settings_;
  for (const auto& [label, which] : labels) settings.values.emplace_back(label, Setting{Type::choice, 0, 0, which});
  observe_too(std::move(metric), std::move(settings), std::move(value));
}
void Case::observe_all(std::string metric, const std::vector<std::pair<std::string, std::string>>& labels,
                       std::function<std::vector<double>()> values) {
  observe(std::move(metric), labels, [] { return 0.0; });
  measured_.back().all = std::move(values);
}
void Case::also_observe(std::string metric, std::function<double()> value) {
  observe_too(std::move(metric), settings_, std::move(value));
}
void Case::write(const Json& line) { output_.line(line); }
void Case::also_label(std::string label, std::string which) {
  settings_.values.emplace_back(std::move(label), Setting{Type::choice, 0, 0, std::move(which)});
}
Json Case::label() const { return json_of(settings_); }
void Case::check(std::function<Check()> verify) { checks_.push_back(std::move(verify)); }
void Case::progress(std::int64_t done, std::int64_t of, std::string_view now) {
  output_.line(Json().text("event", "progress").integer("done", done).integer("of", of).text("now", now));
}
void Case::note(std::string_view text) { output_.note(text); }
void Case::note_skip(std::string_view text) { output_.remark(Remark::skip, text); }
void Case::warn(std::string_view text) {
  const Json of = label();
  output_.remark(Remark::warning, text, &of);
}
void Case::afterwards(std::function<std::string()> ask) { afterwards_.push_back(std::move(ask)); }
void Case::leave_out(std::string_view why, std::string_view parameter, std::string_view accepted) {
  const Json of = label();
  output_.remark(Remark::skip, why, &of);
  left_out_.push_back({std::string(why), "", ""});
  for (const auto& [name, setting] : settings_.values)  // several programs share what calls this: not all have it
    if (name == parameter) left_out_.back() = {std::string(why), name + "=" + setting.text, std::string(accepted)};
}

}  // namespace assay::timing
