// The limits that the kernel keeps for a process.

#pragma once

#include <stddef.h>
#include <stdint.h>

namespace reeve {

// MeasureZygote takes note of the memory that every child inherits. Called in
// the zygote, when it is ready to fork and can still read /proc.
void MeasureZygote();

// LimitProcess sets those limits of a child that no script chooses;
// ForbidCoreFiles sets the one of them that is the zygote's too. They return 0
// or an errno.
int LimitProcess();
int ForbidCoreFiles();

// LimitMemory bounds all private memory, whoever allocates it: the heap, the
// buffers, and what V8 needs beside them (young generation, code, compiling).
void LimitMemory(size_t heap);

// LimitCPU has SIGPROF sent when the CPU time is used up, and the process ended
// by the kernel soon after.
void LimitCPU(uint64_t milliseconds);

}  // namespace reeve
