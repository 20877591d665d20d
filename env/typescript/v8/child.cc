//go:build cgo && linux && (amd64 || arm64)

#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "filter.h"
#include "rlimits.h"

namespace reeve {

namespace {

constexpr int kChannel = 0;

// KeepOnly closes every descriptor but one, which becomes number 0: the others
// are the zygote's.
void KeepOnly(int fd) {
  constexpr int kMostWithoutRange = 1024;
  if (fd != kChannel && dup3(fd, kChannel, 0) != kChannel) _exit(kExitInternal);
  if (syscall(SYS_close_range, kChannel + 1, ~0u, 0) == 0) return;
  for (int i = kChannel + 1; i < kMostWithoutRange; i++) close(i);
}

void Unblock() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace

void RunChild(Runtime* runtime, const Birth& birth) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != birth.zygote) _exit(0);  // it died before that was asked for
  KeepOnly(birth.channel);
  Unblock();
  LimitProcess();
  if (birth.filtered && FilterChild(runtime->settings().jitless, getpid()) != 0) _exit(kExitInternal);
  Channel channel(kChannel);
  ReportLimits(&channel);
  if (birth.ahead) runtime->Prepare();
  Frame frame = channel.Next();
  Script script;
  if (frame.type != kTypeScript || !ReadScript(frame.payload, &script)) {
    FailInternal(&channel, "The first frame was no script.");
  }
  uint64_t most = runtime->settings().max_heap;
  if (script.heap == 0 || (most != 0 && script.heap > most)) script.heap = most;
  LimitProgram(runtime->isolate(), runtime->buffers(), script.heap, script.cpu_milliseconds);
  runtime->Run(script, &channel);
}

}  // namespace reeve
