package mods_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"pakdb/codecs/unreal"
)

// Several edits of one package that a seed draws: the result is refused, or it is read back
// with the values that were set, and exports that no edit concerned have their bytes.
func FuzzEdits(f *testing.F) {
	all := samples(f)
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := &all[r.IntN(len(all))]
		p := s.open(t)
		if p == nil || len(p.Objects()) == 0 {
			return
		}
		touched := map[int]bool{}
		lastObject, lastPath, lastValue := -1, "", ""
		for range 1 + r.IntN(5) {
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
			_, exact, err := oneEdit(r, p, d, i, path)
			if err != nil {
				continue // refused: the package is as it was
			}
			touched[i] = true
			lastObject, lastPath, lastValue = -1, "", ""
			if exact {
				got, _ := p.Get(fmt.Sprint("#", i), path)
				lastObject, lastPath, lastValue = i, path, fmt.Sprint(got)
			}
		}
		asset, uexp, err := p.Files(context.Background())
		if errors.Is(err, unreal.ErrInside) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v: %v", s.name, p.Changes(), err)
		}
		q := s.after(asset, uexp).open(t)
		first := s.open(t)
		for i := range first.Objects() {
			x, err1 := first.Draft(i)
			y, err2 := q.Draft(i)
			if (err1 == nil) != (err2 == nil) || err1 == nil && !touched[i] && !bytes.Equal(x.Data(), y.Data()) {
				t.Errorf("%s: %v: export %d is another one: %v", s.name, p.Changes(), i, err2)
			}
		}
		if lastObject >= 0 {
			if got, err := q.Get(fmt.Sprint("#", lastObject), lastPath); err != nil || fmt.Sprint(got) != lastValue {
				t.Errorf("%s: %v: %s is %v, not %s (%v)", s.name, p.Changes(), lastPath, got, lastValue, err)
			}
		}
	})
}
