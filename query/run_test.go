package query_test

import (
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"pakdb/internal/testkit"
	"pakdb/query"
	"pakdb/schema"
)

func TestParseValue(t *testing.T) {
	for text, want := range map[string]driver.Value{
		"5": int64(5), "-5": int64(-5), "0": int64(0), "9223372036854775807": int64(1<<63 - 1),
		"9223372036854775808": "9223372036854775808", "007": "007", "+1": "+1", "-0": "-0", "1_000": "1_000",
		"0x10": int64(16), "0xffffffffffffffff": int64(-1), "0x1ffffffffffffffff": "0x1ffffffffffffffff", "0x": "0x",
		"1.5": 1.5, "-1e3": -1000.0, ".5": 0.5, "1e999": "1e999", "inf": "inf", "nan": "nan", "1.2.3": "1.2.3", "e": "e",
		"null": nil, "NULL": nil, "'null'": "null", "'5'": "5", "'it''s'": "it's", "": "", "'": "'", "''": "",
		"x'0aFF'": []byte{10, 255}, "x'0'": "x'0'", "text": "text", " 5": " 5",
	} {
		if got := query.ParseValue(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %#v, want %#v", text, got, want)
		}
	}
}

func TestParameters(t *testing.T) {
	db := openSmall(t)
	named := map[string]driver.Value{"a": int64(7), "b": "text"}
	for text, want := range map[string]string{
		"SELECT :a, @a, $a, :b":                                            "7\t7\t7\ttext\n",
		"SELECT typeof(:a), typeof(:b)":                                    "integer\ttext\n",
		"SELECT ':c', :a, :b -- :c\n /* :d */":                             ":c\t7\ttext\n",
		"SELECT \"@c\", [$c], :a, :b FROM (SELECT 1 AS \"@c\", 2 AS [$c])": "1\t2\t7\ttext\n",
		"SELECT :a; SELECT :b":                                             "7\n\ntext\n",
		"SELECT ?, ?2, :a, :b":                                             "p\t1.5\t7\ttext\n",
	} {
		args := query.Args{Named: named}
		if strings.Contains(text, "?") {
			args.Positional = []driver.Value{"p", 1.5}
		}
		got, err := run(t, db, text, args, query.Output{Format: "tsv", NoHeader: true})
		if got != want || err != nil {
			t.Errorf("%s: %q %v, want %q", text, got, err, want)
		}
	}
	for text, args := range map[string]query.Args{
		"SELECT :missing":  {},
		"SELECT ?":         {},
		"SELECT ?3":        {Positional: []driver.Value{1, 2}},
		"SELECT :a":        {Named: named},                    // b is not used
		"SELECT 1":         {Positional: []driver.Value{"1"}}, // nor is this
		"SELECT ':a', 1":   {Named: map[string]driver.Value{"a": 1}},
		"SELECT ?99999999": {},
	} {
		if _, err := run(t, db, text, args, query.Output{}); !errors.Is(err, query.ErrUsage) {
			t.Errorf("%s: %v, want ErrUsage", text, err)
		}
	}
	got, err := run(t, db, "SELECT :build", query.Args{}, query.Output{Format: "tsv", NoHeader: true})
	if got != "1.52\n" || err != nil {
		t.Errorf(":build is %q %v, want the newest", got, err)
	}
}

func TestStatements(t *testing.T) {
	for text, want := range map[string][]string{
		"":                               nil,
		" ; ;; -- nothing":               nil,
		"SELECT 1":                       {"SELECT 1"},
		"SELECT ';' ; SELECT 2;":         {"SELECT ';'", "SELECT 2"},
		"-- a;b\nSELECT 1 /* ; */ ;":     {"SELECT 1"},
		"SELECT \"a;b\", [c;d], `e;f`;x": {"SELECT \"a;b\", [c;d], `e;f`", "x"},
		"SELECT 'open;":                  {"SELECT 'open;"},
		"SELECT 'it''s;';2":              {"SELECT 'it''s;'", "2"},
		"SELECT 1 /* open":               {"SELECT 1 /* open"},
	} {
		var got []string
		for _, s := range query.Split(text) {
			got = append(got, s.SQL)
			if text[s.Offset:s.Offset+len(s.SQL)] != s.SQL {
				t.Errorf("%q: offset %d", text, s.Offset)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"SELECT 1;": true, "SELECT 1; -- x": true, "SELECT 1": false, "SELECT ';": false, "": false, "/* ;": false, ";": true,
	} {
		if query.Complete(text) != want {
			t.Errorf("Complete(%q) is not %v", text, want)
		}
	}
}

// FuzzSplit: no text makes the lexer panic or lose what is not space.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{everything, "SELECT 'a", "[", "x'", "-- ;\n;", "/*/", "?1:a@b$c", "1e+5.0x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, s := range query.Split(text) {
			if s.SQL == "" || s.Offset < end || text[s.Offset:s.Offset+len(s.SQL)] != s.SQL {
				t.Fatalf("%q: %+v", text, s)
			}
			end = s.Offset + len(s.SQL)
		}
		query.Complete(text)
	})
}

func TestErrorsPoint(t *testing.T) {
	testkit.NotShort(t)
	db := openSmall(t)
	for text, want := range map[string]struct{ at, hint string }{
		"SELEC 1":                                         {"SELEC", ""},
		"SELECT 1; SELECT 2 FORM builds WHERE 1":          {"builds", ""},
		"SELECT path FROM entries WHERE WHERE 1":          {"WHERE 1", ""},
		"SELECT , path FROM (SELECT 1, 2, 3)":             {", path", ""},
		"SELECT (1":                                       {"", ""},
		"SELECT * FROM entrys":                            {"entrys", "entries"},
		"SELECT * FROM main.entrys":                       {"entrys", "entries"},
		"SELECT file_size FROM entries":                   {"file_size", "entries has build, archive"},
		"SELECT e.sise FROM entries e":                    {"e.sise", "did you mean size?"},
		`SELECT "sise" FROM entries`:                      {`"sise"`, "did you mean size?"},
		"SELECT 1 FROM entries JOIN builds USING (biuld)": {"biuld", "did you mean build?"},
		"SELECT pth FROM diff('a', 'b')":                  {"pth", "did you mean path?\ndiff has "},
		"SELECT hex_if(1)":                                {"hex_if", "hex_id"},
		"SELECT hex_id()":                                 {"hex_id", "hex_id(n)"},
		"SELECT 1\n  , nope\nFROM builds":                 {"nope", "builds has build"},
		"SELECT 'open":                                    {"'open", ""},
		"SELECT nope, nope FROM builds":                   {"-", "builds has"}, // which of the two is not known
		"SELECT regexp('(', 'x')":                         {"-", ""},
		"SELECT abs(-9223372036854775808)":                {"-", ""},
		"DELETE FROM x_path":                              {"-", "SELECT"},
		"SELECT content_text('zz')":                       {"-", ""},
		"SELECT pakdb_run()":                              {"-", ""},
	} {
		_, err := run(t, db, text, query.Args{}, query.Output{})
		if !errors.Is(err, query.ErrUsage) {
			t.Errorf("%s: %v, want ErrUsage", text, err)
			continue
		}
		var e *query.SQLError
		if !errors.As(err, &e) {
			t.Errorf("%s: %T, want *SQLError", text, err)
			continue
		}
		switch {
		case want.at == "-" && e.Offset != -1:
			t.Errorf("%s: points at %d: %v", text, e.Offset, err)
		case want.at != "-" && (e.Offset < 0 || !strings.HasPrefix(text[e.Offset:], want.at)):
			t.Errorf("%s: offset %d, want %q: %v", text, e.Offset, want.at, err)
		}
		if hint := query.Hint(err); !strings.Contains(hint, want.hint) {
			t.Errorf("%s: hint %q, want %q", text, hint, want.hint)
		}
	}
	_, err := run(t, db, "SELECT 1\n  , nope\nFROM builds", query.Args{}, query.Output{})
	if want := "line 2, column 5: no such column: nope\n    , nope\n      ^"; err.Error() != want {
		t.Errorf("%s\nwant\n%s", err, want)
	}
	for _, text := range []string{"SELECT " + strings.Repeat("x", 1e6), strings.Repeat(" ", 1e6) + "SELECT nope" + strings.Repeat(" ", 1e6), "SELECT 1 " + strings.Repeat("+1", 1e5)} {
		if _, err := run(t, db, text, query.Args{}, query.Output{}); err == nil || len(err.Error()) > 1000 {
			t.Errorf("%.20s...: an error of %d bytes", text, len(fmt.Sprint(err)))
		}
	}
}

func TestCatalogErrors(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign.db")
	if err := os.WriteFile(foreign, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		filepath.Join(dir, "absent.db"): fs.ErrNotExist, foreign: schema.ErrNotCatalog,
	} {
		_, err := query.Open(context.Background(), path, query.Options{})
		if !errors.Is(err, query.ErrCatalog) || !errors.Is(err, want) || query.Hint(err) == "" {
			t.Errorf("%s: %v (hint %q), want %v", path, err, query.Hint(err), want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "absent.db")); err == nil {
		t.Error("looking made a catalog")
	}
}

// TestCancel ends statements before their first row and between two rows, and
// then uses the connection again.
func TestCancel(t *testing.T) {
	db := openSmall(t)
	const forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
	for name, text := range map[string]string{
		"before the first row": forever + " WHERE i < 0",
		"between two rows":     "SELECT 1 UNION ALL SELECT * FROM (" + forever + " WHERE i < 0)",
		"while rows come":      forever,
		"in an aggregate":      "SELECT count(*) FROM (" + forever + ")",
	} {
		for _, cause := range []error{context.DeadlineExceeded, context.Canceled} {
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			if cause == context.Canceled {
				ctx, cancel = context.WithCancel(context.Background())
				time.AfterFunc(50*time.Millisecond, cancel)
			}
			begun := time.Now()
			err := db.Run(ctx, text, query.Args{}, query.Output{W: io.Discard, Format: "jsonl"})
			cancel()
			if !errors.Is(err, cause) {
				t.Errorf("%s: %v, want %v", name, err, cause)
			}
			if cause == context.DeadlineExceeded && (err.Error() != "the time for this statement is up" || query.Hint(err) == "") {
				t.Errorf("%s: %v (%s)", name, err, query.Hint(err))
			}
			if d := time.Since(begun); d > 20*time.Second {
				t.Errorf("%s: ended after %v", name, d)
			}
			if got := value(t, db, "SELECT count(*) FROM builds"); got != "2" {
				t.Fatalf("%s: afterwards there are %s builds", name, got)
			}
		}
	}
}

// TestTimeUp gives the reason that a statement shows for taking long.
func TestTimeUp(t *testing.T) {
	db := openSmall(t)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	const text = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n a FULL JOIN (SELECT 1 AS i) USING (i)"
	err := db.Run(ctx, text, query.Args{}, query.Output{W: io.Discard, Format: "jsonl"})
	if !errors.Is(err, context.DeadlineExceeded) || query.Hint(err) != query.Advice(text) || query.Hint(err) == "" {
		t.Errorf("%v: %q", err, query.Hint(err))
	}
}

func TestWriteErrorEndsStatement(t *testing.T) {
	db := openSmall(t)
	broken := errors.New("broken pipe")
	for _, format := range query.Formats() {
		r, w := io.Pipe()
		_ = r.CloseWithError(broken)
		if err := db.Run(context.Background(), manyRows, query.Args{}, query.Output{W: w, Format: format}); !errors.Is(err, broken) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

func TestConcurrentStatements(t *testing.T) {
	db := openSmall(t)
	done := make(chan error)
	for i := range 8 {
		go func() {
			var b strings.Builder
			err := db.Run(context.Background(), "SELECT ?", query.Args{Positional: []driver.Value{int64(i)}},
				query.Output{W: &b, Format: "csv", NoHeader: true})
			if err == nil && b.String() != fmt.Sprintf("%d\n", i) {
				err = fmt.Errorf("%d yields %q", i, b.String())
			}
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestReadOnly tries to write through this package; schema tests the doors.
func TestReadOnly(t *testing.T) {
	path := smallCatalog(t)
	before := checksums(t, filepath.Dir(path))
	db, err := query.Open(context.Background(), path, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	for _, attack := range []string{
		"DELETE FROM x_path", "SELECT 1; DROP VIEW entries", "VACUUM INTO '" + other + "'", "ATTACH '" + other + "' AS o",
		"PRAGMA query_only = 0", "CREATE TEMP TABLE t (a)", "BEGIN IMMEDIATE", "INSERT INTO x_word (word) VALUES (pakdb_run())",
		"PRAGMA journal_mode = wal", "EXPLAIN DELETE FROM x_path",
	} {
		if _, err := run(t, db, attack, query.Args{}, query.Output{}); !errors.Is(err, query.ErrUsage) {
			t.Errorf("%s: %v, want ErrUsage", attack, err)
		}
	}
	_ = db.Close()
	if after := checksums(t, filepath.Dir(path)); !reflect.DeepEqual(before, after) {
		t.Errorf("files changed: %v", after)
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("another file was made")
	}
}

func checksums(t testing.TB, dir string) map[string][32]byte {
	t.Helper()
	sums := map[string][32]byte{}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		sums[filepath.Base(f)] = sha256.Sum256(b)
	}
	return sums
}

// fullDisk fails every write, each time with the same text.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "out.csv", Err: syscall.ENOSPC}
}

// A disk that is full is said once: the flush after the failed row fails as well.
func TestFullDiskIsSaidOnce(t *testing.T) {
	db := openSmall(t)
	for _, text := range []string{"SELECT * FROM entries", "SELECT 1", "VALUES (1), (2)"} {
		for _, format := range query.Formats() {
			err := db.Run(t.Context(), text, query.Args{}, query.Output{W: fullDisk{}, Format: format})
			if !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s as %s: %v", text, format, err)
			}
		}
	}
}
