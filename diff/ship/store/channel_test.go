package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pakdb/diff/ship/store"
)

// Of 10,000 installations as many have a build as its share says, nobody goes without as it
// grows, and in other builds others come first.
func TestShares(t *testing.T) {
	has := func(build string, share, id int) bool {
		got, _, ok := store.Choose("stable", []store.Release{{Build: "old", Share: store.AllChannels}, {Build: build, Share: share}}, store.Client{ID: fmt.Sprint("installation ", id)})
		if !ok {
			t.Fatal("no build")
		}
		return got == build
	}
	both := 0
	for _, share := range []int{1, 100, 1000, 5000, 9000, store.AllChannels} {
		n := 0
		for id := range 10_000 {
			if has("new", share, id) {
				if n++; share == 1000 && has("next", share, id) {
					both++
				}
				if share < store.AllChannels && !has("new", share+1, id) {
					t.Fatalf("installation %d goes without as a share grows", id)
				}
			}
		}
		if off := n - share; max(off, -off) > 200 || share == store.AllChannels && off != 0 {
			t.Errorf("%d of 10000 have a share of %d", n, share)
		}
	}
	if both < 50 || both > 150 {
		t.Errorf("%d of a tenth come first in two builds, about 100 were expected", both)
	}
}

func TestClientVersions(t *testing.T) {
	releases := []store.Release{{Build: "1", Share: store.AllChannels}, {Build: "2", Share: store.AllChannels, Min: "2.0", Max: "2.9"}, {Build: "3", Share: store.AllChannels, Min: "2.10"}}
	for version, want := range map[string]string{"": "1", "1.9": "1", "2": "2", "2.9.0": "2", "2.9.1": "1", "v2.10-rc1": "3", "10": "3", "none": "1"} {
		got, passed, ok := store.Choose("stable", releases, store.Client{ID: "x", Version: version})
		if !ok || got != want {
			t.Errorf("version %q gets %q, want %s: %v", version, got, want, passed)
		}
	}
	if got, passed, ok := store.Choose("beta", releases[1:2], store.Client{ID: "x", Version: "1"}); ok || len(passed) != 1 || passed[0].Build != "2" {
		t.Errorf("%q %v %v", got, passed, ok)
	}
}

func TestAdd(t *testing.T) {
	var l store.Channels
	add := func(name, build, before string, share int) {
		t.Helper()
		next, err := l.Add(name, store.Release{Build: build, Share: share}, before)
		if err != nil {
			t.Fatal(err)
		}
		l = next
	}
	add("stable", "2", "1", 1000)
	add("stable", "2", "1", 5000)
	add("stable", "3", "1", 100)
	add("beta", "3", "", 10000)
	if want := (store.Channels{"stable": {{Build: "1", Share: 10000}, {Build: "2", Share: 5000}, {Build: "3", Share: 100}}, "beta": {{Build: "3", Share: 10000}}}); !l.Equal(want) {
		t.Errorf("%v", l)
	}
	if got := l.Builds(); len(got) != 3 {
		t.Errorf("builds %v", got)
	}
	old := l
	add("stable", "1", "2", 10000) // back, for everybody
	if !slices.Equal(l["stable"], []store.Release{{Build: "1", Share: 10000}}) || len(old["stable"]) != 3 {
		t.Errorf("%v, before %v", l, old)
	}
	for _, bad := range []store.Release{{Build: "4"}, {Build: "4", Share: 10001}, {Build: "4", Share: 1, Min: "x"}, {Build: "4", Share: 1, Min: "2", Max: "1"}} {
		if _, err := l.Add("stable", bad, ""); !errors.Is(err, store.ErrChannel) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := l.Add("../x", store.Release{Build: "4", Share: 1}, ""); !errors.Is(err, store.ErrChannel) {
		t.Error(err)
	}
}

func TestParseShare(t *testing.T) {
	for text, want := range map[string]int{"10%": 1000, "12.5 %": 1250, "100": 10000, "0.01%": 1, "0": 0, "100.01": 0, "": 0, "-1": 0, "1.234": 0, "1e2": 0, "%": 0, ".5": 0} {
		got, err := store.ParseShare(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for share, want := range map[int]string{1000: "10 %", 1250: "12.5 %", 1: "0.01 %", 10000: "100 %"} {
		if got := store.Percent(share); got != want {
			t.Errorf("%d: %s", share, got)
		}
	}
}

func TestCheck(t *testing.T) {
	label := func(s string) bool { return s != "" }
	for _, bad := range []store.Channels{{"": {{Build: "1", Share: 1}}}, {"a": nil}, {"a": {{Share: 1}}}, {"a": {{Build: "1"}}}, {"a/b": {{Build: "1", Share: 1}}},
		{"a": slices.Repeat([]store.Release{{Build: "1", Share: 1}}, 65)}} {
		if err := bad.Check(label); !errors.Is(err, store.ErrChannel) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}
