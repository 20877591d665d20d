package remote_test

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	asDaemon()
	goleak.VerifyTestMain(m)
}
