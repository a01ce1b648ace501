package update

import (
	"context"
	"sync"
	"time"
)

// Limiter spreads bytes over time. It is safe for concurrent use.
type Limiter struct {
	mu   sync.Mutex
	rate int64
	free time.Time // when all bytes so far have had their time

	gate chan struct{} // closed when a pause ends; nil: there is none
}

// Pause stops what waits from now on, until Resume.
func (l *Limiter) Pause() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gate == nil {
		l.gate = make(chan struct{})
	}
}

// Resume ends a pause.
func (l *Limiter) Resume() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gate != nil {
		close(l.gate)
		l.gate = nil
	}
}

// SetRate sets how many bytes a second may come from now on; 0: any.
func (l *Limiter) SetRate(rate int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rate, l.free = rate, time.Time{}
}

// Paused waits for the end of a pause.
func (l *Limiter) Paused(ctx context.Context) error {
	l.mu.Lock()
	gate := l.gate
	l.mu.Unlock()
	if gate == nil {
		return nil
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-gate:
		return nil
	}
}

// NewLimiter returns a limiter of so many bytes a second; 0: any.
func NewLimiter(rate int64) *Limiter { return &Limiter{rate: rate} }

// Wait waits until n bytes more may come.
func (l *Limiter) Wait(ctx context.Context, n int) error {
	if err := l.Paused(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	if l.rate <= 0 {
		l.mu.Unlock()
		return nil
	}
	now := time.Now()
	if l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(n) / float64(l.rate) * float64(time.Second)))
	pause := l.free.Sub(now)
	l.mu.Unlock()
	return Sleep(ctx, pause)
}

// Sleep waits until the time has passed or the context is done.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
