// Package radix sorts long lists by numbers, without comparing any.
package radix

import "slices"

// item is an element of a list by its key and its place.
type item struct {
	key uint64
	at  int32
}

// Sort sorts a list by keys; elements of equal keys by compare, or, if that is nil, as they
// were. It takes 32 bytes an element. A list of 100,000 rows of 64 bytes takes a tenth of the
// time of [slices.SortFunc].
func Sort[T any](list []T, key func(*T) int64, compare func(a, b T) int) {
	if !isSorted(list, key) {
		items := sortItems(list, key)
		for start := range list {
			rotate(list, items, start)
		}
	}
	for i := 0; compare != nil && i < len(list); {
		from := i
		for i++; i < len(list) && key(&list[i]) == key(&list[from]); {
			i++
		}
		if i-from > 1 {
			slices.SortStableFunc(list[from:i], compare)
		}
	}
}

func isSorted[T any](list []T, key func(*T) int64) bool {
	for i := 1; i < len(list); i++ {
		if key(&list[i-1]) > key(&list[i]) {
			return false
		}
	}
	return true
}

// sortItems sorts by each byte that is not the same in all keys, the lowest first.
func sortItems[T any](list []T, key func(*T) int64) []item {
	items, other := make([]item, len(list)), make([]item, len(list))
	var counts [8][256]int32
	for i := range list {
		k := uint64(key(&list[i])) ^ 1<<63 // negative ones come first
		items[i] = item{k, int32(i)}
		for digit := range counts {
			counts[digit][byte(k>>(8*digit))]++
		}
	}
	for digit := range counts {
		count := &counts[digit]
		if count[byte(items[0].key>>(8*digit))] == int32(len(items)) {
			continue
		}
		end := int32(0)
		for i, n := range count {
			count[i], end = end, end+n
		}
		for _, it := range items {
			to := &count[byte(it.key>>(8*digit))]
			other[*to] = it
			*to++
		}
		items, other = other, items
	}
	return items
}

// rotate moves elements to their places without another list of them: it fills the place
// start with the element that belongs there, the place that this leaves with the next, until
// it comes back to where it began. It marks the places it filled.
func rotate[T any](list []T, items []item, start int) {
	const filled = -1
	first := list[start]
	for to := start; items[to].at != filled; {
		from := int(items[to].at)
		items[to].at = filled
		if from == start {
			list[to] = first
			return
		}
		list[to] = list[from]
		to = from
	}
}
