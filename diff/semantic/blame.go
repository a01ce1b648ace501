package semantic

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	textdiff "github.com/rogpeppe/go-internal/diff"

	"pakdb/diff"
	"pakdb/diff/internal/side"
	"pakdb/diff/internal/values"
	"pakdb/schema"
)

// Origin is a value of a content, with the build that gave it.
type Origin struct {
	Name, Value string  // of a line of text the name is its number
	Build       string  // the first build since which the value is the same
	Before      *string // the value in the build before; nil: it was not there
}

// Blame returns the values of a file of a build, each with the build that gave it its present
// value, and the value before. Renames are followed. A package has values and functions, another
// content the fields that Compare compares, or else lines of text, for which contents is needed;
// a content that has none of these has no origins. The error is [diff.ErrNoFile] if the build
// lacks the file.
func Blame(ctx context.Context, db *sql.DB, contents Contents, build, path string) (all []Origin, err error) {
	versions, err := versionsOf(ctx, db, build, path)
	if err != nil {
		return nil, err
	}
	var followed []follower
	err = eachState(ctx, db, contents, versions, func(i int, is *state) (more bool) {
		if i == 0 {
			followed = is.follow()
		}
		for _, f := range followed {
			if i > 0 {
				f.Before(i-1, is)
			}
			more = more || !f.Done()
		}
		return more // until all values are known
	})
	if err != nil {
		return nil, err
	}
	for _, f := range followed {
		for _, t := range f.Values() {
			all = append(all, originOf(t, versions))
		}
	}
	return all, nil
}

// BlameOf returns the values of a name and their builds, the newest first, up to a
// build: of each its origin, as Blame returns it. It is empty where the file has no such value.
func BlameOf(ctx context.Context, db *sql.DB, contents Contents, build, path, name string) (all []Origin, err error) {
	versions, err := versionsOf(ctx, db, build, path)
	if err != nil {
		return nil, err
	}
	var of follower
	var at int // of the value that is followed, among those of the follower
	find := func(is *state) bool {
		of = nil
		for _, f := range is.follow() {
			if i := slices.IndexFunc(f.Values(), func(t values.Tracked) bool { return t.Name == name }); i >= 0 {
				of, at = f, i
			}
		}
		return of != nil
	}
	err = eachState(ctx, db, contents, versions, func(i int, is *state) (more bool) {
		if i == 0 {
			return find(is)
		}
		of.Before(i-1, is)
		t := of.Values()[at]
		if t.Since < 0 {
			return true
		}
		all = append(all, originOf(t, versions))
		if lines, ok := of.(*lineFollower); ok {
			name = strconv.Itoa(lines.at[at] + 1)
		}
		of, more = nil, t.Before != nil
		return more && find(is) // the value before is followed from here on
	})
	if err == nil && of != nil {
		all = append(all, originOf(of.Values()[at], versions))
	}
	return all, err
}

// originOf returns the origin of a value; one that never changed is of the oldest version.
func originOf(t values.Tracked, versions []version) Origin {
	if t.Since < 0 {
		t.Since = len(versions) - 1
	}
	return Origin{t.Name, t.Value, versions[t.Since].build, t.Before}
}

// eachState calls f with the versions, the newest first, as long as it returns true.
func eachState(ctx context.Context, db *sql.DB, contents Contents, versions []version, f func(i int, is *state) bool) error {
	for i, v := range versions {
		s := &Comparer{DB: db, Contents: contents, NewBuild: v.build}
		is, err := s.state(ctx, v.file)
		if err = errors.Join(err, s.Close()); err != nil {
			return fmt.Errorf("%s: %w", v.build, err)
		}
		if !f(i, is) {
			break
		}
	}
	return nil
}

// version is a content of a file, and the build that brought it.
type version struct {
	build string
	file  *diff.File
}

// versionsOf returns the versions that a file had up to a build, the newest first.
func versionsOf(ctx context.Context, db *sql.DB, build, path string) (all []version, err error) {
	events, err := diff.HistoryAt(ctx, db, build, path)
	if err != nil {
		return nil, err
	}
	var labels []string
	err = schema.EachRow(ctx, db, "SELECT build FROM builds ORDER BY build_id", nil, func(v []driver.Value) {
		labels = append(labels, side.Text(v[0]))
	})
	last := slices.Index(labels, build)
	for _, e := range slices.Backward(events) {
		if e.New == nil || slices.Index(labels, e.Build) > last {
			continue
		}
		all = append(all, version{e.Build, e.New})
		if e.Old == nil {
			break
		}
	}
	return all, err
}

// state is what a version says.
type state struct {
	rows   []values.Row
	fields []field
	code   map[string]*function
	text   []byte // of a content that says nothing else; nil if it is none, or not at hand
}

// state reads a version.
func (s *Comparer) state(ctx context.Context, f *diff.File) (is *state, err error) {
	if err := s.findBuilds(ctx); err != nil {
		return nil, err
	}
	is = &state{}
	err = s.statements().Together(ctx, func() error {
		o, err := objectsOf(ctx, s, s.newID, f)
		if err != nil {
			return err
		}
		is.rows, is.code = o.rows, o.code
		all, err := s.fieldsOf(ctx, s.newID, f)
		for i, fields := range all {
			if !sources[i].follows {
				is.fields = append(is.fields, fields...)
			}
		}
		is.fields = numbered(is.fields)
		return err
	})
	if err != nil || s.Contents == nil || f.ContentID == 0 || len(is.rows)+len(is.fields)+len(is.code) > 0 {
		return is, err
	}
	content, err := s.bytes(ctx, f)
	if text := wideText(content); isText(text) {
		is.text = text
	}
	return is, err
}

// follower follows values back from version to version. Before takes the one before version
// since, the oldest so far.
type follower interface {
	Before(since int, older *state)
	Values() []values.Tracked
	Done() bool
}

func (is *state) follow() []follower {
	return []follower{&valueFollower{values.Track(is.rows)}, followFields(is), followLines(is)}
}

type valueFollower struct{ *values.Tracker }

func (v *valueFollower) Before(since int, older *state) { v.Tracker.Before(since, older.rows) }

// known are values of which it is known which version gave them, but for open ones.
type known struct {
	values []values.Tracked
	open   int
}

func (k *known) Values() []values.Tracked { return k.values }
func (k *known) Done() bool               { return k.open == 0 }

func (k *known) add(name, value string) {
	k.values = append(k.values, values.Tracked{Name: name, Value: value, Since: -1})
	k.open++
}

func (k *known) set(i, since int, before *string) {
	k.values[i].Since, k.values[i].Before = since, before
	k.open--
}

// fieldFollower follows fields and functions by their keys.
type fieldFollower struct {
	known
	keys []string
	now  map[string]*field
}

// allFields returns the fields, and the functions as fields.
func (is *state) allFields() []field {
	all := slices.Clone(is.fields)
	for key, f := range is.code {
		all = append(all, field{name: "function " + f.path, value: "code", key: "function " + key, same: strconv.FormatInt(f.form, 10)})
	}
	slices.SortFunc(all[len(is.fields):], func(a, b field) int { return strings.Compare(a.key, b.key) })
	return all
}

func followFields(is *state) *fieldFollower {
	f := &fieldFollower{}
	all := is.allFields()
	f.now = byKey(all)
	for i := range all {
		f.add(all[i].name, all[i].value)
		f.keys = append(f.keys, all[i].key)
	}
	return f
}

func (f *fieldFollower) Before(since int, older *state) {
	then := byKey(older.allFields())
	for i, key := range f.keys {
		was := then[key]
		switch {
		case f.values[i].Since >= 0:
		case was == nil:
			f.set(i, since, nil)
		case was.same != f.now[key].same:
			before := was.value
			if was.value == f.values[i].Value {
				before = "other " + was.value
			}
			f.set(i, since, &before)
		}
	}
}

// lineFollower follows the lines of a text.
type lineFollower struct {
	known
	text []byte
	at   []int // where each line is in the oldest text so far
}

func followLines(is *state) *lineFollower {
	f := &lineFollower{text: is.text}
	for i, line := range bytes.Split(bytes.TrimSuffix(is.text, []byte("\n")), []byte("\n")) {
		if is.text != nil {
			f.add(strconv.Itoa(i+1), string(bytes.TrimSuffix(line, []byte("\r"))))
			f.at = append(f.at, i)
		}
	}
	return f
}

func (f *lineFollower) Before(since int, older *state) {
	were, old := oldLines(older.text, f.text), bytes.Split(older.text, []byte("\n"))
	for i := range f.values {
		if f.values[i].Since >= 0 {
			continue
		}
		switch was := were[f.at[i]]; {
		case was.same:
			f.at[i] = was.at
		case was.at >= 0:
			before := string(bytes.TrimSuffix(old[was.at], []byte("\r")))
			f.set(i, since, &before)
			f.at[i] = was.at
		default:
			f.set(i, since, nil)
		}
	}
	f.text = older.text
}

// oldLine is the line that a line was in an older text: the same, or another one in its
// place; -1 for none.
type oldLine struct {
	at   int
	same bool
}

// oldLines returns it for each line of a text, by their unified diff.
func oldLines(old, new []byte) []oldLine {
	total := bytes.Count(new, []byte("\n")) + 1
	all := make([]oldLine, 0, total)
	x := 0 // line of old
	gone := []int{}
	same := func() { all, x, gone = append(all, oldLine{x, true}), x+1, gone[:0] }
	inside := false
	for _, line := range bytes.Split(textdiff.Diff("", old, "", new), []byte("\n")) {
		var from, count, to int
		switch {
		case bytes.HasPrefix(line, []byte("@@ ")):
			inside = true
			if _, err := fmt.Sscanf(string(line), "@@ -%d,%d +%d,", &from, &count, &to); err != nil {
				return all
			}
			for len(all) < to-1 {
				same()
			}
			x, gone = max(x, from-1), gone[:0]
		case !inside || len(line) == 0:
		case line[0] == ' ':
			same()
		case line[0] == '-':
			gone = append(gone, x)
			x++
		case line[0] == '+' && len(gone) > 0:
			all, gone = append(all, oldLine{gone[0], false}), gone[1:]
		case line[0] == '+':
			all = append(all, oldLine{-1, false})
		}
	}
	for len(all) < total {
		same()
	}
	return all
}
