package record

// Sample is some of the entries of an archive, spread evenly over it.
type Sample struct {
	Entries int64 // of the whole archive
	Some    []Outline
}

// Outline identifies an entry before it is read.
type Outline struct {
	Name         string
	Stored, Size int64
}

// sampleSize is how many entries of a large archive a sample has, or up to twice as many.
const sampleSize = 256

// Sampler chooses some of all that it is given, in one pass. The zero value has none.
type Sampler[T any] struct {
	Given int64
	Some  []T
	every int64 // which ones are taken
}

// Add gives the next one.
func (s *Sampler[T]) Add(v T) {
	s.every = max(s.every, 1)
	if s.Given%s.every == 0 && len(s.Some) == 2*sampleSize {
		for i := range sampleSize {
			s.Some[i] = s.Some[2*i]
		}
		s.Some = s.Some[:sampleSize]
		s.every *= 2
	}
	if s.Given%s.every == 0 {
		s.Some = append(s.Some, v)
	}
	s.Given++
}
