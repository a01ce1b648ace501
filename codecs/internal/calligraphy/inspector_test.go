package calligraphy_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/internal/calligraphy"
)

func inspect(name string, body []byte) (*codecs.Facts, error) {
	e := &codecs.Entry{Name: name, Size: int64(len(body))}
	return calligraphy.Inspector().Inspect(context.Background(), bytes.NewReader(body), e.Size, e)
}

func detail(f *codecs.Facts) *calligraphy.Facts { return f.Detail.(*calligraphy.Facts) }

func TestMatch(t *testing.T) {
	resource := "\x00\x10\x00\x00\x07\x00\x00\x00"
	tests := []struct {
		name, head string
		want       bool
	}{
		{"Calligraphy/A/B.curve", "CRV\x0a", true},
		{"Curve.directory", "CDR\x0b", true},
		{"b.PROTOTYPE", "PTP\x0a\x00", true},
		{"b.defaults", "PTP\x0a\x00", true},
		{"Calligraphy/Noise.curve", "noise", true},
		{"calligraphy/Empty.curve", "", true},
		{"Other/Noise.curve", "noise", false},
		{"Other/Empty.curve", "", false},
		{"Other/b.type", "BPT\x0a", false},
		{"Calligraphy/readme.txt", "CRV\x0a", false},
		{"Resource/Cells/a.cell", resource + "\x00\x00\x00\x00", true},
		{"Resource/Cells/a.cell", "", true},
		{"a.cell", resource + "\x5a\x2b\x3f\xe6", true}, // EntityMarkerPrototype
		{"a.cell", resource + "\x00\x00\x00\x00", false},
		{"", "PTP\x0a\x00", false},
	}
	in := calligraphy.Inspector()
	for _, test := range tests {
		if got := in.Match(&codecs.Entry{Name: test.name}, []byte(test.head)); got != test.want {
			t.Errorf("Match(%q, %q) = %v", test.name, test.head, got)
		}
	}
}

func TestInspectCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	e := &codecs.Entry{Name: "a.curve"}
	if _, err := calligraphy.Inspector().Inspect(ctx, bytes.NewReader(nil), 0, e); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

// A source that fails is not a damaged file.
func TestInspectReadError(t *testing.T) {
	for _, name := range []string{"a.curve", "Resource/a.cell"} {
		e := &codecs.Entry{Name: name}
		_, err := calligraphy.Inspector().Inspect(context.Background(), failing{}, 100, e)
		if !errors.Is(err, errBroken) || errors.Is(err, codecs.ErrCorrupt) {
			t.Errorf("%s: err = %v", name, err)
		}
	}
}

var errBroken = errors.New("broken disk")

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errBroken }

// Facts must not change when the decoder that made them goes on.
func TestFactsAreTheirOwn(t *testing.T) {
	in := calligraphy.Inspector()
	read := func(f file) *codecs.Facts {
		facts, err := in.Inspect(context.Background(), bytes.NewReader(f.body), int64(len(f.body)), f.entry())
		if err != nil {
			t.Fatal(err)
		}
		return facts
	}
	files := everyKind()
	var all []*codecs.Facts
	for _, f := range files {
		all = append(all, read(f))
	}
	for range 3 {
		for _, f := range files {
			clear(f.body[4:])
			_, _ = in.Inspect(context.Background(), bytes.NewReader(f.body), int64(len(f.body)), f.entry())
		}
	}
	for i, f := range everyKind() {
		if f.name == "a.cell" {
			continue
		}
		if got := encode(all[i].Kind, detail(all[i])); !bytes.Equal(got, f.body) {
			t.Errorf("%s: facts changed after they were returned", f.name)
		}
	}
}
