package doctor

import (
	"fmt"

	"golang.org/x/sys/windows"
)

func systemProbes(string) []func() []Check {
	return []func() []Check{func() []Check {
		clock := check(SectionSystem, "clock", "clock")
		if early := clockNotSet(clock); early != nil {
			clock = *early
		} else {
			clock = clock.ok("The clock reads a plausible time.")
		}
		return []Check{
			check(SectionSandbox, "sandbox", "sandbox").missing("Untrusted programs cannot be confined.", "Windows has neither namespaces nor seccomp nor Landlock", "Run Reeve in a Linux virtual machine where that matters."),
			clock,
		}
	}}
}

func kernelRelease() string {
	v := windows.RtlGetVersion()
	return fmt.Sprintf("%d.%d.%d", v.MajorVersion, v.MinorVersion, v.BuildNumber)
}

func treeExtras() []Check { return nil }
