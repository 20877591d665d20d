//go:build cgo && linux && (amd64 || arm64)

#include "code.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace reeve {

namespace {

constexpr uintptr_t kHuge = 2 << 20;
constexpr int kCollapse = 25;  // MADV_COLLAPSE, of which the headers at hand may not know

struct Mapping {
  uintptr_t start, end;
  int protection;
};

// Mappings returns those of the executable that are never written.
std::vector<Mapping> Mappings() {
  std::vector<Mapping> found;
  char self[4096];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  FILE* maps = fopen("/proc/self/maps", "re");
  if (n <= 0 || maps == nullptr) return found;
  self[n] = 0;
  char line[8192], rights[8], path[4096];
  while (fgets(line, sizeof line, maps) != nullptr) {
    unsigned long start, end;
    if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %4095[^\n]", &start, &end, rights, path) != 4) continue;
    if (strcmp(path, self) != 0 || rights[0] != 'r' || rights[1] != '-') continue;
    found.push_back({start, end, PROT_READ | (rights[2] == 'x' ? PROT_EXEC : 0)});
  }
  fclose(maps);
  return found;
}

// Used returns how many pages of a block this process has touched.
int Used(int pagemap, uintptr_t block, uintptr_t page) {
  constexpr uint64_t kPresent = 1ull << 63;
  std::vector<uint64_t> pages(kHuge / page);
  size_t size = pages.size() * sizeof pages[0];
  if (pread(pagemap, pages.data(), size, block / page * sizeof pages[0]) != static_cast<ssize_t>(size)) return 0;
  int used = 0;
  for (uint64_t entry : pages) used += (entry & kPresent) != 0;
  return used;
}

// Hold replaces some blocks by a copy of them in huge pages. The code that does
// this may be part of them: the bytes it returns to are the same.
bool Hold(uintptr_t start, size_t size, int protection) {
  char* room = static_cast<char*>(
      mmap(nullptr, size + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (room == MAP_FAILED) return false;
  uintptr_t copy = (reinterpret_cast<uintptr_t>(room) + kHuge - 1) & ~(kHuge - 1);
  void* at = reinterpret_cast<void*>(copy);
  memcpy(at, reinterpret_cast<void*>(start), size);
  bool held = madvise(at, size, kCollapse) == 0 && mprotect(at, size, protection) == 0 &&
              mremap(at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, start) != MAP_FAILED;
  uintptr_t before = copy - reinterpret_cast<uintptr_t>(room);
  if (before > 0) munmap(room, before);
  if (!held) munmap(at, size);
  munmap(reinterpret_cast<char*>(copy) + size, kHuge - before);
  return held;
}

}  // namespace

void HoldCode() {
  const uintptr_t page = sysconf(_SC_PAGESIZE);
  const int worthwhile = static_cast<int>(kHuge / page / 4);
  int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap < 0) return;
  prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
  for (const Mapping& m : Mappings()) {
    uintptr_t from = 0;  // of blocks in a row that are worthwhile
    for (uintptr_t block = (m.start + kHuge - 1) & ~(kHuge - 1);; block += kHuge) {
      bool inside = block + kHuge <= m.end;
      if (inside && Used(pagemap, block, page) >= worthwhile) {
        if (from == 0) from = block;
        continue;
      }
      if (from != 0 && !Hold(from, block - from, m.protection)) break;
      from = 0;
      if (!inside) break;
    }
  }
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  close(pagemap);
}

}  // namespace reeve
