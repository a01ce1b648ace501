package mods_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/mods"
	"pakdb/codecs/unreal"
	"pakdb/internal/testkit"
)

// Every value of every list that is written again as it is has the bytes that it had.
func TestIdentity(t *testing.T) {
	var some []sample
	for k, s := range samples(t) {
		if k%testkit.Of(5, 1) == 0 {
			some = append(some, s)
		}
	}
	equal, other := identity(t, some)
	// Optional values, and fields that a list has twice, are found at the first node of their path.
	delete(other, "another node of that path")
	if equal < 1000 || len(other) > 0 {
		t.Errorf("%d values equal, others %v", equal, other)
	}
}

// The same of packages of UE1 to UE3.
func TestClassicIdentity(t *testing.T) {
	if equal, other := identity(t, classicSamples(t)); equal < 250 || len(other) > 0 {
		t.Errorf("%d values equal, others %v", equal, other)
	}
}

// identity counts the values that are written as they are, and others by their kinds.
func identity(t *testing.T, all []sample) (equal int, other map[string]int) {
	t.Helper()
	lists := 0
	other = map[string]int{}
	refused, lost := map[string]int{}, 0
	for _, s := range all {
		p := s.open(t)
		if p == nil {
			continue
		}
		for i := range p.Objects() {
			d, err := p.Draft(i)
			if err != nil {
				lost++
				continue
			}
			lists++
			for path, at := range p.Decoder().Walk(d.List()) {
				target, err := d.Find(string(path))
				n := &d.List().Nodes[at]
				if err != nil {
					t.Errorf("%s: %s: %v", s.name, path, err)
					continue
				}
				if d.Node(target) != at && n.Kind != property.Opaque {
					if other["another node of that path"]++; other["another node of that path"] < 5 {
						t.Logf("%s: another %s", s.name, path)
					}
					continue
				}
				made, stored, err := d.Encode(target)
				switch {
				case n.Kind == property.Opaque:
					refused["opaque"]++
				case n.Flags&property.Zero != 0:
					refused["zero bit"]++
				case len(stored) == 0 && len(made) > 0 && err == nil: // it decides what follows it
					if refused["no place"]++; d.Set(target, "1") == nil {
						t.Errorf("%s: %s is set", s.name, path)
					}
				case errors.Is(err, property.ErrRefused):
					refused[strings.Fields(fmt.Sprint(err))[2]+n.Type.String()]++
				case err != nil:
					t.Errorf("%s: %s (%s): %v", s.name, path, n.Type, err)
				case bytes.Equal(made, stored):
					equal++
				default:
					other[n.Kind.String()]++
					if other[n.Kind.String()] < 4 {
						t.Logf("%s: %s (%s %q, flags %d): %x, not %x", s.name, path, n.Type, n.Text, n.Flags, made, stored)
					}
				}
			}
		}
	}
	t.Logf("%d lists, %d values equal, refused %v, lists lost %d", lists, equal, refused, lost)
	return equal, other
}

// drawn returns another value of a kind.
func drawn(r *rand.Rand, d *property.Draft, t property.Target, kind property.Kind) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	switch kind {
	case property.Bool:
		return pick("true", "false")
	case property.Int8:
		return strconv.Itoa(r.IntN(256) - 128)
	case property.Byte:
		return strconv.Itoa(r.IntN(256))
	case property.Int16:
		return strconv.Itoa(r.IntN(1<<16) - 1<<15)
	case property.UInt16:
		return strconv.Itoa(r.IntN(1 << 16))
	case property.Int:
		return pick("0", strconv.Itoa(int(int32(r.Uint32()))))
	case property.UInt32:
		return strconv.Itoa(int(r.Uint32()))
	case property.Int64:
		return pick("-9223372036854775808", strconv.FormatInt(int64(r.Uint64()), 10))
	case property.UInt64:
		return pick("18446744073709551615", strconv.FormatUint(r.Uint64(), 10))
	case property.Float:
		return pick("0", "-0", "28.8", "Infinity", strconv.FormatFloat(float64(r.Float32()), 'g', -1, 32))
	case property.Double:
		return pick("0", "-0", "28.8", "1e300", strconv.FormatFloat(r.NormFloat64(), 'g', -1, 64))
	case property.Name:
		return pick("None", "PakdbNewName", "PakdbNewName_12", "PakdbNewName_07", fmt.Sprint(d.Shown(t))+"_3")
	case property.Enum:
		return pick("PakdbMember", "0", "1")
	case property.Object, property.Class, property.WeakObject, property.Interface:
		return pick("None", "/Game/Pakdb/New.New", "Texture2D'/Game/Pakdb/T.T'", "/Script/Engine.Texture2D'/Game/Pakdb/T.T'")
	case property.SoftObject, property.SoftClass, property.AssetObject, property.AssetClass:
		return pick("", "/Game/Pakdb/Soft.Soft", "/Game/Pakdb/Soft.Soft_C:Sub")
	case property.LazyObject, property.Struct:
		return pick("00112233-44556677-8899AABB-CCDDEEFF", "/Game/Pakdb/Soft.Soft")
	}
	return pick("", "short", "a much longer text than any other", "ein längerer Text, ☃")
}

// One value of a drawn package, set to a drawn value, or removed, copied, renamed or added: that
// one differs afterwards and no other, and the bytes of all other exports are equal.
func TestRandomEdits(t *testing.T) {
	randomEdits(t, samples(t), testkit.Of(100, 10_000))
}

// The same of packages of UE1 to UE3.
func TestClassicRandomEdits(t *testing.T) {
	randomEdits(t, classicSamples(t), testkit.Of(60, 2_000))
}

func randomEdits(t *testing.T, all []sample, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	made, refused, kinds := 0, map[string]int{}, map[string]int{}
	for made < n {
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
		what, exact, err := oneEdit(r, p, d, i, path)
		if err != nil {
			for _, known := range []error{property.ErrRefused, property.ErrValue, property.ErrNoObject, codecs.ErrNotFound} {
				if errors.Is(err, known) {
					what += ": " + known.Error()
					break
				}
			}
			if !strings.Contains(what, ": ") && !strings.Contains(err.Error(), "is not imported") && !strings.Contains(err.Error(), "is not known") {
				t.Errorf("%s: %s: %s: %v", s.name, path, what, err)
			}
			refused[what]++
			continue
		}
		asset, uexp, err := p.Files(context.Background())
		if errors.Is(err, unreal.ErrInside) {
			refused["bulk data inside"]++
			continue
		}
		if err != nil {
			t.Errorf("%s: %s of %d: %s: %v", s.name, path, i, what, err)
			continue
		}
		made++
		kinds[what]++
		compare(t, s, s.after(asset, uexp), i, path, what, exact, p.Changes()[0])
	}
	t.Logf("%d edits of %v; refused %v", made, kinds, refused)
}

// oneEdit makes an edit and returns what it was, and whether nothing but the value at the
// path may differ.
func oneEdit(r *rand.Rand, p *mods.Package, d *property.Draft, i int, path string) (what string, exact bool, err error) {
	object := fmt.Sprint("#", i)
	target, err := d.Find(path)
	if err != nil {
		return "find", false, err
	}
	kind := d.Kind(target)
	if op := r.IntN(4); op == 0 && strings.Contains(path, "]") { // an element, entry or row on the way
		path = path[:strings.LastIndexByte(path, ']')+1]
		if first := strings.IndexByte(path, ']') + 1; r.IntN(2) == 0 {
			path = path[:first]
		}
		at := strings.LastIndexByte(path, '[')
		switch r.IntN(4) {
		case 0:
			return "append", false, p.Append(object, path[:at], "")
		case 1:
			return "copy", false, p.Copy(object, path, "PakdbKey")
		case 2:
			return "rename", false, p.Rename(object, path, "PakdbKey")
		}
		return "remove element", false, p.Remove(object, path)
	}
	at := strings.LastIndexByte(path, '[')
	switch op := r.IntN(12); {
	case op == 0 && strings.HasSuffix(path, "]"):
		return "append", false, p.Append(object, path[:at], "")
	case op == 1 && strings.HasSuffix(path, "]"):
		return "copy", false, p.Copy(object, path, "PakdbKey")
	case op == 2 && strings.HasSuffix(path, "]"):
		return "rename", false, p.Rename(object, path, "PakdbKey")
	case op <= 3:
		return "remove " + kind.String(), false, p.Remove(object, path)
	}
	return "set " + kind.String(), true, p.Set(object, path, drawn(r, d, target, kind))
}

// compare reads both packages and compares all that is in them.
func compare(t *testing.T, before, after *sample, i int, path, what string, exact bool, c mods.Change) {
	t.Helper()
	p, q := before.open(t), after.open(t)
	if q == nil || len(p.Objects()) != len(q.Objects()) {
		t.Errorf("%s: other objects", before.name)
		return
	}
	for k := range p.Objects() {
		x, err1 := p.Draft(k)
		y, err2 := q.Draft(k)
		if (err1 == nil) != (err2 == nil) {
			t.Errorf("%s: %v, %v", before.name, err1, err2)
			return
		}
		if err1 != nil {
			continue
		}
		if k != i {
			if !bytes.Equal(x.Data(), y.Data()) {
				t.Errorf("%s: export %d has other bytes", before.name, k)
			}
			continue
		}
		changes := property.Changed(p.Decoder(), x.List(), q.Decoder(), y.List())
		if exact && c.Old != c.New && len(changes) != 1 || exact && len(changes) == 1 && changes[0].Path != path && !strings.HasPrefix(path, changes[0].Path) {
			t.Errorf("%s: %s of %d: %s from %q to %q changed %d values: %v", before.name, path, i, what, c.Old, c.New, len(changes), changes)
		}
		if got, err := q.Get(fmt.Sprint("#", i), path); exact && (err != nil || strings.NewReplacer("true", "1", "false", "0").Replace(c.New) != fmt.Sprint(got) && fmt.Sprint(got) != c.New) {
			t.Errorf("%s: %s is %v, want %s (%v)", before.name, path, got, c.New, err)
		}
	}
}

// A field that is removed, and set again to the value that it had, is there again: with the
// value that it had, and nothing else differs.
func TestRemovedAndAdded(t *testing.T) {
	back, same, refused := 0, 0, map[string]int{}
	for k, s := range samples(t) {
		if k%testkit.Of(16, 1) != 0 && !strings.HasSuffix(s.name, "/Maps/WorldPartition.umap") {
			continue
		}
		first := s.open(t)
		if first == nil {
			continue
		}
		for i := range first.Objects() {
			d, err := first.Draft(i)
			if err != nil {
				continue
			}
			tried := 0
			for _, n := range d.List().Children(-1) {
				optional := n.Kind == property.Optional
				if n.Flags&(property.ClassData|property.Zero) != 0 || n.Size > 64 && !optional || tried == testkit.Of(1, 4) && !optional {
					continue
				}
				tried++
				field, object := n.Name, fmt.Sprint("#", i)
				if n.Index > 0 {
					field = fmt.Sprintf("%s[%d]", field, n.Index)
				}
				p := s.open(t)
				old, err := p.Get(object, field)
				if err == nil {
					err = p.Remove(object, field)
				}
				text := fmt.Sprint(old)
				if n.Kind.IsReference() && text == "" {
					text = "None"
				}
				if err == nil {
					err = p.Set(object, field, text)
				}
				var none *property.NoFieldError
				if errors.As(err, &none) || errors.Is(err, property.ErrRefused) || errors.Is(err, property.ErrValue) {
					refused[n.Type.String()]++
					continue
				}
				if err != nil {
					t.Errorf("%s: %s.%s: %v", s.name, object, field, err)
					continue
				}
				asset, uexp, err := p.Files(context.Background())
				if errors.Is(err, unreal.ErrInside) {
					continue
				}
				if err != nil {
					t.Errorf("%s: %s.%s: %v", s.name, object, field, err)
					continue
				}
				back++
				if bytes.Equal(asset, s.asset) && bytes.Equal(uexp, s.uexp) {
					same++
					continue
				}
				q := s.after(asset, uexp).open(t)
				y, err := q.Draft(i)
				if err != nil {
					t.Errorf("%s: %v", s.name, err)
					continue
				}
				for _, c := range property.Changed(first.Decoder(), d.List(), q.Decoder(), y.List()) {
					if n.Kind != property.Text { // which has a namespace and a key no longer
						t.Errorf("%s: %s.%s: %s was %q, is %q", s.name, object, field, c.Path, c.Old, c.New)
					}
				}
			}
		}
	}
	if back == 0 {
		t.Errorf("only %d fields were added again", back)
	}
	if refused["Optional<Struct<Box>>"] == 0 {
		t.Error("no optional struct was refused")
	}
	t.Logf("%d fields were added again, %d with the same bytes; refused %v", back, same, refused)
}
