package catalog

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/internal/testkit/schematest"
	"pakdb/query"
	"pakdb/schema"

	"github.com/spf13/cobra"
)

func TestMain(m *testing.M) {
	// Tests open databases before the command limits the memory of SQL, which SQLite
	// has to be told first.
	if err := schema.LimitMemory(0); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// oneFile is what the catalogs of these tests hold.
var oneFile = schema.Entry{Name: "readme.txt", Method: "none", Size: 5}

func runQuery(database, stdin string, args ...string) (stdout, stderr string, err error) {
	var o, e bytes.Buffer
	a := &cli.App{Stdin: strings.NewReader(stdin), Stdout: &o, Stderr: &e,
		Registry: func() *codecs.Registry { return &codecs.Registry{Formats: []*codecs.Format{codecs.Loose()}} }}
	root := &cobra.Command{Use: "pakdb", SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.Begin(cmd) }}
	a.AddFlags(root)
	a.Catalog = database
	root.AddCommand(newQueryCommand(a))
	root.SetOut(&o)
	root.SetArgs(append([]string{"query"}, args...))
	err = root.ExecuteContext(context.Background())
	return o.String(), e.String(), err
}

func TestQueryCommand(t *testing.T) {
	t.Setenv("PAKDB_QUERIES", t.TempDir())
	catalog := schematest.OfOne(t, oneFile)
	for _, c := range []struct {
		stdin string
		args  []string
		want  string
	}{
		{"", []string{"SELECT 1 AS n", "--format", "csv"}, "n\n1\n"},
		{"SELECT 2 AS n", []string{"-", "--format", "csv"}, "n\n2\n"},
		{"SELECT 3 AS n", []string{"--format", "csv", "--no-header"}, "3\n"},
		{"SELECT ? AS n", []string{"-", "4", "--format", "csv"}, "n\n4\n"},
		{"SELECT ? AS v; SELECT :n AS n", []string{"-", "x", "-p", "n=5", "--format", "csv"}, "v\nx\n\nn\n5\n"},
		{"", []string{"SELECT NULL AS n", "--format", "csv", "--null", "NULL"}, "n\nNULL\n"},
		{"", []string{"SELECT :build AS b", "--build", "1.52", "--format", "csv"}, "b\n1.52\n"},
		{"", []string{"@by-extension", "--format", "tsv", "--no-header"}, "txt\t1\t5\t0\n"},
		{"", []string{"@search", "-p", "pattern=read", "--build", "1.52", "--format", "csv", "--no-header"},
			"1.52,a.tst,readme.txt,5,0,none,\n"},
	} {
		if got, _, err := runQuery(catalog, c.stdin, c.args...); got != c.want || err != nil {
			t.Errorf("%q: %q %v, want %q", c.args, got, err, c.want)
		}
	}
	for part, args := range map[string][]string{
		"@largest":    {"@"},
		"-- doc:":     {"@largest", "--help"},
		"PATTERN":     {"@search", "--help"},
		"--exit-code": {"--help"},
		"\nExamples:": {"-h"},
	} {
		if got, _, err := runQuery(catalog, "", args...); !strings.Contains(got, part) || err != nil {
			t.Errorf("%q: no %q in %q, %v", args, part, got, err)
		}
	}
	if topic := Topic().Long; !strings.Contains(topic, "content_text(content)") {
		t.Errorf("the topic has no functions: %q", topic)
	}
	for _, args := range [][]string{{"SELECT 1 AS n", "--build", "1.52", "--format", "csv"}, {"@builds", "--build", "1.52", "--format", "csv"}} {
		if _, notes, err := runQuery(catalog, "", args...); notes != "pakdb: warning: --build 1.52 has no effect: nothing here says :build\n" || err != nil {
			t.Errorf("%q: %q %v", args, notes, err)
		}
	}
	if got, notes, err := runQuery(catalog, "", "SELECT 1 WHERE 0"); got != "" || notes != "(no rows)\n" || err != nil {
		t.Errorf("empty table: %q %q %v", got, notes, err)
	}
}

func TestQueryCommandErrors(t *testing.T) {
	t.Setenv("PAKDB_QUERIES", t.TempDir())
	catalog := schematest.OfOne(t, oneFile)
	before, err := os.ReadFile(catalog)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"SELEC"}, {"SELECT :n"}, {"SELECT 1", "-p", "n=1"}, {"SELECT 1", "-p", "n"}, {"SELECT 1", "2"}, {"@nope"},
		{"@search"}, {"@search", "x", "-p", "y=1"}, {"SELECT 1", "--timeout", "0s", "--no-header", "2"},
		{"SELECT 1", "-o", catalog}, {"SELECT :build", "--build", "nope"}, {"SELECT 1", "--build", "nope"}, {"@builds", "--build", "nope"}, {"SELECT 1; SELECT nope", "-o", out},
		{"DELETE FROM x_entry"}, {"ATTACH '" + out + "' AS o"}, {"VACUUM INTO '" + out + "'"}, {"PRAGMA journal_mode = wal"},
		{"CREATE TEMP TABLE t (a)"}, {"UPDATE x_word SET word = 'x' RETURNING *"},
	} {
		if _, _, err := runQuery(catalog, "", args...); !errors.Is(err, query.ErrUsage) {
			t.Errorf("%q: %v, want ErrUsage", args, err)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a failed query left a file")
	}
	if after, err := os.ReadFile(catalog); err != nil || !bytes.Equal(before, after) {
		t.Error("the catalog changed")
	}
	if _, _, err := runQuery(catalog+".absent", "", "SELECT 1"); !errors.Is(err, query.ErrCatalog) || query.Hint(err) == "" {
		t.Errorf("absent catalog: %v, want ErrCatalog and a hint", err)
	}
	const forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
	if _, _, err := runQuery(catalog, "", forever, "--timeout", "50ms"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("--timeout: %v, want context.DeadlineExceeded", err)
	}
}

func TestQueryCommandWritesAFile(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.csv")
	got, _, err := runQuery(schematest.OfOne(t, oneFile), "", "SELECT 1 AS n", "--format", "csv", "-o", out)
	if got != "" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	if b, err := os.ReadFile(out); string(b) != "n\n1\n" {
		t.Errorf("%q %v", b, err)
	}
}
