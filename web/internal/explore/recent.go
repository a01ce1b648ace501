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
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = slices.DeleteFunc(r.kept, func(o *kept[K, V]) bool { return o == k })
	if err != nil {
		return v, err
	}
	k.value, k.weight = v, weight
	r.kept = append(r.kept, k)
	for sum, i := 0, len(r.kept)-1; i >= 0; i-- {
		if sum += r.kept[i].weight; sum > r.most {
			r.kept = slices.Delete(r.kept, 0, min(i+1, len(r.kept)-1))
			break
		}
	}
	return v, nil
}

// find returns the place of a value, and moves it to the end.
func (r *Recent[K, V]) find(key K) *kept[K, V] {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := &kept[K, V]{key: key, turn: make(chan struct{}, 1)}
	if i := slices.IndexFunc(r.kept, func(k *kept[K, V]) bool { return k.key == key }); i >= 0 {
		k = r.kept[i]
		r.kept = slices.Delete(r.kept, i, i+1)
	}
	r.kept = append(r.kept, k)
	return k
}
