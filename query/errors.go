package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"pakdb/internal/glob"
	"pakdb/internal/stored"
	"pakdb/internal/terminal"
	"pakdb/schema"
)

// The classes of errors, for callers that turn them into exit codes. An
// interrupted statement is the context's error.
var (
	ErrUsage   = errors.New("usage")   // bad SQL, unknown name, missing parameter
	ErrCatalog = errors.New("catalog") // missing, damaged, of another version, or not a catalog
	ErrFailed  = errors.New("failed")  // the machine did: reading the catalog, or no memory
)

// classed puts an error into a class and gives it a hint.
type classed struct {
	class error
	err   error
	hint  string
}

func (e *classed) Error() string   { return e.err.Error() }
func (e *classed) Unwrap() []error { return []error{e.class, e.err} }
func (e *classed) Hint() string    { return e.hint }

// Hinted puts an error into a class, nil for none, and gives it a hint, which may be "".
func Hinted(class, err error, hint string) error { return &classed{class, err, hint} }

// Usagef returns an error of class ErrUsage with a hint, which may be "".
func Usagef(hint, format string, args ...any) error {
	return Hinted(ErrUsage, fmt.Errorf(format, args...), hint)
}

const indexAgain = "index its builds again into a new catalog: pakdb index --catalog NEW.db --build LABEL ARCHIVE..."

// CatalogHint returns what to do about an error of a catalog's file, or "".
func CatalogHint(err error) string {
	for _, h := range []struct {
		class error
		text  string
	}{
		{schema.ErrNotCatalog, "name a catalog that pakdb index has written with --catalog"},
		{schema.ErrUnfinished, "run any pakdb command on it where its folder can be written to; or copy it there, with the files " +
			"beside it that end in -journal, -wal and -shm"},
		{schema.ErrEmpty, "run pakdb index first, or name the catalog with --catalog"},
		{schema.ErrTooNew, "use the pakdb that wrote it, or " + indexAgain},
		{schema.ErrTooOld, indexAgain},
		{schema.ErrForeign, "remove the change with sqlite3, or " + indexAgain},
		{schema.ErrDamaged, "pakdb verify lists the damage, the builds that can still be read, and the remedy"},
		{schema.ErrNoRoom, "make room and run it again; complete builds are still there"},
		{schema.ErrDisk, "pakdb verify checks the catalog"},
		{schema.ErrBusy, `wait for the other "pakdb index", or use another --catalog`},
		{fs.ErrNotExist, "run pakdb index first, or name the catalog with --catalog"},
	} {
		if errors.Is(err, h.class) {
			return h.text
		}
	}
	return ""
}

// Hint returns advice that goes with an error of this package, or "".
func Hint(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

// SQLError is what SQLite says against a statement. What wraps it is of class ErrUsage,
// ErrCatalog when the catalog's file is to blame, or ErrFailed, and has what may have been
// meant as its hint.
type SQLError struct {
	Message string
	Text    string // the whole SQL text
	Offset  int    // of the place in Text that Message is about, in bytes; -1: unknown
	Err     error
}

// maxShown is how many cells of a message and of a line an error shows: a name may be a megabyte.
const maxShown = 200

// Error shows the line and marks the place, where it is known.
func (e *SQLError) Error() string {
	message := terminal.ShortenEnd(e.Message, maxShown)
	if e.Offset < 0 {
		return message
	}
	line, column, text := e.place()
	at := ""
	if strings.Contains(strings.TrimSpace(e.Text), "\n") {
		at = fmt.Sprintf("line %d, column %d: ", line, column+1)
	}
	if skipped := column - maxShown/2; skipped > 0 {
		text, column = "..."+string([]rune(text)[skipped:]), maxShown/2+3
	}
	return fmt.Sprintf("%s%s\n  %s\n  %s^", at, message, terminal.ShortenEnd(text, maxShown), strings.Repeat(" ", column))
}

// place returns the line from 1, the column in characters from 0, and the line.
func (e *SQLError) place() (line, column int, text string) {
	before := e.Text[:e.Offset]
	start := strings.LastIndexByte(before, '\n') + 1
	text, _, _ = strings.Cut(e.Text[start:], "\n")
	text = strings.ReplaceAll(strings.TrimSuffix(text, "\r"), "\t", " ")
	return 1 + strings.Count(before, "\n"), utf8.RuneCountInString(before[start:]), text
}

func (e *SQLError) Unwrap() error { return e.Err }

// interrupted returns the context's error if it is done, for then whatever else
// failed did so because of it. When the time is up, the hint is the [Advice] about the statement, if any.
func interrupted(ctx context.Context, sql string, err error) error {
	switch {
	case err == nil || ctx.Err() == nil:
		return err
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &classed{class: ctx.Err(), err: errors.New("the time for this statement is up"), hint: cmp.Or(Advice(sql), "ask for less at a time, or allow more time")}
	}
	return ctx.Err()
}

// SQLite's primary result codes that need words of their own.
const (
	codeAuth      = 23
	codeInterrupt = 9
	codeNoMem     = 7
	codeTooBig    = 18
	codeFull      = 13
	codeWrite     = 10 | 3<<8  // extended
	codeTempPath  = 10 | 25<<8 // extended
)

// describe turns what the driver says about a statement of text into an error
// for people: what, where in the text, and what may have been meant.
func (db *DB) describe(ctx context.Context, text string, s Statement, err error) error {
	var coded interface {
		error
		Code() int
	}
	switch {
	case errors.Is(err, schema.ErrQuadratic):
		return &classed{class: ErrUsage, err: err, hint: "join by columns: a.path = b.path COLLATE NOCASE in place of lower(a.path) = lower(b.path); " +
			"or put one side into WITH x AS MATERIALIZED (...)"}
	case errors.Is(err, schema.ErrTooManyRows):
		return &classed{class: ErrFailed, err: err, hint: "name the builds with build = '...', or ask for fewer columns"}
	}
	if !errors.As(err, &coded) || ctx.Err() != nil && coded.Code()&0xff == codeInterrupt {
		return err // the context, a writer, or a function of ours
	}
	e := &SQLError{Text: text, Offset: -1, Err: err, Message: message(err)}
	if code := coded.Code(); code&0xff == codeFull || code == codeWrite || code == codeTempPath { // nothing else is written to
		e.Message = "the statement cannot write its temporary files"
		return &classed{ErrFailed, e, "make room in the folder for temporary files, or name another one with TMPDIR; or ask for less at a time"}
	}
	if ofCatalog := schema.Classify(err); ofCatalog != err {
		e.Err, e.Message = ofCatalog, "catalog "+db.Catalog+": "+e.Message
		return &classed{ErrCatalog, e, CatalogHint(ofCatalog)}
	}
	switch coded.Code() & 0xff {
	case codeAuth:
		e.Message = "not allowed: this connection only reads"
		return &classed{ErrUsage, e, "SELECT, VALUES, WITH, EXPLAIN and reading PRAGMAs are; pakdb index and pakdb rm change the catalog"}
	case codeNoMem:
		e.Message = "the statement needs more memory than it may take"
		return &classed{ErrFailed, e, "ask for less at a time, or allow more with PAKDB_MAX_MEMORY"}
	case codeTooBig:
		e.Message = fmt.Sprintf("a text, blob or row of more than %s", stored.HumanSize(float64(schema.ValueLimit())))
		return &classed{ErrUsage, e, "substr cuts texts and blobs"}
	}
	at, hint := db.locate(ctx, s.SQL, e.Message)
	if at >= 0 {
		e.Offset = s.Offset + at
	}
	return &classed{ErrUsage, e, hint}
}

// trailer is the code that the driver adds to SQLite's message.
var trailer = regexp.MustCompile(` \(\d+\)$`)

// message takes SQLite's own words out of the driver's.
func message(err error) string {
	m := trailer.ReplaceAllString(err.Error(), "")
	return strings.TrimPrefix(m, "SQL logic error: ")
}

// The messages of SQLite that say what they are about. It gives nothing but
// text, and the driver does not pass on the offset.
var (
	nearToken  = regexp.MustCompile(`^near "(.*)": syntax error$`)
	badToken   = regexp.MustCompile(`(?s)^unrecognized token: "(.*)"$`)
	noTable    = regexp.MustCompile(`^no such table: (?:main\.)?(.*)$`)
	noColumn   = regexp.MustCompile(`^(?:no such column: (.*?)(?: - should this be .*)?|cannot join using column (.*) - column not present in both tables)$`)
	noFunction = regexp.MustCompile(`^(?:no such function: (.*)|wrong number of arguments to function (.*)\(\))$`)
)

// locate finds the place in a statement that a message is about, -1 for none, and the hint.
func (db *DB) locate(ctx context.Context, sql, message string) (at int, hint string) {
	name := ""
	is := func(about *regexp.Regexp) bool {
		found := about.FindStringSubmatch(message)
		name = strings.Join(found[min(1, len(found)):], "")
		return found != nil
	}
	switch {
	case message == "incomplete input":
		return len(sql), ""
	case is(nearToken):
		return db.syntaxError(ctx, sql, name, message), ""
	case is(badToken):
		return strings.Index(sql, name), ""
	case is(noTable):
		hint = db.suggestTable(ctx, name)
	case is(noColumn):
		hint = db.suggestColumn(ctx, sql, unquote(name))
	case is(noFunction):
		hint = db.suggestFunction(ctx, name)
	default:
		return -1, ""
	}
	return onlyPlace(sql, name), hint
}

// onlyPlace returns where a name that may be qualified is in sql, -1 unless
// there is exactly one such place.
func onlyPlace(sql, name string) int {
	place, end := -1, -1
	for t := range tokens(sql) {
		last := unquote(name[strings.LastIndexByte(name, '.')+1:])
		if t.kind != word || !strings.EqualFold(unquote(sql[t.start:t.end]), last) {
			continue
		}
		if place >= 0 {
			return -1
		}
		place, end = t.start, t.end
	}
	if q := end - len(name); q >= 0 && strings.EqualFold(sql[q:end], name) {
		return q
	}
	return place
}

func unquote(name string) string {
	if len(name) >= 2 && strings.IndexByte("\"`[", name[0]) >= 0 {
		return name[1 : len(name)-1]
	}
	return name
}

// syntaxError returns where the parser gave up. It reads from left to right
// with one token of foresight, so the text up to and with the token at fault
// fails in the same way, and no shorter one does.
func (db *DB) syntaxError(ctx context.Context, sql, near, msg string) (at int) {
	at = -1
	for t := range tokens(sql) {
		if sql[t.start:t.end] != near || db.open == nil {
			continue
		}
		at = t.start
		stmt, err := db.open.sql.PrepareContext(ctx, sql[:t.end])
		if err != nil && message(err) == msg {
			break
		}
		if err == nil {
			_ = stmt.Close()
		}
	}
	return at
}

// suggest returns what may have been meant by name, or all there is when that
// is little.
func suggest(name string, known []string) string {
	near := glob.NearestHint(glob.Nearest(name, known))
	if near != "" || len(known) == 0 {
		return near
	}
	if len(known) > 12 {
		known = append(slices.Clone(known[:12]), "...")
	}
	return "there is " + strings.Join(known, ", ")
}

// relations returns the names of views and of functions that yield rows, and those of tables. What
// cannot be read is not suggested.
func (db *DB) relations(ctx context.Context) (views, tables []string) {
	views, tables, _ = db.Tables(ctx)
	for _, f := range db.TableFunctions {
		views = append(views, f.Name)
	}
	return views, tables
}

func (db *DB) suggestTable(ctx context.Context, name string) string {
	views, tables := db.relations(ctx)
	return cmp.Or(glob.NearestHint(glob.Nearest(name, views)), // views are the stable surface
		glob.NearestHint(glob.Nearest(name, tables)), suggest(name, views))
}

// suggestColumn names the columns of the views, functions and tables in the statement.
func (db *DB) suggestColumn(ctx context.Context, sql, name string) string {
	known := slices.Concat(db.relations(ctx))
	var hints, all []string
	for t := range tokens(sql) {
		table := strings.ToLower(unquote(sql[t.start:t.end]))
		if t.kind != word || !slices.Contains(known, table) {
			continue
		}
		columns, _ := db.Columns(ctx, table)
		all = append(all, columns...)
		if h := fmt.Sprintf("%s has %s", table, strings.Join(columns, ", ")); !slices.Contains(hints, h) {
			hints = append(hints, h)
		}
	}
	slices.Sort(all)
	if near := glob.NearestHint(glob.Nearest(name[strings.LastIndexByte(name, '.')+1:], slices.Compact(all))); near != "" {
		hints = append([]string{near}, hints...)
	}
	return strings.Join(hints, "\n")
}

func (db *DB) suggestFunction(ctx context.Context, name string) string {
	for _, f := range db.Functions {
		if strings.EqualFold(f.Name, name) {
			return f.Usage + ": " + f.Doc
		}
	}
	known, _ := db.SQLFunctions(ctx)
	return glob.NearestHint(glob.Nearest(name, known))
}

// computed are columns of views that are computed for each row.
const computed = "(path|target_path|import_path|content|guid|asset_id|path_hash|package|package_id|import_id|target|name|dir)"

// What is slow in a statement whose tokens have a space between them: lower(path) = '...', for
// rows are found by columns, not by what a function makes of them; FULL JOIN of subqueries; and
// patterns of paths.
var (
	slowFunction = regexp.MustCompile(` (lower|upper|substr|instr|replace) \( (?:\S+ \. )?` + computed + `(?: ,[^)]*)? \) (?:=|is|in|like) `)
	slowJoin     = regexp.MustCompile(` (full|right) (?:outer )?join `)
	slowPattern  = regexp.MustCompile(" " + computed + ` (?:(like|regexp) \S|(glob) '\*)`)
)

// Advice returns why a statement may be slow and what to write in its place, in one
// line; "" if its text shows no reason. It reads the text alone, so a statement that
// it warns of may still be fast on a small catalog: show it when one takes long.
func Advice(sql string) string {
	all := words(sql)
	text := " " + strings.Join(all, " ") + " "
	if m := slowFunction.FindStringSubmatch(text); m != nil {
		instead := "%[2]s = and GLOB 'Folder/*' do"
		if m[1] == "lower" || m[1] == "upper" {
			instead = "%[2]s = '...' COLLATE NOCASE does"
		}
		return fmt.Sprintf("%s(%s) finds no rows by an index: "+instead, m[1], m[2])
	}
	if m := slowJoin.FindStringSubmatch(text); m != nil && strings.Count(text, " select ") > 1 { // SQLite makes no index for the right side
		return strings.ToUpper(m[1]) + " JOIN compares all rows of subqueries and WITH: join views themselves, or LEFT JOIN and add what only the other side has"
	}
	if m := slowPattern.FindStringSubmatch(text); m != nil && !slices.Contains(all, "build") {
		return fmt.Sprintf("%s looks at every %s of all builds: say which with build = '...'", strings.ToUpper(m[2]+m[3]), m[1])
	}
	return ""
}

// words returns the texts of the tokens of a statement: words in lower case without quotes,
// literals as a quote, with the asterisk that some begin with.
func words(sql string) (all []string) {
	for t := range tokens(sql) {
		text := sql[t.start:t.end]
		switch t.kind {
		case word:
			text = strings.ToLower(unquote(text))
		case quoted:
			if text = "'" + text[1:2]; text != "'*" {
				text = "'"
			}
		}
		all = append(all, text)
	}
	return all
}
