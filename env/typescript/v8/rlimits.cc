//go:build cgo && linux && (amd64 || arm64)

#include "rlimits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>

namespace reeve {

namespace {

int Set(__rlimit_resource resource, rlim_t soft, rlim_t hard) {
  rlimit now;
  if (getrlimit(resource, &now) != 0) return errno;
  rlimit next = {std::min(soft, now.rlim_max), std::min(hard, now.rlim_max)};
  return setrlimit(resource, &next) == 0 ? 0 : errno;
}

// DataBytes is what counts against RLIMIT_DATA now, and was inherited from the
// zygote for the greater part. It is read once, in the zygote: the child has no
// files.
size_t DataBytes() {
  int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[256];
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  if (n <= 0) return 0;
  text[n] = 0;
  size_t pages = 0;
  sscanf(text, "%*s %*s %*s %*s %*s %zu", &pages);
  return pages * sysconf(_SC_PAGESIZE);
}

size_t inherited_data = 0;

}  // namespace

void MeasureZygote() { inherited_data = DataBytes(); }

void LimitMemory(size_t heap) {
  constexpr size_t kBeside = 96 << 20;
  if (inherited_data == 0) return;
  rlim_t bytes = inherited_data + heap + kBeside;
  Set(RLIMIT_DATA, bytes, bytes);
}

void LimitCPU(uint64_t milliseconds) {
  itimerval timer = {};
  timer.it_value.tv_sec = milliseconds / 1000;
  timer.it_value.tv_usec = milliseconds % 1000 * 1000;
  setitimer(ITIMER_PROF, &timer, nullptr);
  rlim_t seconds = milliseconds / 1000 + 2;  // the timer's backstop
  Set(RLIMIT_CPU, seconds, seconds);
}

int ForbidCoreFiles() { return Set(RLIMIT_CORE, 0, 0); }

int LimitProcess() {
  constexpr rlim_t kStack = 8 << 20;
  int failed = 0;
  for (int e : {ForbidCoreFiles(), Set(RLIMIT_FSIZE, 0, 0), Set(RLIMIT_NOFILE, 16, 16),
                Set(RLIMIT_NPROC, 0, 0), Set(RLIMIT_MEMLOCK, 0, 0), Set(RLIMIT_MSGQUEUE, 0, 0),
                Set(RLIMIT_STACK, kStack, kStack)}) {
    if (e != 0) failed = e;
  }
  return failed;
}

}  // namespace reeve
