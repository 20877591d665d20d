package sqlite

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/reeverun/reeve/internal/seal"
	"github.com/reeverun/reeve/store"
	"github.com/reeverun/reeve/store/storetest"
)

// roles are what the test binary does instead of testing, by variable.
var roles = map[string]func(value string){writeEnv: writeForever}

func TestMain(m *testing.M) {
	for variable, role := range roles {
		if value := os.Getenv(variable); value != "" {
			role(value)
			os.Exit(0)
		}
	}
	goleak.VerifyTestMain(m)
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, filepath.Join(t.TempDir(), "reeve.db")) })
}

// testBox seals with a key that all stores of a test share.
func testBox(t testing.TB) *seal.Box {
	t.Helper()
	b, err := seal.Ephemeral()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func open(t testing.TB, path string) *Store {
	t.Helper()
	return openWith(t, path, testBox(t))
}

func openWith(t testing.TB, path string, box *seal.Box) *Store {
	t.Helper()
	s, err := Open(t.Context(), Config{Path: path, Sealer: box})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
