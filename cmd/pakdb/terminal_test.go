//go:build linux

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/terminal"
	"pakdb/internal/terminal/ptytest"
	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// onTerminal starts pakdb on a terminal of width by height cells.
func onTerminal(t *testing.T, width, height uint16, env []string, args ...string) *ptytest.Terminal {
	t.Helper()
	cmd := exec.Command("pakdb", args...)
	cmd.Env = append(append(os.Environ(), "PAGER=cat", "LINES=", "COLUMNS=", "NO_COLOR=1", "TERM=xterm",
		"PAKDB_QUERIES="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir()), env...)
	return ptytest.Start(t, cmd, width, height)
}

const longPath = "SELECT 'Calligraphy/Powers/Player/Aegis/Passive/Beam.prototype' AS path, 123456789 AS size"

func TestQueryFitsTheTerminal(t *testing.T) {
	t.Parallel()
	catalog := schematest.OfOne(t, schema.Entry{Name: "readme.txt", Method: "none", Size: 5})
	for _, c := range []struct {
		width uint16
		args  []string
		want  string
	}{
		{40, nil, `
┌──────────────────────────┬───────────┐
│ path                     │      size │
├──────────────────────────┼───────────┤
│ Calligra…/Beam.prototype │ 123456789 │
└──────────────────────────┴───────────┘
`},
		{20, nil, `
path = Calligraphy/Powers/Player/Aegis/Passive/Beam.prototype
size = 123456789
`},
		{20, []string{"--wide"}, `
┌────────────────────────────────────────────────────────┬───────────┐
│ path                                                   │      size │
├────────────────────────────────────────────────────────┼───────────┤
│ Calligraphy/Powers/Player/Aegis/Passive/Beam.prototype │ 123456789 │
└────────────────────────────────────────────────────────┴───────────┘
`},
		{20, []string{"--format", "csv"}, `
path,size
Calligraphy/Powers/Player/Aegis/Passive/Beam.prototype,123456789
`},
	} {
		code, text := onTerminal(t, c.width, 24, nil, append([]string{"query", longPath, "--catalog", catalog}, c.args...)...).Wait()
		if want := strings.ReplaceAll(strings.TrimPrefix(c.want, "\n"), "\n", "\r\n"); code != 0 || text != want {
			t.Errorf("%d cells %v: %d\n%s", c.width, c.args, code, text)
		}
	}
}

// A file and a pipe have values in full, whatever terminal there is.
func TestFilesHaveValuesInFull(t *testing.T) {
	t.Parallel()
	catalog, file := schematest.OfOne(t, schema.Entry{Name: "readme.txt", Method: "none", Size: 5}), filepath.Join(t.TempDir(), "out")
	if code, text := onTerminal(t, 20, 24, nil, "query", longPath, "--catalog", catalog, "-o", file).Wait(); code != 0 || text != "" {
		t.Errorf("%d %q", code, text)
	}
	b, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(b), "│ Calligraphy/Powers/Player/Aegis/Passive/Beam.prototype │") {
		t.Errorf("%s %v", b, err)
	}
}

func TestQueriesAreListedAtTheWidthOfTheTerminal(t *testing.T) {
	t.Parallel()
	for _, width := range []uint16{40, 80, 120} {
		code, text := onTerminal(t, width, 200, nil, "query", "@").Wait()
		for line := range strings.SplitSeq(text, "\r\n") {
			if len(line) > int(width) {
				t.Errorf("%d cells: %q", width, line)
			}
		}
		if code != 0 || !strings.Contains(text, "@largest ") {
			t.Errorf("%d %q", code, text)
		}
	}
}

const fiftyRows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) SELECT i FROM n"

func TestPager(t *testing.T) {
	t.Parallel()
	catalog := schematest.OfOne(t, schema.Entry{Name: "readme.txt", Method: "none", Size: 5})
	paged := []string{"PAGER=sed s/^/paged:/"}
	query := []string{"query", fiftyRows, "--catalog", catalog}
	for name, c := range map[string]struct {
		env   []string
		args  []string
		paged bool
		code  int
	}{
		"too long":          {paged, query, true, 0},
		"fits":              {paged, []string{"query", "SELECT 1 AS n", "--catalog", catalog}, false, 0},
		"no pager wanted":   {[]string{"PAGER="}, query, false, 0},
		"a command's code":  {paged, []string{"diff", "--name-only", "../../testdata/Calligraphy.sip", "../../testdata/Calligraphy_next.sip"}, true, 1},
		"an error":          {paged, []string{"query", fiftyRows + "; SELECT nope", "--catalog", catalog}, true, 2},
		"not what is asked": {paged, []string{"query", "--help"}, false, 0},
	} {
		code, text := onTerminal(t, 80, 8, c.env, c.args...).Wait()
		if strings.Contains(text, "paged:") != c.paged || code != c.code {
			t.Errorf("%s: %d %.300q", name, code, text)
		}
	}
}

// A picture is drawn below what is said of it, and not paged, on a terminal that can.
func TestShowDrawsPictures(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.tga")
	if err := os.WriteFile(file, []byte("\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x01\x00\x18\x20\x01\x02\x03\x04\x05\x06"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env  []string
		want string
	}{
		"kitty": {[]string{"TERM=xterm-kitty", "TMUX="}, "\x1b_Ga=T,f=100,m=0;"},
		"sixel": {[]string{"PAKDB_PICTURES=sixel", "PAGER=sed s/^/paged:/"}, "\x1bPq\"1;1;2;1"},
		"none":  {nil, ""},
	} {
		code, text := onTerminal(t, 80, 3, c.env, "show", file).Wait()
		tree, drawn, _ := strings.Cut(text, "\x1b")
		if code != 0 || !strings.Contains(tree, "width = 2") || c.want == "" && drawn != "" || c.want != "" && !strings.HasPrefix("\x1b"+drawn, c.want) || strings.Contains(text, "paged:") {
			t.Errorf("%s: %d %q", name, code, text)
		}
	}
}

// Who leaves the pager has seen enough: nothing is said, and what would go on for
// ever ends.
func TestLeavingThePager(t *testing.T) {
	t.Parallel()
	catalog := schematest.OfOne(t, schema.Entry{Name: "readme.txt", Method: "none", Size: 5})
	for _, text := range []string{fiftyRows, strings.Replace(fiftyRows, "i < 50", "1", 1)} {
		code, got := onTerminal(t, 80, 8, []string{"PAGER=head -n 1"}, "query", text, "--catalog", catalog, "--format", "csv").Wait()
		if code != 0 || got != "i\r\n" {
			t.Errorf("%d %q", code, got)
		}
	}
}

func TestInterruptWithThePager(t *testing.T) {
	t.Parallel()
	text := strings.Replace(fiftyRows, "i < 50", "1", 1)
	term := onTerminal(t, 80, 8, []string{`PAGER=trap "" INT; head -n 1; echo ready; read x </dev/tty; cat >/dev/null; echo end`},
		"query", text, "--catalog", schematest.OfOne(t, schema.Entry{Name: "readme.txt", Method: "none", Size: 5}), "--format", "csv")
	term.WaitFor("ready")
	term.Type("\x03")
	term.Type("go\n")
	if code, got := term.Wait(); code != 130 || !strings.Contains(got, "end\r\n") || strings.Contains(got, "pakdb:") {
		t.Errorf("%d %q", code, got)
	}
}

// A statement that takes long says so, until there is a row, or it ends.
func TestLongStatementSaysSo(t *testing.T) {
	t.Parallel()
	catalog := schematest.OfOne(t, schema.Entry{Name: "readme.txt", Method: "none", Size: 5})
	const long = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS n FROM n"
	term := onTerminal(t, 80, 24, nil, "query", long, "--catalog", catalog)
	term.WaitFor("s (Ctrl-C ends it)")
	term.Type("\x03")
	code, text := term.Wait()
	if code != 130 || !strings.Contains(text, "running: ") || !strings.Contains(text, "\r\x1b[Kpakdb: interrupted") {
		t.Errorf("%d %q", code, text)
	}
	if !testkit.Deep() {
		return
	}
	if _, text := onTerminal(t, 80, 24, nil, "query", "-q", long, "--catalog", catalog, "--timeout", "1100ms").Wait(); strings.Contains(text, "running") {
		t.Errorf("--quiet: %q", text)
	}
}

func TestShellOnATerminal(t *testing.T) {
	t.Parallel()
	term := onTerminal(t, 60, 10, []string{"PAGER=sed s/^/paged:/", "NO_COLOR="}, "query", "--catalog", schematest.OfOne(t, schema.Entry{Name: "readme.txt", Method: "none", Size: 5}))
	term.WaitFor("pakdb> ")
	term.Type("SELECT 'one\n  ' AS a; -- two\n")
	term.WaitFor("one\\n")
	term.Type("SELECT nope;\n")
	term.WaitFor("\x1b[31merror:\x1b[0m no such column")
	term.Type(fiftyRows + ";\n")
	term.WaitFor("paged:│  \x1b[1mi")
	term.WaitFor("paged:└")
	term.Type(".views builds\n")
	term.WaitFor("RFC 3339")
	term.Type(".quit\n")
	if code, text := term.Wait(); code != 0 || strings.Contains(text, "fault of pakdb") {
		t.Errorf("%d %q", code, text)
	}
}

func TestDiffStatFitsTheTerminal(t *testing.T) {
	t.Parallel()
	for _, width := range []uint16{60, 80} {
		_, text := onTerminal(t, width, 60, nil, "diff", "--stat", "--catalog", "none.db",
			"../../testdata/Calligraphy.sip", "../../testdata/Calligraphy_next.sip").Wait()
		n := 0
		for line := range strings.SplitSeq(text, "\r\n") {
			line = line[strings.LastIndex(line, "\x1b[K")+1:] // progress, where the machine was slow
			line = strings.TrimPrefix(line, "[K")
			if strings.Contains(line, " | ") {
				if n++; terminal.Width(line) > int(width) {
					t.Errorf("%d cells: %q", terminal.Width(line), line)
				}
			}
		}
		if n != 12 {
			t.Errorf("%d changes:\n%s", n, text)
		}
	}
}

// A list of changes has each on one line: the path loses its middle.
func TestDiffFitsTheTerminal(t *testing.T) {
	dir := t.TempDir()
	old, new := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	long := filepath.Join("Game", "Content", "Characters", "Heroes", "Aegis", "Animations", "Falling.uasset")
	for _, f := range []struct{ folder, name, text string }{
		{old, long, "falling\n"}, {new, long, "fallen\n"}, {old, "Moved.txt", "a text that is found again"}, {new, filepath.Join("Game", long), "a text that is found again"},
	} {
		path := filepath.Join(f.folder, f.name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(f.text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		width uint16
		args  []string
		want  string
	}{
		{60, nil, "modified        -1 B  Game/Content/Charac…ons/Falling.uasset\r\n"},
		{60, []string{"--wide"}, "  Game/Content/Characters/Heroes/Aegis/Animations/Falling.uasset\r\n"},
		{100, nil, "  Game/Content/Characters/Heroes/Aegis/Animations/Falling.uasset\r\n"},
	} {
		code, text := onTerminal(t, c.width, 24, nil, append([]string{"diff", "-q", old, new}, c.args...)...).Wait()
		if code != cli.ExitProblems || !strings.Contains(text, c.want) {
			t.Errorf("%d cells %v: %d, no %q in\n%s", c.width, c.args, code, c.want, text)
		}
		for line := range strings.SplitSeq(text, "\r\n") {
			if c.args == nil && terminal.Width(line) > int(c.width) {
				t.Errorf("%d cells: %q", c.width, line)
			}
		}
	}
}
