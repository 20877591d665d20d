package interpret

import "testing"

func TestEveryBuiltinLoads(t *testing.T) {
	for _, name := range []string{"cargo", "docker-build", "generic", "go-test", "make", "npm", "pip", "pytest"} {
		r, err := builtin(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if r.Name() != name || r.Description() == "" {
			t.Errorf("%s: %q %q", name, r.Name(), r.Description())
		}
		for i, p := range r.plans {
			if p.every {
				t.Errorf("%s wants every line of stream %d: an expression has no literal", name, i)
			}
		}
	}
}
