package script_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/script"
	"pakdb/codecs/internal/script/scripttest"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestSamples counts the functions of all samples, and lists those that are
// opaque.
func TestSamples(t *testing.T) {
	var b strings.Builder
	for _, s := range []struct {
		name string
		list []*scripttest.Package
	}{
		{"sandboxutilities old", pakOf(t, "unreal-pak", "pairs", "sandboxutilities_old_P.pak")},
		{"sandboxutilities new", pakOf(t, "unreal-pak", "pairs", "sandboxutilities_new_P.pak")},
		{"integration old", pakOf(t, "unreal-pak", "pairs", "integration_old.pak")},
		{"integration new", pakOf(t, "unreal-pak", "pairs", "integration_new.pak")},
		{"UE 5.8 tagged", pakOf(t, "unreal-properties", "cue4parse-UE5_8", "Legacy-Tagged-Zlib.pak")},
		{"UE 5.8 unversioned", pakOf(t, "unreal-properties", "cue4parse-UE5_8", "Legacy-Unversioned-Zlib.pak")},
		{"UAssetAPI", folder(t, "unreal-properties", "uassetapi")},
		{"uasset-rs", folder(t, "unreal-package", "uasset-rs", "*")},
		{"uasset-reader-js", folder(t, "unreal-package", "uasset-reader-js", "*")},
	} {
		var n, exact, disk, statements, tokens, calls int
		var opaque []string
		for _, p := range s.list {
			for _, f := range disassemble(t, p, script.KismetOptions{}) {
				n++
				if f.Err != nil {
					opaque = append(opaque, fmt.Sprintf("  %s %s: %v\n", p.Name, f.Path, f.Err))
					continue
				}
				exact++
				disk += f.Disk
				statements += len(f.Normal.Lines())
				tokens += f.Tokens
				calls += len(f.Calls)
			}
		}
		fmt.Fprintf(&b, "%s: %d packages, %d of %d functions exact, %d bytes, %d lines, %d tokens, %d calls\n", s.name, len(s.list), exact, n, disk, statements, tokens, calls)
		for _, line := range opaque {
			b.WriteString(line)
		}
	}
	golden(t, "kismet_samples.txt", b.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s (-update rewrites it): %s", file, firstDifference(strings.Split(got, "\n"), strings.Split(string(want), "\n")))
	}
}

func folder(t *testing.T, elem ...string) (list []*scripttest.Package) {
	t.Helper()
	root := codecstest.Sample(t)
	for _, pattern := range []string{"*.uasset", "*.umap"} {
		files, err := filepath.Glob(filepath.Join(append(append([]string{root}, elem...), pattern)...))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name, err := filepath.Rel(root, file)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, scripttest.File(t, codecstest.Sample(t, name)))
		}
	}
	slices.SortFunc(list, func(a, b *scripttest.Package) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// TestPairs: functions of two builds that differ are those that the truth lists,
// with the same calls gained and lost, and the same lines.
func TestPairs(t *testing.T) {
	for _, c := range []struct{ old, new, truth string }{
		{"sandboxutilities_old_P.pak", "sandboxutilities_new_P.pak", "sandboxutilities.diff.txt"},
		{"integration_old.pak", "integration_new.pak", "integration.diff.txt"},
	} {
		t.Run(c.truth, func(t *testing.T) {
			b, err := os.ReadFile(codecstest.Sample(t, "unreal-script", c.truth))
			if err != nil {
				t.Fatal(err)
			}
			want := readDiff(string(b))
			old, new := functions(t, c.old), functions(t, c.new)
			inBoth(old, new)
			inBoth(new, old)
			got := difference(old, new)
			for _, name := range union(got, want) {
				if !slices.Equal(got[name], want[name]) {
					t.Errorf("%s:\n%s", name, firstDifference(got[name], want[name]))
				}
			}
		})
	}
}

// inBoth drops the functions of packages that the other build does not have: the
// truth leaves these out.
func inBoth(a, b map[string]*script.Function) {
	packages := map[string]bool{}
	for name := range b {
		packages[packageOf(name)] = true
	}
	maps.DeleteFunc(a, func(name string, _ *script.Function) bool { return !packages[packageOf(name)] })
}

func packageOf(name string) string {
	folder, file := path.Split(name)
	file, _, _ = strings.Cut(file, ".")
	return folder + file
}

// readDiff returns by function what was done to it, its calls, and its lines that
// were lost or gained, sorted: hunks say where, and several are right.
func readDiff(text string) map[string][]string {
	m := map[string][]string{}
	name := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case !strings.HasPrefix(line, " "):
			i := strings.LastIndex(line, " ")
			name = line[:i]
			m[name] = []string{line[i+1:]}
		case strings.HasPrefix(line, "  +call "), strings.HasPrefix(line, "  -call "):
			m[name] = append(m[name], line[2:])
		case strings.HasPrefix(line, "    +"), strings.HasPrefix(line, "    -"):
			m[name] = append(m[name], line[4:])
		}
	}
	for name, lines := range m {
		m[name] = balance(lines)
	}
	return m
}

// balance leaves the first line, and counts the others: how much more often each
// was gained than lost.
func balance(lines []string) []string {
	count := map[string]int{}
	for _, l := range lines[1:] {
		switch {
		case strings.HasPrefix(l[1:], "call "):
			count[l]++
		case l[0] == '+':
			count[l[1:]]++
		default:
			count[l[1:]]--
		}
	}
	var out []string
	for l, n := range count {
		if n != 0 {
			out = append(out, fmt.Sprintf("%d %s", n, l))
		}
	}
	slices.Sort(out)
	return append(lines[:1:1], out...)
}

func functions(t *testing.T, pak string) map[string]*script.Function {
	t.Helper()
	m := map[string]*script.Function{}
	for _, p := range pakOf(t, "unreal-pak", "pairs", pak) {
		list := disassemble(t, p, script.KismetOptions{})
		for i := range list {
			name := strings.TrimPrefix(strings.TrimSuffix(p.Name, filepath.Ext(p.Name)), "FSD/Content/")
			if strings.Contains(pak, "integration") {
				name = "FSD/Content/" + name
			}
			m[name+"."+list[i].Path] = &list[i]
		}
	}
	return m
}

func difference(old, new map[string]*script.Function) map[string][]string {
	m := map[string][]string{}
	for _, name := range union(old, new) {
		a, b := old[name], new[name]
		switch {
		case a == nil:
			m[name] = []string{"added"}
		case b == nil:
			m[name] = []string{"removed"}
		case a.Normal.Digest() != b.Normal.Digest():
			lines := []string{"changed"}
			lines = append(lines, callsOf(a, b)...)
			for _, l := range a.Normal.Lines() {
				lines = append(lines, "-"+l)
			}
			for _, l := range b.Normal.Lines() {
				lines = append(lines, "+"+l)
			}
			m[name] = balance(lines)
		}
	}
	return m
}

// callsOf names what b calls more often, and less often, than a.
func callsOf(a, b *script.Function) (lines []string) {
	count := map[string]int{}
	for _, c := range a.Calls {
		count[c.Callee]--
	}
	for _, c := range b.Calls {
		count[c.Callee]++
	}
	for callee, n := range count {
		sign := "+"
		if n < 0 {
			sign, n = "-", -n
		}
		switch {
		case n == 1:
			lines = append(lines, sign+"call "+callee)
		case n > 1:
			lines = append(lines, fmt.Sprintf("%scall %s x%d", sign, callee, n))
		}
	}
	return lines
}

func union[V any](a, b map[string]V) (names []string) {
	for name := range a {
		names = append(names, name)
	}
	for name := range b {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// BenchmarkSamples disassembles the functions of a game's mod, and digests their
// texts: bytes of script a second.
func BenchmarkSamples(b *testing.B) {
	list := pakOf(b, "unreal-pak", "pairs", "sandboxutilities_new_P.pak")
	size := 0
	data := make([]map[int][]byte, len(list))
	for i, p := range list {
		data[i] = map[int][]byte{}
		for _, f := range disassemble(b, p, script.KismetOptions{}) {
			size += f.Disk
			bytes, err := p.Data(f.Export)
			if err != nil {
				b.Fatal(err)
			}
			data[i][f.Export] = bytes
		}
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for i, p := range list {
			functions, err := script.Kismet(p.Facts(), func(export int) ([]byte, error) { return data[i][export], nil }, script.KismetOptions{})
			if err != nil {
				b.Fatal(err)
			}
			for _, f := range functions {
				f.Normal.Digest()
			}
		}
	}
}
