package web

import (
	"context"
	"net/http"
	"sync"

	"pakdb/query"
)

// slots are connections for statements of users: one statement at a time in each. They are
// opened when they are first needed. The one that was used last is taken first, so that no more
// of them fill their caches than statements run at once.
type slots struct {
	open func(context.Context) (*query.DB, func(), error)

	mu   sync.Mutex
	free []*slot
	all  int
}

type slot struct {
	db    *query.DB // nil: not open
	close func()
}

func newSlots(n int, open func(context.Context) (*query.DB, func(), error)) *slots {
	s := &slots{open: open, all: n}
	for range n {
		s.free = append(s.free, &slot{})
	}
	return s
}

// take returns a connection, nil if all are in use.
func (s *slots) take() *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.free) - 1
	if n < 0 {
		return nil
	}
	own := s.free[n]
	s.free = s.free[:n]
	return own
}

func (s *slots) give(own *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, own)
}

// run calls f with a connection. It does not wait for one: if all are in use, the client is to
// come again.
func (s *slots) run(ctx context.Context, f func(*query.DB) error) (err error) {
	own := s.take()
	if own == nil {
		return refuse(http.StatusTooManyRequests, "try again in a moment", "%d statements run already, as many as this server runs at once", s.all)
	}
	defer s.give(own)
	if own.db == nil {
		if own.db, own.close, err = s.open(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	return f(own.db)
}

// end closes all connections, when nothing uses them any longer.
func (s *slots) end() {
	for _, own := range s.free {
		if own.db != nil {
			own.close()
		}
	}
}
