package storetest

import (
	"sync"
	"sync/atomic"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// testReadersDuringWrites: a reader sees whole changes, and every change whose
// Apply has returned.
func testReadersDuringWrites(f *fixture) {
	const batches, size = 40, 10
	var applied atomic.Int64 // the highest id whose Apply has returned
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					f.readOnce(process.ID(applied.Load()))
				}
			}
		})
	}
	for range batches {
		var batch []store.Change
		for range size {
			p := f.process()
			batch = append(batch, f.insertion(p), f.finishing(p))
		}
		if err := f.s.Apply(f.ctx, batch); err != nil {
			f.Error(err)
			break
		}
		applied.Store(int64(f.id))
	}
	close(done)
	wg.Wait()
	if got := len(f.list(process.Query{Limit: process.MaxLimit})); got != batches*size {
		f.Errorf("%d processes, want %d", got, batches*size)
	}
}

// readOnce reads as clients do while others write. It reports by Error only:
// it runs beside the test's goroutine.
func (f *fixture) readOnce(applied process.ID) {
	list, err := f.s.Processes(f.ctx, process.Query{Limit: 20})
	if err != nil {
		f.Error(err)
		return
	}
	for i, p := range list {
		if i > 0 && p.ID >= list[i-1].ID {
			f.Errorf("process %d after %d", p.ID, list[i-1].ID)
		}
		if p.State != process.Idle {
			f.Errorf("half a batch is visible: process %d is %s", p.ID, p.State)
		}
	}
	if applied == 0 {
		return
	}
	if len(list) == 0 || list[0].ID < applied {
		f.Errorf("process %d was applied and is not listed", applied)
	}
	if _, err := f.s.Process(f.ctx, applied); err != nil {
		f.Error(err)
	}
	evs, err := f.s.Events(f.ctx, applied, 0, 100)
	if err != nil || len(evs) != 6 {
		f.Errorf("process %d has %d events, %v", applied, len(evs), err)
	}
	if _, err := f.s.AllEvents(f.ctx, 0, 50); err != nil {
		f.Error(err)
	}
}
