package doctor

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

func sandboxChecks() []Check {
	c := func(key, name string) Check { return check(SectionSandbox, key, name) }
	checks := []Check{noNewPrivsCheck(c("no-new-privs", "no_new_privs")), seccompCheck(c("seccomp", "seccomp filters")), landlockCheck(c("landlock", "Landlock"))}
	advice := namespaceAdvice
	for _, ns := range namespaces() {
		c := c("namespace-"+ns.name, ns.name+" namespace")
		if err := ns.try(); err != nil {
			checks = append(checks, c.missing(ns.without, whyNoNamespace(err), advice))
			advice = "" // once is enough
			continue
		}
		checks = append(checks, c.ok(ns.meaning))
	}
	return checks
}

func noNewPrivsCheck(c Check) Check {
	if err := tryNoNewPrivs(); err != nil {
		return c.missing("A program can gain rights by set-user-id files.", whyRefused(err), "")
	}
	return c.ok("A program can be kept from gaining rights by set-user-id files.")
}

func seccompCheck(c Check) Check {
	if err := trySeccomp(); err != nil {
		return c.missing("A program cannot be kept from system calls.", whyRefused(err),
			"Use a kernel with CONFIG_SECCOMP_FILTER; in a container, a profile that allows seccomp(2).")
	}
	return c.ok("A program can be kept from system calls it has no need for.")
}

// What each version of Landlock added that a sandbox needs.
const (
	landlockTCP    = 4
	landlockScopes = 6
)

func landlockCheck(c Check) Check {
	const files = "A program can be confined to some folders"
	abi, err := tryLandlock()
	version := fmt.Sprintf("the kernel's Landlock is version %d", abi)
	const advice = "A newer kernel gives the rest: Linux 6.7 for TCP, 6.12 for sockets and signals."
	switch {
	case err != nil:
		return c.missing("A program cannot be confined to some folders without namespaces.", whyNoLandlock(err),
			"Use Linux 5.13 or newer with landlock in its list of security modules (lsm= at boot).")
	case abi < landlockTCP:
		return c.limited(files+"; its TCP connections cannot be.", version, advice)
	case abi < landlockScopes:
		return c.limited(files+" and TCP ports; abstract sockets and signals cannot be kept in.", version, advice)
	}
	return c.ok(fmt.Sprintf("%s, TCP ports, and to signals and abstract sockets of its own (version %d); UDP and sockets in visible folders need more than that.", files, abi))
}

func whyNoLandlock(err error) string {
	if errors.Is(err, unix.EOPNOTSUPP) {
		return "the kernel has Landlock, switched off at boot"
	}
	return whyRefused(err)
}

// whyRefused says what an error number means here.
func whyRefused(err error) string {
	switch {
	case errors.Is(err, unix.ENOSYS):
		return "the kernel does not have it, or a container's filter hides it"
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return "it is refused to this user: " + err.Error()
	case errors.Is(err, unix.EINVAL):
		return "the kernel was built without it"
	}
	return err.Error()
}
