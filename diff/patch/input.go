package patch

import "pakdb/codecs"

// Input is an old or a new file. Formats of several files find each other by
// their names, which are relative to the build's folder.
type Input struct {
	Name string
	codecs.Source
}

// sizeOfInputs returns how many bytes files have together.
func sizeOfInputs(inputs []Input) (n int64) {
	for _, in := range inputs {
		n += in.Size
	}
	return n
}
