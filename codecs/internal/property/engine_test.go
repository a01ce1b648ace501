package property_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/internal/property"
)

func TestParseEngine(t *testing.T) {
	for text, want := range map[string]property.Engine{
		"4.27": 427, "5.0": 500, "4.27.2-18319896+++UE4+Release-4.27": 427, "5.8.1": 508, "6.0": 600,
		"": 0, "5": 0, "3.2": 0, "x.y": 0, "4.100": 0, "99.1": 0, "4.": 0,
	} {
		got, err := property.ParseEngine(text)
		if got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
}

// The engine of a package with versions is what it was saved by: the files of this
// sample have it in their names.
func TestEngineOfVersionedPackages(t *testing.T) {
	for _, p := range folder(t, "uasset-rs") {
		number, _, _ := strings.Cut(strings.TrimPrefix(p.name, "UE"), "_")
		want, err := property.ParseEngine(number[:1] + "." + number[1:])
		if err != nil {
			t.Fatal(err)
		}
		if got, exact := property.EngineOf(p.facts); got != want || !exact {
			t.Errorf("%s: %v, %v", p.name, got, exact)
		}
	}
	for _, p := range zenTagged(t) {
		if got, exact := property.EngineOf(p.facts); got != 508 || !exact {
			t.Errorf("%s: %v, %v", p.name, got, exact)
		}
	}
}

// The engine of a package without versions is among its candidates, and no candidate
// reads it better than the engine that cooked it.
func TestCandidates(t *testing.T) {
	checked := 0
	for _, p := range folder(t, "uassetapi") {
		if !p.facts.Unversioned || !hasTruth(t, "uassetapi", p.name) {
			continue
		}
		w := readTruth(t, "uassetapi", p.name+".json")
		candidates := property.Candidates(p.facts)
		if !slices.Contains(candidates, property.Engine(w.Engine)) {
			t.Errorf("%s, cooked by %v: candidates %v", p.name, property.Engine(w.Engine), candidates)
			continue
		}
		var base property.Schemas
		if w.Usmap != "" {
			base = mappings(t, "uassetapi", w.Usmap).Library()
		}
		right := total(read(t, []*loaded{p}, base, property.Engine(w.Engine)))
		for _, e := range candidates {
			if c := total(read(t, []*loaded{p}, base, e)); c.Better(&right) {
				t.Errorf("%s, cooked by %v: %v reads it better: %+v, %+v", p.name, property.Engine(w.Engine), e, c, right)
			}
		}
		checked++
	}
	if checked < 5 {
		t.Errorf("%d packages", checked)
	}
}

// A value costs no allocation: an export with 400 of them takes fewer than 40, for its
// texts in UTF-16, numbers of GUIDs and the like.
func TestAllocations(t *testing.T) {
	for _, p := range zenTagged(t) {
		if p.name != "DA_AllProperties" {
			continue
		}
		d := property.NewDecoder(p.facts, property.Options{})
		var o property.Export
		nodes, values := 0, 0
		allocs := testing.AllocsPerRun(20, func() {
			d.Export(&o, 1, p.data[1])
			nodes, values = len(o.List.Nodes), 0
			for range d.Walk(&o.List) {
				values++
			}
		})
		if nodes < 300 || values < 200 || allocs > 40 {
			t.Errorf("%d nodes, %d values, %g allocations", nodes, values, allocs)
		}
		t.Log(fmt.Sprint(nodes, " nodes, ", allocs, " allocations"))
	}
}
