// Personalities: whose algorithms the collective calls use, by length and number of ranks. The first row that fits is
// taken.
//
// "mpich-3", where a description has none: as MPICH 3 and 4.0 choose by default (Thakur, Rabenseifner, Gropp 2005, with
// the lengths of src/mpi/coll in MPICH 3.4: MPIR_CVAR_BCAST_SHORT_MSG_SIZE and its like), without regard to nodes.
// "mpich-1.2": as that release's sources make them, whatever the length (core/ranks/mpich_1_2.cpp).
//
// The variable ASSAY_MPI_COLLECTIVES has other ways for some calls, as "alltoall=pairwise,barrier=doubling".
#include "mpi_library/collectives/choice.hpp"

#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mpi_library/transport/process.hpp"

namespace assay::abi {
namespace {

constexpr std::int64_t any_length = std::numeric_limits<std::int64_t>::max();
enum class Ranks : std::uint8_t { any, below_8, cube };
struct Row {
  Collective call;
  std::int64_t below;  // bytes
  Ranks ranks;
  Way way;
};
using enum Collective;

constexpr Row mpich_3[] = {
    {barrier, any_length, Ranks::any, Way::dissemination},
    {broadcast, 12288, Ranks::any, Way::binomial},
    {broadcast, any_length, Ranks::below_8, Way::binomial},
    {broadcast, 524288, Ranks::cube, Way::scattered_doubling},
    {broadcast, any_length, Ranks::any, Way::scattered_ring},
    {reduce, 2049, Ranks::any, Way::binomial},
    {reduce, any_length, Ranks::any, Way::rabenseifner},
    {allreduce, 2049, Ranks::any, Way::doubling},
    {allreduce, any_length, Ranks::any, Way::rabenseifner},
    {gather, any_length, Ranks::any, Way::binomial},
    {scatter, any_length, Ranks::any, Way::binomial},
    {allgather, 524288, Ranks::cube, Way::doubling},
    {allgather, 81920, Ranks::any, Way::bruck},
    {allgather, any_length, Ranks::any, Way::ring},
    {allgatherv, 524288, Ranks::cube, Way::doubling},
    {allgatherv, any_length, Ranks::any, Way::ring},
    {alltoall, 32769, Ranks::below_8, Way::linear},
    {alltoall, 257, Ranks::any, Way::bruck},
    {alltoall, 32769, Ranks::any, Way::linear},
    {alltoall, any_length, Ranks::any, Way::pairwise},
    {alltoallv, any_length, Ranks::any, Way::linear},
    {reduce_scatter, 524288, Ranks::cube, Way::halving},
    {reduce_scatter, any_length, Ranks::any, Way::pairwise},
    {scan, any_length, Ranks::any, Way::doubling},
};
constexpr Row mpich_1_2[] = {
    {barrier, any_length, Ranks::any, Way::doubling},      {broadcast, any_length, Ranks::any, Way::binomial},
    {reduce, any_length, Ranks::any, Way::binomial},       {allreduce, any_length, Ranks::any, Way::rooted},
    {gather, any_length, Ranks::any, Way::linear},         {scatter, any_length, Ranks::any, Way::linear},
    {allgather, any_length, Ranks::any, Way::ring},        {allgatherv, any_length, Ranks::any, Way::ring},
    {alltoall, any_length, Ranks::any, Way::linear},       {alltoallv, any_length, Ranks::any, Way::linear},
    {reduce_scatter, any_length, Ranks::any, Way::rooted}, {scan, any_length, Ranks::any, Way::linear},
};

constexpr std::array<std::string_view, 12> call_names = {"barrier",  "broadcast", "reduce",         "allreduce",
                                                         "gather",   "scatter",   "allgather",      "allgatherv",
                                                         "alltoall", "alltoallv", "reduce-scatter", "scan"};
constexpr std::array<std::string_view, 12> way_names = {
    "linear",   "binomial", "dissemination", "doubling",           "ring",           "bruck",
    "pairwise", "halving",  "rabenseifner",  "scattered-doubling", "scattered-ring", "rooted"};

template <std::size_t count>
std::optional<std::size_t> place_in(const std::array<std::string_view, count>& names, std::string_view name) {
  for (std::size_t i = 0; i < count; ++i)
    if (names[i] == name) return i;
  return std::nullopt;
}

// Ways of the caller's own, by call.
struct Asked {
  std::array<std::optional<Way>, call_names.size()> ways;
  Asked() {
    const char* const text = std::getenv("ASSAY_MPI_COLLECTIVES");
    for (std::string_view rest = text ? text : ""; !rest.empty();) {
      const std::string_view one = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), one.size() + 1));
      const std::size_t equals = one.find('=');
      const auto call = place_in(call_names, one.substr(0, equals));
      const auto way = equals == one.npos ? std::nullopt : place_in(way_names, one.substr(equals + 1));
      if (!call || !way)
        end_with("ASSAY_MPI_COLLECTIVES: no such algorithm; got %.*s, expected CALL=WAY", static_cast<int>(one.size()),
                 one.data());
      ways[*call] = static_cast<Way>(*way);
    }
  }
};

}  // namespace

Way way_of(Collective call, std::int64_t bytes, int ranks) {
  static const Asked wanted;
  static const bool old = std::string_view(process.header->personality) == "mpich-1.2";
  const bool cube = std::has_single_bit(static_cast<unsigned>(ranks));
  if (const auto way = wanted.ways[static_cast<std::size_t>(call)]) {
    const bool needs_cube = *way == Way::halving || *way == Way::scattered_doubling ||
                            (*way == Way::doubling && (call == allgather || call == allgatherv));
    if (cube || !needs_cube) return *way;
  }
  for (const Row& row : old ? std::span<const Row>(mpich_1_2) : std::span<const Row>(mpich_3)) {
    const bool fits = row.ranks == Ranks::any || (row.ranks == Ranks::cube ? cube : ranks < 8);
    if (row.call == call && bytes < row.below && fits) return row.way;
  }
  return Way::linear;
}

}  // namespace assay::abi
