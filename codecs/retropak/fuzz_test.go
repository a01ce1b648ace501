package retropak_test

import (
	"bytes"
	"context"
	"io"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/retropak"
)

// FuzzOpen leaves out the suite's own rewriting, which wants lengths back that
// paks do not keep. FuzzRewrite does that part.
func FuzzOpen(f *testing.F) {
	format := retropak.Format()
	format.Create = nil
	codecstest.FuzzOpen(f, format, nil, seeds()...)
}

func seeds() (b [][]byte) {
	for _, pak := range variantPaks() {
		b = append(b, pak)
	}
	for _, v := range vectors() {
		b = append(b, v.Bytes)
	}
	return b
}

// FuzzRewrite copies what can be read, raw. The copy must hold the same, and
// copying it again must give the same bytes.
func FuzzRewrite(f *testing.F) {
	for _, b := range seeds() {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		once, ok := copyRaw(t, data)
		if !ok {
			return
		}
		before, after := listing(t, data), listing(t, once)
		if !bytes.Equal(before, after) {
			t.Fatalf("the copy differs:\n%q\n%q", before, after)
		}
		if twice, ok := copyRaw(t, once); !ok || !bytes.Equal(once, twice) {
			t.Fatal("the copy of the copy differs")
		}
	})
}

// copyRaw returns a copy of a pak, or false when it cannot be made.
func copyRaw(t *testing.T, data []byte) ([]byte, bool) {
	o := &codecs.Options{Limits: codecs.Limits{Table: 1 << 20, Entry: 1 << 20, Name: 1 << 10}}
	a, err := retropak.Format().Open(t.Context(), codecstest.Bytes("fuzz", data), o)
	if err != nil {
		return nil, false
	}
	var out codecstest.Buffer
	w, err := retropak.Format().Create(&out, &codecs.CreateOptions{Version: a.Info().Version})
	if err != nil || w.(codecs.Imitator).Imitate(a) != nil {
		return nil, false
	}
	for n, err := range a.(codecs.Namer).Named() {
		if err != nil || w.(codecs.NameWriter).AddName(n) != nil {
			return nil, false
		}
	}
	for e, err := range a.Entries() {
		if err != nil || e.Stored > 1<<20 {
			return nil, false
		}
		if _, err := codecstest.ReadEntry(t.Context(), a, e); err != nil {
			return nil, false
		}
		raw, err := a.OpenRaw(e)
		if err != nil || w.AddRaw(t.Context(), e, raw) != nil {
			return nil, false
		}
	}
	err = w.Close()
	return out.Bytes(), err == nil
}

// listing is everything that a pak holds, without places and fill.
func listing(t *testing.T, data []byte) []byte {
	a, err := retropak.Format().Open(t.Context(), codecstest.Bytes("fuzz", data), nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for n, err := range a.(codecs.Namer).Named() {
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(n.Name + " " + n.Type + " " + n.ID.String() + "\n")
	}
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		r, err := a.Open(context.Background(), e)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(e.Name + " " + e.Method.String() + " ")
		b.Write(filled(a, codecstest.Item{Entry: e, Data: content}))
	}
	return b.Bytes()
}
