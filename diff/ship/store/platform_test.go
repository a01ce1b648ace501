package store_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"pakdb/diff/ship/store"
)

// A folder gets builds of its platform, or of every one.
func TestPlatformOf(t *testing.T) {
	all := []store.Release{{Build: "1@win", Share: store.AllChannels}, {Build: "1@ps5", Share: store.AllChannels}}
	for name, c := range map[string]struct {
		builds         []string
		channels       store.Channels
		asks, remember string
		label          string // instead of the channel's
		want, after    string // "": an error
	}{
		"no platforms":                       {builds: []string{"1", "2"}, asks: "win", want: "2", after: "win"},
		"no platforms, remembered":           {builds: []string{"1", "2"}, remember: "win", want: "2", after: "win"},
		"the last of it":                     {builds: []string{"1@win", "2@win", "3@ps5"}, asks: "win", want: "2@win", after: "win"},
		"remembered":                         {builds: []string{"1@win", "2@win", "3@ps5"}, remember: "win", want: "2@win", after: "win"},
		"another one than is remembered":     {builds: []string{"1@win", "2@win", "3@ps5"}, asks: "ps5", remember: "win", want: "3@ps5", after: "ps5"},
		"one for all that is later":          {builds: []string{"1@win", "2"}, asks: "win", want: "2", after: "win"},
		"asked for, and there is none":       {builds: []string{"0", "1@win"}, asks: "ps5"},
		"remembered, and there is none":      {builds: []string{"0", "1@win"}, remember: "ps5", want: "0", after: "ps5"},
		"none that is for all either":        {builds: []string{"1@win"}, remember: "ps5"},
		"a prefix is none":                   {builds: []string{"1@windows"}, asks: "win"},
		"a channel gives out another's last": {builds: []string{"1@win", "1@ps5"}, channels: store.Channels{"stable": all[1:]}, asks: "win", want: "1@win", after: "win"},
		"a channel of both":                  {builds: []string{"1@win", "1@ps5"}, channels: store.Channels{"stable": all}, asks: "win", want: "1@win", after: "win"},
		"only another's beta":                {builds: []string{"1@win", "1@ps5"}, channels: store.Channels{"beta": all[1:]}, asks: "win", want: "1@win", after: "win"},
		"only its beta":                      {builds: []string{"1@win", "1@ps5"}, channels: store.Channels{"beta": all[:1]}, asks: "win"},
		"a label":                            {builds: []string{"1@win", "1@ps5", "1"}, label: "1", asks: "ps5", want: "1@ps5", after: "ps5"},
		"a label that is for all":            {builds: []string{"1", "2@win"}, label: "1", asks: "win", want: "1", after: "win"},
		"a label of another":                 {builds: []string{"2@ps5", "1@win"}, label: "2", asks: "win", want: "2", after: "win"}, // which is not there
		"a build":                            {builds: []string{"1@win", "1@ps5"}, label: "1@ps5", remember: "win", want: "1@ps5", after: "win"},
	} {
		dir := t.TempDir()
		if c.remember != "" {
			b, err := json.Marshal(store.Install{Platform: c.remember})
			if err := errors.Join(err, os.WriteFile(filepath.Join(dir, store.InstallName), b, 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		f := &store.Follower{Platform: c.asks}
		got, err := "", error(nil)
		if c.label != "" {
			got, err = f.Resolve(dir, c.builds, c.label)
		} else {
			got, err = f.Choose(dir, c.builds, c.channels)
		}
		in, e := store.ReadInstall(dir)
		f.Remember(&in)
		if got != c.want || (err == nil) != (c.want != "") || err != nil && !errors.Is(err, store.ErrNoRelease) || e != nil || c.want != "" && in.Platform != c.after {
			t.Errorf("%s: %q, remembers %q, want %q and %q: %v", name, got, in.Platform, c.want, c.after, errors.Join(err, e))
		}
	}
}

// A release for everybody on a platform is the end of those before it there, and nowhere else.
func TestAddForPlatforms(t *testing.T) {
	var l store.Channels
	for _, r := range []struct {
		build, before string
		share         int
	}{
		{"2@win", "1", 1000}, {"2@ps5", "1", 500}, {"2@win", "1", 2000}, {"3@win", "2@win", store.AllChannels}, {"3@ps5", "2@ps5", 100},
	} {
		next, err := l.Add("stable", store.Release{Build: r.build, Share: r.share}, r.before)
		if err != nil {
			t.Fatal(err)
		}
		l = next
	}
	want := store.Channels{"stable": {{Build: "1", Share: 10000}, {Build: "2@ps5", Share: 500}, {Build: "3@win", Share: 10000}, {Build: "3@ps5", Share: 100}}}
	if !l.Equal(want) {
		t.Errorf("%v, want %v", l, want)
	}
	if next, err := l.Add("stable", store.Release{Build: "4", Share: store.AllChannels}, "3"); err != nil || len(next["stable"]) != 1 {
		t.Errorf("%v, %v", next, err)
	}
}
