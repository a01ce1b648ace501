package main

import (
	"encoding/binary"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/zeebo/blake3"
)

// mkjournal leaves a folder as an update in place does that is killed before it
// changes the first file:
//
//	mkjournal DIR NAME FILE     DIR/NAME is to become what FILE is
func mkjournal(ts *testscript.TestScript, _ bool, args []string) {
	dir, name := ts.MkAbs(args[0]), args[1]
	old, err := os.ReadFile(filepath.Join(dir, name))
	ts.Check(err)
	to, err := os.ReadFile(ts.MkAbs(args[2]))
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join(dir, ".pakdb-update.journal"), journalOf(name, old, to), 0o666))
}

// journalOf is written as docs/pkdelta.md says.
func journalOf(name string, old, to []byte) []byte {
	sum := func(b []byte) []byte { s := blake3.Sum256(b); return s[:16] }
	number := func(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(n)) }
	b := []byte("pkjourn\x02")
	data := len(b)
	b = append(b, to...)
	actions := len(b)
	b = append(number(append(b, 1), len(name)), name...)
	b = append(number(b, len(old)), sum(old)...)
	b = append(append(number(b, len(to)), sum(to)...), 0) // as executable as it was
	for _, n := range []int{1, 0, len(to), data} {        // one piece: all of the file
		b = number(b, n)
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(actions))
	return append(b, sum(b)...)
}
