package memory_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/reeverun/reeve/store"
	"github.com/reeverun/reeve/store/memory"
	"github.com/reeverun/reeve/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return memory.New() })
}
