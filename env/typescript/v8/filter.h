// The system call filters (seccomp). What is not allowed fails with EPERM: V8
// takes a refusal for an answer, where a kill would end programs that only
// asked for the time zone.

#pragma once

#include <sys/types.h>

namespace reeve {

// FilterZygote leaves this process what it needs to fork children and to talk
// about them. It returns 0 or an errno, as all of these do.
int FilterZygote(bool jitless);

// FilterChild leaves this process memory, time, its descriptors and its end.
// Its own limits are within its reach, as they are set when the script is known:
// to lower them, or to do without the timer before the kernel's limit of CPU time
// that cannot be raised.
int FilterChild(bool jitless, pid_t self);

}  // namespace reeve
