package typescript_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/reeverun/reeve/env/typescript/compile"
	"github.com/reeverun/reeve/env/typescript/enginetest"
	"github.com/reeverun/reeve/env/typescript/quickjs"
)

// quickjsChild is what children of quickjs run; see enginetest.QuickJSChild.
var quickjsChild string

func TestMain(m *testing.M) {
	compile.Worker()
	if quickjs.Child() {
		return
	}
	dir, err := os.MkdirTemp("", "typescript")
	if err == nil {
		quickjsChild, err = enginetest.QuickJSChild(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}
