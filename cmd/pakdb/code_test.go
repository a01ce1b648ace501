package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
)

// codeChange is what one report says of a function.
type codeChange struct {
	kind  string
	calls []string
	// lines are those that came less those that went: whatever way two reports align
	// texts, these are the same.
	lines map[string]int
}

// readCodeChanges reads a report: heads at an indent, calls two columns and texts by code
// columns behind it. headOf returns the function and its kind, "" for lines that are none.
func readCodeChanges(text string, calls, code string, headOf func(line string) (function, kind string)) map[string]*codeChange {
	all := map[string]*codeChange{}
	var at *codeChange
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if function, kind := headOf(line); function != "" {
			at = &codeChange{kind: kind, lines: map[string]int{}}
			all[function] = at
			continue
		}
		rest, isCode := strings.CutPrefix(line, code)
		switch {
		case at == nil:
		case isCode && strings.HasPrefix(rest, "+"):
			at.lines[rest[1:]]++
		case isCode && strings.HasPrefix(rest, "-"):
			at.lines[rest[1:]]--
		case strings.HasPrefix(line, calls+"+call "), strings.HasPrefix(line, calls+"-call "):
			at.calls = append(at.calls, line[len(calls):])
		}
	}
	for _, c := range all {
		maps.DeleteFunc(c.lines, func(_ string, n int) bool { return n == 0 })
		slices.Sort(c.calls)
	}
	return all
}

// TestCodeOfPairs compares what diff tells of the code of real mods with what another
// disassembler found.
func TestCodeOfPairs(t *testing.T) {
	t.Parallel()
	for _, pair := range []struct{ name, old, new string }{
		{"integration", "integration_old.pak", "integration_new.pak"},
		{"sandboxutilities", "sandboxutilities_old_P.pak", "sandboxutilities_new_P.pak"},
	} {
		truth, err := os.ReadFile(codecstest.Sample(t, "unreal-script", pair.name+".diff.txt"))
		if err != nil {
			t.Fatal(err)
		}
		want := readCodeChanges(string(truth), "  ", "    ", func(line string) (string, string) {
			i := strings.LastIndexByte(line, ' ')
			if i < 0 || strings.HasPrefix(line, " ") {
				return "", ""
			}
			return line[:i], line[i+1:]
		})
		catalog := filepath.Join(t.TempDir(), "catalog.db")
		for i, pak := range []string{pair.old, pair.new} {
			pakdb(t, "--catalog", catalog, "index", "--build", []string{"old", "new"}[i], codecstest.Sample(t, "unreal-pak", "pairs", pak))
		}
		out := printed(t, catalog, "diff", "old", "new", "--semantic")
		pkg := ""
		got := readCodeChanges(out, "    ", "      ", func(line string) (string, string) {
			if !strings.HasPrefix(line, " ") {
				_, path, _ := strings.Cut(line, "  ")
				path, _, _ = strings.Cut(path, "  ")
				pkg = strings.TrimSuffix(path, filepath.Ext(path))
				return "", ""
			}
			rest, found := strings.CutPrefix(line, "  ")
			i := strings.LastIndexByte(line, ' ') - 2
			if !found || strings.ContainsAny(rest[:1], " ~+-@") || i < 0 {
				return "", ""
			}
			return pkg + "." + rest[:i], rest[i+1:]
		})
		if len(want) == 0 {
			t.Errorf("%s: the truth was not understood", pair.name)
		}
		for function, w := range want {
			g := got[function]
			switch {
			case g == nil:
				t.Errorf("%s: %s %s is missing", pair.name, function, w.kind)
			case g.kind != w.kind || !slices.Equal(g.calls, w.calls):
				t.Errorf("%s: %s: %s %q, want %s %q", pair.name, function, g.kind, g.calls, w.kind, w.calls)
			case w.kind == "changed" && !maps.Equal(g.lines, w.lines):
				t.Errorf("%s: %s: %v, want %v", pair.name, function, g.lines, w.lines)
			}
		}
		for function, g := range got {
			if want[function] == nil {
				t.Errorf("%s: %s %s is not so", pair.name, function, g.kind)
			}
		}
	}
}

// TestShowCode: show has the code of functions, of a package in a file and in a build.
func TestShowCode(t *testing.T) {
	t.Parallel()
	file := codecstest.Sample(t, "unreal-package", "TestUC1.u")
	catalog := filepath.Join(t.TempDir(), "catalog.db")
	pakdb(t, "--catalog", catalog, "index", "--build", "1", file)
	for _, name := range []string{file, "1:TestUC1.u"} {
		out := printed(t, catalog, "show", name)
		if !strings.Contains(out, "code\n") || !strings.Contains(out, "──   return true\n") {
			t.Errorf("%s: no code in %d bytes", name, len(out))
		}
	}
}
