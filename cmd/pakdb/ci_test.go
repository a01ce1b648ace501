package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pakdb/internal/testkit"
)

// TestGateOfCI runs the script of docs/ci.md on builds that may go out and that may not.
func TestGateOfCI(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script is for a POSIX shell")
	}
	page := newDocument(t, "docs/ci.md")
	script, _ := page.between("```sh\n#!/bin/sh\n", "```\n")
	k := newKitchen(t, page)
	for name, content := range map[string]string{"released": "Calligraphy.sip", "next": "Calligraphy_next.sip", "torn": "damaged.sip"} {
		folder := filepath.Join(k.dir, name)
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(k.dir, "testdata", content))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "Calligraphy.sip"), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	k.print(t, "$ pakdb index --build released released")
	for _, tt := range testkit.Some([]struct {
		limits, folder string
		code           int
		says           string
		released       string // "" for "released"
	}{
		{"", "next", 0, "to download about 1.9 KiB", ""},
		{"download=50MB,changes=12,removed=1", "next", 0, "to download about 1.9 KiB", ""},
		{"download=50MB,changes=11", "next", 1, "changes is 12, above the limit of 11", ""},
		{"download=1KB", "next", 1, "download is", ""},
		{"height=3", "next", 2, "height", ""},
		{"", "torn", 1, "corrupt", ""},
		{"", "nowhere", 2, "nowhere", ""},
		{"", "next", 2, "never-indexed", "never-indexed"},
	}, 3) {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", "#!/bin/sh\n"+script, "gate.sh", cmp.Or(tt.released, "released"), "candidate", tt.folder)
		cmd.Dir, cmd.Env = k.dir, append(k.env, "LIMITS="+tt.limits)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != tt.code || !strings.Contains(string(out), tt.says) {
			t.Errorf("%s of %s ends with %d, want %d and %q:\n%s", tt.limits, tt.folder, code, tt.code, tt.says, out)
		}
		for _, file := range []string{"index.json", "verify.xml", "changes.html", "changes.md"} {
			if info, err := os.Stat(filepath.Join(k.dir, "report", file)); tt.code < 2 && (err != nil || info.Size() == 0) {
				t.Errorf("%s of %s: no %s: %v", tt.limits, tt.folder, file, err)
			}
		}
		if err := os.RemoveAll(filepath.Join(k.dir, "report")); err != nil {
			t.Fatal(err)
		}
	}
}
