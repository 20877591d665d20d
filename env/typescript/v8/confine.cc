//go:build cgo && linux && (amd64 || arm64)

#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "filter.h"
#include "rlimits.h"

namespace reeve {

namespace {

int Result(long returned) { return returned < 0 ? errno : 0; }

bool WriteAt(int directory, const char* name, const char* text) {
  int fd = openat(directory, name, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool ok = write(fd, text, strlen(text)) == static_cast<ssize_t>(strlen(text));
  close(fd);
  return ok;
}

// EmptyRoot makes an empty file system that cannot be written the root, and
// lets go of the old one. It needs a mount namespace of our own.
int EmptyRoot() {
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return errno;
  int failed = ENOENT;
  for (const char* place : {"/tmp", "/var", "/usr", "/etc"}) {
    if (mount("empty", place, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY,
              "size=4k,nr_inodes=1,mode=0555") != 0) {
      failed = errno;
      continue;
    }
    if (chdir(place) != 0) return errno;
    if (syscall(SYS_pivot_root, ".", ".") != 0) return errno;
    if (umount2(".", MNT_DETACH) != 0) return errno;
    return Result(chdir("/"));
  }
  return failed;
}

int BecomeUser(uid_t uid, gid_t gid) {
  if (setgroups(0, nullptr) != 0) return errno;
  if (setresgid(gid, gid, gid) != 0) return errno;
  return Result(setresuid(uid, uid, uid));
}

// EnterUserNamespace makes a user namespace in which only this user exists. proc
// is /proc/self, opened while there was a /proc.
int EnterUserNamespace(int proc, uid_t uid, gid_t gid) {
  // The maps belong to root as long as this process counts as undumpable.
  if (prctl(PR_SET_DUMPABLE, 1) != 0) return errno;
  if (unshare(CLONE_NEWUSER) != 0) return errno;
  char line[64];
  if (!WriteAt(proc, "setgroups", "deny")) return errno;
  snprintf(line, sizeof line, "%u %u 1", uid, uid);
  if (!WriteAt(proc, "uid_map", line)) return errno;
  snprintf(line, sizeof line, "%u %u 1", gid, gid);
  if (!WriteAt(proc, "gid_map", line)) return errno;
  return 0;
}

// DropBounding sees to it that no capability can be gained again.
void DropBounding() {
  for (int c = 0; c < 64 && prctl(PR_CAPBSET_READ, c) >= 0; c++) prctl(PR_CAPBSET_DROP, c);
}

// DropCapabilities gives up those that are held.
int DropCapabilities() {
  DropBounding();
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                               SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED);
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  return Result(syscall(SYS_capset, &header, none));
}

// Landlock's interface, of which the headers at hand may know less.
struct Ruleset {
  uint64_t files, net, scoped;
};
constexpr long kCreateRuleset = 444, kRestrictSelf = 446;
constexpr unsigned kRulesetVersion = 1;

// RestrictByLandlock allows nothing of all that the kernel's Landlock covers.
int RestrictByLandlock() {
  long version = syscall(kCreateRuleset, nullptr, 0, kRulesetVersion);
  if (version < 0) return errno;
  int file_rights = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
  Ruleset rules = {(1ull << file_rights) - 1, 3, 3};
  size_t size = version >= 6 ? sizeof rules : version >= 4 ? 16 : 8;
  int fd = static_cast<int>(syscall(kCreateRuleset, &rules, size, 0));
  if (fd < 0) return errno;
  int failed = Result(syscall(kRestrictSelf, fd, 0));
  close(fd);
  return failed;
}

// Namespaces are those that a process can enter by itself.
struct Namespaces {
  int net = EPERM, ipc = EPERM, mount = EPERM, root = EPERM;

  // Enter tries what has not worked yet.
  void Enter() {
    if (net != 0) net = Result(unshare(CLONE_NEWNET));
    if (ipc != 0) ipc = Result(unshare(CLONE_NEWIPC));
    if (mount != 0) {
      mount = Result(unshare(CLONE_NEWNS));
      root = mount != 0 ? mount : EmptyRoot();
    }
    unshare(CLONE_NEWUTS);
    unshare(CLONE_NEWCGROUP);
  }
};

}  // namespace

std::vector<Hold> Confine(const Settings& settings) {
  std::vector<Hold> holds;
  bool root = geteuid() == 0 && !settings.user_namespace;
  int proc = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
  WriteAt(proc, "oom_score_adj", "1000");  // a program goes before anything else does
  Namespaces namespaces;
  namespaces.Enter();
  int user = EPERM, users = settings.user_namespace ? 0 : EPERM;
  if (root) {
    DropBounding();
    user = BecomeUser(settings.uid, settings.gid);
    users = user != 0 ? user : EnterUserNamespace(proc, settings.uid, settings.gid);
    if (users == 0) namespaces.Enter();  // a root without rights gets some there
  }
  holds.push_back({"uid", user});
  holds.push_back({"user-namespace", users});
  holds.push_back({"pid-namespace", getpid() == 1 ? 0 : EPERM});
  holds.push_back({"net-namespace", namespaces.net});
  holds.push_back({"ipc-namespace", namespaces.ipc});
  holds.push_back({"mount-namespace", namespaces.mount});
  holds.push_back({"empty-root", namespaces.root});
  if (proc >= 0) close(proc);
  holds.push_back({"no-capabilities", DropCapabilities()});
  prctl(PR_SET_DUMPABLE, 0);
  holds.push_back({"no-new-privs", Result(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))});
  holds.push_back({"landlock", RestrictByLandlock()});
  holds.push_back({"rlimits", ForbidCoreFiles()});
  holds.push_back({"seccomp", settings.probe == kProbeUnfiltered ? ENOSYS : FilterZygote(settings.jitless)});
  return holds;
}

}  // namespace reeve
