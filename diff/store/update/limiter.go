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
}

func newLimiter(rate int64) *limiter { return &limiter{rate: rate} }

func (l *limiter) wait(ctx context.Context, n int) error {
	if l.rate <= 0 {
		return nil
	}
	l.mu.Lock()
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
