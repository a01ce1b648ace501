package explore

import (
	"context"
	"slices"
	"sync"
)

// Recent keeps the values that were asked for last, as long as their weights add up to at
// most a given sum; the last one is always kept. It is safe for concurrent use.
type Recent[K comparable, V any] struct {
	most int

	mu   sync.Mutex
	kept []*kept[K, V] // the one that was asked for last at the end
}

type kept[K comparable, V any] struct {
	key    K
	users  int           // requests that wait for it or make it
	turn   chan struct{} // of several requests for one value, one makes it
	value  V
	weight int // 0: it is not made yet
}

// NewRecent returns a cache of values that weigh at most that much in all.
func NewRecent[K comparable, V any](most int) *Recent[K, V] { return &Recent[K, V]{most: most} }

// Get returns the value of a key. Where there is none create makes it, and returns its
// weight, at least 1. Errors are not kept.
func (r *Recent[K, V]) Get(ctx context.Context, key K, create func(context.Context) (V, int, error)) (v V, err error) {
	k := r.find(key)
	defer r.leave(k)
	select {
	case k.turn <- struct{}{}:
	case <-ctx.Done():
		return v, context.Cause(ctx)
	}
	defer func() { <-k.turn }()
	if k.weight > 0 {
		return k.value, nil
	}
	v, weight, err := create(ctx)
	if err != nil {
		return v, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	k.value, k.weight = v, weight
	r.last(k)
	sum := 0
	for i := len(r.kept) - 1; i >= 0; i-- {
		if sum += r.kept[i].weight; sum > r.most && i < len(r.kept)-1 && r.kept[i].users == 0 {
			r.kept = slices.Delete(r.kept, i, i+1)
		}
	}
	return v, nil
}

// find returns the place of a value, which [Recent.leave] gives back, and moves it to the end.
func (r *Recent[K, V]) find(key K) *kept[K, V] {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := &kept[K, V]{key: key, turn: make(chan struct{}, 1)}
	if i := slices.IndexFunc(r.kept, func(k *kept[K, V]) bool { return k.key == key }); i >= 0 {
		k = r.kept[i]
	}
	k.users++
	r.last(k)
	return k
}

// leave removes the place of a value that nobody made or waits for.
func (r *Recent[K, V]) leave(k *kept[K, V]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k.users--; k.users == 0 && k.weight == 0 {
		r.kept = slices.DeleteFunc(r.kept, func(o *kept[K, V]) bool { return o == k })
	}
}

// last moves a place to the end.
func (r *Recent[K, V]) last(k *kept[K, V]) {
	r.kept = append(slices.DeleteFunc(r.kept, func(o *kept[K, V]) bool { return o == k }), k)
}
