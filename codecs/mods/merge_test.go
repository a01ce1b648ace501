package mods_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/mods"
	"pakdb/codecs/unreal"
	"pakdb/internal/testkit"
)

func openSample(t testing.TB, name string) *mods.Package {
	t.Helper()
	read := func(ext string) []byte {
		b, err := os.ReadFile(codecstest.Sample(t, strings.Split("unreal-writing/values/"+name+ext, "/")...))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	p, err := mods.Open(context.Background(), read(".uasset"), read(".uexp"), mods.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Merges of published mods, and how many values both change in different ways.
func TestMergeSamples(t *testing.T) {
	for name, want := range map[string]int{"merge-0": 1, "merge-1": 1, "merge-3": 0, "merge-4": 1, "merge-6": 1, "merge-7": 2} {
		t.Run(name, func(t *testing.T) {
			base, x, y, merged := openSample(t, name+".base"), openSample(t, name+".x"), openSample(t, name+".y"), openSample(t, name+".merged")
			both := []*mods.Package{x, y}
			got, err := mods.Merge(t.Context(), base, both, mods.MergeOptions{})
			if err != nil || got.Open() != want || (got.Asset == nil) != (want > 0) {
				t.Fatalf("%d conflicts, want %d; %v", got.Open(), want, err)
			}
			got, err = mods.Merge(t.Context(), base, both, mods.MergeOptions{Prefer: []int{0, 1}})
			if err != nil || got.Open() > 0 {
				t.Fatal(err)
			}
			result, err := mods.Open(t.Context(), got.Asset, got.Uexp, mods.Options{})
			if err != nil {
				t.Fatal(err)
			}
			rest, err := mods.Merge(t.Context(), result, []*mods.Package{merged}, mods.MergeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range rest.Items {
				// The program that made the sample left code that y alone changed as it was.
				if name != "merge-4" || item.Field != "code of events" {
					t.Errorf("still differs: %+v", item)
				}
			}
		})
	}
}

// edited returns a version of a sample with some drawn edits, and the paths of those that set one value.
func edited(t *testing.T, r *rand.Rand, s *sample) (after *sample, fields []string) {
	t.Helper()
	p := s.open(t)
	if p == nil {
		return nil, nil
	}
	for range 1 + r.IntN(3) {
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
		if what, exact, err := oneEdit(r, p, d, i, path); err == nil && exact {
			fields = append(fields, fmt.Sprint(i, " ", path))
		} else if err == nil {
			fields = append(fields, what)
		}
	}
	asset, uexp, err := p.Files(t.Context())
	if err != nil || bytes.Equal(asset, s.asset) && bytes.Equal(uexp, s.uexp) {
		return nil, nil
	}
	return s.after(asset, uexp), fields
}

// disjoint reports edits that each set one value, of other fields of the objects than all
// others.
func disjoint(xs, ys []string) bool {
	for _, x := range xs {
		for _, y := range ys {
			x, _, _ = strings.Cut(strings.ReplaceAll(x, "[", "."), ".")
			y, _, _ = strings.Cut(strings.ReplaceAll(y, "[", "."), ".")
			if x == y || x[0] > '9' || y[0] > '9' { // others than one value
				return false
			}
		}
	}
	return true
}

// The laws of merging, over drawn edits of all samples.
func TestMergeLaws(t *testing.T) {
	all := samples(t)
	r := rand.New(rand.NewPCG(3, 4))
	counts := map[string]int{}
	for counts["pairs"] < testkit.Of(12, 1000) {
		s := &all[r.IntN(len(all))]
		x, xs := edited(t, r, s)
		if x == nil {
			continue
		}
		y, ys := edited(t, r, s)
		if y == nil {
			continue
		}
		counts["pairs"]++
		merge := func(o mods.MergeOptions, of ...*sample) *mods.Merged {
			var versions []*mods.Package
			for _, v := range of {
				versions = append(versions, v.open(t))
			}
			m, err := mods.Merge(t.Context(), s.open(t), versions, o)
			if errors.Is(err, unreal.ErrInside) {
				return &mods.Merged{Items: []mods.MergeItem{{Open: true}}}
			}
			if err != nil {
				t.Fatalf("%s: %v %v: %v", s.name, xs, ys, err)
			}
			return m
		}
		is := func(what string, m *mods.Merged, want *sample) {
			if !bytes.Equal(m.Asset, want.asset) || !bytes.Equal(m.Uexp, want.uexp) {
				t.Errorf("%s: %s: other bytes: %+v", s.name, what, m.Items)
			}
		}
		is("b, x, b", merge(mods.MergeOptions{}, x, s), x)
		is("b, b, y", merge(mods.MergeOptions{}, s, y), y)
		is("b, x, x", merge(mods.MergeOptions{}, x, x), x)
		if edits, rest, err := mods.Diff(t.Context(), s.open(t), x.open(t)); err != nil || len(edits)+len(rest) == 0 {
			t.Errorf("%s: %v: no edits: %v", s.name, xs, err)
		} else if len(rest) == 0 {
			counts["are edits"]++
			p := s.open(t)
			for _, e := range edits {
				if err := p.Apply(e); err != nil {
					t.Errorf("%s: %+v: %v", s.name, e, err)
				}
			}
			asset, uexp, err := p.Files(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if left := merge(mods.MergeOptions{}, x, s.after(asset, uexp)); left.Open() > 0 {
				t.Errorf("%s: %v: edits make another package: %+v", s.name, xs, left.Items)
			}
		}
		one, other := merge(mods.MergeOptions{}, x, y), merge(mods.MergeOptions{}, y, x)
		if one.Open() != other.Open() {
			t.Errorf("%s: %d conflicts, and %d in the other order", s.name, one.Open(), other.Open())
			continue
		}
		if one.Open() > 0 {
			counts["conflicts"]++
			if disjoint(xs, ys) {
				t.Errorf("%s: %q and %q are a conflict: %+v", s.name, xs, ys, one.Items)
			}
			continue
		}
		if slices.ContainsFunc(one.Items, func(i mods.MergeItem) bool { return i.Ordered }) {
			counts["ordered"]++
			continue
		}
		counts["merged"]++
		rest, err := mods.Merge(t.Context(), s.after(one.Asset, one.Uexp).open(t), []*mods.Package{s.after(other.Asset, other.Uexp).open(t)}, mods.MergeOptions{})
		if err != nil || len(rest.Items) > 0 {
			t.Errorf("%s: the order of versions matters: %v %+v", s.name, err, rest)
		}
	}
	t.Log(counts)
}

// Damaged versions are merged or refused, and never more than that.
func TestMergeDamaged(t *testing.T) {
	read := func(name string) []byte {
		b, err := os.ReadFile(codecstest.Sample(t, "unreal-writing", "values", name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	asset, uexp := read("merge-4.x.uasset"), read("merge-4.x.uexp")
	r := rand.New(rand.NewPCG(5, 6))
	damaged := func() *mods.Package {
		a, u := bytes.Clone(asset), bytes.Clone(uexp)
		for range 1 + r.IntN(4) {
			u[r.IntN(len(u))] = byte(r.Uint32())
			if r.IntN(4) == 0 {
				a[r.IntN(len(a))] = byte(r.Uint32())
			}
		}
		p, err := mods.Open(t.Context(), a, u, mods.Options{})
		if err != nil {
			return nil
		}
		return p
	}
	merged, refused := 0, 0
	for range testkit.Of(20, 2000) {
		x, y := damaged(), damaged()
		if x == nil || y == nil {
			continue
		}
		if _, err := mods.Merge(t.Context(), openSample(t, "merge-4.base"), []*mods.Package{x, y}, mods.MergeOptions{Prefer: []int{0, 1}}); err != nil {
			refused++
		} else {
			merged++
		}
	}
	if merged == 0 {
		t.Errorf("%d refused, none merged", refused)
	}
}

// Objects that two versions add to one package are both there, as they are in each version; equal
// ones are there once, and different ones of one name are a conflict.
func TestMergeObjects(t *testing.T) {
	counts := map[string]int{}
	for i, s := range samples(t) {
		if i%testkit.Of(30, 1) != 0 || s.zen {
			continue
		}
		adding := func(name string, of int) *sample {
			p := s.open(t)
			if p == nil || len(p.Objects()) == 0 {
				return nil
			}
			err := p.Duplicate(fmt.Sprint("#", of%len(p.Objects())), name)
			if err == nil {
				refer(p, of, p.Objects()[len(p.Objects())-1])
			}
			asset, uexp, filesErr := p.Files(t.Context())
			if err != nil || filesErr != nil { // bulk data
				counts["not copied"]++
				return nil
			}
			return s.after(asset, uexp)
		}
		x, y, z := adding("PakdbOne", 0), adding("PakdbTwo", 1), adding("PakdbOne", 1)
		if x == nil || y == nil {
			continue
		}
		merge := func(base *sample, of ...*sample) *mods.Merged {
			var versions []*mods.Package
			for _, v := range of {
				versions = append(versions, v.open(t))
			}
			m, err := mods.Merge(t.Context(), base.open(t), versions, mods.MergeOptions{})
			if err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			return m
		}
		if m := merge(&s, x, x); m.Open() > 0 || !bytes.Equal(m.Asset, x.asset) {
			t.Errorf("%s: equal objects: %+v", s.name, m.Items)
		}
		if z != nil && len(s.open(t).Objects()) > 1 {
			a, b := x.open(t).Objects(), z.open(t).Objects()
			if m := merge(&s, x, z); m.Open() == 0 && a[len(a)-1] == b[len(b)-1] && !equalObjects(s.open(t)) {
				t.Errorf("%s: different objects of one name: %+v", s.name, m.Items)
			}
		}
		m, again := merge(&s, x, y), merge(&s, y, x)
		if m.Open() > 0 {
			counts["conflicts"]++
			for _, item := range m.Items {
				if item.Open {
					t.Logf("%s: %s %s: %s", s.name, item.Object, item.Field, item.Why)
				}
			}
			continue
		}
		counts["merged"]++
		both, other := s.after(m.Asset, m.Uexp), s.after(again.Asset, again.Uexp)
		if n := len(both.open(t).Objects()); n != len(s.open(t).Objects())+2 {
			t.Errorf("%s: %d objects", s.name, n)
		}
		if rest := merge(both, other); len(rest.Items) > 0 {
			t.Errorf("%s: the order of versions matters: %+v", s.name, rest.Items)
		}
		for _, v := range []*sample{x, y} { // the result lacks nothing of either
			if rest := merge(v, both); slices.ContainsFunc(rest.Items, func(i mods.MergeItem) bool { return i.Base != "" && i.Field == "the object" }) {
				t.Errorf("%s: lost: %+v", s.name, rest.Items)
			}
		}
	}
	if counts["merged"] == 0 {
		t.Error("nothing merged")
	}
	t.Log(counts)
}

// equalObjects reports whether the first two objects have equal bytes.
func equalObjects(p *mods.Package) bool {
	a, err := p.Draft(0)
	b, otherErr := p.Draft(1)
	return err == nil && otherErr == nil && bytes.Equal(a.Data(), b.Data())
}

// refer makes a reference of a package, the first or the one after, one to an object.
func refer(p *mods.Package, skip int, object string) {
	for i := range p.Objects() {
		d, err := p.Draft(i)
		if err != nil {
			continue
		}
		for _, n := range d.List().Children(-1) {
			if !n.Kind.IsReference() || n.Flags&property.ClassData != 0 {
				continue
			}
			if skip--; skip < 0 && p.Set(fmt.Sprint("#", i), n.Name, object) == nil {
				return
			}
		}
	}
}

// A result has no import twice that each version has once, whichever side wins.
func TestMergeImports(t *testing.T) {
	all := samples(t)
	r := rand.New(rand.NewPCG(7, 8))
	imports := func(p *mods.Package) map[string]int {
		counts := map[string]int{}
		for i := range p.Imports() {
			counts[p.Decoder().ObjectKey(unreal.ObjectRef(-i-1))]++
		}
		return counts
	}
	// referring returns a version with other references to a few new imports.
	referring := func(s *sample) *sample {
		p := s.open(t)
		if p == nil {
			return nil
		}
		for i := range p.Objects() {
			d, err := p.Draft(i)
			if err != nil {
				continue
			}
			for path := range p.Decoder().Walk(d.List()) {
				if v, err := d.Find(string(path)); err == nil && d.Kind(v).IsReference() && r.IntN(3) == 0 {
					_ = p.Set(fmt.Sprint("#", i), string(path), drawn(r, d, v, property.Object))
				}
			}
		}
		asset, uexp, err := p.Files(t.Context())
		if err != nil {
			return nil
		}
		return s.after(asset, uexp)
	}
	for pairs := 0; pairs < testkit.Of(10, 300); {
		s := &all[r.IntN(len(all))]
		x, y := referring(s), referring(s)
		if x == nil || y == nil || s.zen {
			continue
		}
		pairs++
		m, err := mods.Merge(t.Context(), s.open(t), []*mods.Package{x.open(t), y.open(t)}, mods.MergeOptions{Prefer: []int{0, 1}})
		if err != nil {
			continue
		}
		a, b := imports(x.open(t)), imports(y.open(t))
		for key, n := range imports(s.after(m.Asset, m.Uexp).open(t)) {
			if n > max(a[key], b[key]) {
				t.Errorf("%s: import %s is there %d times", s.name, key, n)
			}
		}
	}
}
