// A child of the zygote: the process that runs one program.

#pragma once

#include <sys/types.h>

#include "runtime.h"

namespace reeve {

// RunChild is what the zygote's fork does in the child: it confines itself
// further, waits for a script on its channel, runs it and ends. filtered says
// that the machine has seccomp; then the child does not go without.
[[noreturn]] void RunChild(Runtime* runtime, int channel, pid_t zygote, bool filtered);

}  // namespace reeve
