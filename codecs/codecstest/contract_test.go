package codecstest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"
	"testing/synctest"

	"pakdb/codecs"
)

// breach is loose with one promise broken.
type breach struct {
	codecs.Archive
	open func(codecs.Archive, context.Context, *codecs.Entry) (io.ReadCloser, error)
	edit func(*codecs.Entry)
}

func (b *breach) Open(ctx context.Context, e *codecs.Entry) (io.ReadCloser, error) {
	if b.open != nil {
		return b.open(b.Archive, ctx, e)
	}
	return b.Archive.Open(ctx, e)
}

func (b *breach) Entries() iter.Seq2[*codecs.Entry, error] {
	return func(yield func(*codecs.Entry, error) bool) {
		for e, err := range b.Archive.Entries() {
			if b.edit != nil {
				b.edit(e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func broken(open func(codecs.Archive, context.Context, *codecs.Entry) (io.ReadCloser, error), edit func(*codecs.Entry)) *codecs.Format {
	f := *codecs.Loose()
	inner := f.Open
	f.Open = func(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
		a, err := inner(ctx, src, o)
		return &breach{a, open, edit}, err
	}
	return &f
}

// The suite must see what it is there to see.
func TestContractNoticesBreaches(t *testing.T) {
	type openFunc = func(codecs.Archive, context.Context, *codecs.Entry) (io.ReadCloser, error)
	gives := func(s string) openFunc {
		return func(codecs.Archive, context.Context, *codecs.Entry) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(s)), nil
		}
	}
	var leak chan struct{}
	tests := []struct {
		name  string
		f     *codecs.Format
		check func(*contract) error
	}{
		{"short content", broken(gives("123"), nil), (*contract).content},
		{"endless content", broken(gives("12345678"), nil), (*contract).content},
		{"ignores the context", broken(gives("12345"), nil), (*contract).cancelled},
		{"ordinal", broken(nil, func(e *codecs.Entry) { e.Ordinal = 7 }), (*contract).list},
		{"name", broken(nil, func(e *codecs.Entry) { e.Name = "\xff" }), (*contract).list},
		{"stored", broken(nil, func(e *codecs.Entry) { e.Stored++ }), (*contract).content},
		{"panic", broken(func(codecs.Archive, context.Context, *codecs.Entry) (io.ReadCloser, error) {
			panic("index out of range")
		}, nil), (*contract).flip},
		{"error of no class", broken(func(codecs.Archive, context.Context, *codecs.Entry) (io.ReadCloser, error) {
			return nil, errors.New("odd")
		}, nil), (*contract).cut},
		{"allocation", broken(func(a codecs.Archive, ctx context.Context, e *codecs.Entry) (io.ReadCloser, error) {
			sink = make([]byte, 300<<20)
			return a.Open(ctx, e)
		}, nil), (*contract).flip},
		{"leak", broken(func(a codecs.Archive, ctx context.Context, e *codecs.Entry) (io.ReadCloser, error) {
			go func() { <-leak }()
			return a.Open(ctx, e)
		}, nil), (*contract).close},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // to wait for a leak takes no time
				leak = make(chan struct{})
				defer close(leak)
				c := &contract{f: tt.f, src: Bytes("a", []byte("12345")), o: ContractOptions{MaxRead: 10, Cuts: 3, Flips: 3}}
				if err := tt.check(c); err == nil {
					t.Fatal("not noticed")
				}
			})
		})
	}
}

var sink []byte

func TestCoverage(t *testing.T) {
	c := NewCoverage(Bytes("a", []byte("0123456789")))
	if _, err := c.Source().ReadAt(make([]byte, 3), 2); err != nil {
		t.Fatal(err)
	}
	c.Mark(Range{8, 100})
	got := c.Unread()
	if len(got) != 2 || got[0] != (Range{0, 2}) || got[1] != (Range{5, 3}) {
		t.Errorf("unread %v", got)
	}
}

func TestBufferSeeks(t *testing.T) {
	var w Buffer
	for _, step := range []struct {
		at int64
		s  string
	}{{4, "data"}, {0, "head"}, {6, "TAIL"}} {
		if _, err := w.Seek(step.at, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(&w, step.s); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(w.Bytes(), []byte("headdaTAIL")) {
		t.Errorf("%q", w.Bytes())
	}
	if _, err := w.Seek(-1, io.SeekStart); err == nil {
		t.Error("sought before the start")
	}
}
