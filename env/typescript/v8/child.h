// A child of the zygote: the process that runs one program.

#pragma once

#include <sys/types.h>

#include "runtime.h"

namespace reeve {

// Birth is what a child is told when it is forked.
struct Birth {
  int channel;
  pid_t zygote;
  bool filtered;  // the machine has seccomp; the child does not go without
  bool ahead;     // nobody waits yet
};

// RunChild is what the zygote's fork does in the child: it confines itself
// further, waits for a script on its channel, runs it and ends.
[[noreturn]] void RunChild(Runtime* runtime, const Birth& birth);

}  // namespace reeve
