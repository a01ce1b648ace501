package query

import (
	"context"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pakdb/internal/glob"
	"pakdb/internal/terminal"
)

//go:embed sql/*.sql
var builtin embed.FS

// Named is a query with a name and help, read from NAME.sql. Its head is made
// of comments, one a line:
//
//	-- doc: one line
//	-- param: NAME TYPE DEFAULT what it is
//	-- bytes: COLUMN, COLUMN
//	-- example: pakdb query @NAME ...
//
// Types are text, integer, number and build, a label that exists. DEFAULT is
// "-" for none, null, a value, or 'text' in single quotes; for a build newest,
// or previous, the one before the parameter build. A parameter that only the
// SQL mentions is text and has no default. Columns of bytes are sizes of files and such:
// formats for people write them as 1.5 MiB.
type Named struct {
	Name    string
	Doc     string
	Params  []Param
	Bytes   []string // columns
	Example []string
	SQL     string
	File    string // "" when it comes with pakdb
}

// Param is a parameter of a [Named].
type Param struct {
	Name    string
	Type    string
	Default string // as written; "-" for none
	Doc     string
}

// maxQueryFile bounds a file of SQL.
const maxQueryFile = 16 << 20

// UserQueries returns the folder of the user's own queries: $PAKDB_QUERIES, or
// pakdb/queries in the user's configuration. It need not exist.
func UserQueries() string {
	if dir := os.Getenv("PAKDB_QUERIES"); dir != "" {
		return dir
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "pakdb", "queries")
}

// Library is a set of named queries.
type Library map[string]*Named

// Load returns the queries that come with pakdb and those in dir, which win; a
// dir that does not exist has none.
func Load(dir string) (Library, error) {
	all := Library{}
	sub, err := fs.Sub(builtin, "sql")
	if err == nil {
		err = all.add(sub, "")
	}
	if err == nil && dir != "" {
		if err = all.add(os.DirFS(dir), dir); errors.Is(err, fs.ErrNotExist) {
			return all, nil
		}
	}
	return all, err
}

func (l Library) add(dir fs.FS, path string) error {
	files, err := fs.ReadDir(dir, ".")
	if err != nil {
		return err
	}
	for _, f := range files {
		name, isSQL := strings.CutSuffix(f.Name(), ".sql")
		if !isSQL || f.IsDir() {
			continue
		}
		text, err := readSQL(dir, f.Name())
		if err != nil {
			return err
		}
		q, err := parseNamed(name, text)
		if err != nil {
			return Usagef("", "%s: %w", filepath.Join(path, f.Name()), err)
		}
		if path != "" {
			q.File = filepath.Join(path, f.Name())
		}
		l[name] = q
	}
	return nil
}

func readSQL(dir fs.FS, name string) (string, error) {
	f, err := dir.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	return ReadSQL(f, name)
}

// ReadSQL reads an SQL text of reasonable size. name is used in errors.
func ReadSQL(r io.Reader, name string) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxQueryFile+1))
	if err == nil && len(b) > maxQueryFile {
		return "", Usagef("", "%s: more than %d MiB of SQL", name, maxQueryFile>>20)
	}
	return string(b), err
}

// Names returns the names in order.
func (l Library) Names() []string { return slices.Sorted(maps.Keys(l)) }

// List returns the names with their purposes: a line each, or several of at most
// width cells. 0: one, however long.
func (l Library) List(width int) string {
	longest := 0
	for name := range l {
		longest = max(longest, len(name))
	}
	var b strings.Builder
	for _, name := range l.Names() {
		fmt.Fprintf(&b, "@%-*s ", longest, name)
		b.WriteString(terminal.Wrap(l[name].Doc, width, longest+2) + "\n")
	}
	return b.String()
}

// Get returns the query of a name, with or without the @.
func (l Library) Get(name string) (*Named, error) {
	name = strings.TrimPrefix(name, "@")
	if q, ok := l[name]; ok {
		return q, nil
	}
	hint := "pakdb query @ shows all"
	if near := glob.Nearest(name, l.Names()); len(near) > 0 {
		hint = "did you mean @" + strings.Join(near, ", @") + "?"
	}
	return nil, Usagef(hint, "no query named @%s", name)
}

// Bind gives every parameter of q its value: what given says by name, or positional, or the
// default. Values are of the parameter's type, so that text stays text when it looks like a
// number.
func (db *DB) Bind(ctx context.Context, q *Named, given map[string]string, positional []string) (Args, error) {
	args := Args{Named: map[string]driver.Value{}}
	if len(positional) > len(q.Params) {
		return args, Usagef(q.Usage(), "@%s takes at most %d arguments", q.Name, len(q.Params))
	}
	texts := map[string]string{}
	maps.Copy(texts, given)
	for i, text := range positional {
		texts[q.Params[i].Name] = text
	}
	for _, p := range q.Params {
		text, ok := texts[p.Name]
		delete(texts, p.Name)
		if !ok {
			text = p.Default
		}
		if text == "-" && !ok {
			return args, Usagef(q.Usage(), "@%s needs a value for %s", q.Name, p.Name)
		}
		v, err := db.value(ctx, p, text, args)
		if err != nil {
			return args, err
		}
		args.Named[p.Name] = v
	}
	for name := range texts {
		return args, Usagef(q.Usage(), "@%s has no parameter %s", q.Name, name)
	}
	return args, nil
}

// value types a text as a parameter says. Those before it are bound already.
func (db *DB) value(ctx context.Context, p Param, text string, bound Args) (driver.Value, error) {
	if strings.EqualFold(text, "null") {
		return nil, nil
	}
	switch p.Type {
	case "build":
		if before, ok := bound.Named["build"].(string); ok && text == "previous" {
			builds, err := db.Builds(ctx)
			if i := slices.Index(builds, before); i > 0 {
				return builds[i-1], nil
			}
			return nil, err // NULL for the first
		}
		return db.Build(ctx, text)
	case "integer":
		if n, err := strconv.ParseInt(text, 0, 64); err == nil {
			return n, nil
		}
		return nil, Usagef("", "%s: %q is not an integer", p.Name, text)
	case "number":
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f, nil
		}
		return nil, Usagef("", "%s: %q is not a number", p.Name, text)
	}
	if v, ok := ParseValue(text).(string); ok {
		return v, nil // takes 'quotes' off
	}
	return text, nil
}

func parseNamed(name, text string) (*Named, error) {
	q := &Named{Name: name, SQL: text}
	for line := range strings.Lines(text) {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "--")
		if !ok {
			break
		}
		if err := q.header(strings.TrimSpace(comment)); err != nil {
			return nil, err
		}
	}
	known := map[string]bool{}
	for _, p := range q.Params {
		known[p.Name] = true
	}
	for _, n := range Parameters(text) {
		if !known[n] {
			known[n] = true
			q.Params = append(q.Params, Param{Name: n, Type: "text", Default: "-"})
		}
	}
	return q, nil
}

func (q *Named) header(line string) error {
	key, rest, _ := strings.Cut(line, ":")
	rest = strings.TrimSpace(rest)
	switch key {
	case "doc":
		q.Doc = rest
	case "example":
		q.Example = append(q.Example, rest)
	case "bytes":
		for _, name := range strings.Split(rest, ",") {
			q.Bytes = append(q.Bytes, strings.TrimSpace(name))
		}
	case "param":
		p, err := parseParam(rest)
		if err != nil {
			return err
		}
		q.Params = append(q.Params, p)
	}
	return nil
}

func parseParam(s string) (p Param, err error) {
	p.Name, s, _ = strings.Cut(s, " ")
	p.Type, s, _ = strings.Cut(strings.TrimSpace(s), " ")
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "'") {
		_, end := literal(s, quoted)
		p.Default, p.Doc = s[:end], strings.TrimSpace(s[end:])
	} else {
		p.Default, p.Doc, _ = strings.Cut(s, " ")
	}
	switch p.Type {
	case "text", "integer", "number", "build":
	default:
		return p, fmt.Errorf("param %s: no type %q: text, integer, number or build", p.Name, p.Type)
	}
	if p.Default == "" {
		return p, fmt.Errorf("param %s: no default; write - for none", p.Name)
	}
	return p, nil
}

// Takes reports whether q has a parameter of that name.
func (q *Named) Takes(param string) bool {
	return slices.ContainsFunc(q.Params, func(p Param) bool { return p.Name == param })
}

// Usage returns the line that calls q: "pakdb query @history PATH".
func (q *Named) Usage() string {
	var b strings.Builder
	b.WriteString("pakdb query @" + q.Name)
	for _, p := range q.Params {
		if p.Default == "-" {
			b.WriteString(" " + strings.ToUpper(p.Name))
			continue
		}
		b.WriteString(" [" + strings.ToUpper(p.Name) + "]")
	}
	return b.String()
}

// Help returns the description of q, in lines.
func (q *Named) Help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage:\n  %s\n", q.Doc, q.Usage())
	if len(q.Params) > 0 {
		b.WriteString("\nParameters, in this order or with -p name=value:\n")
	}
	for _, p := range q.Params {
		fmt.Fprintf(&b, "  %-10s %-8s %s", p.Name, p.Type, p.Doc)
		if p.Default != "-" {
			fmt.Fprintf(&b, " (default %s)", p.Default)
		}
		b.WriteByte('\n')
	}
	if len(q.Example) > 0 {
		b.WriteString("\nExamples:\n  " + strings.Join(q.Example, "\n  ") + "\n")
	}
	b.WriteString("\nSQL")
	if q.File != "" {
		fmt.Fprintf(&b, " from %s", q.File)
	}
	b.WriteString(":\n")
	b.WriteString(strings.TrimRight(q.SQL, "\n") + "\n")
	return b.String()
}
