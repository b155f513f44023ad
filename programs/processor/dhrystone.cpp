// Dhrystone, a program of its own with the statement mix that Weicker published (CACM 27, 1984): a pass executes 100
// statements, of them 53 assignments, 32 control statements and 15 calls with 1.9 parameters on average (a loop counts
// once an iteration); operands are integers, characters, enumerations, strings of 30 letters, pointers, arrays of one
// and two dimensions and records; local, global, parameters and constants; no floating point.
//
// Marked A (assignment), C (control), P (call), with the times each is executed in a pass: "A2" is one assignment
// executed twice. Every procedure stays out of line, knows nothing of its arguments and leaves all memory unknown, as
// if each were compiled apart. Times compare with the original's only as far as the mix decides them.
#include <cstring>
#include <memory>

#include "timing/opaque.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "dhrystone"
title = "Dhrystone mix"
part = "processor"
kind = "node"
summary = "synthetic mix of integer and character assignments, conditionals, pointers, records, strings and calls"
cost = "one operation is a pass of 100 statements: 53 assignments, 32 control statements, 15 calls; no floating point"
check = "the final state of every variable against values derived by hand, the passes counted in memory"
source = "Weicker 1984 (the mix); Dunigan 1991, section 3.2, Table 4"
published = ["dhrystone"]
historical = true
slice_quick = 0.02

[metric.time]
unit = "s"
help = "time of one pass"

[figure.time]
metric = "time"
formula = "value * 50000"
unit = "s"
better = "lower"
headline = false
help = "50 000 passes, as in Table 4"

[figure.dhrystones]
metric = "time"
formula = "1 / value"
unit = "1/s"
better = "higher"
headline = false
help = "passes a second"

[figure.dmips]
metric = "time"
formula = "1 / value / 1757"
unit = "DMIPS"
better = "higher"
headline = false
help = "passes a second over the 1757 of a VAX 11/780"
)record";

namespace {

using namespace assay::timing;

enum class Kind : int { letter, small, medium, large, bulky };

struct Parcel {
  Parcel* next;
  Kind kind;
  int weight;
  char label[31];
};

struct Depot {
  Parcel* head;
  int total, letters;
  bool open;
  char bay;
  int shelf[50];
  int hall[50][50];
};

Depot depot;
Parcel parcels[2];
const char evening[31] = "A PARCEL OF THE EVENING, NO. 2";
const char morning[31] = "A PARCEL OF THE MORNING, NO. 1";

[[gnu::noinline]] void open_bay() {
  touched();
  depot.bay = 'A';         // A
  depot.open = false;      // A
  if (depot.bay == 'A') {  // C
    touched();
    depot.bay = 'B';  // A
  }
  touched();
}

[[gnu::noinline]] void close_bay() {
  touched();
  if (depot.total == 0) depot.open = false;      // C, not taken
  depot.open = depot.open | (depot.bay == 'B');  // A
  touched();
}

[[gnu::noinline]] bool same_label(const char* left, const char* right) {
  opaque(left);
  opaque(right);
  int at = 2;                     // A
  while (at < 4) {                // C2
    if (left[at] == right[at]) {  // C2
      at = at + 1;                // A2
    } else {
      return false;
    }
  }
  if (left[at] >= 'W' && left[at] < 'Z') at = 7;  // C, not taken
  const int order = std::strcmp(left, right);     // P
  depot.letters = at;                             // A
  touched();
  if (order > 0) return false;  // C, not taken: evening comes before morning
  return true;
}

[[gnu::noinline]] void stack(int* shelf, int (*hall)[50], int place, int value) {  // called twice
  opaque(shelf);
  opaque(hall);
  opaque(place);
  opaque(value);
  const int slot = place + 5;                       // A2
  shelf[slot] = value;                              // A2
  for (int at = slot; at <= slot + 1; ++at)         // C4
    hall[slot][at] = slot;                          // A4
  hall[slot][slot - 1] = hall[slot][slot - 1] + 1;  // A2
  touched();
}

[[gnu::noinline]] void add_offset(int amount, int* result) {  // called twice
  opaque(amount);
  opaque(result);
  const int sum = amount + 2;  // A2
  *result = *result + sum;     // A2
  touched();
}

[[gnu::noinline]] void settle(int* total, int step) {
  opaque(total);
  opaque(step);
  int work = *total + 10;    // A
  char letter = depot.bay;   // A
  do {                       // C
    if (letter == 'B') {     // C
      work = work - 1;       // A
      *total = work - step;  // A
      letter = 'A';          // A
    }
    opaque(letter);
  } while (letter != 'A');
  add_offset(work, total);  // P
}

[[gnu::noinline]] void relabel(Parcel* parcel) {
  opaque(parcel);
  char letter = parcel->label[0];                        // A
  if (letter == 'A') parcel->weight = letter - 'A' + 4;  // C, A
  touched();
}

[[gnu::noinline]] void copy_kind(Kind from, Kind* to) {
  opaque(from);
  opaque(to);
  *to = from;                                // A
  if (from == Kind::bulky) depot.total = 1;  // C, not taken
  switch (from) {                            // C
    case Kind::letter:
      *to = Kind::small;
      break;
    case Kind::medium:
      *to = Kind::large;  // A
      break;              // C
    case Kind::small:
    case Kind::large:
    case Kind::bulky:
      break;
  }
  touched();
}

[[gnu::noinline]] void dispatch(Parcel* parcel) {
  opaque(parcel);
  Parcel* next = parcel->next;    // A
  *next = *parcel;                // A, a record
  parcel->weight = 5;             // A
  next->weight = parcel->weight;  // A
  next->next = parcel->next;      // A
  touched();
  relabel(next);                     // P
  if (next->kind == Kind::medium) {  // C
    touched();
    copy_kind(parcel->kind, &next->kind);     // P
    next->weight = next->weight + 6;          // A
    add_offset(next->weight, &next->weight);  // P
    next->next = parcel;                      // A
  } else {
    *parcel = *next;
  }
  touched();
}

[[gnu::noinline]] Kind classify(char left, char right) {  // called twice
  opaque(left);
  opaque(right);
  char first = left;  // A2
  opaque(first);
  char second = first;                       // A2
  if (second == 'Z') depot.letters = 0;      // C2, not taken
  if (second == right) return Kind::letter;  // C2, not taken
  touched();
  return Kind::small;
}

[[gnu::noinline]] void dhrystone_pass() {
  char label[31];
  int total;
  int count = 0;             // A
  int limit = 2;             // A
  Kind kind = Kind::medium;  // A
  opaque(limit);
  opaque(kind);
  open_bay();  // P
  const char* source = evening;
  opaque(source);
  std::strcpy(label, source);                               // P
  const bool agree = same_label(label, depot.head->label);  // P
  if (agree) {                                              // C
    depot.open = true;                                      // A
  } else {
    depot.open = false;
  }
  while (count < limit) {                          // C2
    total = 5 * count + limit;                     // A2
    if (total < 0) break;                          // C2, not taken
    stack(depot.shelf, depot.hall, count, total);  // P2
    count = count + 1;                             // A2
  }
  settle(&total, count);                           // P
  dispatch(depot.head);                            // P
  for (char bay = 'A'; bay <= depot.bay; ++bay) {  // C2
    const Kind size = classify(bay, 'C');          // P2
    if (size == kind) kind = size;                 // C2, not taken
  }
  limit = total * count;  // A
  opaque(limit);
  count = limit / 7;            // A
  depot.total = limit - count;  // A
  close_bay();                  // P
#ifdef ASSAY_BREAK
  depot.shelf[5] += 1;
#endif
}

void begin() {
  depot = {};
  depot.head = &parcels[0];
  parcels[0] = {&parcels[1], Kind::medium, 40, {}};
  parcels[1] = {};
  std::memcpy(parcels[0].label, morning, sizeof morning);
}

// What `passes` passes leave, worked out by hand. total: 5*1 + 2 = 7; settle: work 7 + 10 - 1 = 16, total 16 - 2 = 14,
// add_offset 14 + 18 = 32; then 32 * 2 = 64, 64/7 = 9, 64 - 9 = 55. The next parcel's weight: 4 from its label, 10
// after 6 more, 22 after add_offset (10 + 12).
std::string differences(std::int64_t passes) {
  std::string wrong;
  const auto expect = [&](const char* what, std::int64_t seen, std::int64_t expected) {
    if (seen != expected)
      wrong += std::string(wrong.empty() ? "" : "; ") + what + " is " + std::to_string(seen) + ", not " +
               std::to_string(expected);
  };
  expect("total", depot.total, 55);
  expect("letters", depot.letters, 4);
  expect("open", depot.open, 1);
  expect("bay", depot.bay, 'B');
  expect("shelf[5]", depot.shelf[5], 2);
  expect("shelf[6]", depot.shelf[6], 7);
  const int counted = static_cast<int>(static_cast<unsigned>(passes));
  std::int64_t sum = 0;
  for (const auto& row : depot.hall)
    for (const int each : row) sum += each;
  expect("hall[5][4], the passes", depot.hall[5][4], counted);
  expect("hall[6][5], the passes", depot.hall[6][5], counted);
  expect("the hall's sum", sum, 22 + 2 * std::int64_t{counted});
  expect("head's weight", parcels[0].weight, 5);
  expect("head's kind", static_cast<int>(parcels[0].kind), static_cast<int>(Kind::medium));
  expect("next's weight", parcels[1].weight, 22);
  expect("next's kind", static_cast<int>(parcels[1].kind), static_cast<int>(Kind::large));
  expect("next's label", std::string_view(parcels[1].label) == std::string_view(morning), 1);
  expect("links", parcels[0].next == &parcels[1] && parcels[1].next == &parcels[0], 1);
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [](Case& at) {
    begin();
    auto passes = std::make_shared<std::int64_t>(0);
    at.measure("time", [passes](std::int64_t more) {
      for (std::int64_t left = more; left > 0; --left) dhrystone_pass();
      *passes += more;
    });
    at.check([passes] {
      const std::string wrong = differences(*passes);
      return Check{wrong.empty(),
                   wrong.empty() ? "every variable as derived, after " + std::to_string(*passes) + " passes" : wrong};
    });
  });
}
