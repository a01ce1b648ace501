package script_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/script"
	"pakdb/codecs/internal/script/scripttest"
	"pakdb/codecs/unrealpak"
)

// truth is what an independent disassembler says of a function.
type truth struct {
	File       string
	Engine     int
	Function   string
	Flags      uint32
	Disk       int
	Memory     int
	Computed   int
	Statements []uint32
	Tokens     []string
	Calls      []string
	Text       []string
}

func readTruth[T any](t testing.TB, name string) (v T) {
	t.Helper()
	b, err := os.ReadFile(codecstest.Sample(t, "unreal-script", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func disassemble(t testing.TB, p *scripttest.Package, opt script.KismetOptions) []script.Function {
	t.Helper()
	list, err := script.Kismet(p.Facts(), p.Data, opt)
	if err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	return list
}

// TestTruthOfBlueprints compares everything that is known of three blueprints.
func TestTruthOfBlueprints(t *testing.T) {
	for _, c := range []struct {
		file  string
		truth string
		pkg   func(t *testing.T) *scripttest.Package
	}{
		{"BP_GameMode_Base", "BP_GameMode_Base.json", asset("BP_GameMode_Base")},
		{"BP_ThirdPersonCharacter", "BP_ThirdPersonCharacter.json", asset("BP_ThirdPersonCharacter")},
		{"LOG_State old", "sandboxutilities_old_P.pak!LOG_State.json", packed("sandboxutilities_old_P.pak", "LOG_State")},
		{"LOG_State new", "sandboxutilities_new_P.pak!LOG_State.json", packed("sandboxutilities_new_P.pak", "LOG_State")},
	} {
		t.Run(c.file, func(t *testing.T) {
			want := readTruth[struct{ Functions []truth }](t, c.truth).Functions
			got := disassemble(t, c.pkg(t), script.KismetOptions{})
			if len(got) != len(want) {
				t.Fatalf("%d functions, want %d", len(got), len(want))
			}
			byPath := map[string]*truth{}
			for i := range want {
				byPath[want[i].Function] = &want[i]
			}
			for i := range got {
				compare(t, &got[i], byPath["."+got[i].Path])
			}
		})
	}
}

func asset(name string) func(t *testing.T) *scripttest.Package {
	return func(t *testing.T) *scripttest.Package {
		return scripttest.File(t, codecstest.Sample(t, "unreal-properties", "uassetapi", name+".uasset"))
	}
}

func packed(pak, name string) func(t *testing.T) *scripttest.Package {
	return func(t *testing.T) *scripttest.Package {
		list := pakOf(t, "unreal-pak", "pairs", pak)
		i := slices.IndexFunc(list, func(p *scripttest.Package) bool { return strings.HasSuffix(p.Name, "/"+name+".uasset") })
		if i < 0 {
			t.Fatalf("no %s in %s", name, pak)
		}
		return list[i]
	}
}

// pakOf reads the packages in a pak of the samples.
func pakOf(t testing.TB, elem ...string) []*scripttest.Package {
	t.Helper()
	a := codecstest.Open(t, unrealpak.Format(), codecstest.OpenFile(t, codecstest.Sample(t, elem...)), &codecs.Options{})
	return scripttest.All(t, codecstest.Contents(t, a))
}

func compare(t *testing.T, got *script.Function, want *truth) {
	t.Helper()
	if want == nil {
		t.Errorf("%s: not in the truth", got.Path)
		return
	}
	if got.Err != nil {
		t.Errorf("%s: %v", got.Path, got.Err)
		return
	}
	if got.Disk != want.Disk || got.Memory != want.Memory || got.Flags != want.Flags {
		t.Errorf("%s: %d bytes, %d in memory, flags %d; want %d, %d, %d", got.Path, got.Disk, got.Memory, got.Flags, want.Disk, want.Memory, want.Flags)
	}
	var calls []string
	for _, c := range got.Calls {
		calls = append(calls, c.Callee)
	}
	if !slices.Equal(calls, want.Calls) {
		t.Errorf("%s: calls %q, want %q", got.Path, calls, want.Calls)
	}
	if text := got.Normal.Lines(); !slices.Equal(text, want.Text) {
		t.Errorf("%s:\n%s", got.Path, firstDifference(text, want.Text))
	}
}

func firstDifference(got, want []string) string {
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

// TestTruthOfEngines compares one blueprint of many engines. Its truth was made
// before calls of the ubergraph were understood: sections by event are switched
// off.
func TestTruthOfEngines(t *testing.T) {
	compared := 0
	for _, want := range readTruth[[]truth](t, "uasset-rs_all_4.10-5.6.json") {
		dir, file := filepath.Split(want.File)
		engine := strings.Split(dir, "/")[1]
		path := []string{"unreal-package", "uasset-rs", engine, file}
		if _, err := os.Stat(filepath.Join(append([]string{codecstest.Sample(t)}, path...)...)); err != nil {
			continue
		}
		for _, got := range disassemble(t, scripttest.File(t, codecstest.Sample(t, path...)), script.KismetOptions{Raw: true}) {
			if "."+got.Path != want.Function {
				continue
			}
			want.Flags, want.Calls = got.Flags, nil
			got.Calls = nil
			compare(t, &got, &want)
			compared++
		}
	}
	if compared < 8 {
		t.Errorf("%d functions compared", compared)
	}
}
