package codecstest

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
)

// FuzzOpen reads arbitrary bytes as f: open, list, read everything under small
// limits. Nothing may panic, hang or allocate without bound, and errors are of
// known classes. What is healthy is written again, where f can write and does
// not refuse, and must read back equal.
func FuzzOpen(f *testing.F, format *codecs.Format, o *codecs.Options, seeds ...[]byte) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		src := Bytes("fuzz", data)
		if err := survive(format, src, o, 0); err != nil {
			t.Fatal(err)
		}
		if format.Create != nil {
			rewrite(t, format, src, hostile(o))
		}
	})
}

func rewrite(t *testing.T, f *codecs.Format, src codecs.Source, o *codecs.Options) {
	items, ok := readable(f, src, o)
	if !ok {
		return
	}
	b, err := write(f, nil, items)
	if err != nil {
		return // a name twice, a size over the writer's limits
	}
	a, err := f.Open(context.Background(), Bytes("rewritten", b), o)
	if err != nil {
		t.Fatalf("written, but does not open: %v", err)
	}
	defer func() { _ = a.Close() }()
	if err := Equal(items, Items(t, a)); err != "" {
		t.Fatal(err)
	}
}

// readable returns the items of src when all of them can be read.
func readable(f *codecs.Format, src codecs.Source, o *codecs.Options) ([]Item, bool) {
	a, err := f.Open(context.Background(), src, o)
	if err != nil {
		return nil, false
	}
	defer func() { _ = a.Close() }()
	var items []Item
	total := int64(0)
	for e, err := range a.Entries() {
		if err != nil || e.Flags != 0 {
			return nil, false
		}
		data, err := ReadEntry(context.Background(), a, e)
		if total += int64(len(data)); err != nil || total > 32<<20 {
			return nil, false
		}
		items = append(items, Item{e, data})
	}
	return items, true
}

// Equal compares names, types, ids and contents without regard to order, which
// some formats prescribe. It returns what differs, or "".
func Equal(want, got []Item) string {
	w, g := sorted(want), sorted(got)
	if len(w) != len(g) {
		return "the number of entries differs"
	}
	for i := range w {
		a, b := w[i].Entry, g[i].Entry
		switch {
		case a.Name != b.Name || a.Type != b.Type || a.ID != b.ID:
			return "entry " + a.Name + " became " + b.Name
		case !bytes.Equal(w[i].Data, g[i].Data):
			return "content of " + a.Name + " differs"
		}
	}
	return ""
}

func sorted(items []Item) []Item {
	return slices.SortedFunc(slices.Values(items), func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Entry.Name, b.Entry.Name), cmp.Compare(a.Entry.ID.String(), b.Entry.ID.String()),
			bytes.Compare(a.Data, b.Data))
	})
}

// Corpus checks that a committed input of a fuzz target is the one that the test makes
// now, or writes it where update is set. values are the arguments of the target in Go's
// syntax: []byte("..."), uint16(7).
func Corpus(t *testing.T, update bool, target, name string, values ...string) {
	t.Helper()
	file := filepath.Join("testdata", "fuzz", target, name)
	want := "go test fuzz v1\n" + strings.Join(values, "\n") + "\n"
	if update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%s differs (-update rewrites it): %v", file, err)
	}
}
