//go:build cgo && linux && (amd64 || arm64)

#include "filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <initializer_list>
#include <vector>

namespace reeve {

namespace {

#if defined(__x86_64__)
constexpr uint32_t kArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArch = AUDIT_ARCH_AARCH64;
#endif

constexpr uint32_t kX32 = 0x40000000;  // x86-64 has a second table of calls there
constexpr uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

// Filter is a program for the kernel: one test after the other, the first that
// matches decides.
class Filter {
 public:
  Filter() {
    Load(offsetof(seccomp_data, arch));
    Jump(BPF_JEQ, kArch, 1, 0);
    Return(SECCOMP_RET_KILL_PROCESS);
    Load(offsetof(seccomp_data, nr));
    Jump(BPF_JGE, kX32, 0, 1);
    Return(kRefuse);
  }

  void Decide(uint32_t call, uint32_t verdict) {
    Jump(BPF_JEQ, call, 0, 1);
    Return(verdict);
  }

  void Allow(std::initializer_list<uint32_t> calls) {
    for (uint32_t call : calls) Decide(call, kAllow);
  }

  // AllowIf allows a call if the bits of one argument under the mask have this
  // value, and refuses it otherwise.
  void AllowIf(uint32_t call, int argument, uint32_t mask, uint32_t value) {
    Jump(BPF_JEQ, call, 0, 5);
    Load(offsetof(seccomp_data, args) + argument * sizeof(uint64_t));  // little endian: the low half
    code_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
    Jump(BPF_JEQ, value, 0, 1);
    Return(kAllow);
    Return(kRefuse);
  }

  int Install(uint32_t otherwise) {
    Return(otherwise);
    sock_fprog program = {static_cast<unsigned short>(code_.size()), code_.data()};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
  }

 private:
  void Load(size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)));
  }
  void Jump(int test, uint32_t value, uint8_t yes, uint8_t no) {
    code_.push_back(BPF_JUMP(static_cast<uint16_t>(BPF_JMP | test | BPF_K), value, yes, no));
  }
  void Return(uint32_t verdict) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, verdict)); }

  std::vector<sock_filter> code_;
};

// AllowRunning allows what any program of V8 does.
void AllowRunning(Filter* f, bool jitless) {
  f->Allow({SYS_read, SYS_write, SYS_writev, SYS_ppoll, SYS_futex, SYS_madvise, SYS_munmap,
            SYS_mremap, SYS_brk, SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday,
            SYS_getrandom, SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_sigaltstack,
            SYS_restart_syscall, SYS_getpid, SYS_gettid, SYS_getrusage, SYS_sched_yield,
            SYS_sched_getaffinity, SYS_sysinfo, SYS_exit, SYS_exit_group, SYS_setitimer});
  if (jitless) {
    for (uint32_t call : {SYS_mmap, SYS_mprotect, SYS_pkey_mprotect}) f->AllowIf(call, 2, PROT_EXEC, 0);
  } else {
    f->Allow({SYS_mprotect, SYS_pkey_mprotect});
    f->AllowIf(SYS_mmap, 3, MAP_ANONYMOUS, MAP_ANONYMOUS);
  }
}

}  // namespace

int FilterChild(bool jitless, pid_t self) {
  Filter f;
  AllowRunning(&f, jitless);
  f.AllowIf(SYS_prlimit64, 0, UINT32_MAX, 0);
  f.AllowIf(SYS_tgkill, 0, UINT32_MAX, self);  // abort
  return f.Install(kRefuse);
}

int FilterZygote(bool jitless) {
  constexpr uint32_t kFork = CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD;
  Filter f;
  AllowRunning(&f, jitless);
  f.Allow({SYS_seccomp, SYS_prctl, SYS_prlimit64, SYS_set_robust_list, SYS_getppid, SYS_wait4,
           SYS_pidfd_open, SYS_kill, SYS_tgkill, SYS_close, SYS_close_range, SYS_dup3, SYS_sendmsg,
           SYS_recvmsg});
  f.AllowIf(SYS_clone, 0, UINT32_MAX, kFork);
  return f.Install(kRefuse);
}

}  // namespace reeve
