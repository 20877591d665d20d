// What the Go side tells a zygote, by environment variables.

#pragma once

#include <stdint.h>
#include <sys/types.h>

namespace reeve {

// With kProbe programs get the function probe; with kProbeUnfiltered there are
// no system call filters either, so that what lies behind them can be tested.
enum Probe { kNoProbe, kProbe, kProbeUnfiltered };

struct Settings {
  int control;        // REEVE_V8_ZYGOTE: the control socket; prelude is at the next descriptor
  bool jitless;       // REEVE_V8_JITLESS
  bool user_namespace;  // REEVE_V8_USERNS: it was started in a user namespace of its own
  int probe;          // REEVE_V8_PROBE: for tests of the confinement; see Probe
  uid_t uid;          // REEVE_V8_UID: who to become when started as root
  gid_t gid;          // REEVE_V8_GID
  uint64_t max_heap;  // REEVE_V8_MAX_HEAP: what a script may ask for at most, bytes
};

}  // namespace reeve
