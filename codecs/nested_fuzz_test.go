package codecs_test

import (
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/umod"
)

// FuzzWrap reads hostile archives within archives. Nothing of them is written.
func FuzzWrap(f *testing.F) {
	format := wrapped(umod.Format())
	format.Create = nil
	inner := makeUmod(f, item("a.txt", []byte("text")))
	codecstest.FuzzOpen(f, format, nil,
		makeUmod(f, item("in.umod", inner), item("b.u.uz2", makeUz2(f, []byte("content of b")))),
		makeUmod(f, item("in.umod", makeUmod(f, item("in.umod", inner)))),
		manyTimes(f, inner))
}
