package keeper

import (
	"errors"
	"os"
	"syscall"
)

// ProbeSandbox does to a process of this program what a sandbox does to a job
// whose work folder is dir, and tells what came of it. Nothing is run.
func ProbeSandbox(kind Sandbox, dir string) (Enforced, error) {
	w, err := newCrew(Options{Name: "probe"}, "")
	if err != nil {
		return Enforced{}, err
	}
	c := &command{sandbox: kind, dir: dir, files: [3]*os.File{w.null, w.null, w.null}}
	order, more, err := w.order(c, w.nested(c))
	if err == nil {
		var k *worker
		k, _, err = w.engage(c, order, more, w.birth(c, syscall.SysProcAttr{}), bound{}, nil)
		if err == nil {
			k.end()
		}
	}
	return c.told, errors.Join(err, w.close())
}
