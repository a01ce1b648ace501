package mods_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"pakdb/codecs/internal/property"
	"pakdb/codecs/mods"
	"pakdb/codecs/unreal"
	"pakdb/internal/testkit"
)

// asJSON returns the values of a package as extract --as json writes them.
func asJSON(p *mods.Package) []byte {
	out := []byte{'['}
	for i := range p.Objects() {
		if i > 0 {
			out = append(out, ',')
		}
		x := p.Reread(i)
		out = p.Decoder().AppendJSON(out, x, i)
	}
	return append(out, ']')
}

// JSON of a package as it is gives no edits.
func TestJSONIdentity(t *testing.T) {
	exports := 0
	for k, s := range samples(t) {
		if k%testkit.Of(7, 1) != 0 {
			continue
		}
		p := s.open(t)
		if p == nil {
			continue
		}
		text := asJSON(p)
		var indented bytes.Buffer
		if err := json.Indent(&indented, text, "", "  "); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		edits, err := p.JSONEdits(indented.Bytes())
		if err != nil || len(edits) > 0 {
			t.Errorf("%s: %v, %v", s.name, edits, err)
		}
		exports += len(p.Objects())
	}
	t.Logf("%d exports", exports)
}

// A package is edited at random. JSON of the result makes the same result of the package as
// it was.
func TestJSONEdits(t *testing.T) {
	all := samples(t)
	r := rand.New(rand.NewPCG(5, 6))
	made, refused := 0, map[string]int{}
	for range testkit.Of(75, 3000) {
		s := &all[r.IntN(len(all))]
		p := s.open(t)
		if p == nil {
			continue
		}
		i := r.IntN(len(p.Objects()))
		d, err := p.Draft(i)
		if err != nil {
			continue
		}
		var paths []string
		for path := range p.Decoder().Walk(d.List()) {
			paths = append(paths, string(path))
		}
		if len(paths) == 0 {
			continue
		}
		path := paths[r.IntN(len(paths))]
		what, _, err := oneEdit(r, p, d, i, path)
		if err != nil {
			continue
		}
		asset, uexp, err := p.Files(context.Background())
		if errors.Is(err, unreal.ErrInside) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		want := asJSON(s.after(asset, uexp).open(t))
		q := s.open(t)
		edits, err := q.JSONEdits(want)
		mods.Ordered(edits)
		for _, e := range edits {
			if err == nil {
				err = q.Apply(e)
			}
		}
		if errors.Is(err, property.ErrRefused) || err != nil && strings.Contains(err.Error(), "is not imported") { // JSON has no path of the class
			refused[what]++
			continue
		}
		if err != nil {
			t.Errorf("%s: %s of %s: %v: %v", s.name, what, path, edits, err)
			continue
		}
		asset, uexp, err = q.Files(context.Background())
		if err != nil {
			t.Errorf("%s: %s of %s: %v: %v", s.name, what, path, edits, err)
			continue
		}
		made++
		if got := asJSON(s.after(asset, uexp).open(t)); !bytes.Equal(got, want) && !strings.HasPrefix(what, "rename") {
			k := 0
			for k < min(len(got), len(want)) && got[k] == want[k] {
				k++
			}
			t.Errorf("%s: %s of %s: %v gives\n%.200s, not\n%.200s", s.name, what, path, edits, got[max(0, k-60):], want[max(0, k-60):])
		}
	}
	if made < 30 {
		t.Errorf("only %d edits made", made)
	}
	t.Logf("%d made, refused %v", made, refused)
}
