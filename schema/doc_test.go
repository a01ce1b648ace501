package schema_test

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/unreal"
	"pakdb/indexer"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

var update = flag.Bool("update", false, "rewrite the column tables and the contents of SCHEMA.md")

// fixtureCatalog is the catalog that SCHEMA.md shows how to make, and two small
// builds of other games: "prime" and "ut".
func fixtureCatalog(t testing.TB) *sql.DB {
	t.Helper()
	return readDB(t, fixtureFile(t))
}

// fixtureImage has the bytes of that catalog, which takes as long to make as twenty copies.
var fixtureImage struct {
	sync.Once
	bytes []byte
}

// fixtureFile writes that catalog.
func fixtureFile(t testing.TB) string {
	t.Helper()
	fixtureImage.Do(func() { fixtureImage.bytes = makeFixture(t) })
	if fixtureImage.bytes == nil {
		t.Fatal("the test that made the fixture failed")
	}
	path := filepath.Join(t.TempDir(), "pakdb.db")
	if err := os.WriteFile(path, fixtureImage.bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func makeFixture(t testing.TB) []byte {
	t.Helper()
	c, path := newCatalog(t)
	data := filepath.Join("..", "testdata")
	for _, build := range []struct{ label, files string }{
		{"1.0", filepath.Join(data, "Calligraphy.sip")},
		{"1.1", filepath.Join(data, "Calligraphy_next.sip")},
		{"testdata", filepath.Join(data, "*.sip")},
		{"prime", retroPak(t)},
	} {
		_, err := indexer.Run(context.Background(), indexer.Options{Catalog: c, Registry: all.Registry(),
			Label: build.label, Paths: []string{build.files}})
		if err != nil {
			t.Fatal(err)
		}
	}
	addPackages(t, c)
	addPaks(t, c)
	addValues(t, c)
	addTexts(t, c)
	addRegistry(t, c)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	image, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// addPackages adds a build of two Unreal packages: Botpack, which uses Engine
// and a package Core that is not there.
func addPackages(t testing.TB, c *schema.Catalog) {
	t.Helper()
	b, err := schematest.Begin(context.Background(), c, "ut")
	if err != nil {
		t.Fatal(err)
	}
	engine := &unreal.PackageRows{Texts: []string{"None", "Actor", "Pawn", "Object", "Class", "Core", "Core."},
		PackageRow: unreal.PackageRow{Engine: "UE1", Version: 69, Layout: "standard", GUID: bytes.Repeat([]byte{0xe1}, 16), Name: -1, HeaderSize: 640,
			NameCount: 4, ImportCount: 2, ExportCount: 2}, Names: []int64{0x04070410, 0, 0, 0},
		Imports: []unreal.ImportRow{{ClassPackage: 5, Class: 4, Object: 5, OuterPath: -1, Number: -1, Flags: 1},
			{ClassPackage: 5, Class: 4, Object: 3, OuterPath: 6, Number: -1, Outer: -1, Flags: 1}},
		Exports: []unreal.ExportRow{
			{ClassName: 4, Object: 1, SuperName: 3, Super: -2, OuterPath: -1, Number: -1, Flags: 4, Offset: 640, Size: 300},
			{ClassName: 4, Object: 2, SuperName: 1, Super: 1, OuterPath: -1, Number: -1, Flags: 4, Offset: 940, Size: 200}},
		Generations: []unreal.PackageGeneration{{Exports: 1, Names: 3}, {Exports: 2, Names: 4}}}
	botpack := &unreal.PackageRows{Texts: []string{"None", "TournamentPlayer", "Pawn", "Class", "Core", "Engine", "Engine.", "Package", "Texture", "Skins", "Skins.", "Face"},
		PackageRow: unreal.PackageRow{Engine: "UE1", Version: 69, Layout: "standard", GUID: bytes.Repeat([]byte{0xb0}, 16), Name: -1, HeaderSize: 500,
			NameCount: 13, ImportCount: 2, ExportCount: 2}, Names: make([]int64, 12),
		Imports: []unreal.ImportRow{{ClassPackage: 4, Class: 7, Object: 5, OuterPath: -1, Number: -1},
			{ClassPackage: 4, Class: 3, Object: 2, OuterPath: 6, Number: -1, Outer: -1}},
		Exports: []unreal.ExportRow{
			{ClassName: 3, Object: 1, SuperName: 2, Super: -2, OuterPath: -1, Number: -1, Flags: 4, Offset: 500, Size: 900},
			{ClassName: 8, Object: 11, SuperName: -1, OuterPath: 10, Number: 1, Outer: 3, Offset: 1400, Size: 4096}},
		Generations: []unreal.PackageGeneration{{Exports: 2, Names: 12}}}
	id := schematest.Start(t, b, schema.Archive{Size: 9000, Format: "umod", Version: "1"})
	add := func(n int64, name string, p *unreal.PackageRows, uses ...string) {
		symbol := schema.Symbol{Space: "package", Key: schema.NameKey(name), Name: name}
		facts := &schema.Facts{Inspector: "unrealpkg/1", Kind: "unreal-package", Family: p.Batch()}
		for _, u := range uses {
			facts.Refs = append(facts.Refs, schema.Ref{Kind: "import", Space: "package", Key: schema.NameKey(u), Name: u})
		}
		digest := &schema.PackageDigest{Essence: [16]byte{1, byte(n)}}
		for i := range p.Exports {
			digest.Exports = append(digest.Exports, uint64(n*16)+uint64(i)+1)
		}
		err := b.Add(id, &schema.Entry{Ordinal: n, Name: "System/" + name + ".u", Digest: digest, Method: "none", Stored: 4000, Size: 4000,
			HasContent: true, Content: schema.Digest{0xee, byte(n)}, ContentSize: 4000, Facts: facts, PlaceSymbols: []schema.Symbol{symbol}})
		if err != nil {
			t.Fatal(err)
		}
	}
	add(0, "Engine", engine, "Core")
	add(1, "Botpack", botpack, "Engine")
	b.EndArchive(id, nil)
	b.Mount(schema.Mount{Archive: id, Name: "patch.umod", Location: "/patch.umod"})
	if _, err := b.Finish(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// retroPak writes a pak of Metroid Prime: ids instead of names, and names apart
// from entries, one of which leads nowhere.
func retroPak(t testing.TB) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "Metroid1.pak")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	format, _ := all.Registry().Format("retropak")
	w, err := format.Create(f, &codecs.CreateOptions{Version: "MP1"})
	if err != nil {
		t.Fatal(err)
	}
	names, _ := codecs.WriterAs[codecs.NameWriter](w)
	for _, n := range []codecs.NamedResource{
		{Name: "TXTR_Visor", Type: "TXTR", ID: codecs.ID32(0x11)},
		{Name: "Visor", Type: "TXTR", ID: codecs.ID32(0x11)},
		{Name: "CRSC_Beam", Type: "CRSC", ID: codecs.ID32(0x33)},
	} {
		if err := names.AddName(n); err != nil {
			t.Fatal(err)
		}
	}
	for id := uint32(0x11); id <= 0x12; id++ {
		e := &codecs.Entry{Type: "TXTR", ID: codecs.ID32(id)}
		if err := w.Add(context.Background(), e, strings.NewReader(strings.Repeat("\x00texture", int(id)))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSchemaDoc keeps SCHEMA.md true: every view has its section,
// with the columns that there are and queries that run.
func TestSchemaDoc(t *testing.T) {
	db := fixtureCatalog(t)
	if *update {
		updateDoc(t, db)
	}
	doc := readDoc(t)
	if lines := docLines(t); !slices.Equal(lines, withContents(lines)) {
		t.Error("the contents of SCHEMA.md differ from its sections; go test ./schema -run SchemaDoc -update")
	}
	for _, name := range viewNames(t, db) {
		s := doc["Views/"+name]
		if s == nil {
			t.Errorf("view %s has no section; go test ./schema -run SchemaDoc -update makes one", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			checkColumns(t, db, name, s)
			checkQueries(t, db, s)
		})
		delete(doc, "Views/"+name)
	}
	for name := range doc {
		t.Errorf("section %s describes nothing that exists", name)
	}
}

// TestDocumentOfViews compares views.txt, which the program shows, with SCHEMA.md.
func TestDocumentOfViews(t *testing.T) {
	want := documentOfViews(docLines(t))
	if *update {
		if err := os.WriteFile("views.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text, err := os.ReadFile("views.txt"); err != nil || string(text) != want {
		t.Error("views.txt differs from SCHEMA.md; go test ./schema -run 'SchemaDoc|DocumentOfViews' -update")
	}
}

// documentOfViews leaves of the chapter about views its headings, the first paragraph
// below each, and the rows of the columns.
func documentOfViews(lines []string) string {
	var b strings.Builder
	in, summary, begun := false, false, false
	var section *section
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, "## "):
			in = line == "## Views"
		case !in:
		case strings.HasPrefix(line, "### "):
			b.WriteString("\n" + line + "\n")
			summary, begun = true, false
		case line == "":
			summary = summary && !begun
		case summary:
			b.WriteString(line + "\n")
			begun = true
		}
		if at := strings.TrimPrefix(line, "### "); in && at != line {
			section = parseDoc(lines)["Views/"+at]
		} else if in && line == "" && begun && section != nil {
			for _, c := range section.columns {
				row := fmt.Sprintf("| %s | %s | %s | %s |\n", c.name, c.typ, c.null, strings.ReplaceAll(c.meaning, "|", `\|`))
				b.WriteString(strings.ReplaceAll(row, "  ", " "))
			}
			section = nil
		}
	}
	return b.String()
}

// TestViewSummaries compares the summaries in views/ with those in SCHEMA.md.
func TestViewSummaries(t *testing.T) {
	doc := readDoc(t)
	for name, want := range viewSummaries(t) {
		if s := doc["Views/"+name]; s == nil || s.summary != want {
			t.Errorf("view %s: SCHEMA.md should begin with %q", name, want)
		}
	}
}

var viewSummary = regexp.MustCompile(`(?m)^-- view ([a-wyz]\w*): (.+)\nCREATE VIEW (\w+) `)

// viewSummaries returns the first sentences about views, as views/ has them.
func viewSummaries(t *testing.T) map[string]string {
	t.Helper()
	var script []byte
	files, err := filepath.Glob("internal/views/*.sql")
	for _, name := range files {
		text, readErr := os.ReadFile(name)
		script, err = append(script, text...), errors.Join(err, readErr)
	}
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, m := range viewSummary.FindAllStringSubmatch(string(script), -1) {
		if m[1] != m[3] {
			t.Errorf("view %s: a summary of %s", m[3], m[1])
		}
		found[m[3]] = strings.ToUpper(m[2][:1]) + m[2][1:] + "."
	}
	if want := strings.Count(string(script), "CREATE VIEW") - strings.Count(string(script), "CREATE VIEW x_"); len(found) != want {
		t.Errorf("%d of %d views have a summary", len(found), want)
	}
	return found
}

// TestNewView adds a view to a document, and then a column to it.
func TestNewView(t *testing.T) {
	lines := insertSection([]string{"# Catalog", "", "## Views", "", "### a", "", "A.", "", "- `b` text: c"}, "Views", "new", "New rows.")
	for _, columns := range [][]column{{{"n", "integer"}}, {{"n", "integer"}, {"any", ""}}} {
		var want []columnDoc
		for _, c := range columns {
			want = append(want, columnDoc{c.name, cmp.Or(c.typ, "any"), "never", ""})
		}
		lines = withColumns(lines, "new", columns)
		doc := parseDoc(lines)
		if s := doc["Views/new"]; s == nil || s.summary != "New rows." || !slices.Equal(s.columns, want) {
			t.Errorf("%+v, want %+v in\n%s", s, want, strings.Join(lines, "\n"))
		}
		if len(doc["Views/a"].columns) != 1 || lines[0] != "# Catalog" {
			t.Errorf("other lines differ:\n%s", strings.Join(lines, "\n"))
		}
	}
}

// section describes one view.
type section struct {
	summary string
	columns []columnDoc
	queries []queryDoc
	from    int // line of the column table's first row
	lines   int // of its rows
}

type columnDoc struct{ name, typ, null, meaning string }

type queryDoc struct {
	sql    string
	noRows bool // marked: the fixtures have no answer
}

func readDoc(t *testing.T) map[string]*section {
	t.Helper()
	return parseDoc(docLines(t))
}

// docLines returns the lines of SCHEMA.md. The last one is not empty.
func docLines(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("SCHEMA.md")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(text), "\n"), "\n")
}

// withContents returns the lines with a table of contents between the two
// comments that mark its place: the chapters, and in each its sections.
func withContents(lines []string) []string {
	const first, last = "<!-- contents: ", "<!-- end of contents -->"
	from := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, first) })
	to := slices.Index(lines, last)
	if from < 0 || to < from {
		return nil
	}
	var contents []string
	for _, l := range lines {
		mark, name, _ := strings.Cut(l, " ")
		anchor := "(#" + strings.ReplaceAll(strings.ToLower(name), " ", "-") + ")"
		switch mark {
		case "##":
			contents = append(contents, "- ["+name+"]"+anchor)
		case "###":
			contents = append(contents, "  - ["+name+"]"+anchor)
		}
	}
	return slices.Concat(lines[:from+1], contents, lines[to:])
}

const noRows = "<!-- no rows: "

func parseDoc(lines []string) map[string]*section {
	doc := map[string]*section{}
	var chapter string
	var s *section
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "## "):
			chapter, s = line[3:], nil
		case strings.HasPrefix(line, "### "):
			s = &section{}
			doc[chapter+"/"+line[4:]] = s
		case s == nil || line == "":
		case s.summary == "":
			s.summary = line
		case columnLine.MatchString(line):
			if s.from == 0 {
				s.from = i
			}
			for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "  ") {
				i++
				line += lines[i][1:]
			}
			s.lines = i + 1 - s.from
			s.columns = append(s.columns, parseColumn(line))
		case line == "```sql":
			q := queryDoc{noRows: strings.HasPrefix(lines[i-1], noRows)}
			for i++; lines[i] != "```"; i++ {
				q.sql += lines[i] + "\n"
			}
			s.queries = append(s.queries, q)
		}
	}
	return doc
}

// columnLine begins the description of a column: - `name` type (NULL: when): meaning
var columnLine = regexp.MustCompile("^- `(\\w+)` (\\w*\\??)(?: \\(NULL: (.+?)\\))?(?:: (.*))?$|^- `\\w+` ")

func parseColumn(line string) columnDoc {
	m := columnLine.FindStringSubmatch(line)
	return columnDoc{m[1], m[2], cmp.Or(m[3], "never"), m[4]}
}

// viewNames returns the views for users.
func viewNames(t *testing.T, db *sql.DB) (names []string) {
	t.Helper()
	rows := query(t, db, "SELECT name FROM sqlite_schema WHERE type = 'view' AND name NOT GLOB 'x_*' ORDER BY rowid")
	for _, r := range rows {
		names = append(names, r[0].(string))
	}
	return names
}

// query returns all rows.
func query(t *testing.T, db *sql.DB, text string, args ...any) (out [][]any) {
	t.Helper()
	rows, err := db.Query(text, args...)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		out = append(out, values)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return out
}

// column is one row of PRAGMA table_xinfo.
type column struct{ name, typ string }

func columnsOf(t *testing.T, db *sql.DB, name string) (out []column) {
	t.Helper()
	// The columns of a view have no declared type when they are expressions; "blob" then says
	// only that there is no affinity, and "int" and "num" that they are CAST to INTEGER.
	rows := query(t, db, `SELECT x.name, CASE WHEN x.type IN ('INT', 'NUM') THEN 'integer' WHEN x.type <> 'BLOB' THEN lower(x.type) ELSE '' END
		FROM sqlite_schema s, pragma_table_xinfo(s.name) x
		WHERE s.name = ? ORDER BY x.cid`, name)
	for _, r := range rows {
		out = append(out, column{r[0].(string), r[1].(string)})
	}
	return out
}

func checkColumns(t *testing.T, db *sql.DB, name string, s *section) {
	t.Helper()
	have := columnsOf(t, db, name)
	if len(have) != len(s.columns) {
		t.Errorf("%d columns are described, %d exist", len(s.columns), len(have))
	}
	for i, c := range have[:min(len(have), len(s.columns))] {
		d := s.columns[i]
		if d.name != c.name {
			t.Errorf("column %d: %q is described, %q exists", i+1, d.name, c.name)
			continue
		}
		if numeric := slices.Contains([]string{"integer", "real"}, storedAs(d.typ)); (c.typ != "" || numeric) && storedAs(d.typ) != c.typ {
			t.Errorf("%s: described as %s, is %s", c.name, d.typ, c.typ)
		}
		if d.null == "" {
			t.Errorf("%s: what does NULL mean?", c.name)
		}
		if d.meaning == "" && !strings.HasSuffix(c.name, "_id") {
			t.Errorf("%s: what does it mean?", c.name)
		}
		checkValues(t, db, name, d)
	}
}

// storedAs returns the declared type that a described one has in SQLite.
func storedAs(typ string) string {
	switch typ {
	case "boolean":
		return "integer"
	case "time":
		return "text"
	}
	return typ
}

// valueTypes are the storage classes of what is described.
var valueTypes = map[string]string{
	"integer": "'integer'", "text": "'text'", "blob": "'blob'", "number": "'integer', 'real'", "real": "'real'",
	"boolean": "'integer'", "time": "'text'",
	"any": "'integer', 'real', 'text', 'blob'",
}

// checkValues looks at every value of the column in the fixtures.
func checkValues(t *testing.T, db *sql.DB, table string, d columnDoc) {
	t.Helper()
	types, ok := valueTypes[d.typ]
	if !ok {
		t.Errorf("%s: %q is no type", d.name, d.typ)
		return
	}
	if d.null != "never" {
		types += ", 'null'"
	}
	text := fmt.Sprintf("SELECT DISTINCT typeof(%[1]q) FROM %[2]q WHERE typeof(%[1]q) NOT IN (%[3]s)", d.name, table, types)
	for _, r := range query(t, db, text) {
		t.Errorf("%s: holds %s, described as %s, NULL: %s", d.name, r[0], d.typ, d.null)
	}
	wrong := map[string]string{"boolean": "%[1]q NOT IN (0, 1)", "time": "%[1]q IS NOT NULL AND datetime(%[1]q) IS NULL"}[d.typ]
	if wrong == "" {
		return
	}
	for _, r := range query(t, db, fmt.Sprintf("SELECT %[1]q FROM %[2]q WHERE "+wrong+" LIMIT 3", d.name, table)) {
		t.Errorf("%s: holds %v, described as %s", d.name, r[0], d.typ)
	}
}

func checkQueries(t *testing.T, db *sql.DB, s *section) {
	t.Helper()
	if len(s.queries) == 0 {
		t.Error("no question that it answers")
	}
	for _, q := range s.queries {
		if !strings.HasPrefix(q.sql, "-- ") {
			t.Errorf("a query does not begin with its question:\n%s", q.sql)
		}
		rows := query(t, db, q.sql)
		switch {
		case q.noRows && len(rows) > 0:
			t.Errorf("marked as having no rows, but there are %d:\n%s", len(rows), q.sql)
		case !q.noRows && len(rows) == 0:
			t.Errorf("no rows, and not marked so:\n%s", q.sql)
		}
	}
}

// updateDoc rewrites the table of contents and the names, order and types of the
// columns, and adds sections for views that have none. People write
// what they mean.
func updateDoc(t *testing.T, db *sql.DB) {
	t.Helper()
	lines, summaries := docLines(t), viewSummaries(t)
	for _, name := range viewNames(t, db) {
		if parseDoc(lines)["Views/"+name] == nil {
			lines = insertSection(lines, "Views", name, summaries[name])
		}
		lines = withColumns(lines, name, columnsOf(t, db, name))
	}
	lines = withContents(lines)
	if len(lines) == 0 {
		t.Fatal("SCHEMA.md has no place for its contents")
	}
	if err := os.WriteFile("SCHEMA.md", []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// withColumns returns the lines with the rows of the columns of a view.
func withColumns(lines []string, name string, columns []column) []string {
	s := parseDoc(lines)["Views/"+name]
	return slices.Replace(lines, s.from, s.from+s.lines, columnRows(columns, s.columns)...)
}

// insertSection puts a section that has one column, which is none of the view's, at the end of a
// chapter.
func insertSection(lines []string, chapter, name, summary string) []string {
	at, inside := len(lines), false
	for i, line := range lines {
		if strings.HasPrefix(line, "## ") {
			if inside {
				at = i
				break
			}
			inside = line == "## "+chapter
		}
	}
	empty := []string{"### " + name, "", summary, "", "- `column` any", ""}
	if at == len(lines) {
		empty = append([]string{""}, empty...)
	}
	return append(lines[:at:at], append(empty, lines[at:]...)...)
}

func columnRows(have []column, described []columnDoc) (rows []string) {
	known := map[string]columnDoc{}
	for _, d := range described {
		known[d.name] = d
	}
	for _, c := range have {
		d, ok := known[c.name]
		if !ok {
			d = columnDoc{typ: "any", null: "never"}
		}
		if c.typ != "" && storedAs(d.typ) != c.typ {
			d.typ = c.typ
		}
		rows = append(rows, columnText(columnDoc{c.name, d.typ, d.null, d.meaning})...)
	}
	return rows
}

// columnText returns the lines that describe a column.
func columnText(d columnDoc) (lines []string) {
	text := "- `" + d.name + "` " + d.typ
	if d.null != "never" {
		text += " (NULL: " + d.null + ")"
	}
	if d.meaning != "" {
		text += ": " + d.meaning
	}
	line := ""
	for word := range strings.FieldsSeq(text) {
		if len([]rune(line+" "+word)) > 120 {
			lines, line = append(lines, line), "  "+word
		} else if line += " " + word; len(lines) == 0 && line[0] == ' ' {
			line = word
		}
	}
	return append(lines, line)
}
