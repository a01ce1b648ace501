package pkdelta

import "pakdb/codecs"

// Input is an old or a new file. Formats of several files find each other by
// their names, which are relative to the build's folder.
type Input struct {
	Name string
	codecs.Source
}

// SizeOfInputs returns how many bytes files have together.
func SizeOfInputs(inputs []Input) (n int64) {
	for _, in := range inputs {
		n += in.Size
	}
	return n
}
