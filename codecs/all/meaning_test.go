package all_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/internal/calligraphy"
	"pakdb/codecs/retropak"
	"pakdb/codecs/unreal"
)

// files are facts by path.
type files map[string]*calligraphy.Facts

func (f files) Facts(_ context.Context, path string) (*codecs.Facts, error) {
	d, ok := f[path]
	if !ok {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	return &codecs.Facts{Detail: d}, nil
}

func (f files) Name(_ codecs.Space, id codecs.ID) string { return "entry " + id.String() }

// flat writes a tree as lines of paths.
func flat(n *codecs.Node) string {
	var b strings.Builder
	var walk func(prefix string, n *codecs.Node)
	walk = func(prefix string, n *codecs.Node) {
		fmt.Fprintf(&b, "%s%s=%v", prefix, n.Name, n.Value)
		if n.Note != "" {
			fmt.Fprintf(&b, " (%s)", n.Note)
		}
		if n.Inherited != "" {
			fmt.Fprintf(&b, " <%s>", n.Inherited)
		}
		b.WriteByte('\n')
		for _, c := range n.Children {
			walk(prefix+" ", c)
		}
	}
	walk("", n)
	return b.String()
}

// number is a prototype with one parent that sets some fields of blueprint 7 to
// numbers.
func number(parent uint64, fields map[uint64]int64) *calligraphy.Facts {
	p := &calligraphy.Prototype{Bodies: []calligraphy.Body{{Parent: parent, Owner: -1}},
		Groups: []calligraphy.Group{{Blueprint: 7}}}
	for id := uint64(1); id < 10; id++ {
		if v, ok := fields[id]; ok {
			p.Fields = append(p.Fields, calligraphy.Field{ID: id, First: int32(len(p.Values)), Count: 1, Type: 'L', Structure: 'S'})
			p.Values = append(p.Values, uint64(v))
		}
	}
	return &calligraphy.Facts{Prototype: p}
}

// game is three prototypes, each the parent of the one before; the last has the
// first as its own parent.
func game() files {
	record := func(id uint64, path string) calligraphy.Record {
		return calligraphy.Record{ID: id, Path: path}
	}
	return files{
		"Calligraphy/Prototype.directory": {Space: "prototype", Records: []calligraphy.Record{record(11, "A"), record(12, "B"), record(13, "C")}},
		"Calligraphy/Blueprint.directory": {Space: "blueprint", Records: []calligraphy.Record{record(7, "F"), record(8, "G")}},
		"F": {Blueprint: &calligraphy.Blueprint{Members: []calligraphy.Member{{ID: 1, Name: "One", Type: 'L', Structure: 'S'}},
			Parents: []calligraphy.Link{{Blueprint: 8}}}},
		"G": {Blueprint: &calligraphy.Blueprint{Members: []calligraphy.Member{{ID: 2, Name: "Two"}, {ID: 3, Name: "Three"}},
			Parents: []calligraphy.Link{{Blueprint: 7}}}},
		"A": number(12, map[uint64]int64{1: -1}),
		"B": number(13, map[uint64]int64{1: 10, 2: 20}),
		"C": number(11, map[uint64]int64{1: 100, 2: 200, 3: 300, 4: 400}),
	}
}

func of(t *testing.T, f *codecs.Facts, with codecs.Files) *codecs.Node {
	t.Helper()
	n, err := codecs.Meaning(t.Context(), f, with)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(n); err != nil {
		t.Error(err)
	}
	return n
}

func TestPrototypeInheritsFromTheNearest(t *testing.T) {
	got := flat(of(t, &codecs.Facts{Kind: "p", Detail: game()["A"]}, game()))
	want := `=p
 parent=B
 parent=C
 parent=A
 One=-1
 Two=20 <B>
 Three=300 <C>
 0x0000000000000004=400 <C>
`
	if got != want {
		t.Errorf("%s", got)
	}
}

func TestPrototypeWithoutTheOtherFiles(t *testing.T) {
	got := flat(of(t, &codecs.Facts{Kind: "p", Detail: game()["A"]}, nil))
	if want := "=p\n parent=0x000000000000000c (not found: its values are missing here)\n 0x0000000000000001=-1\n"; got != want {
		t.Errorf("%s", got)
	}
}

// failing cannot read what is there.
type failing struct{ files }

func (failing) Facts(context.Context, string) (*codecs.Facts, error) { return nil, errFailing }

var errFailing = errors.New("the disk is gone")

func TestFailureToReadIsAnError(t *testing.T) {
	if _, err := codecs.Meaning(t.Context(), &codecs.Facts{Detail: game()["A"]}, failing{}); !errors.Is(err, errFailing) {
		t.Errorf("%v", err)
	}
}

// damaged prototypes end early, and have indices that lead nowhere.
func TestDamagedPrototypes(t *testing.T) {
	embed := number(0, map[uint64]int64{1: 0})
	embed.Prototype.Fields[0].Type = 'R' // a body that embeds itself
	short := number(0, map[uint64]int64{1: 1})
	short.Prototype.Fields[0].Count, short.Prototype.Fields[0].Structure = 5, 'L'
	lost := number(0, map[uint64]int64{1: 1})
	lost.Prototype.Fields[0].Group = 9
	for name, d := range map[string]*calligraphy.Facts{"embeds itself": embed, "short": short, "no group": lost,
		"no body": {Prototype: &calligraphy.Prototype{}}, "nothing": {}} {
		if got := flat(of(t, &codecs.Facts{Kind: "p", Detail: d}, game())); !strings.HasPrefix(got, "=p\n") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestOtherContents(t *testing.T) {
	for want, f := range map[string]*codecs.Facts{
		"=c\n positions=-1 to 1\n values=<nil>\n  -1=0.5\n  0=NaN\n  1=+Inf\n": {Kind: "c", Detail: &calligraphy.Facts{
			Curve: &calligraphy.Curve{Start: -1, Values: []float64{0.5, math.NaN(), math.Inf(1)}}}},
		"=r\n refers to=<nil>\n  TXTR=0000abcd (entry 0000abcd)\n": {Kind: "r", Detail: &retropak.Facts{Types: []string{"TXTR"}},
			Refs: []codecs.Ref{{Kind: "asset", Space: retropak.Asset, ID: codecs.ID32(0xabcd)}}},
		"=x\n defines=<nil>\n  s=Name (a/b)\n problem=f: e\n": {Kind: "x", Symbols: []codecs.Symbol{{Space: "s", Name: "Name", Path: "a/b"}},
			Problems: []*codecs.FormatError{{Format: "f", Off: -1, Err: errors.New("e")}}},
		"=q\n container=0x0000000000000001\n version=-1\n packages=<nil> (1)\n  package=0x0000000000000002\n   import=0x0000000000000003\n": {Kind: "q",
			Detail: &unreal.ContainerFacts{Version: -1, ContainerID: 1, Packages: []unreal.StoredPackage{{ID: 2, Imports: []uint64{3}}}}},
	} {
		if got := flat(of(t, f, game())); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
