// A way for tests to find out what a child may do: a function in the program's
// reach that attempts what the confinement forbids. It exists only in zygotes
// that are started with REEVE_V8_PROBE.

#pragma once

#include "v8.h"

namespace reeve {

// AddProbe gives a context the function probe(name): it attempts the thing
// and returns the errno, 0 if it could be done, -1 for an unknown name.
void AddProbe(v8::Local<v8::Context> context);

}  // namespace reeve
