//go:build cgo && linux && (amd64 || arm64)

#include "memory.h"

#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

namespace reeve {

namespace {

// TakeHoles takes all free pieces of one size; those at the end of the heap are
// none.
void TakeHoles(size_t size, const char* end) {
  for (;;) {
    char* piece = static_cast<char*>(malloc(size));
    if (piece == nullptr || piece >= end) {
      free(piece);
      return;
    }
  }
}

}  // namespace

void CloseHoles() {
  constexpr size_t kLarge = 64 << 10, kSmall = 1 << 10, kStep = 16;
  malloc_trim(0);
  const char* end = static_cast<char*>(sbrk(0)) - mallinfo2().keepcost;
  for (size_t size = kLarge; size > kSmall; size -= size / 8) TakeHoles(size, end);
  for (size_t size = kSmall; size >= kStep; size -= kStep) TakeHoles(size - 8, end);
}

void ReturnUnused() {
  constexpr uintptr_t kReserve = 8 << 10, kReached = 256 << 10;
  malloc_trim(0);
  const uintptr_t page = sysconf(_SC_PAGESIZE);
  char here;
  uintptr_t end = (reinterpret_cast<uintptr_t>(&here) - kReserve) & ~(page - 1);
  // Where the stack has not been there is nothing, and nothing to be done.
  madvise(reinterpret_cast<void*>(end - kReached), kReached, MADV_DONTNEED);
}

}  // namespace reeve
