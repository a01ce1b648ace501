package script

import (
	"errors"
)

// Why a function keeps its normal form.
var (
	errLarge       = errors.New("too many statements")
	errSourceDepth = errors.New("nested too deeply")
	errFlow        = errors.New("its flow has no structure")
)

// AppendSource appends the text of a function to dst, two blanks in front of each line, with
// names for native functions of UE1 to UE3 where natives knows them. A function whose
// flow has no structure, or that is very large, has its normal form.
func AppendSource(dst []byte, f *Form, natives func(number int) (name string, ok bool)) []byte {
	t, err := decompile(f, natives)
	if err != nil {
		return f.AppendNamed(dst, natives)
	}
	p := printer{dst: dst, tree: t}
	p.print()
	return p.dst
}

// decompile returns the blocks of a function.
func decompile(f *Form, natives func(int) (string, bool)) (*tree, error) {
	g, err := newGraph(f, f.Parts(natives))
	if err != nil {
		return nil, err
	}
	t, err := newTree(g)
	if err != nil {
		return nil, err
	}
	t.inline()
	t.shape()
	return t, nil
}
