package update

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pakdb/diff/ship/store"
)

// trickle is a server that waits before it answers, and between bytes.
type trickle struct {
	size, chunk  int
	first, pause time.Duration
	at           int // bytes sent
}

func (s *trickle) At(name string) string { return "https://example.org/" + name }
func (s *trickle) Steady() bool          { return false }

func (s *trickle) Open(ctx context.Context, ask store.Ask) (*store.Answer, error) {
	if err := Sleep(ctx, s.first); err != nil {
		return nil, err
	}
	s.at = int(ask.Off)
	return &store.Answer{ReadCloser: io.NopCloser(&trickled{s, ctx}), Size: int64(s.size) - ask.Off}, nil
}

type trickled struct {
	*trickle
	ctx context.Context
}

func (r *trickled) Read(p []byte) (int, error) {
	if r.at == r.size {
		return 0, io.EOF
	}
	if err := Sleep(r.ctx, r.pause); err != nil {
		return 0, err
	}
	n := min(len(p), r.size-r.at, r.chunk)
	r.at += n
	return n, nil
}

// A server that sends a byte a second, or does not answer, is reported after 10 seconds, once.
// The clock of a bubble stands still but for those who wait on it.
func TestTrickleIsReported(t *testing.T) {
	for _, tt := range []struct {
		name   string
		server trickle
		rate   int64
		want   []time.Duration
	}{
		{"a byte a second", trickle{size: 25, chunk: 1, pause: time.Second}, 0, []time.Duration{10 * time.Second}},
		{"no answer", trickle{size: 5, chunk: 5, first: 12 * time.Second}, 0, []time.Duration{10 * time.Second}},
		{"no answer, then a byte a second", trickle{size: 9, chunk: 1, first: 4 * time.Second, pause: time.Second}, 0, []time.Duration{10 * time.Second}},
		{"at once", trickle{size: 64 << 10, chunk: 64 << 10}, 0, nil},
		{"at once, within a limit", trickle{size: 4 << 10, chunk: 4 << 10}, 100, nil},
		{"2 KiB a second", trickle{size: 30 << 10, chunk: 1 << 10, pause: 500 * time.Millisecond}, 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var mu sync.Mutex // the report comes from a timer
				var when []time.Duration
				r := &Remote{sources: []store.Files{&tt.server}, limit: NewLimiter(tt.rate), clock: clock{now: time.Now, sleep: Sleep}}
				r.opt.Slow = func(text string) {
					mu.Lock()
					defer mu.Unlock()
					when = append(when, time.Since(began))
					if !strings.Contains(text, "https://example.org/: the server is slow") {
						t.Error(text)
					}
				}
				for range 2 {
					b, err := r.get(t.Context(), &want{name: "x", n: int64(tt.server.size), most: 1 << 20})
					if err != nil || len(b) != tt.server.size {
						t.Fatalf("%d bytes, %v", len(b), err)
					}
				}
				mu.Lock()
				defer mu.Unlock()
				if !slices.Equal(when, tt.want) {
					t.Errorf("reported after %v, want %v", when, tt.want)
				}
			})
		})
	}
}

// What brings less than 1 KiB in 30 seconds is asked for elsewhere. If there is no other
// server the update fails, as by a network that is down.
func TestTrickleBreaks(t *testing.T) {
	for _, others := range [][]store.Files{nil, {&trickle{size: 2000, chunk: 2000}}} {
		synctest.Test(t, func(t *testing.T) {
			r := &Remote{sources: append([]store.Files{&trickle{size: 2000, chunk: 1, pause: time.Minute}}, others...),
				limit: NewLimiter(0), clock: clock{now: time.Now, sleep: Sleep}}
			b, err := r.get(t.Context(), &want{name: "x", n: 2000, most: 1 << 20})
			switch {
			case others != nil && (err != nil || len(b) != 2000):
				t.Errorf("with another server: %d bytes, %v", len(b), err)
			case others == nil && (err == nil || !strings.Contains(err.Error(), "less than 1024 bytes in 30s") || errors.Is(err, context.Canceled)):
				t.Errorf("alone: %v", err)
			}
		})
	}
}
