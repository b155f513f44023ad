// Whetstone's modules as one pass, which is compiled apart (whetstone_modules.cpp), and what they leave behind.
#pragma once

namespace assay::historical {

// Weights of modules 2, 3, 4, 6, 7, 8, 9, 11 (the publication's N), ten times as many as 100 000 instructions need.
struct Weights {
  int elements = 120, parameter = 140, jumps = 3450, integers = 2100, trigonometry = 320, calls = 8990,
      references = 6160, functions = 930;
};

struct Four {
  double e[4];
};

// What the modules leave behind.
struct Results {
  Four elements, parameter, integers, references;
  int jump = 0;
  int whole[3];
  double trigonometry[2];
  double calls[3];
  double functions = 0;
};

Results whetstones(const Weights& n);

}  // namespace assay::historical
