//go:build cgo && linux && (amd64 || arm64)

#include "probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

namespace reeve {

namespace {

long Connect(long) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // The channel is a socket already; a connection of it must fail too.
  return connect(0, reinterpret_cast<sockaddr*>(&address), sizeof address);
}

long Fork(long) {
  long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) _exit(0);
  return pid;
}

long Execute(long) {
  char name[] = "/bin/true";
  char* arguments[] = {name, nullptr};
  char* environment[] = {nullptr};
  return execve(name, arguments, environment);
}

long ReadOther(long pid) {
  char here[8];
  iovec local = {here, sizeof here}, remote = {here, sizeof here};
  return process_vm_readv(pid, &local, 1, &remote, 1, 0);
}

long RaiseLimit(long) {
  rlimit limit;
  long failed = getrlimit(RLIMIT_DATA, &limit);
  if (failed != 0) return failed;
  limit.rlim_cur = limit.rlim_max = RLIM_INFINITY;
  return setrlimit(RLIMIT_DATA, &limit);
}

long StopTimer(long) {
  itimerval none = {};
  return setitimer(ITIMER_PROF, &none, nullptr);
}

long MapCode(long) {
  void* p = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? -1 : 0;
}

struct Attempt {
  const char* name;
  long (*run)(long other);  // other: a process that is not ours
};

const Attempt kAttempts[] = {
    {"open", [](long) { return static_cast<long>(open("/etc/passwd", O_RDONLY)); }},
    {"openat2", [](long) { return syscall(SYS_openat2, AT_FDCWD, "/", nullptr, 0); }},
    {"create", [](long) { return static_cast<long>(open("/tmp/reeve-probe", O_CREAT | O_WRONLY, 0600)); }},
    {"mkdir", [](long) { return static_cast<long>(mkdir("/tmp/reeve-probe-dir", 0700)); }},
    {"unlink", [](long) { return static_cast<long>(unlink("/tmp/reeve-probe")); }},
    {"stat", [](long) { struct stat s; return static_cast<long>(stat("/", &s)); }},
    {"readlink", [](long) { char b[64]; return static_cast<long>(readlink("/proc/self/exe", b, sizeof b)); }},
    {"chdir", [](long) { return static_cast<long>(chdir("/")); }},
    {"chroot", [](long) { return static_cast<long>(chroot("/")); }},
    {"memfd", [](long) { return syscall(SYS_memfd_create, "probe", 0); }},
    {"socket", [](long) { return static_cast<long>(socket(AF_INET, SOCK_STREAM, 0)); }},
    {"udp", [](long) { return static_cast<long>(socket(AF_INET, SOCK_DGRAM, 0)); }},
    {"unix", [](long) { return static_cast<long>(socket(AF_UNIX, SOCK_STREAM, 0)); }},
    {"socketpair", [](long) { int s[2]; return static_cast<long>(socketpair(AF_UNIX, SOCK_STREAM, 0, s)); }},
    {"connect", Connect},
    {"sendmsg", [](long) { msghdr m = {}; return static_cast<long>(sendmsg(0, &m, 0)); }},
    {"recvmsg", [](long) { msghdr m = {}; return static_cast<long>(recvmsg(0, &m, MSG_DONTWAIT)); }},
    {"fork", Fork},
    {"clone3", [](long) { return syscall(SYS_clone3, nullptr, 0); }},
    {"exec", Execute},
    {"kill", [](long other) { return static_cast<long>(kill(other, 0)); }},
    {"kill-all", [](long) { return static_cast<long>(kill(-1, 0)); }},
    {"tgkill", [](long other) { return syscall(SYS_tgkill, other, other, 0); }},
    {"pidfd", [](long other) { return syscall(SYS_pidfd_open, other, 0); }},
    {"ptrace", [](long other) { return ptrace(PTRACE_SEIZE, other, nullptr, nullptr); }},
    {"read-process", ReadOther},
    {"mount", [](long) { return static_cast<long>(mount("x", "/", "tmpfs", 0, nullptr)); }},
    {"unshare", [](long) { return static_cast<long>(unshare(CLONE_NEWUSER)); }},
    {"setns", [](long) { return static_cast<long>(setns(0, 0)); }},
    {"setuid", [](long) { return static_cast<long>(setresuid(0, 0, 0)); }},
    {"capset", [](long) { return syscall(SYS_capset, nullptr, nullptr); }},
    {"prctl", [](long) { return static_cast<long>(prctl(PR_SET_DUMPABLE, 1)); }},
    {"bpf", [](long) { return syscall(SYS_bpf, 0, nullptr, 0); }},
    {"io_uring", [](long) { return syscall(SYS_io_uring_setup, 1, nullptr); }},
    {"userfaultfd", [](long) { return syscall(SYS_userfaultfd, 0); }},
    {"perf", [](long) { return syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0); }},
    {"keyctl", [](long) { return syscall(SYS_keyctl, 0, 0, 0, 0, 0); }},
    {"reboot", [](long) { return syscall(SYS_reboot, 0, 0, 0, nullptr); }},
    {"raise-limit", RaiseLimit},
    {"stop-timer", StopTimer},
    {"seccomp", [](long) { return syscall(SYS_seccomp, 1, 0, nullptr); }},
    {"map-code", MapCode},
};

void Probe(const v8::FunctionCallbackInfo<v8::Value>& info) {
  v8::Isolate* isolate = info.GetIsolate();
  v8::String::Utf8Value name(isolate, info[0]);
  long other = info[1]->IntegerValue(isolate->GetCurrentContext()).FromMaybe(1);
  for (const Attempt& attempt : kAttempts) {
    if (strcmp(attempt.name, *name) != 0) continue;
    errno = 0;
    long returned = attempt.run(other);
    return info.GetReturnValue().Set(returned < 0 ? errno : 0);
  }
  info.GetReturnValue().Set(-1);
}

}  // namespace

void AddProbe(v8::Local<v8::Context> context) {
  v8::Isolate* isolate = v8::Isolate::GetCurrent();
  v8::Local<v8::Function> probe = v8::Function::New(context, Probe).ToLocalChecked();
  v8::Local<v8::String> name = v8::String::NewFromUtf8Literal(isolate, "probe");
  context->Global()->Set(context, name, probe).Check();
  v8::Local<v8::Array> names = v8::Array::New(isolate);
  uint32_t i = 0;
  for (const Attempt& attempt : kAttempts) {
    names->Set(context, i++, v8::String::NewFromUtf8(isolate, attempt.name).ToLocalChecked()).Check();
  }
  probe->Set(context, v8::String::NewFromUtf8Literal(isolate, "names"), names).Check();
}

}  // namespace reeve
