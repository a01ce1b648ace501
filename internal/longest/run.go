// Package longest finds what stays in order between two lists.
package longest

import "slices"

// Run returns the places of a longest run of elements whose values ascend.
func Run[T any](all []T, value func(T) int) (run []int) {
	var tops []int32 // tops[n] is the element with the lowest value that ends a run of n+1
	before := make([]int32, len(all))
	for i := range all {
		n, _ := slices.BinarySearchFunc(tops, value(all[i]), func(top int32, v int) int { return value(all[top]) - v })
		before[i] = -1
		if n > 0 {
			before[i] = tops[n-1]
		}
		if n == len(tops) {
			tops = append(tops, int32(i))
		} else {
			tops[n] = int32(i)
		}
	}
	if len(tops) == 0 {
		return nil
	}
	for i := tops[len(tops)-1]; i >= 0; i = before[i] {
		run = append(run, int(i))
	}
	slices.Reverse(run)
	return run
}
