package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
)

// TestReadmeSession runs the session of README.md and compares what it prints.
// PAKDB_BINARY names a built pakdb that runs it in place of this process, after the
// command of an emulator, if need be: "qemu-aarch64 /tmp/pakdb".
func TestReadmeSession(t *testing.T) {
	readme := newDocument(t, "README.md")
	session, rest := readme.between("```console\n", "```\n")
	steps := parseSession(session)
	binary := strings.Fields(os.Getenv("PAKDB_BINARY"))
	for i, s := range steps {
		if len(binary) > 0 {
			steps[i].words = append(slices.Clone(binary), s.words[1:]...)
		}
	}
	if len(steps) < 3 {
		t.Fatalf("%d commands in the session of README.md", len(steps))
	}
	got, messages := make([]string, len(steps)), make([]string, len(steps))
	var script strings.Builder
	for i, s := range steps {
		run := "exec"
		if slices.Contains(s.words, "diff") {
			run = "! exec" // 1 says that there are differences
		}
		fmt.Fprintf(&script, "%s %s\nkeep %d\n", run, strings.Join(quoteWords(s.words), " "), i)
	}
	file := filepath.Join(t.TempDir(), "readme.txtar")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("run", func(t *testing.T) {
		testscript.Run(t, testscript.Params{
			Files: []string{file},
			Setup: func(env *testscript.Env) error {
				env.Setenv("PAKDB_CATALOG", "")
				for _, name := range []string{"WINEPREFIX", "WINEDEBUG"} {
					env.Setenv(name, os.Getenv(name))
				}
				return os.CopyFS(filepath.Join(env.WorkDir, "testdata"), os.DirFS(filepath.Join(readme.root, "testdata")))
			},
			Cmds: map[string]func(*testscript.TestScript, bool, []string){
				"keep": func(ts *testscript.TestScript, _ bool, args []string) {
					var i int
					_, err := fmt.Sscan(args[0], &i)
					ts.Check(err)
					got[i], messages[i] = ts.ReadFile("stdout"), ts.ReadFile("stderr")
				},
			},
		})
	})
	var now strings.Builder
	for i, s := range steps {
		if elapsed.ReplaceAllString(got[i], "in TIME") == elapsed.ReplaceAllString(s.output, "in TIME") {
			got[i] = s.output
		} else if !readme.updating {
			t.Errorf("%s\nprints\n%s%s\nREADME.md says\n%s", s.line, got[i], messages[i], s.output)
		}
		now.WriteString(s.line + "\n" + got[i])
	}
	readme.replace(rest, now.String())
}

// TestReadmeFormats compares the table of formats with the registry.
func TestReadmeFormats(t *testing.T) {
	readme := newDocument(t, "README.md")
	table, at := readme.between("<!-- formats: kept by cmd/pakdb/readme_test.go -->\n", "<!-- end -->\n")
	want := formatTable(all.Registry())
	if table != want && !readme.updating {
		t.Errorf("README.md says\n%s\nthe registry\n%s", table, want)
	}
	readme.replace(at, want)
}

func formatTable(r *codecs.Registry) string {
	var b strings.Builder
	b.WriteString("| name | what | reads | writes | usual extensions |\n|---|---|---|---|---|\n")
	for _, f := range r.Formats {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", f.Name, f.Doc, readVersions(f),
			strings.Join(f.Versions, ", "), strings.Join(f.Exts, " "))
	}
	b.WriteString("\n| contents that are inspected | what |\n|---|---|\n")
	for _, in := range r.Inspectors {
		fmt.Fprintf(&b, "| %s | %s |\n", in.Name, in.Doc)
	}
	return strings.ReplaceAll(b.String(), "|  ", "| ")
}

// document is a text of the repository, rewritten when PAKDB_UPDATE_SCRIPTS is set.
type document struct {
	t        *testing.T
	name     string // from the module's root
	root     string
	text     string
	updating bool
}

func newDocument(t *testing.T, name string) *document {
	t.Helper()
	root := codecstest.ModuleRoot(t)
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return &document{t, name, root, string(text), os.Getenv("PAKDB_UPDATE_SCRIPTS") != ""}
}

// section is a part of the text.
type section struct{ from, to int }

// between returns what stands between two marks.
func (r *document) between(begin, end string) (string, section) {
	r.t.Helper()
	from := strings.Index(r.text, begin)
	if from < 0 {
		r.t.Fatalf("%s has no %q", r.name, begin)
	}
	from += len(begin)
	n := strings.Index(r.text[from:], end)
	if n < 0 {
		r.t.Fatalf("%s has no %q", r.name, end)
	}
	return r.text[from : from+n], section{from, from + n}
}

func (r *document) replace(s section, text string) {
	r.t.Helper()
	if !r.updating || r.text[s.from:s.to] == text {
		return
	}
	now := r.text[:s.from] + text + r.text[s.to:]
	if err := os.WriteFile(filepath.Join(r.root, r.name), []byte(now), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// elapsed differs from run to run.
var elapsed = regexp.MustCompile(`\bin [0-9.]+(µs|ms|s)\b`)

// step is one command of a session, and what it prints.
type step struct {
	line   string
	words  []string
	output string
}

func parseSession(text string) (steps []step) {
	for line := range strings.Lines(text) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			steps = append(steps, step{line: strings.TrimSuffix(line, "\n"), words: shellWords(command)})
		} else if len(steps) > 0 {
			steps[len(steps)-1].output += line
		}
	}
	return steps
}

var word = regexp.MustCompile(`"[^"]*"|'[^']*'|\S+`)

// shellWords splits a line as a shell does, as far as the README needs it.
func shellWords(line string) []string {
	words := word.FindAllString(line, -1)
	for i, w := range words {
		if c := w[0]; c == '"' || c == '\'' {
			words[i] = w[1 : len(w)-1]
		}
	}
	return words
}

// quoteWords writes words the way testscript reads them.
func quoteWords(words []string) []string {
	for i, w := range words {
		words[i] = "'" + strings.ReplaceAll(w, "'", "''") + "'"
	}
	return words
}
