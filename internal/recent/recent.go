// Package recent caches expensive results.
package recent

import (
	"context"
	"slices"
	"sync"
)

// Cache keeps the values that were asked for last, by their keys, as long as their weights
// add up to at most a given sum; the one that was asked for last is always kept. Of several
// who ask for one value at once, one makes it. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	most int64

	mu    sync.Mutex
	all   map[K]*making[V]
	order []K // the one that was asked for last at the end
}

// making is a value that is made, or was.
type making[V any] struct {
	done    chan struct{}
	waiting int // who wait for it
	stop    context.CancelFunc
	value   V
	weight  int64
	err     error
}

// New returns a cache of values that weigh at most that much in all.
func New[K comparable, V any](most int64) *Cache[K, V] {
	return &Cache[K, V]{most: most, all: map[K]*making[V]{}}
}

// Get returns the value of a key. What is not there is made by create, which returns its
// weight too; its context is done when nobody waits for the value any longer. Errors are
// not kept. create must not panic: it runs in a goroutine of its own.
func (c *Cache[K, V]) Get(ctx context.Context, key K, create func(context.Context) (V, int64, error)) (V, error) {
	m := c.begin(ctx, key, create)
	select {
	case <-m.done:
		c.leave(key, m)
		return m.value, m.err
	case <-ctx.Done():
		c.leave(key, m)
		var none V
		return none, context.Cause(ctx)
	}
}

// begin returns the value that is there, or is made.
func (c *Cache[K, V]) begin(ctx context.Context, key K, create func(context.Context) (V, int64, error)) *making[V] {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.all[key]
	if m == nil {
		m = &making[V]{done: make(chan struct{})}
		c.all[key] = m
		var own context.Context
		own, m.stop = context.WithCancel(context.WithoutCancel(ctx))
		go func() {
			value, weight, err := create(own)
			m.stop()
			c.mu.Lock()
			defer c.mu.Unlock()
			m.value, m.weight, m.err = value, weight, err
			c.ended(key, m)
			close(m.done)
		}()
	}
	m.waiting++
	if i := slices.Index(c.order, key); i >= 0 {
		c.order = slices.Delete(c.order, i, i+1)
	}
	c.order = append(c.order, key)
	return m
}

// leave ends the work for a value that nobody waits for.
func (c *Cache[K, V]) leave(key K, m *making[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.waiting--; m.waiting > 0 {
		return
	}
	select {
	case <-m.done:
	default:
		m.stop()
		c.forget(key, m)
	}
}

// ended forgets a value that could not be made, and those that were asked for longest ago.
// The caller has locked the cache.
func (c *Cache[K, V]) ended(key K, m *making[V]) {
	if m.err != nil {
		c.forget(key, m)
		return
	}
	sum := int64(0)
	for _, k := range slices.Backward(slices.Clone(c.order)) {
		if sum += c.all[k].weight; sum > c.most && k != c.order[len(c.order)-1] {
			c.forget(k, c.all[k])
		}
	}
}

// forget takes a value away, unless another one has its key by now.
func (c *Cache[K, V]) forget(key K, m *making[V]) {
	if c.all[key] == m {
		delete(c.all, key)
		c.order = slices.DeleteFunc(c.order, func(k K) bool { return k == key })
	}
}
