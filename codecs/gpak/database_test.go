package gpak_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/gpak"
)

// database returns the bytes of a database made by statements.
func database(t testing.TB, statements ...string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	table   = `CREATE TABLE data_tbl (i INTEGER, n TEXT UNIQUE COLLATE NOCASE, b BLOB, l INTEGER, s INTEGER)`
	ver     = `CREATE TABLE ver (v REAL, s TEXT)`
	ver15   = ver + `; INSERT INTO ver VALUES (1.5, 'Added back index for names for non-maxload optimization')`
	ver16   = ver + `; INSERT INTO ver VALUES (1.6, 'Added lz4 compression for stored data to speed up shipping client load time')`
	rowA    = `INSERT INTO data_tbl VALUES (-1677663141193711519, 'A', x'616263', 3, 1)`
	rowA16  = `INSERT INTO data_tbl VALUES (-1677663141193711519, 'A', x'30616263', 3, 1)`
	countTo = `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c%s) SELECT x, 'n' || x, x'', 0, 0 FROM c`
)

func TestProbe(t *testing.T) {
	for _, tt := range []struct {
		name string
		b    []byte
		want codecs.Match
	}{
		{"1.5", database(t, table, ver15), codecs.MagicMatch},
		{"unknown version", database(t, table, ver), codecs.MagicMatch},
		{"other case", database(t, `CREATE TABLE Data_Tbl (i, n, b, l, s)`, `CREATE TABLE VER (v)`), codecs.MagicMatch},
		{"many tables", database(t, append(manyTables(), table, ver15)...), codecs.MagicMatch},
		{"other database", database(t, `CREATE TABLE t (a)`), codecs.NoMatch},
		{"catalog", database(t, `PRAGMA application_id = 1346456132`, `CREATE TABLE ver (v)`, `CREATE TABLE build (a)`), codecs.NoMatch},
		{"view of that name", database(t, ver15, `CREATE VIEW data_tbl AS SELECT 1`), codecs.NoMatch},
		{"empty database", database(t, `PRAGMA user_version = 1`), codecs.NoMatch},
		{"cut", database(t, table, ver15)[:600], codecs.NoMatch},
	} {
		got, err := gpak.Format().Probe(codecstest.Bytes("a.sip", tt.b))
		if err != nil || got != tt.want {
			t.Errorf("%s: %v, %v", tt.name, got, err)
		}
	}
}

// manyTables fills more than one page of schema.
func manyTables() []string {
	var s []string
	for i := range 200 {
		s = append(s, `CREATE TABLE t`+strings.Repeat("x", i)+` (a)`)
	}
	return s
}

func TestMalformedDatabase(t *testing.T) {
	const insert = `INSERT INTO data_tbl VALUES `
	vector := func(name string, want error, field string, statements ...string) codecstest.Vector {
		return codecstest.Vector{Name: name, Bytes: database(t, statements...), Want: want, Field: field, Off: -1}
	}
	small := vector("name over limit", codecs.ErrLimit, "n", table, ver15, insert+`(1, '`+strings.Repeat("n", 5000)+`', x'', 0, 0)`)
	small.Options = &codecs.Options{Limits: codecs.Limits{Name: 100}}
	large := vector("blob over limit", codecs.ErrLimit, "size", table, ver15, insert+`(1, 'A', zeroblob(5000), 5000, 0)`)
	large.Options = &codecs.Options{Limits: codecs.Limits{Entry: 4999}}
	many := vector("table over limit", codecs.ErrLimit, "data_tbl", table, ver15, `INSERT INTO data_tbl `+strings.Replace(countTo, "%s", " LIMIT 50", 1))
	many.Options = &codecs.Options{Limits: codecs.Limits{Table: 1000}}
	healthy := database(t, table, ver15, rowA)
	codecstest.Malformed(t, gpak.Format(), []codecstest.Vector{
		small, large, many,
		vector("version 1.7", errors.ErrUnsupported, "ver.v", table, ver, `INSERT INTO ver VALUES (1.7, '')`),
		vector("version is text", errors.ErrUnsupported, "ver.v", table, ver, `INSERT INTO ver VALUES ('new', '')`),
		vector("version is absent", codecs.ErrCorrupt, "ver.v", table, ver),
		vector("no column v", codecs.ErrCorrupt, "ver.v", table, `CREATE TABLE ver (w)`),
		vector("virtual table", codecs.ErrCorrupt, "data_tbl", ver15, `CREATE VIRTUAL TABLE data_tbl USING fts5(i, n, b, l, s)`),
		// SQLite itself refuses a view that says it is a table.
		vector("rows without end", codecs.ErrCorrupt, "ver.v", ver15, `CREATE TABLE data_tbl (i, n, b, l, s)`, `PRAGMA writable_schema = 1`,
			`UPDATE sqlite_schema SET rootpage = 0, sql = 'CREATE VIEW data_tbl AS `+strings.NewReplacer("%s", "", "'", "''").Replace(countTo)+`' WHERE name = 'data_tbl'`),
		vector("content without end", codecs.ErrCorrupt, "data_tbl", ver15,
			`CREATE TABLE data_tbl (i, n, b AS (zeroblob(900000000)), l, s); INSERT INTO data_tbl VALUES (1, 'A', 900000000, 0)`),
		vector("without rowid", codecs.ErrCorrupt, "data_tbl", ver15, `CREATE TABLE data_tbl (i PRIMARY KEY, n, b, l, s) WITHOUT ROWID`),
		vector("column named rowid", codecs.ErrCorrupt, "data_tbl", ver15, `CREATE TABLE data_tbl (i, n, b, l, s, rowid)`),
		vector("column missing", codecs.ErrCorrupt, "data_tbl", ver15, `CREATE TABLE data_tbl (i, n, b, l)`),
		vector("no name", codecs.ErrCorrupt, "n", table, ver15, insert+`(1, NULL, x'', 0, 0)`),
		vector("name is a blob", codecs.ErrCorrupt, "n", table, ver15, insert+`(1, x'41', x'', 0, 0)`),
		vector("hash is absent", codecs.ErrCorrupt, "i", table, ver15, insert+`(NULL, 'A', x'', 0, 0)`),
		vector("hash is text", codecs.ErrCorrupt, "i", table, ver15, insert+`('x', 'A', x'', 0, 0)`),
		vector("content is text", codecs.ErrCorrupt, "b", table, ver15, insert+`(1, 'A', 'abc', 3, 0)`),
		vector("content is absent", codecs.ErrCorrupt, "b", table, ver15, insert+`(1, 'A', NULL, 3, 0)`),
		vector("length is text", codecs.ErrCorrupt, "l", table, ver15, insert+`(1, 'A', x'', 'x', 0)`),
		vector("length is wrong", codecs.ErrCorrupt, "l", table, ver15, insert+`(1, 'A', x'00', 2, 0)`),
		vector("time is text", codecs.ErrNonStrict, "s", table, ver15, insert+`(1, 'A', x'', 0, 'x')`),
		vector("time is far", codecs.ErrNonStrict, "s", table, ver15, insert+`(1, 'A', x'', 0, 99999999999)`),
		vector("name not UTF-8", codecs.ErrNonStrict, "n", table, ver15, insert+`(1, CAST(x'E9' AS TEXT), x'', 0, 0)`),
		vector("negative length", codecs.ErrCorrupt, "l", table, ver16, insert+`(1, 'A', x'30616263', -3, 0)`),
		vector("length beyond LZ4", codecs.ErrCorrupt, "l", table, ver16, insert+`(1, 'A', x'30616263', 1021, 0)`),
		vector("length beyond block", codecs.ErrCorrupt, "b", table, ver16, insert+`(1, 'A', x'30616263', 4, 0)`),
		vector("wrong hash", codecs.ErrCorrupt, "i", table, ver15, insert+`(1, 'A', x'', 0, 0)`),
		vector("other note", codecs.ErrNonStrict, "ver.s", table, ver, `INSERT INTO ver VALUES (1.5, 'x')`),
		vector("two versions", codecs.ErrNonStrict, "ver", table, ver15, `INSERT INTO ver VALUES (1.6, 'x')`),
		vector("no index", codecs.ErrNonStrict, "index", `CREATE TABLE data_tbl (i, n, b, l, s)`, ver15),
		{Name: "file cut", Bytes: healthy[:len(healthy)-1], Want: codecs.ErrTruncated, Field: "schema", Off: 28},
		{Name: "page size 3", Bytes: codecstest.Patch(healthy, 16, 0, 3), Want: codecs.ErrCorrupt, Field: "schema", Off: 0},
	})
}

func TestHandMadeDatabasesAreHealthy(t *testing.T) {
	for _, b := range [][]byte{database(t, table, ver15, rowA), database(t, table, ver16, rowA16)} {
		isStrict(t, b)
		if items := readPak(t, b); len(items) != 1 || string(items[0].Data) != "abc" {
			t.Errorf("%v", items)
		}
	}
}

// An absent blob is what SQLite's C interface makes of an empty buffer.
func TestAbsentBlobIsAnEmptyFile(t *testing.T) {
	for _, v := range []string{ver15, ver16} {
		b := database(t, table, v, `INSERT INTO data_tbl VALUES (0, '', NULL, 0, 0)`)
		isStrict(t, b)
		if items := readPak(t, b); len(items) != 1 || len(items[0].Data) != 0 {
			t.Errorf("%v", items)
		}
	}
}

// Trees whose pages lead back, or to one page many times, end in one error
// instead of rows without end.
func TestTreesThatLoop(t *testing.T) {
	fill := `INSERT INTO data_tbl ` + strings.Replace(countTo, "%s", " LIMIT 3000", 1)
	b := database(t, `PRAGMA page_size = 512`, table, ver15, fill)
	root := rootPage(t, b)
	page := b[(root-1)*512 : root*512]
	if page[0] != 0x05 {
		t.Fatalf("root page %d is no interior page", root)
	}
	last := binary.BigEndian.Uint32(page[8:])
	for name, child := range map[string]uint32{"same child": last, "itself": uint32(root), "page 1": 1, "no page": 1 << 30} {
		t.Run(name, func(t *testing.T) {
			bad := append([]byte(nil), b...)
			page := bad[(root-1)*512 : root*512]
			for i := range int(binary.BigEndian.Uint16(page[3:])) {
				cell := binary.BigEndian.Uint16(page[12+2*i:])
				binary.BigEndian.PutUint32(page[cell:], child)
			}
			found := codecstest.Problems(context.Background(), gpak.Format(), codecstest.Bytes("a.sip", bad), nil)
			if !errors.Is(errors.Join(found...), codecs.ErrCorrupt) {
				t.Errorf("%d problems, none of damage", len(found))
			}
		})
	}
}

// rootPage returns the root page of data_tbl.
func rootPage(t *testing.T, b []byte) int {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var root int
	if err := db.QueryRow(`SELECT rootpage FROM sqlite_schema WHERE name = 'data_tbl'`).Scan(&root); err != nil {
		t.Fatal(err)
	}
	return root
}

// A schema whose first page is its own child keeps nobody busy.
func TestSchemaThatLoops(t *testing.T) {
	b := database(t, append(manyTables(), table, ver15)...)
	if b[100] != 0x05 {
		t.Fatal("page 1 is no interior page")
	}
	binary.BigEndian.PutUint32(b[108:], 1)
	src := codecstest.Bytes("a.sip", b)
	if m, err := gpak.Format().Probe(src); m != codecs.NoMatch || err != nil {
		t.Errorf("Probe: %v, %v", m, err)
	}
	if _, err := gpak.Format().Open(context.Background(), src, nil); !errors.Is(err, codecs.ErrCorrupt) {
		t.Errorf("Open: %v", err)
	}
}

// A table that breaks off in the middle still lists what stands before.
func TestDamageInTheMiddle(t *testing.T) {
	fill := `INSERT INTO data_tbl ` + strings.Replace(countTo, "%s", " LIMIT 3000", 1)
	b := database(t, `PRAGMA page_size = 512`, table, ver15, fill)
	root := rootPage(t, b)
	page := b[(root-1)*512 : root*512]
	binary.BigEndian.PutUint32(page[8:], 1<<30) // the last child
	a := codecstest.Open(t, gpak.Format(), codecstest.Bytes("a.sip", b), nil)
	var n int
	var tail error
	for e, err := range a.Entries() {
		if e == nil {
			tail = err
			continue
		}
		n++
		if _, err := codecstest.ReadEntry(context.Background(), a, e); err != nil {
			t.Fatal(err)
		}
	}
	if n == 0 || !errors.Is(tail, codecs.ErrCorrupt) || a.Info().EntryCount != -1 {
		t.Errorf("%d entries, then %v; count %d", n, tail, a.Info().EntryCount)
	}
}

// Reading leaves the file and its folder as they are, in every journal mode.
func TestNothingAppearsBesideTheFile(t *testing.T) {
	wal := database(t, table, ver15, rowA)
	wal[18], wal[19] = 2, 2 // WAL mode, as its header says
	files := map[string][]byte{"wal.sip": wal, "plain.sip": database(t, table, ver16, rowA16),
		"truncated.sip": database(t, table, ver15, rowA)[:9000]}
	for name, b := range files {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir) // a path relative to here would show, too
			if err := os.WriteFile(name, b, 0o644); err != nil {
				t.Fatal(err)
			}
			before, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			src := codecstest.OpenFile(t, filepath.Join(dir, name))
			if found := codecstest.Problems(context.Background(), gpak.Format(), src, nil); len(found) > 0 && name != "truncated.sip" {
				t.Error(found)
			}
			left, err := os.ReadDir(dir)
			if err != nil || len(left) != 1 {
				t.Errorf("folder holds %v, %v", left, err)
			}
			after, err := os.Stat(name)
			if err != nil || !after.ModTime().Equal(before.ModTime()) {
				t.Errorf("modified: %v, %v", after, err)
			}
			if now, err := os.ReadFile(name); err != nil || sha256.Sum256(now) != sha256.Sum256(b) {
				t.Errorf("bytes changed, %v", err)
			}
		})
	}
}

// After Close nothing is read, and nothing panics.
func TestClosedDatabase(t *testing.T) {
	a, err := gpak.Format().Open(context.Background(), codecstest.Bytes("a.sip", database(t, table, ver15, rowA)), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Open(context.Background(), &codecs.Entry{}); err == nil {
		t.Error("opened an entry of a closed archive")
	}
	if err := a.(codecs.Verifier).Verify(context.Background(), func(*codecs.FormatError) {}); err == nil {
		t.Error("verified a closed archive")
	}
}
