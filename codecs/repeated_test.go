package codecs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"pakdb/codecs"
)

// What many entries have for one cause is told once, with their number.
func TestRepeated(t *testing.T) {
	about := func(entry, field string, off int64, err error) error {
		return &codecs.FormatError{Format: "f", File: "a.pak", Entry: entry, Field: field, Off: off, Err: err}
	}
	locked := codecs.Errorf(codecs.ErrEncrypted, "the content is encrypted; pass the key")
	noDecoder := codecs.Errorf(errors.ErrUnsupported, "no decoder for oodle9")
	entry := func(i int) *codecs.Entry { return &codecs.Entry{Ordinal: i, Name: fmt.Sprintf("e%d", i)} }
	type taken struct {
		e   *codecs.Entry
		err error
	}
	for _, c := range []struct {
		name string
		in   []taken
		want []string
		left int // not taken
	}{
		{"nothing", nil, nil, 0},
		{"one entry stays as it is", []taken{{entry(3), about("e3", "key", 53, locked)}},
			[]string{`3 a.pak: f: entry "e3": key at 0x35: encrypted, and no key: the content is encrypted; pass the key`}, 0},
		{"several", []taken{{entry(3), about("e3", "", -1, locked)}, {entry(4), about("e4", "", -1, locked)}, {entry(4), about("e4", "", -1, locked)}},
			[]string{`- a.pak: f: encrypted, and no key: the content is encrypted; pass the key (2 entries, the first is "e3")`}, 0},
		{"the archive too", []taken{{entry(3), about("e3", "", -1, locked)}, {nil, about("", "directory index", 9, codecs.Errorf(codecs.ErrEncrypted, "paths"))}},
			[]string{`- a.pak: f: directory index at 0x9: encrypted, and no key: paths (1 entry)`}, 0},
		{"the archive alone", []taken{{nil, about("", "index", 9, locked)}},
			[]string{`- a.pak: f: index at 0x9: encrypted, and no key: the content is encrypted; pass the key`}, 0},
		{"an entry that only the error names", []taken{{nil, about("x!/y", "", -1, locked)}, {entry(1), about("e1", "", -1, locked)}},
			[]string{`- a.pak: f: encrypted, and no key: the content is encrypted; pass the key (2 entries, the first is "x!/y")`}, 0},
		{"two causes", []taken{{entry(1), about("e1", "key", 1, codecs.Errorf(codecs.ErrWrongKey, "x"))}, {entry(2), about("e2", "", -1, noDecoder)},
			{entry(3), about("e3", "key", 3, codecs.Errorf(codecs.ErrWrongKey, "y"))}, {entry(4), about("e4", "", -1, noDecoder)}},
			[]string{`- a.pak: f: key: wrong key: x (2 entries, the first is "e1")`,
				`- a.pak: f: unsupported operation: no decoder for oodle9 (2 entries, the first is "e2")`}, 0},
		{"damage is told one by one", []taken{{entry(1), about("e1", "", -1, codecs.ErrCorrupt)}, {entry(2), fs.ErrNotExist}, {nil, errors.ErrUnsupported}}, nil, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r codecs.Repeated
			left := 0
			for _, x := range c.in {
				if !r.Takes(x.e, x.err) {
					left++
				}
			}
			var got []string
			for e, err := range r.All() {
				number := "-"
				if e != nil {
					number = fmt.Sprint(e.Ordinal)
				}
				got = append(got, number+" "+err.Error())
			}
			if left != c.left || !slices.Equal(got, c.want) {
				t.Errorf("%d left, %q; want %q", left, got, c.want)
			}
		})
	}
}
