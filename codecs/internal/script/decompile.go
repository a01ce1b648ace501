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

// AppendSource appends the text of a function to dst, two blanks in front of each line. A
// function whose flow has no structure, or that is very large, has its normal form.
func AppendSource(dst []byte, f *Form) []byte { return appendBlocks(dst, f, 0) }

// appendBlocks is [AppendSource], so many levels inside of others.
func appendBlocks(dst []byte, f *Form, depth int) []byte {
	t, err := decompile(f)
	if err != nil {
		return f.AppendText(dst)
	}
	p := printer{dst: dst, tree: t, depth: depth}
	if f.linear {
		p.end = ";"
	}
	p.print()
	return p.dst
}

// decompile returns the blocks of a function.
func decompile(f *Form) (*tree, error) {
	g, err := newGraph(f, f.Parts())
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
