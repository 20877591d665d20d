package cli

import (
	"strings"
	"testing"

	"github.com/reeverun/reeve/api"
)

func TestDaemonOfAnotherVersion(t *testing.T) {
	for _, c := range []struct{ daemon, own, want string }{
		{"v1.2.3", "v1.2.3", ""},
		{"v1.2.3", "v1.2.10", "older than this program: 'reeve serve --replace --detach'"},
		{"v1.2.3", "v1.10.0-rc.1", "older"},
		{"v2.0.0+dirty", "v1.9.9", "newer than this program"},
		{"v1.2.3-rc.1", "v1.2.3", "other sources"},
		{"(devel)", "v1.2.3", "other sources"},
		{"v1.2", "v1.2.3", "other sources"},
		{"v1.x.3", "v1.2.3", "other sources"},
	} {
		got := ageText(api.Version{Version: c.daemon}, api.Version{Version: c.own})
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s and %s: %q, want %q", c.daemon, c.own, got, c.want)
		}
	}
	if got := ageText(api.Version{Version: "v1.0.0", Commit: "a"}, api.Version{Version: "v1.0.0", Commit: "b"}); !strings.Contains(got, "other sources") {
		t.Errorf("%q", got)
	}
}
