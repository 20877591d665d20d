//go:build linux

package e2e

import (
	"fmt"
	"testing"
)

// asking is a tool file's policy by which people decide about deletions.
const asking = "policy:\n  - ask: shop/delete_*\n"

// people are the tokens of a daemon whose approvals are decided.
type people struct{ approve, run, read, admin string }

// withPeople makes a token of each scope; the daemon's requests show that of
// "run" from then on.
func (d *daemon) withPeople(t testing.TB) (p people) {
	t.Helper()
	for scope, into := range map[string]*string{"approve": &p.approve, "run": &p.run, "read": &p.read, "admin": &p.admin} {
		*into = secretOf(t, d.command(t, "token", "create", "--scope", scope, "--name", "the-"+scope))
	}
	d.token = p.run
	return p
}

func bearer(token string) m {
	if token == "" {
		return m{"Authorization": ""}
	}
	return m{"Authorization": "Bearer " + token}
}

// decide answers an approval, on TCP.
func (d *daemon) decide(t testing.TB, token string, id int64, verdict string, body any) answer {
	t.Helper()
	return d.do(t, request{method: "POST", path: fmt.Sprintf("/approvals/%d/%s", id, verdict), body: body, header: bearer(token)})
}

func (d *daemon) approval(t testing.TB, id int64) m {
	t.Helper()
	return d.get(t, fmt.Sprintf("/approvals/%d", id)).want(t, 200).json(t)
}

func (d *daemon) approvals(t testing.TB, query string) []m {
	t.Helper()
	return d.get(t, "/approvals?"+query).want(t, 200).json(t).list("approvals")
}

// pending waits until a process has asked, and returns what it asks.
func (d *daemon) pending(t testing.TB, process int64) (asked m) {
	t.Helper()
	waitFor(t, "an approval", func() bool {
		if all := d.approvals(t, fmt.Sprintf("state=pending&process=%d", process)); len(all) > 0 {
			asked = all[0]
		}
		return asked != nil
	})
	return asked
}

// deletes is a program that asks to delete a pet and tells how it went.
func deletes(id int) string {
	return fmt.Sprintf("await reeve.services.shop.tools.delete_pet({ id: %d }).then((r: any) => console.log('done', r.path), (e: any) => console.log(e instanceof Error, e.code, e.message))", id)
}
