package retropak_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/retropak"
)

func inspectItem(t testing.TB, it codecstest.Item) *codecs.Facts {
	t.Helper()
	in := retropak.Inspector()
	if !in.Match(it.Entry, it.Data[:min(len(it.Data), codecs.HeadSize)]) {
		t.Fatalf("%s is not matched", it.Entry.Name)
	}
	f, err := in.Inspect(context.Background(), bytes.NewReader(it.Data), int64(len(it.Data)), it.Entry)
	if err != nil {
		t.Fatal(err)
	}
	if d := f.Detail.(*retropak.Facts); len(d.Types) != len(f.Refs) {
		t.Fatalf("%d types for %d references", len(d.Types), len(f.Refs))
	}
	return f
}

// Parsed and scanned references together are those that the samples' maker
// lists, and the parsed ones alone where they are complete.
func TestSampleReferences(t *testing.T) {
	for _, s := range samples {
		t.Run(s.file, func(t *testing.T) {
			var want truth
			readTruth(t, s.file, &want)
			items := codecstest.Items(t, openSample(t, s.file))
			known := map[string]string{} // type by id
			for _, it := range items {
				known[it.Entry.ID.String()] = it.Entry.Type
			}
			for i, it := range items {
				got := references(t, it, known)
				var deps []string
				for _, d := range want.Entries[i].Deps {
					deps = append(deps, d.Type+" "+strings.ToLower(d.ID))
				}
				slices.Sort(deps)
				if deps = slices.Compact(deps); !slices.Equal(got, deps) {
					t.Errorf("entry %d %s refers to %v, want %v", i, it.Entry.Name, got, deps)
				}
			}
		})
	}
}

// references returns what an item refers to as "TYPE id", sorted.
func references(t *testing.T, it codecstest.Item, known map[string]string) []string {
	facts := inspectItem(t, it)
	for _, p := range facts.Problems {
		t.Errorf("%s: %v", it.Entry.Name, p)
	}
	var refs []string
	for i, r := range facts.Refs {
		if r.Kind != "parsed" || r.Space != retropak.Asset || r.Flags != 0 {
			t.Errorf("%s: %+v", it.Entry.Name, r)
		}
		refs = append(refs, facts.Detail.(*retropak.Facts).Types[i]+" "+r.ID.String())
	}
	if rule := retropak.Scan(it.Entry, facts); rule != nil {
		refs = append(refs, scanned(it, rule, known)...)
	}
	slices.Sort(refs)
	return slices.Compact(refs)
}

// scanned is the plainest scan that follows the rule.
func scanned(it codecstest.Item, rule *codecs.Scan, known map[string]string) (refs []string) {
	for off := 0; off+rule.Layout.Width <= len(it.Data); off += rule.Layout.Align {
		var id uint64
		for _, b := range it.Data[off : off+rule.Layout.Width] {
			id = id<<8 | uint64(b)
		}
		hex := fmt.Sprintf("%0*x", 2*rule.Layout.Width, id)
		if typ, ok := known[hex]; ok && !codecs.CommonValue(rule.Layout.Width, id) && hex != it.Entry.ID.String() {
			refs = append(refs, typ+" "+hex)
		}
	}
	return refs
}
