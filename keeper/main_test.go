package keeper_test

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	attackMain()
	goleak.VerifyTestMain(m)
}
