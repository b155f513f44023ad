// Topologies and routings for Python: what core/network/bind.cpp puts into the module.
#pragma once
#include <nanobind/nanobind.h>

void bind_topologies(nanobind::module_& module);
