package daemon

import (
	"cmp"
	"runtime/debug"

	"github.com/reeverun/reeve/api"
)

// BuildVersion says what this program was built from: what the linker stamped,
// else what the Go command recorded. Engines are for main to add.
func BuildVersion(version, commit string) api.Version {
	v := api.Version{Version: version, Commit: commit, Engines: []string{}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		v.Version = cmp.Or(v.Version, "unknown")
		return v
	}
	v.Go = info.GoVersion
	v.Version = cmp.Or(v.Version, info.Main.Version, "(devel)")
	if v.Commit == "" {
		v.Commit = recordedCommit(info.Settings)
	}
	return v
}

func recordedCommit(recorded []debug.BuildSetting) (commit string) {
	for _, s := range recorded {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true" && commit != "":
			commit += "+changes"
		}
	}
	return commit
}
