package web

import (
	"context"
	"net/http"

	"pakdb/query"
)

// slots are connections for statements of users: one statement at a time in each. They are
// opened when they are first needed.
type slots struct {
	open func(context.Context) (*query.DB, func(), error)
	free chan *slot
}

type slot struct {
	db    *query.DB // nil: not open
	close func()
}

func newSlots(n int, open func(context.Context) (*query.DB, func(), error)) *slots {
	s := &slots{open: open, free: make(chan *slot, n)}
	for range n {
		s.free <- &slot{}
	}
	return s
}

// run calls f with a connection. It does not wait for one: if all are in use, who asks is to
// come again.
func (s *slots) run(ctx context.Context, f func(*query.DB) error) (err error) {
	var own *slot
	select {
	case own = <-s.free:
	default:
		return refuse(http.StatusTooManyRequests, "try again in a moment", "%d statements run already, as many as this server runs at once", cap(s.free))
	}
	defer func() { s.free <- own }()
	if own.db == nil {
		if own.db, own.close, err = s.open(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	return f(own.db)
}

// end closes all connections, when nothing uses them any longer.
func (s *slots) end() {
	for range cap(s.free) {
		if own := <-s.free; own.db != nil {
			own.close()
		}
	}
}
