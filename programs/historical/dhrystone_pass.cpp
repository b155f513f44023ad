// The statements of a pass of Dhrystone: the unit that build variants compile. Marked A (assignment), C (control), P
// (call), with the times each is executed in a pass: "A2" is one assignment executed twice. Every procedure stays out
// of line, knows nothing of its arguments and leaves all memory unknown, as if each were compiled apart.
#include "historical/dhrystone_pass.hpp"

#include <cstring>

#include "timing/opaque.hpp"

namespace assay::historical {

Depot depot;

namespace {

using namespace assay::timing;

const char evening[31] = "A PARCEL OF THE EVENING, NO. 2";

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

}  // namespace

void dhrystone_pass() {
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

}  // namespace assay::historical
