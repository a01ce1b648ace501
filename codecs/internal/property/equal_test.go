package property_test

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/internal/property"
	"pakdb/codecs/unreal"
)

// set is a folder of samples and its truths.
type set struct {
	name string
	all  []*loaded
	base property.Schemas
}

func sets(t testing.TB) []set {
	return []set{
		{"cue4parse-UE5_8/legacy-Tagged", pak(t, samples, "cue4parse-UE5_8", "Legacy-Tagged-Zlib.pak"), nil},
		{"cue4parse-UE5_8/zen-Tagged", zenTagged(t), nil},
		{"cue4parse-UE5_8/legacy-Unversioned", pak(t, samples, "cue4parse-UE5_8", "Legacy-Unversioned-Zlib.pak"), fixtureMappings(t)},
		{"cue4parse-UE5_8/zen-Unversioned", zenUnversioned(t), fixtureMappings(t)},
		{"uassetapi", folder(t, "uassetapi"), nil},
		{"uasset-rs", folder(t, "uasset-rs"), nil},
	}
}

// Every truth: where lists end, and each value. Values that differ are those of
// testdata/differences.golden, which says why.
func TestValuesEqualTheTruth(t *testing.T) {
	var s score
	var c property.Coverage
	packages := 0
	for _, set := range sets(t) {
		for _, p := range set.all {
			if !hasTruth(t, set.name, p.name) {
				continue
			}
			packages++
			w := readTruth(t, set.name, p.name+".json")
			base := set.base
			if w.Usmap != "" {
				base = mappings(t, "uassetapi", w.Usmap).Library()
			}
			got := read(t, []*loaded{p}, base, property.Engine(w.Engine))
			sum := total(got)
			c.Add(&sum)
			d := property.NewDecoder(p.facts, property.Options{Engine: property.Engine(w.Engine)})
			for k := range w.Exports {
				compareExport(&s, d, set.name+"/"+p.name+" "+w.Exports[k].Name, got[p][w.Exports[k].Export], &w.Exports[k])
			}
		}
	}
	slices.Sort(s.differences)
	golden(t, "differences.golden", fmt.Sprintf("%d packages\nlists: %d of %d equal\nvalues: %d of %d equal\n%d values opaque of %d, nested ones included\n%s\n",
		packages, s.listsEqual, s.lists, s.equal, s.equal+s.other, c.Opaque, c.Values, strings.Join(s.differences, "\n")))
	if s.equal+s.other < 1300 || s.other*200 > s.equal {
		t.Errorf("%d of %d values equal", s.equal, s.equal+s.other)
	}
}

// flat returns the values of a package by export and path.
func flat(p *loaded, d *property.Decoder, exports []*property.Export) map[string]string {
	out := map[string]string{}
	for i, o := range exports {
		name := d.ObjectPath(unreal.ObjectRef(i + 1))
		for path, at := range d.Walk(&o.List) {
			out[strings.ToLower(name+" "+string(path))] = render(d, &o.List, at)
		}
		out[strings.ToLower(name)+" list"] = o.Status.String()
		if o.Status != property.Lost {
			out[strings.ToLower(name)+" list"] = "read"
		}
	}
	return out
}

func render(d *property.Decoder, l *property.List, at int) string {
	n := &l.Nodes[at]
	switch {
	case n.Kind.IsReference():
		return d.ObjectPath(unreal.ObjectRef(n.Int()))
	case n.Kind == property.Enum || n.Kind == property.Byte:
		if _, short, ok := strings.Cut(n.Text, "::"); ok {
			return short
		}
		if n.Text != "" {
			return n.Text
		}
	case n.Kind == property.Float || n.Kind == property.Double:
		return fmt.Sprint(n.Float())
	case n.Flags&property.Packed != 0:
		b, _ := l.Packed(at)
		return hex.EncodeToString(b)
	case n.Kind == property.FieldPath || n.Kind == property.Array || n.Kind == property.Delegate:
		return n.Text
	}
	return fmt.Sprint(n.Text, n.Bits)
}

// Packages cooked twice, with tags and without, have the same values. Those of
// testdata/twins.golden differ, and it says how.
func TestTwinsAreEqual(t *testing.T) {
	all := sets(t)
	var lines []string
	for _, twin := range [][2]set{{all[0], all[2]}, {all[1], all[3]}} {
		var maps [2]map[string]map[string]string
		for k, set := range twin {
			maps[k] = map[string]map[string]string{}
			for p, exports := range read(t, set.all, set.base, 508) {
				maps[k][p.name] = flat(p, property.NewDecoder(p.facts, property.Options{}), exports)
			}
		}
		equal, other := 0, 0
		for name, tagged := range maps[0] {
			unversioned := maps[1][name]
			for path, v := range tagged {
				w, ok := unversioned[path]
				switch {
				case ok && v == w:
					equal++
					continue
				case !ok:
					w = "(absent)"
				}
				other++
				lines = append(lines, fmt.Sprintf("%s %s %s: %.60s | %.60s", twin[0].name, name, path, v, w))
			}
			for path, w := range unversioned {
				if _, ok := tagged[path]; !ok {
					other++
					lines = append(lines, fmt.Sprintf("%s %s %s: (absent) | %.60s", twin[0].name, name, path, w))
				}
			}
		}
		lines = append(lines, fmt.Sprintf("%s: %d of %d equal", twin[0].name, equal, equal+other))
	}
	slices.Sort(lines)
	golden(t, "twins.golden", strings.Join(lines, "\n")+"\n")
}
