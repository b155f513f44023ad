// What a pass of Dhrystone works on, and the pass itself, which is compiled apart (dhrystone_pass.cpp).
#pragma once

namespace assay::historical {

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

extern Depot depot;

void dhrystone_pass();

}  // namespace assay::historical
