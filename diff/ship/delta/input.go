package delta

import (
	"io/fs"
	"os"
	"slices"

	"pakdb/codecs"
	"pakdb/internal/atomicfile"
)

// Input is an old or a new file. Formats of several files find each other by
// their names, which are relative to the build's folder.
type Input struct {
	Name string
	Mode fs.FileMode // permissions; 0: not known
	codecs.Source
}

// NewInput returns an open file as an input of a name.
func NewInput(name string, f *os.File) (Input, error) {
	src, err := codecs.FileSource(f)
	if err != nil {
		return Input{}, err
	}
	st, err := f.Stat()
	if err != nil {
		return Input{}, err
	}
	return Input{name, atomicfile.Mode(st), src}, nil
}

// Modes reports that it is known of all inputs whether they are executable.
func Modes(inputs []Input) bool {
	return !slices.ContainsFunc(inputs, func(in Input) bool { return in.Mode == 0 })
}

// SizeOfInputs returns how many bytes files have together.
func SizeOfInputs(inputs []Input) (n int64) {
	for _, in := range inputs {
		n += in.Size
	}
	return n
}
