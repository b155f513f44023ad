// Random keys of [network], right ones and wrong ones, drawn from the records of all topologies and routings.
#pragma once
#include "network/registry.hpp"

namespace assay::network {

class Draw final : public RandomSource {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() override {  // SplitMix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }

 private:
  std::uint64_t state_;
};

inline Value value_for(const Parameter& parameter, Draw& draw) {
  const auto small = [&] { return static_cast<std::int64_t>(draw.below(7)) - (draw.below(20) == 0); };
  Value::List list;
  switch (parameter.kind) {
    case Kind::integer:
      return small();
    case Kind::number:
      return static_cast<double>(draw.below(40)) / 10;
    case Kind::flag:
      return draw.below(2) == 0;
    case Kind::text:
      if (parameter.accepted.empty() || draw.below(30) == 0) return "nonsense";
      return parameter.accepted[draw.below(static_cast<std::uint32_t>(parameter.accepted.size()))];
    case Kind::integers:
      for (auto left = draw.below(4); left > 0; --left) list.emplace_back(small());
      return list;
    case Kind::pairs:
      for (auto left = draw.below(5); left > 0; --left) list.emplace_back(Value::List{small(), small()});
      return list;
    case Kind::table:
      return Table{};
  }
  return {};
}

inline Table random_keys(Draw& draw) {
  Table keys;
  const auto& shapes = all_topologies();
  const auto& ways = all_routings();
  const auto& shape = *shapes[draw.below(static_cast<std::uint32_t>(shapes.size()))];
  const auto& way = draw.below(2) ? routing(shape.routing) : *ways[draw.below(static_cast<std::uint32_t>(ways.size()))];
  keys["topology"] = shape.name;
  keys["routing"] = way.name;
  for (const auto& parameter : shape.parameters)
    if (draw.below(4) || parameter.fallback.absent()) keys[parameter.name] = value_for(parameter, draw);
  if (keys.contains("file")) keys.erase("file");
  for (const auto& parameter : way.parameters)
    if (draw.below(2) == 0) keys[parameter.name] = value_for(parameter, draw);
  if (draw.below(3)) keys.erase("base");
  for (const auto& parameter : common_parameters())
    if (parameter.name.starts_with("failed") && draw.below(3) == 0) keys[parameter.name] = value_for(parameter, draw);
  if (draw.below(4) == 0) {
    Value::List at;
    for (auto left = draw.below(4); left > 0; --left) at.emplace_back(static_cast<int>(draw.below(12)));
    Table io{{"b", static_cast<int>(draw.below(3))}};
    if (draw.below(3)) io["nodes"] = at;
    keys["io"] = io;
  }
  return keys;
}

}  // namespace assay::network
