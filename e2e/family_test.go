//go:build linux

package e2e

import "testing"

// A finished child is kept for its living parent, with its outcome there to
// read, and reaped when the parent ends.
func TestZombieUntilTheParentEnds(t *testing.T) {
	t.Parallel()
	d := shared(t)
	parent := d.inState(t, "running")
	child := d.sh(t, "echo done", m{"parent": parent}) // a block would wait for it
	if got := d.await(t, child.id(), "idle").wantEnd(t, "success"); got.str("lifecycle") != "zombie" || got.num("parent") != parent || got["completedAt"] == nil {
		t.Errorf("a finished child of a living parent: lifecycle %v, parent %v", got["lifecycle"], got["parent"])
	}
	d.get(t, path(child.id(), "/stdout")).want(t, 200)
	events := d.follow(t, path(child.id(), "/events"), nil).all() // ends although it is not reaped
	if events[len(events)-1].str("kind") != "finalized" {
		t.Errorf("the stream ended with %v", events[len(events)-1])
	}
	d.kill(t, parent, block)
	waitFor(t, "the child to be reaped", func() bool { return d.record(t, child.id()).str("lifecycle") == "dead" })
	wantOrder(t, d.events(t, child.id()), "process_started", "finalized", "reaped")
}

// A tree shows everything below, at any depth.
func TestTree(t *testing.T) {
	t.Parallel()
	d := shared(t)
	root := d.inState(t, "never")
	var leaves []int64
	for range 2 {
		middle := d.fake(t, "", m{"autorun": false, "parent": root}).id()
		leaves = append(leaves, middle, d.sh(t, "true", m{"parent": middle, "block": true}).id())
	}
	tree := d.get(t, path(root, "/tree")).want(t, 200).json(t)
	wantKeys(t, tree, recordKeys+" children")
	var found []int64
	var walk func(m)
	walk = func(node m) {
		if node["children"] == nil {
			t.Errorf("process %d has no list of children", node.id())
		}
		for _, child := range node.list("children") {
			if child.num("parent") != node.id() {
				t.Errorf("process %d is below %d, its parent is %v", child.id(), node.id(), child["parent"])
			}
			found = append(found, child.id())
			walk(child)
		}
	}
	walk(tree)
	if len(found) != len(leaves) {
		t.Errorf("the tree has %v, want %v", found, leaves)
	}
}

// A parent can be deleted under its running child, which goes on alone.
func TestDeleteParentOfARunningChild(t *testing.T) {
	t.Parallel()
	d := shared(t)
	parent := d.ended(t, "success")
	child := d.fake(t, "hang", m{"parent": parent}).id()
	d.await(t, child, "running")
	d.delete(t, parent).want(t, 200)
	if rec := d.record(t, child); rec["parent"] != nil || rec.state() != "running" {
		t.Errorf("parent %v, state %s", rec["parent"], rec.state())
	}
	d.kill(t, child, block).wantEnd(t, "canceled")
	if rec := d.record(t, child); rec["parent"] != nil {
		t.Errorf("afterwards its parent is %v", rec["parent"])
	}
}

// The stream of a process that is deleted ends.
func TestStreamOfADeletedProcess(t *testing.T) {
	t.Parallel()
	d := shared(t)
	id := d.inState(t, "never")
	s := d.follow(t, path(id, "/events"), nil)
	if ev, err := s.next(); err != nil || ev.str("kind") != "process_created" {
		t.Fatalf("%v %v", ev, err)
	}
	d.delete(t, id).want(t, 200)
	s.all()
}
