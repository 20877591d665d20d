package compile

import "container/list"

// digest names a source by its content.
type digest = [32]byte

// cache keeps what was compiled last, bounded by size. Wrong sources are kept,
// too, but not those of which a worker did not say that they are: one that had
// no time or no memory may have shared the machine with others.
type cache struct {
	limit, size int
	byKey       map[digest]*list.Element
	order       *list.List // of cached, the last used first
}

type cached struct {
	key digest
	*answer
}

func newCache(limit int) cache {
	return cache{limit: limit, byKey: map[digest]*list.Element{}, order: list.New()}
}

func (c *cache) get(key digest) (*answer, bool) {
	e, ok := c.byKey[key]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(cached).answer, true
}

func (c *cache) put(key digest, a *answer) {
	if _, ok := c.byKey[key]; ok || a.bytes() > c.limit/4 {
		return
	}
	c.byKey[key] = c.order.PushFront(cached{key, a})
	for c.size += a.bytes(); c.size > c.limit; {
		last := c.order.Remove(c.order.Back()).(cached)
		delete(c.byKey, last.key)
		c.size -= last.bytes()
	}
}

// bytes is about what it holds in memory.
func (a *answer) bytes() int {
	const overhead = 300
	n := overhead + len(a.Error)
	if a.Program != nil {
		n += len(a.Program.Code) + len(a.Program.Mappings)
	}
	return n
}
