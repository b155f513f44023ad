// Error handlers, and the codes and strings of errors.
#pragma once

#include <string>

#include "mpi_library/objects/object.hpp"

namespace assay::abi {

enum class Handling : std::uint8_t { fatal, abort, returned, calls };

struct Errhandler : Object {
  static constexpr Kind kind_of = Kind::errhandler;
  explicit Errhandler(Handling does, void (*function)() = nullptr)
      : Object(kind_of), handling(does), function(function) {}
  Handling handling;
  void (*function)();  // the program's, of the type that its object's kind has
};
inline Errhandler& errhandler(MPI_Errhandler handle) { return object<Errhandler>(handle); }
Errhandler& errors_are_fatal();
MPI_Errhandler handle_of(Errhandler& handler);

int class_of(int code);
std::string text_of(int code);

}  // namespace assay::abi
