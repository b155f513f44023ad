// A shared library that may be here or not, opened as the program runs: nothing of it is needed to compile.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

namespace assay::devices {

class Library {
 public:
  // The first of `names` that can be opened.
  Library(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (handle_ == nullptr) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (handle_ == nullptr) why_ = dlerror();
    }
  }
  bool here() const { return handle_ != nullptr; }
  const std::string& why() const { return why_; }  // what is wrong with it, where it is not here

  // Finds a function; one that is not there makes the library one that is not here, unless it is `optional`.
  template <class Function>
  void find(Function*& function, const char* name, bool optional = false) {
    function = handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle_, name));
    if (function != nullptr || handle_ == nullptr || optional) return;
    why_ = std::string("it has no function ") + name;
    handle_ = nullptr;  // never closed: drivers leave threads behind
  }

 private:
  void* handle_ = nullptr;
  std::string why_;
};

}  // namespace assay::devices
