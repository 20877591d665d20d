package typescript_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/reeverun/reeve/env/typescript/compile"
	"github.com/reeverun/reeve/env/typescript/quickjs"
)

func TestMain(m *testing.M) {
	compile.Worker()
	quickjs.Child()
	goleak.VerifyTestMain(m)
}
