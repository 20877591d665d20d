package daemon

import "testing"

func TestWasteful(t *testing.T) {
	const mb = 1 << 20
	for name, c := range map[string]struct {
		before, now memory
		want        bool
	}{
		"after a burst":          {memory{allocated: 900 * mb}, memory{allocated: 901 * mb, live: 30 * mb, held: 60 * mb}, true},
		"in the middle of one":   {memory{allocated: 900 * mb}, memory{allocated: 950 * mb, live: 30 * mb, held: 60 * mb}, false},
		"hardly anything":        {memory{allocated: 900 * mb}, memory{allocated: 900 * mb, live: 4 * mb, held: 10 * mb}, false},
		"little of much":         {memory{allocated: 900 * mb}, memory{allocated: 900 * mb, live: 400 * mb, held: 450 * mb}, false},
		"a collection under way": {memory{allocated: 900 * mb}, memory{allocated: 900 * mb, live: 40 * mb, held: 30 * mb}, false},
	} {
		if got := c.now.wasteful(c.before); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
