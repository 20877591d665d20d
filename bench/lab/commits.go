package lab

import (
	"os"
	"sync"
)

// recordOfJob is about how many bytes a job has in a table.
const recordOfJob = 256

// Commits is the least that makes jobs durable: the records that wait are
// appended to a file as one, and synced as one.
type Commits struct {
	File    *os.File
	mu      sync.Mutex
	waiting []chan error // guarded by mu
}

// Add returns when a record is on the disk. The first who waits commits for all
// who come meanwhile, until nobody waits.
func (c *Commits) Add() error {
	mine := make(chan error, 1)
	c.mu.Lock()
	c.waiting = append(c.waiting, mine)
	leads := len(c.waiting) == 1
	c.mu.Unlock()
	if leads {
		c.commit()
	}
	return <-mine
}

// commit leaves a batch in the list until it is on the disk, so that nobody else
// leads.
func (c *Commits) commit() {
	for done := 0; ; {
		c.mu.Lock()
		c.waiting = c.waiting[done:]
		batch := c.waiting[:len(c.waiting):len(c.waiting)]
		c.mu.Unlock()
		if done = len(batch); done == 0 {
			return
		}
		_, err := c.File.Write(make([]byte, recordOfJob*done))
		if err == nil {
			err = SyncData(c.File)
		}
		for _, w := range batch {
			w <- err
		}
	}
}
