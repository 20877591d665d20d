// The confinement of the zygote, which its children inherit.

#pragma once

#include <vector>

#include "settings.h"

namespace reeve {

// Hold is one thing that keeps a child from the machine, and why it does not
// where it could not be had.
struct Hold {
  const char* name;
  int error;  // 0: it holds
};

// Confine gives up every right it can and says what it could. Nothing here is
// required: what a machine does not offer is reported and left out.
std::vector<Hold> Confine(const Settings& settings);

}  // namespace reeve
