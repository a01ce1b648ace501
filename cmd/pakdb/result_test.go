package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs/all"
)

// TestResultKeys runs each command that has a result, with and without success, and
// compares the keys that it prints with docs/json.md.
func TestResultKeys(t *testing.T) {
	page := newDocument(t, "docs/json.md")
	data := filepath.Join(page.root, "testdata")
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	old, next, damaged := filepath.Join(data, "Calligraphy.sip"), filepath.Join(data, "Calligraphy_next.sip"), filepath.Join(data, "damaged.sip")
	var nowhere bytes.Buffer
	if code := execute(t.Context(), cli.New(strings.NewReader(""), &nowhere, &nowhere, all.Registry), []string{"store", "keys", "new", in("key")}); code != 0 {
		t.Fatal(nowhere.String())
	}
	k := &keyTest{t: t, common: documentedKeys(page, "All commands"), page: page}
	for _, run := range []struct {
		command string
		code    int
		args    []string
	}{
		{"index", 0, []string{"--build", "1", old}},
		{"index", 1, []string{"--build", "bad", damaged}},
		{"index", 0, []string{in("c.db"), "--catalog", in("merged.db")}},
		{"verify", 0, []string{old}},
		{"verify", 1, []string{damaged}},
		{"pack", 0, []string{old, "-o", in("packed.sip")}},
		{"pack", 1, []string{old, "-o", in("packed.sip")}},
		{"patch build", 0, []string{old, next, "-o", in("patch")}},
		{"patch build", 1, []string{old, next, "-o", in("patch")}},
		{"delta make", 0, []string{old, next, "-o", in("p.pkdelta")}},
		{"publish", 0, []string{"1", "-o", in("store")}},
		{"store check", 0, []string{in("store")}},
		{"store check", 1, []string{in("patch")}},
		{"update", 0, []string{in("game"), "--from", in("store")}},
		{"update", 1, []string{in("game"), "--from", in("store"), "--trust", in("key.pub")}}, // it is not signed
	} {
		args := append(strings.Fields(run.command), run.args...)
		if !slices.Contains(args, "--catalog") {
			args = append(args, "--catalog", in("c.db"))
		}
		k.compare(run.command, run.code, append(args, "--format", "json"))
	}
	if missing := slices.Sorted(maps.Keys(k.common)); len(missing) > 0 {
		t.Errorf("docs/json.md has keys that no command prints: %v", missing)
	}
}

type keyTest struct {
	t      *testing.T
	page   *document
	common map[string]bool // those that no command has printed yet
}

func (k *keyTest) compare(command string, code int, args []string) {
	k.t.Helper()
	var stdout, stderr bytes.Buffer
	if got := execute(k.t.Context(), cli.New(strings.NewReader(""), &stdout, &stderr, all.Registry), args); got != code {
		k.t.Errorf("%v: exit code %d, want %d: %s", args, got, code, stderr.String())
	}
	var object map[string]any
	if err := json.Unmarshal(stdout.Bytes(), &object); err != nil || strings.Count(stdout.String(), "\n") != 1 {
		k.t.Errorf("%v: %v: %q", args, err, stdout.String())
		return
	}
	if object["command"] != command || object["exit_code"] != float64(code) || (code == 1) != (object["problem_count"] != 0.0) {
		k.t.Errorf("%v: %s", args, stdout.String())
	}
	all, own := documentedKeys(k.page, "All commands"), documentedKeys(k.page, command)
	printed := map[string]bool{}
	addKeys(printed, "", object)
	for key := range printed {
		if !all[key] && !own[key] {
			k.t.Errorf("pakdb %s prints %q, which docs/json.md does not have", command, key)
		}
		delete(k.common, key)
	}
	for key := range own {
		list, _, nested := strings.Cut(key, "[].")
		if elements, _ := object[list].([]any); nested && len(elements) == 0 {
			continue
		}
		if !printed[key] {
			k.t.Errorf("pakdb %s does not print %q, which docs/json.md has", command, key)
		}
	}
}

// addKeys adds the keys of a value, those of elements of lists as list[].key.
func addKeys(keys map[string]bool, prefix string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			keys[prefix+key] = true
			addKeys(keys, prefix+key, value)
		}
	case []any:
		for _, element := range v {
			addKeys(keys, prefix+"[].", element)
		}
	}
}

var jsonKey = regexp.MustCompile("`([^`]+)`")

// documentedKeys returns the keys in the first column of a section's table.
func documentedKeys(page *document, heading string) map[string]bool {
	_, text, ok := strings.Cut(page.text, "\n## "+heading+"\n")
	if !ok {
		page.t.Errorf("docs/json.md has no section %q", heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	keys := map[string]bool{}
	for line := range strings.Lines(text) {
		column, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		for _, m := range jsonKey.FindAllStringSubmatch(column, -1) {
			keys[m[1]] = true
		}
	}
	return keys
}

// TestJUnit: verify --format junit names the damaged archive.
func TestJUnit(t *testing.T) {
	page := newDocument(t, "docs/json.md")
	var stdout, stderr bytes.Buffer
	code := execute(t.Context(), cli.New(strings.NewReader(""), &stdout, &stderr, all.Registry), []string{"verify", "--format", "junit",
		filepath.Join(page.root, "testdata", "Calligraphy.sip"), filepath.Join(page.root, "testdata", "damaged.sip")})
	if code != cli.ExitProblems || !strings.Contains(stdout.String(), `tests="2" failures="1"`) {
		t.Errorf("%d %s", code, stdout.String())
	}
}
