// Makes a folder of its own with files in it, says where, and does as it is asked; for tests/test_own_folder.py.
// own_folder FOLDER SUBFOLDER end|wait|throw|join
#include "files/own_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "files/room.hpp"

int main(int, char** argv) {
  const std::string how = argv[3];
  try {
    if (how == "join") {
      const assay::files::OwnFolder other = assay::files::OwnFolder::joined(argv[1], argv[2]);
      close(other.open("data", O_RDONLY));
      std::puts(other.path().c_str());
      return 0;
    }
    const assay::files::OwnFolder own(argv[1], argv[2]);
    for (const char* name : {"data", "more"}) {
      const int file = own.open(name, O_RDWR | O_CREAT | O_EXCL);
      if (write(file, "text", 4) != 4) return 1;
      close(file);
    }
    mkdirat(own.descriptor(), "below", 0700);
    for (int at = 0; at < 300; ++at)  // more than one getdents64(2) gives
      close(openat(own.descriptor(), ("below/" + std::to_string(at)).c_str(), O_WRONLY | O_CREAT, 0600));
    std::printf("%s %lld\n", own.path().c_str(),
                static_cast<long long>(assay::files::read_room(own.descriptor()).bytes));
    std::fflush(stdout);
    if (how == "wait")
      for (;;) pause();
    if (how == "throw") throw assay::timing::MeasurementFault("as asked");
    return 0;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "%s\n", fault.what());
    return 2;
  }
}
