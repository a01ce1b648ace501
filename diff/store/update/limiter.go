package update

import (
	"context"
	"sync"
	"time"
)

// limiter spreads bytes over time.
type limiter struct {
	mu   sync.Mutex
	rate int64
	free time.Time // when all bytes so far have had their time

	gate chan struct{} // closed when a pause ends; nil: there is none
}

// pause stops what waits from now on, until resume.
func (l *limiter) pause() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gate == nil {
		l.gate = make(chan struct{})
	}
}

func (l *limiter) resume() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gate != nil {
		close(l.gate)
		l.gate = nil
	}
}

func (l *limiter) setRate(rate int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rate, l.free = rate, time.Time{}
}

// paused waits for the end of a pause.
func (l *limiter) paused(ctx context.Context) error {
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

func newLimiter(rate int64) *limiter { return &limiter{rate: rate} }

func (l *limiter) wait(ctx context.Context, n int) error {
	if err := l.paused(ctx); err != nil {
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
	return sleep(ctx, pause)
}

// clock is what tells the time, and lets it pass.
type clock struct {
	now   func() time.Time
	sleep func(context.Context, time.Duration) error
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
