// Package seq makes iterators of functions that call back.
package seq

import (
	"errors"
	"iter"
)

// ErrEnough is what add returns where no more values are wanted.
var ErrEnough = errors.New("no more values are wanted")

// Of yields what each adds, and at last its error, unless that is [ErrEnough]. each returns the first
// error of add.
func Of[T any](each func(add func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := each(func(v T) error {
			if !yield(v, nil) {
				return ErrEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, ErrEnough) {
			yield(*new(T), err)
		}
	}
}
