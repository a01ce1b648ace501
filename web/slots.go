package web

import (
	"context"
	"net/http"
	"sync"

	"pakdb/query"
)

// slots are connections for statements of users: one statement at a time in each. They are
// opened when they are first needed.
type slots struct {
	open  func(context.Context) (*query.DB, func(), error)
	free  chan *slot
	mu    sync.Mutex
	close []func()
	ended bool
}

type slot struct{ db *query.DB }

func newSlots(n int, open func(context.Context) (*query.DB, func(), error)) *slots {
	s := &slots{open: open, free: make(chan *slot, n)}
	for range n {
		s.free <- &slot{}
	}
	return s
}

// run calls f with a connection. It does not wait for one: if all are in use, who asks is to
// come again.
func (s *slots) run(ctx context.Context, f func(*query.DB) error) error {
	var own *slot
	select {
	case own = <-s.free:
	default:
		return refuse(http.StatusTooManyRequests, "try again in a moment", "%d statements run already, as many as this server runs at once", cap(s.free))
	}
	defer func() { s.free <- own }()
	if own.db == nil {
		db, closeDB, err := s.open(context.WithoutCancel(ctx))
		if err != nil {
			return err
		}
		if !s.keep(closeDB) {
			closeDB()
			return context.Canceled
		}
		own.db = db
	}
	return f(own.db)
}

// keep remembers how a connection is closed; false if all are closed already.
func (s *slots) keep(closeDB func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.close = append(s.close, closeDB)
	}
	return !s.ended
}

// end closes all connections, when nothing uses them any longer.
func (s *slots) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	for _, closeIt := range s.close {
		closeIt()
	}
	s.close = nil
}
