package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/internal/testkit"
)

// printed is what a command prints, without notes about scans.
func printed(t *testing.T, catalog string, args ...string) string {
	t.Helper()
	var o, e bytes.Buffer
	code := execute(t.Context(), cli.New(nil, &o, &e, all.Registry), append([]string{"--catalog", catalog, "--quiet"}, args...))
	if code != cli.ExitOK && code != cli.ExitProblems {
		t.Fatalf("%q: exit code %d: %s", args, code, e.String())
	}
	return o.String()
}

// TestDiffOfFilesIsDiffOfBuilds: two files are compared in a catalog of another kind than
// builds are, and what is printed is the same to the byte.
func TestDiffOfFilesIsDiffOfBuilds(t *testing.T) {
	pairs := [][2]string{{filepath.Join("..", "..", "testdata", "Calligraphy.sip"), filepath.Join("..", "..", "testdata", "Calligraphy_next.sip")},
		{filepath.Join("..", "..", "testdata", "mu_cdata_1.5.sip"), filepath.Join("..", "..", "testdata", "mu_cdata_1.6.sip")}}
	several := [][]string{{"--format", "jsonl"}, {"--by", "entry", "--format", "csv"}, {"--format", "html"}, {"--semantic"}, {"--impact"}}
	every := append([][]string{nil, {"--format", "md"}, {"-M", "0", "--by", "file", "--format", "csv"},
		{"--stat"}, {"--by", "dir"}, {"--name-status"}}, several...)
	for _, pair := range testkit.Some(pairs, 1) {
		t.Run(filepath.Base(pair[1]), func(t *testing.T) {
			sameWithCatalog(t, pair[0], pair[1], testkit.Some(every, 4))
			if testkit.Deep() {
				sameWithCatalog(t, pair[1], pair[0], every)
			}
		})
	}
	for _, pair := range testkit.Some([][2]string{
		{"unreal-pak/pairs/integration_old.pak", "unreal-pak/pairs/integration_new.pak"},
		{"gpak/Calligraphy_v10_mhpaktool.sip", "gpak/Calligraphy_v11_mhpaktool.sip"},
		{"unreal-pak/pairs/sandboxutilities_old_P.pak", "unreal-pak/pairs/sandboxutilities_new_P.pak"},
		{"iostore/cue4parse-ue5.8/Zlib", "iostore/cue4parse-ue5.8/Oodle"},
		{"unreal-package/uasset-rs/UE410", "unreal-package/uasset-rs/UE414"},
	}, 1) {
		t.Run(filepath.Base(pair[1]), func(t *testing.T) {
			if testing.Short() {
				t.Skip("real archives")
			}
			sameWithCatalog(t, codecstest.Sample(t, pair[0]), codecstest.Sample(t, pair[1]), testkit.Some(several, 1))
		})
	}
}

// sameWithCatalog compares what a diff prints with each of the flags. Builds have their
// paths for labels.
func sameWithCatalog(t *testing.T, old, new string, flags [][]string) {
	indexed, none := filepath.Join(t.TempDir(), "pakdb.db"), filepath.Join(t.TempDir(), "none.db")
	printed(t, indexed, "index", "-b", old, old)
	printed(t, indexed, "index", "-b", new, new)
	for _, f := range flags {
		args := append([]string{"diff", old, new}, f...)
		if want, got := printed(t, indexed, args...), printed(t, none, args...); want != got {
			t.Errorf("%q: %s", args, firstDifference(want, got))
		}
	}
}

// firstDifference returns the first lines that differ.
func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return "in a catalog\n" + a[i] + "\nwithout\n" + strings.Join(b[min(i, len(b)):min(i+1, len(b))], "\n")
		}
	}
	return "more lines without a catalog"
}
