package script_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/script"
	"pakdb/codecs/internal/script/scripttest"
)

// classicTruth is what an independent disassembler says of an object.
type classicTruth struct {
	Object   string
	Class    string
	Size     int64
	ScriptAt int `json:"script_at"`
	Memory   int
	Disk     int
	Text     []string
	Calls    []string
	Defaults [][2]any
}

func classicDisassemble(t testing.TB, p *scripttest.Package) []script.ClassicObject {
	t.Helper()
	list, err := script.Classic(p.Facts(), p.Data)
	if err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	return list
}

func sample(t testing.TB, name string) *scripttest.Package {
	t.Helper()
	return scripttest.File(t, codecstest.Sample(t, "unreal-package", name))
}

func TestTruth(t *testing.T) {
	for _, name := range []string{"TestUC1", "TestUC2", "TestUC3"} {
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile(codecstest.Sample(t, "unreal-script", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var want struct{ Objects []classicTruth }
			if err := json.Unmarshal(b, &want); err != nil {
				t.Fatal(err)
			}
			p := sample(t, name+".u")
			got := map[string]*script.ClassicObject{}
			list := classicDisassemble(t, p)
			for i := range list {
				got[list[i].Path] = &list[i]
			}
			if len(got) != len(want.Objects) {
				t.Errorf("%d objects, want %d", len(got), len(want.Objects))
			}
			for i := range want.Objects {
				classicCompare(t, p, got[want.Objects[i].Object], &want.Objects[i])
			}
		})
	}
}

func classicCompare(t *testing.T, p *scripttest.Package, got *script.ClassicObject, want *classicTruth) {
	t.Helper()
	switch {
	case got == nil:
		t.Errorf("%s is missing", want.Object)
		return
	case got.Err != nil:
		t.Errorf("%s: %v", want.Object, got.Err)
		return
	}
	if got.Class != want.Class || p.Exports[got.Export].Size != want.Size || got.At != want.ScriptAt || got.Memory != want.Memory || got.Disk != want.Disk {
		t.Errorf("%s: %s, script at %d, %d bytes, %d in memory; want %+v", got.Path, got.Class, got.At, got.Disk, got.Memory, want)
	}
	var calls []string
	for _, c := range got.Calls {
		calls = append(calls, c.Callee)
	}
	if !slices.Equal(calls, want.Calls) {
		t.Errorf("%s: calls %q, want %q", got.Path, calls, want.Calls)
	}
	if text := got.Normal.Lines(); !slices.Equal(text, want.Text) {
		t.Errorf("%s:\n%s", got.Path, classicFirstDifference(text, want.Text))
	}
	if (got.Defaults > 0) != (want.Defaults != nil) {
		t.Errorf("%s: defaults at %d", got.Path, got.Defaults)
	}
}

func classicFirstDifference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		var g, w string
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			return fmt.Sprintf("line %d:\n got %q\nwant %q", i, g, w)
		}
	}
	return ""
}
