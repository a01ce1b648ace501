package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"pakdb/testdata/gen/fixture"
)

// console is a session of docs/cookbook.md, after the mark of one that needs samples.
var console = regexp.MustCompile("(?ms)^(<!-- samples -->\n)?```console\n(.*?)^```\n")

// TestCookbook runs the sessions of docs/cookbook.md, one after the other in one
// folder, and compares what they print.
func TestCookbook(t *testing.T) {
	if n := runSessions(t, "docs/cookbook.md"); n < 25 {
		t.Errorf("docs/cookbook.md answers %d questions, 25 are wanted", n)
	}
}

// TestOperations runs those of docs/operations.md.
func TestOperations(t *testing.T) { runSessions(t, "docs/operations.md") }

// TestFirstQuarter runs those of docs/first-quarter.md.
func TestFirstQuarter(t *testing.T) { runSessions(t, "docs/first-quarter.md") }

// runSessions runs the sessions of a document and returns how many there are.
func runSessions(t *testing.T, name string) (sessions int) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the sessions are for a POSIX shell")
	}
	page := newDocument(t, name)
	k := newKitchen(t, page)
	_, err := os.Stat(k.samples)
	withSamples := err == nil && inFull(t.Name())
	var now strings.Builder
	at := 0
	for _, m := range console.FindAllStringSubmatchIndex(page.text, -1) {
		now.WriteString(page.text[at:m[4]])
		at = m[5]
		session := page.text[m[4]:m[5]]
		sessions++
		t.Run(lastHeading(page.text[:m[0]]), func(t *testing.T) {
			if m[2] >= 0 && !withSamples {
				now.WriteString(session)
				t.Skipf("for PAKDB_DEEP, and samples in %s, or in the folder PAKDB_SAMPLES", k.samples)
			}
			now.WriteString(k.run(t, session))
		})
	}
	page.replace(section{0, len(page.text)}, now.String()+page.text[at:])
	return sessions
}

// lastHeading returns the last heading of a text.
func lastHeading(text string) string {
	heading := text[strings.LastIndex(text, "\n#")+1:]
	heading, _, _ = strings.Cut(heading, "\n")
	return strings.Trim(heading, "#? ")
}

// kitchen is where sessions run: a folder with testdata, and with harbor, the game that
// go run ./testdata/gen -locked makes.
type kitchen struct {
	page    *document
	dir     string
	samples string
	env     []string
}

func newKitchen(t *testing.T, p *document) *kitchen {
	t.Helper()
	t.Setenv("TZ", "UTC") // panics in a parallel test: commands run in this process, in another folder
	k := &kitchen{page: p, dir: t.TempDir(), samples: samplesFolder(p.root)}
	if err := os.CopyFS(filepath.Join(k.dir, "testdata"), os.DirFS(filepath.Join(p.root, "testdata"))); err != nil {
		t.Fatal(err)
	}
	if err := fixture.Locked(filepath.Join(k.dir, "harbor")); err != nil {
		t.Fatal(err)
	}
	k.env = append(os.Environ(), "PAKDB_CATALOG=", "PAKDB_AES_KEY=", "PAKDB_QUERIES=", "SAMPLES="+k.samples)
	return k
}

// run runs the commands of a session, and returns it with what they print now where
// that differs in more than what differs from run to run.
func (k *kitchen) run(t *testing.T, session string) string {
	t.Helper()
	var now strings.Builder
	for _, s := range parseSession(session) {
		got := k.print(t, s.line)
		if steady(got) == steady(s.output) {
			got = s.output
		} else if !k.page.updating {
			t.Errorf("%s\nprints\n%s\n%s says\n%s", s.line, got, k.page.name, s.output)
		}
		now.WriteString(s.line + "\n" + got)
	}
	return now.String()
}

// print returns what a line of a session prints, which must end with the exit code
// that it says.
func (k *kitchen) print(t *testing.T, line string) string {
	t.Helper()
	command, _, _ := strings.Cut(strings.TrimPrefix(line, "$ "), " # ")
	out, got := k.runOne(t, strings.TrimSpace(command))
	want := 0
	if _, code, says := strings.Cut(line, "# exit code "); says {
		if _, err := fmt.Sscan(code, &want); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	if got != want {
		t.Errorf("%s\nends with %d, want %d:\n%s", line, got, want, out)
	}
	text := strings.ReplaceAll(out, k.samples, "$SAMPLES")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// plain is a command of pakdb alone: a shell would have nothing to do but to start it.
var plain = regexp.MustCompile(`^pakdb( ([\w@%+=:,./^-]+|"[^"$\\` + "`" + `]*"|'[^']*'))+$`)

// runOne runs a command, in this process if it is plain, and returns what it prints and its exit
// code.
func (k *kitchen) runOne(t *testing.T, command string) (out string, code int) {
	t.Helper()
	if plain.MatchString(command) {
		var b strings.Builder
		code, err := executeIn(k.dir, k.env, &b, &b, shellWords(command)[1:])
		if err != nil {
			t.Fatal(err)
		}
		return b.String(), code
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir, cmd.Env = k.dir, k.env
	printed, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(printed), cmd.ProcessState.ExitCode()
}

// room differs from disk to disk.
var room = regexp.MustCompile(`\broom for [0-9.]+ [KMGT]?i?B`)

// steady returns what a command prints without what differs from run to run.
func steady(text string) string {
	return room.ReplaceAllString(elapsed.ReplaceAllString(text, "in TIME"), "room for SIZE")
}

// TestReadmeRecipes: the commands that README.md takes from the cookbook are in it.
func TestReadmeRecipes(t *testing.T) {
	cookbook := newDocument(t, "docs/cookbook.md").text
	recipes, _ := newDocument(t, "README.md").between("<!-- cookbook -->\n", "<!-- end -->\n")
	commands := regexp.MustCompile(`(?m)^    (pakdb .*)$`).FindAllStringSubmatch(recipes, -1)
	if len(commands) < 5 {
		t.Errorf("%d commands are from the cookbook, want 5", len(commands))
	}
	for _, m := range commands {
		if !strings.Contains(cookbook, "\n$ "+m[1]+"\n") && !strings.Contains(cookbook, "\n$ "+m[1]+" # exit code 1\n") {
			t.Errorf("%s is not in docs/cookbook.md", m[1])
		}
	}
}
