package doctor_test

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	helperMain()
	goleak.VerifyTestMain(m)
}
