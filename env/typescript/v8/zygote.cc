//go:build cgo && linux && (amd64 || arm64)

#include "zygote.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <string>

#include "child.h"
#include "code.h"
#include "confine.h"
#include "memory.h"
#include "rlimits.h"
#include "v8.h"

namespace reeve {

namespace {

// Message is what the control socket carries, both ways; see control.go.
struct Message {
  int64_t op;
  int64_t id;      // of a fork, chosen by the parent
  int64_t pid;     // as the zygote sees it
  int64_t status;  // errno of a fork, 1 in the request for one ahead; wait status of an exit or a stop
  int64_t cpu;     // microseconds, of an exit
  int64_t rss;     // bytes, of an exit
};

constexpr int64_t kHello = 'H', kFork = 'F', kExit = 'X', kStop = 'T';

class Zygote {
 public:
  Zygote(const Settings& settings, Runtime* runtime)
      : control_(settings.control), runtime_(runtime), self_(getpid()) {}

  [[noreturn]] void Serve(bool filtered);
  void Hello(const std::string& text);
  void WatchChildren();
  [[noreturn]] void End();

 private:
  void Send(const Message& message, int fd, const std::string& text = "");
  bool Receive(Message* message, int* fd);
  void Fork(const Message& request, int channel);
  void Reap();
  void Report(pid_t pid, int status, const rusage& usage);

  int control_;
  Runtime* runtime_;
  pid_t self_;
  bool filtered_ = false;
  bool ending_ = false;
  int children_ended_ = -1;  // signalfd
  std::set<pid_t> children_;
};

// Send sends one message, with a descriptor if fd is not negative.
void Zygote::Send(const Message& message, int fd, const std::string& text) {
  iovec parts[2] = {{const_cast<Message*>(&message), sizeof message},
                    {const_cast<char*>(text.data()), text.size()}};
  alignas(cmsghdr) char rights[CMSG_SPACE(sizeof fd)] = {};
  msghdr packet = {};
  packet.msg_iov = parts;
  packet.msg_iovlen = 2;
  if (fd >= 0) {
    packet.msg_control = rights;
    packet.msg_controllen = sizeof rights;
    cmsghdr* header = CMSG_FIRSTHDR(&packet);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  while (sendmsg(control_, &packet, MSG_NOSIGNAL) < 0) {
    if (errno == EINTR) continue;
    if (!ending_) End();
    return;
  }
}

// Receive reads a request and the descriptor that came with it; false at the end.
bool Zygote::Receive(Message* message, int* fd) {
  iovec part = {message, sizeof *message};
  alignas(cmsghdr) char rights[CMSG_SPACE(sizeof *fd)];
  msghdr packet = {};
  packet.msg_iov = &part;
  packet.msg_iovlen = 1;
  packet.msg_control = rights;
  packet.msg_controllen = sizeof rights;
  ssize_t n;
  do {
    n = recvmsg(control_, &packet, MSG_CMSG_CLOEXEC);
  } while (n < 0 && errno == EINTR);
  if (n != sizeof *message) return false;
  cmsghdr* header = CMSG_FIRSTHDR(&packet);
  *fd = -1;
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) memcpy(fd, CMSG_DATA(header), sizeof *fd);
  return *fd >= 0;
}

void Zygote::Hello(const std::string& text) { Send({kHello, 0, self_, 0, 0, 0}, -1, text); }

// WatchChildren turns SIGCHLD into something to poll for.
void Zygote::WatchChildren() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  children_ended_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  signal(SIGPIPE, SIG_IGN);
}

void Zygote::Fork(const Message& request, int channel) {
  pid_t pid = fork();
  if (pid == 0) RunChild(runtime_, {channel, self_, filtered_, request.status != 0});
  int failed = pid < 0 ? errno : 0;
  close(channel);
  int pidfd = -1;
  if (pid > 0) {
    children_.insert(pid);
    pidfd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
    if (pidfd < 0) {
      failed = errno;
      kill(pid, SIGKILL);
    }
  }
  Send({kFork, request.id, pid, failed, 0, 0}, pidfd);
  if (pidfd >= 0) close(pidfd);
}

void Zygote::Reap() {
  signalfd_siginfo info;
  while (read(children_ended_, &info, sizeof info) > 0) {
  }
  for (;;) {
    int status;
    rusage usage;
    pid_t pid = wait4(-1, &status, WNOHANG | WUNTRACED, &usage);
    if (pid <= 0) return;
    if (WIFSTOPPED(status)) {
      Send({kStop, 0, pid, status, 0, 0}, -1);
    } else {
      Report(pid, status, usage);
    }
  }
}

void Zygote::Report(pid_t pid, int status, const rusage& usage) {
  children_.erase(pid);
  int64_t cpu = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000ll + usage.ru_utime.tv_usec +
                usage.ru_stime.tv_usec;
  Send({kExit, 0, pid, status, cpu, usage.ru_maxrss * 1024ll}, -1);
}

// End leaves nothing behind. Who still listens hears how the children ended.
void Zygote::End() {
  ending_ = true;
  for (pid_t child : children_) kill(child, SIGKILL);
  for (;;) {
    int status;
    rusage usage;
    pid_t pid = wait4(-1, &status, 0, &usage);
    if (pid > 0) {
      Report(pid, status, usage);
    } else if (errno != EINTR) {
      _exit(0);
    }
  }
}

void Zygote::Serve(bool filtered) {
  filtered_ = filtered;
  for (;;) {
    pollfd events[2] = {{control_, POLLIN, 0}, {children_ended_, POLLIN, 0}};
    if (ppoll(events, 2, nullptr, nullptr) < 0) continue;
    if (events[1].revents != 0) Reap();
    if (events[0].revents == 0) continue;
    Message request;
    int channel;
    if (!Receive(&request, &channel)) End();
    Fork(request, channel);
  }
}

std::string ReadAll(int fd) {
  std::string text;
  char part[16 << 10];
  for (ssize_t n; (n = read(fd, part, sizeof part)) > 0;) text.append(part, n);
  close(fd);
  return text;
}

}  // namespace

void RunZygote(const Settings& settings) {
  prctl(PR_SET_NAME, "reeve-v8");
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);  // a child would copy two megabytes to change a byte
  std::string error;
  Runtime* runtime = Runtime::Start(settings, ReadAll(settings.control + 1), &error);
  Zygote zygote(settings, runtime);
  if (runtime == nullptr) {
    zygote.Hello("error " + error);
    zygote.End();
  }
  zygote.WatchChildren();
  HoldCode();
  CloseHoles();
  MeasureZygote();
  bool filtered = false;
  std::string text = std::string("version ") + v8::V8::GetVersion() + "\n";
  for (const Hold& hold : Confine(settings)) {
    text += std::string("hold ") + hold.name + " " + std::to_string(hold.error) + "\n";
    if (strcmp(hold.name, "seccomp") == 0) filtered = hold.error == 0;
  }
  zygote.Hello(text);
  zygote.Serve(filtered);
}

}  // namespace reeve
