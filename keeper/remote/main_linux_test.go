package remote_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/reeverun/reeve/keeper/remote"
)

func TestMain(m *testing.M) {
	remote.Worker()
	asDaemon()
	goleak.VerifyTestMain(m)
}
