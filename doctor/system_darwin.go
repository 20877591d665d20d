package doctor

import "golang.org/x/sys/unix"

func systemProbes(string) []func() []Check {
	return []func() []Check{func() []Check {
		clock := check(SectionSystem, "clock", "clock")
		if early := clockNotSet(clock); early != nil {
			clock = *early
		} else {
			clock = clock.ok("The clock reads a plausible time.")
		}
		return []Check{
			check(SectionLimits, "limits", "limits for jobs").missing("The memory, processes and CPU of a whole job cannot be capped.", "macOS has no cgroups", "Run Reeve in a Linux virtual machine where that matters."),
			check(SectionSandbox, "sandbox", "sandbox").missing("Untrusted programs cannot be confined.", "macOS has neither namespaces nor seccomp nor Landlock", "Run Reeve in a Linux virtual machine where that matters."),
			openFilesCheck(), clock,
		}
	}}
}

func kernelRelease() string {
	release, _ := unix.Sysctl("kern.osrelease")
	return release
}

func treeExtras() []Check { return nil }
