package textfile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/textfile"
	"pakdb/codecs/unreal"
)

func registryInspect(b []byte) (*codecs.Facts, error) {
	return textfile.RegistryInspector().Inspect(context.Background(), bytes.NewReader(b), int64(len(b)), &codecs.Entry{Name: "AssetRegistry.bin"})
}

// registrySample returns the registry of UE5.8.
func registrySample(t testing.TB) []byte {
	t.Helper()
	packed := codecstest.Sample(t, "unreal-properties", "cue4parse-UE5_8", "AssetRegistry.bin.xz")
	if _, err := exec.LookPath("xz"); err != nil {
		t.Skip("xz is not installed")
	}
	body, err := exec.Command("xz", "-dc", packed).Output()
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TestSample compares with what an independent reader found.
func TestSample(t *testing.T) {
	body := registrySample(t)
	facts, err := registryInspect(body)
	if err != nil || len(facts.Problems) > 0 {
		t.Fatal(err, facts)
	}
	f := facts.Detail.(*unreal.RegistryFacts)
	type asset struct {
		Class, Package, Name string
		Tags                 map[string]string
		Chunks               []int
		Flags                int64
	}
	var truth struct {
		Version  int
		Assets   []asset
		Nodes    int `json:"dependency_nodes"`
		Packages int
		Deps     []struct {
			ID  [4]*string
			Pkg [][2]int
		}
		Sample []struct {
			Name          string
			Disk          int64
			Saved, Cooked string
			Flags         int64
			Ext           string
		} `json:"package_sample"`
	}
	b, err := os.ReadFile(codecstest.Sample(t, "unreal-properties", "truth", "cue4parse-UE5_8", "AssetRegistry.json"))
	if err = errors.Join(err, json.Unmarshal(b, &truth)); err != nil {
		t.Fatal(err)
	}
	var got []asset
	for _, a := range f.Assets {
		x := asset{Class: f.Texts[a.Class], Package: f.Texts[a.Package], Name: f.Texts[a.Object], Tags: map[string]string{}, Flags: a.Flags}
		if err := json.Unmarshal([]byte("["+a.Chunks+"]"), &x.Chunks); err != nil {
			t.Fatal(err)
		}
		got = append(got, x)
	}
	for _, tag := range f.Tags {
		got[tag.Asset].Tags[f.Texts[tag.Name]] = f.Texts[tag.Value]
	}
	if d := cmp.Diff(truth.Assets, got); d != "" {
		t.Error(d)
	}
	if f.Version != truth.Version || f.Nodes != truth.Nodes || len(f.Packages) != truth.Packages {
		t.Errorf("version %d, %d nodes, %d packages", f.Version, f.Nodes, len(f.Packages))
	}
	flags := map[string][]int{}
	for _, d := range f.Dependencies {
		if d.Kind == unreal.DependsOnPackage {
			flags[f.Texts[d.From]] = append(flags[f.Texts[d.From]], int(d.Flags))
		}
	}
	for _, d := range truth.Deps {
		var want []int
		for _, p := range d.Pkg {
			want = append(want, p[1])
		}
		if got := flags[*d.ID[0]]; !cmp.Equal(got, want) {
			t.Errorf("%s: flags %v, want %v", *d.ID[0], got, want)
		}
	}
	for i, p := range truth.Sample {
		g := f.Packages[i]
		if f.Texts[g.Package] != p.Name || g.DiskSize != p.Disk || g.Flags != p.Flags || g.Ext != p.Ext || hexOf(g.SavedHash) != p.Saved || hexOf(g.CookedHash) != p.Cooked {
			t.Errorf("%+v, want %+v", g, p)
		}
	}
}

func hexOf(b []byte) string {
	var s strings.Builder
	for _, c := range b {
		s.WriteByte("0123456789abcdef"[c>>4])
		s.WriteByte("0123456789abcdef"[c&15])
	}
	return s.String()
}

func BenchmarkRegistryInspect(b *testing.B) {
	body := registrySample(b)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := registryInspect(body); err != nil {
			b.Fatal(err)
		}
	}
}
