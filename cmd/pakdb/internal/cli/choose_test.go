package cli_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/internal/glob"
)

// archive is a table of entries, with names of resources, and with packages that
// are named /Game/...
type archive struct {
	entries []codecs.Entry
	names   []codecs.NamedResource
	broken  error // ends the table
}

func (a *archive) Info() codecs.Info { return codecs.Info{} }

func (a *archive) Entries() iter.Seq2[*codecs.Entry, error] {
	return func(yield func(*codecs.Entry, error) bool) {
		for i := range a.entries {
			if !yield(&a.entries[i], nil) {
				return
			}
		}
		if a.broken != nil {
			yield(nil, a.broken)
		}
	}
}

func (a *archive) Open(context.Context, *codecs.Entry) (io.ReadCloser, error) {
	return nil, errors.ErrUnsupported
}

func (a *archive) OpenRaw(*codecs.Entry) (*io.SectionReader, error) {
	return nil, errors.ErrUnsupported
}

func (a *archive) Close() error { return nil }

func (a *archive) Named() iter.Seq2[codecs.NamedResource, error] {
	return func(yield func(codecs.NamedResource, error) bool) {
		for _, n := range a.names {
			if !yield(n, nil) {
				return
			}
		}
		yield(codecs.NamedResource{}, errors.New("the rest cannot be read"))
	}
}

func (a *archive) Locate(name string) func(*codecs.Entry) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(name), "/game/")
	if !ok {
		return nil
	}
	return func(e *codecs.Entry) bool { return strings.ToLower(e.Name) == "content/"+rest+".uasset" }
}

func sample() *archive {
	return &archive{
		entries: []codecs.Entry{
			{Ordinal: 0, Name: "Maps/Arena.umap"},
			{Ordinal: 1, Name: "maps/arena.umap"},
			{Ordinal: 2, Name: "Content/Hero.uasset"},
			{Ordinal: 3, Type: "TXTR", ID: codecs.ID32(0x7b2ea5b1)},
			{Ordinal: 4, Type: "TXTR", ID: codecs.ID32(0x7b2ea5b1)}, // a copy
			{Ordinal: 5, Type: "CMDL", ID: codecs.ID32(0xcafe)},
			{Ordinal: 6, Name: "Hidden.bin", PathHash: codecs.ID64(0xa3c1f7d2)},
		},
		names: []codecs.NamedResource{
			{Name: "Visor", Type: "TXTR", ID: codecs.ID32(0x7b2ea5b1)},
			{Name: `a/b\c`, Type: "CMDL", ID: codecs.ID32(0xcafe)},
			{Name: "Twice", Type: "CMDL", ID: codecs.ID32(0xcafe)},
			{Name: "Twice", Type: "TXTR", ID: codecs.ID32(0x7b2ea5b1)},
		},
	}
}

func ordinals(entries []*codecs.Entry) string {
	var all []string
	for _, e := range entries {
		all = append(all, fmt.Sprint(e.Ordinal))
	}
	return strings.Join(all, " ")
}

func TestFind(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"Maps/Arena.umap", "0"},
		{`Maps\Arena.umap`, "0"},
		{"maps/arena.umap", "1"},
		{"content/HERO.uasset", "2"},
		{"/Game/Hero", "2"},
		{"#5", "5"},
		{"@7b2ea5b1", "3"},
		{"@0x7B2EA5B1", "3"},
		{"@00000000a3c1f7d2", "6"},
		{"visor", "3"},
		{`a/b\c`, "5"},
	} {
		found, err := cli.Find("a.pak", sample(), []string{tt.name})
		if got := ordinals(found); err != nil || got != tt.want {
			t.Errorf("%q: entries %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
	found, err := cli.Find("a.pak", sample(), []string{"#6", "#0"})
	if got := ordinals(found); err != nil || got != "6 0" {
		t.Errorf("two names: entries %q, %v", got, err)
	}
}

func TestFindFails(t *testing.T) {
	damaged := sample()
	damaged.broken = errors.New("the table ends early")
	for _, tt := range []struct {
		name  string
		in    *archive
		class error
		text  string
		hint  string
	}{
		{"Maps/Arena.uma", sample(), codecs.ErrNotFound, `a.pak: no such entry: "Maps/Arena.uma"`, "did you mean Maps/Arena.umap, maps/arena.umap?"},
		{"#7", sample(), codecs.ErrNotFound, `a.pak: no such entry: "#7"`, ""},
		{"", sample(), codecs.ErrNotFound, `a.pak: no such entry: ""`, ""},
		{"MAPS/ARENA.UMAP", sample(), cli.ErrSeveral, `a.pak: "MAPS/ARENA.UMAP" names 2 entries`,
			"choose one by its ordinal: Maps/Arena.umap is #0, maps/arena.umap is #1"},
		{"Twice", sample(), cli.ErrSeveral, `a.pak: "Twice" names 3 entries`, "choose one by its ordinal: #3 is #3, #4 is #4, #5 is #5"},
		{"#7", damaged, damaged.broken, "the table ends early", ""},
	} {
		_, err := cli.Find("a.pak", tt.in, []string{tt.name})
		if !errors.Is(err, tt.class) || err.Error() != tt.text {
			t.Errorf("%q: %v, want %q", tt.name, err, tt.text)
			continue
		}
		if got := hint(err); got != tt.hint {
			t.Errorf("%q: hint %q, want %q", tt.name, got, tt.hint)
		}
	}
}

func hint(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

func TestFindCopies(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"@7b2ea5b1", "3 4"},
		{"Visor", "3 4"},
		{"#4", "4"},
		{"Maps/Arena.umap", "0"},
	} {
		found, err := cli.FindCopies("a.pak", sample(), tt.name)
		if got := ordinals(found); err != nil || got != tt.want {
			t.Errorf("%q: entries %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
	if _, err := cli.FindCopies("a.pak", sample(), "Twice"); !errors.Is(err, cli.ErrSeveral) {
		t.Errorf("a name of two resources: %v", err)
	}
}

func TestSelection(t *testing.T) {
	for _, tt := range []struct {
		patterns []string
		want     string
		missed   string
		hint     string
	}{
		{nil, "0 1 2 3 4 5 6", "", ""},
		{[]string{"*.UMAP"}, "0 1", "", ""},
		{[]string{"Maps/"}, "0 1", "", ""},
		{[]string{"Maps/", "/Game/Hero"}, "0 1 2", "", ""},
		{[]string{"*.umaps", "*.bin"}, "6", `nothing matches "*.umaps"`, ``},
	} {
		ar := sample()
		s, err := cli.NewSelection(tt.patterns)
		if err != nil {
			t.Fatal(err)
		}
		var taken []*codecs.Entry
		s.In(ar)
		for e := range ar.Entries() {
			if s.Takes(e) {
				taken = append(taken, e)
			}
		}
		if got := ordinals(taken); got != tt.want {
			t.Errorf("%q: entries %q, want %q", tt.patterns, got, tt.want)
		}
		err = s.Missed("a.pak", cli.Paths(ar))
		if (err == nil) != (tt.missed == "") || err != nil && (!errors.Is(err, codecs.ErrNotFound) || !strings.HasSuffix(err.Error(), tt.missed) || hint(err) != tt.hint) {
			t.Errorf("%q: missed %v, want %q", tt.patterns, err, tt.missed)
		}
	}
	if _, err := cli.NewSelection([]string{"[a"}); !errors.Is(err, glob.ErrPattern) {
		t.Errorf("a broken pattern: %v", err)
	}
}

func TestNames(t *testing.T) {
	ar := sample()
	names := cli.NamesOf(ar)
	for _, tt := range []struct {
		ordinal int
		names   int
		json    any
		suffix  string
	}{
		{0, 0, nil, ""},
		{3, 2, `["Visor","Twice"]`, ".Visor"},
		{5, 2, `["a/b\\c","Twice"]`, ".a%2Fb%5Cc"},
	} {
		e := &ar.entries[tt.ordinal]
		if got := len(names.Of(e)); got != tt.names {
			t.Errorf("#%d has %d names, want %d", tt.ordinal, got, tt.names)
		}
		if got := names.JSON(e); got != tt.json {
			t.Errorf("#%d: JSON %v, want %v", tt.ordinal, got, tt.json)
		}
		if got := names.Suffix(e); got != tt.suffix {
			t.Errorf("#%d: suffix %q, want %q", tt.ordinal, got, tt.suffix)
		}
	}
}
