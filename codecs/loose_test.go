package codecs_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
)

func TestContract(t *testing.T) {
	for name, content := range map[string][]byte{
		"empty.bin": nil,
		"one.bin":   {0},
		"large.bin": bytes.Repeat([]byte("pakdb"), 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			codecstest.Contract(t, codecs.Loose(), codecstest.Bytes(name, content), codecstest.ContractOptions{Weak: true})
		})
	}
}

func TestEntryIsTheFile(t *testing.T) {
	src := codecstest.Bytes("Locale.str", []byte("hello"))
	items := codecstest.Items(t, codecstest.Open(t, codecs.Loose(), src, nil))
	if len(items) != 1 {
		t.Fatalf("%d entries", len(items))
	}
	e := items[0].Entry
	if e.Name != "Locale.str" || e.Size != 5 || e.Stored != 5 || e.Offset != 0 || !e.Mod.IsZero() {
		t.Errorf("entry %+v", e)
	}
	if string(items[0].Data) != "hello" {
		t.Errorf("content %q", items[0].Data)
	}
}

// A file that shrinks while it is read must not pass for a shorter one.
func TestShrunk(t *testing.T) {
	src := codecstest.Bytes("a", []byte("0123456789"))
	src.ReaderAt = bytes.NewReader([]byte("0123"))
	a := codecstest.Open(t, codecs.Loose(), src, nil)
	r, err := a.Open(context.Background(), &codecs.Entry{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.ReadAll(r)
	var fe *codecs.FormatError
	if !errors.As(err, &fe) || !errors.Is(err, codecs.ErrTruncated) || fe.Off != 4 {
		t.Fatalf("got %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	codecstest.FuzzOpen(f, codecs.Loose(), nil, nil, []byte("any file"))
}
