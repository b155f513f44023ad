// The room: a box whose faces are divided into patches of equal area, and what light passes between any two of them.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace assay::applications::slalom {

inline constexpr std::size_t bands = 3;  // red, green, blue
inline constexpr std::size_t faces = 6;  // two at right angles to each axis

// What the input file holds, in its order.
struct Scene {
  double edge[3];                  // lengths of the box
  double emission[faces][bands];   // of a unit of area
  double reflected[faces][bands];  // share of the light that arrives; more than 0, less than 1
};
Scene furnished();     // a room with lights in its ceiling and faces of several colours
Scene uniform_room();  // all faces equal: the radiosity is emission / (1 - reflected) everywhere

struct Patch {
  std::size_t face, axis;  // at right angles to this axis
  double place;            // on it
  double low[2], high[2];  // along the two axes that follow it
  double area() const { return (high[0] - low[0]) * (high[1] - low[1]); }
};

// As many patches as are asked for, at least one to a face, and nearly square.
std::vector<Patch> divided(const Scene& scene, std::size_t patches);

// Area of a times the form factor from a to b, the share of the light leaving a that reaches b: symmetric, in closed
// form (Ehlert and Smith 1993).
double coupling(const Scene& scene, const Patch& a, const Patch& b);

}  // namespace assay::applications::slalom
