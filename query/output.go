package query

import (
	"bufio"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"pakdb/internal/stored"
	"pakdb/internal/terminal"
)

// Formats returns the names of the output formats, the default first.
func Formats() []string {
	return []string{"table", "json", "jsonl", "csv", "tsv", "md", "line"}
}

// ForPeople reports whether people read a format, and not programs.
func ForPeople(format string) bool {
	return slices.Contains([]string{"", "table", "md", "line"}, strings.ToLower(format))
}

// Output says where results go and how they look. W is required, the rest may
// be zero.
type Output struct {
	W        io.Writer
	Format   string // one of [Formats]; "" is table
	NoHeader bool   // leave the column names out, where the format has a header
	Null     string // text of NULL in text formats
	// Bytes names columns of sizes. Formats of [ForPeople] write them as 1.5 MiB, the others
	// as numbers.
	Bytes []string
	// Only names the columns that formats of [ForPeople] show, where a line of 80 cells has no
	// room for all; nil: all columns.
	Only []string
	// Width is how many cells a line of the terminal has. A table fits it: the
	// widest columns are shortened first, and if not even that helps, it is
	// written as line. 0: cells are never cut.
	Width int
	// Escape says that W is a terminal: csv and tsv too, whose values are written
	// as they are elsewhere, have control characters as escapes.
	Escape bool
	// Colours are wanted: names of columns are bold in table and line.
	Colours bool
	// Empty gets each result without rows that leaves no trace in W.
	Empty func()
	// Hidden gets the columns of each table that it leaves out because all rows have
	// NULL there. Longer tables than what is held, and those with a text for NULL, have all.
	Hidden func(columns []string)
	// Counted gets the number of rows of each result, if not nil.
	Counted func(rows int64)
}

// HiddenNote returns a line that names columns as [Output.Hidden] gets them.
func HiddenNote(columns []string) string { return "(only NULL: " + strings.Join(columns, ", ") + ")" }

// format writes results. head is called once a result, then row for each row,
// then end. The values belong to row until it returns.
type format interface {
	head(columns []string) error
	row(values []driver.Value) error
	end() error
}

// Rows writes results, one after the other. It is not safe for concurrent use.
type Rows struct {
	Output
	format
	buf     *bufio.Writer
	spaced  bool  // an empty line separates two results
	quiet   bool  // nothing is written for a result without rows
	open    bool  // a result has begun
	pick    []int // positions of the columns that are shown; nil: all
	rows    int64
	results int
	flushed time.Time
}

func (o Output) writer() (*Rows, error) {
	w := &Rows{Output: o, buf: bufio.NewWriterSize(o.W, 64<<10)}
	t := texts{o, w.buf}
	w.spaced = true
	switch strings.ToLower(o.Format) {
	case "", "table":
		w.format, w.quiet = &table{texts: t}, true
	case "json":
		w.format, w.spaced = &jsonRows{buf: w.buf, first: "[\n", between: ",\n", last: "\n]\n", none: "[]\n"}, false
	case "jsonl":
		w.format, w.spaced, w.quiet = &jsonRows{buf: w.buf, between: "\n", last: "\n"}, false, true
	case "csv":
		w.format, w.quiet = newCSV(t), o.NoHeader
	case "tsv":
		w.format, w.quiet = newTSV(t), o.NoHeader
	case "md":
		w.format = &markdown{texts: t}
	case "line":
		w.format, w.quiet = &lines{texts: t}, true
	default:
		return nil, Usagef(suggest(o.Format, Formats()), "no output format %s", o.Format)
	}
	return w, nil
}

// Check returns the error of o before anything is run or written.
func (o Output) Check() error {
	_, err := o.writer()
	return err
}

// columns begins a result. Statements that yield none, such as some PRAGMAs,
// are no results.
func (w *Rows) columns(names []string) error {
	if w.pick = nil; w.Only != nil && ForPeople(w.Format) {
		for i, name := range names {
			if slices.Contains(w.Only, name) {
				w.pick = append(w.pick, i)
			}
		}
		names = chosen(slices.Clone(names), w.pick)
	}
	w.open, w.rows = len(names) > 0, 0
	if !w.open {
		return nil
	}
	if w.results > 0 && w.spaced {
		_ = w.buf.WriteByte('\n') // the error stays, and is returned by Flush
	}
	w.results++
	return w.head(names)
}

// flushEvery bounds how long a row that is ready stays unseen, as long as
// others follow it.
const flushEvery = 100 * time.Millisecond

// row writes a row; the first one is seen at once.
func (w *Rows) row(values []driver.Value) error {
	if w.pick != nil {
		values = chosen(slices.Clone(values), w.pick)
	}
	if err := w.format.row(values); err != nil {
		return err
	}
	w.rows++
	if now := time.Now(); w.rows == 1 || now.Sub(w.flushed) > flushEvery {
		w.flushed = now
		return w.buf.Flush()
	}
	return nil
}

func (w *Rows) end() error {
	if !w.open {
		return nil
	}
	if w.Counted != nil {
		w.Counted(w.rows)
	}
	if w.rows == 0 && w.quiet && w.Empty != nil {
		w.Empty()
	}
	return w.format.end()
}

// texts is what the text formats share. Errors of buf stay with it until it is
// flushed.
type texts struct {
	Output
	buf *bufio.Writer
}

// end writes what follows the rows: nothing in most formats.
func (t *texts) end() error { return nil }

// bold marks the name of a column.
func (t *texts) bold(name string) string {
	if !t.Colours || strings.TrimSpace(name) == "" {
		return name
	}
	return "\x1b[1m" + name + "\x1b[0m"
}

// shown writes a value of a column for people.
func (t *texts) shown(column string, v driver.Value) string {
	if n, ok := v.(int64); ok && slices.Contains(t.Bytes, column) {
		return stored.HumanSize(float64(n))
	}
	return text(v, t.Null)
}

// escaped returns a cell of a format that has its own way with control characters. At a terminal
// only those to keep are left, such as move to the next column or line.
func (t *texts) escaped(s, keep string) string {
	if t.Escape {
		return terminal.Escape(s, keep)
	}
	return s
}

// Rows begins a result with these columns, whose rows do not come from SQL. An unknown format
// is of class ErrUsage.
func (o Output) Rows(columns ...string) (*Rows, error) {
	w, err := o.writer()
	if err != nil {
		return nil, err
	}
	return w, w.columns(columns)
}

// Write writes a row: a value for each column, of the types int64, float64,
// string, []byte or nil.
func (w *Rows) Write(values ...driver.Value) error { return w.row(values) }

// Close completes the result. It does not close the writer.
func (w *Rows) Close() error {
	if err := w.end(); err != nil {
		return err
	}
	return w.buf.Flush()
}

// text writes a value as text formats show it.
func text(v driver.Value, null string) string {
	switch v := v.(type) {
	case nil:
		return null
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return real(v)
	case []byte:
		return "x'" + hex.EncodeToString(v) + "'"
	case time.Time: // what the driver makes of a column declared as DATETIME
		return v.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(v)
}

// real writes the shortest decimal that reads back as f, and as a real. The
// infinities are written as SQLite does, for lack of a literal.
func real(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "9.0e+999"
	case math.IsInf(f, -1):
		return "-9.0e+999"
	}
	form := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-5 || a >= 1e15) {
		form = 'e'
	}
	s := strconv.FormatFloat(f, form, -1, 64)
	if mantissa, exponent, _ := strings.Cut(s, "e"); !strings.Contains(mantissa, ".") {
		s = mantissa + ".0"
		if exponent != "" {
			s += "e" + exponent
		}
	}
	return s
}

// isNumber reports whether v belongs to the right of a column.
func isNumber(v driver.Value) bool {
	switch v.(type) {
	case int64, float64:
		return true
	}
	return false
}
