// The heap of malloc, shared by fork.

#pragma once

namespace reeve {

// CloseHoles is called in the zygote before it forks: it takes all free memory
// between what is in use, so that children allocate at the end of the heap and
// not here and there, copying a page each time.
void CloseHoles();

// ReturnUnused gives free memory at the end of the heap back to the system, and
// what the stack once reached to.
void ReturnUnused();

}  // namespace reeve
