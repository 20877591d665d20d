// The executable's pages, shared by fork.

#pragma once

namespace reeve {

// HoldCode is called in the zygote before it forks: it puts the parts of the
// executable that were used into huge pages of its own. A child inherits those
// at fork; pages of a file it would have to fault in one after the other, about a
// hundred times for a short program. Where the kernel has no huge page to give, all
// stays as it is.
void HoldCode();

}  // namespace reeve
