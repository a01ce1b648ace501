package semantic

import (
	"bytes"
	"context"
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	textdiff "github.com/rogpeppe/go-internal/diff"

	"pakdb/diff"
	"pakdb/diff/internal/side"
	"pakdb/diff/internal/values"
)

// Code returns the text of functions of a package in a build, by their paths in it.
type Code func(ctx context.Context, build, path string) (map[string]string, error)

// Function is a function whose code means something else, came, went or has another name.
type Function struct {
	Path string // in the package: "LOG_State_C:FlushToDisk"
	Kind FunctionKind
	From string // the path that it had, where that is another

	Calls []CallChange // that it makes more or less often
	Text  string       // a unified diff without a head; "" where the contents are not at hand

	was string // the path in the old content, of one that changed: its case may be another
}

// FunctionKind is what became of a function.
type FunctionKind string

// The kinds of [Function].
const (
	FunctionAdded   FunctionKind = "added"
	FunctionRemoved FunctionKind = "removed"
	FunctionRenamed FunctionKind = "renamed"
	FunctionChanged FunctionKind = "changed"
)

// CallChange is how much more often, or less often, a function calls another.
type CallChange struct {
	Callee string
	More   int64 // negative: less often
}

// String returns the call as one line: "+call /Script/Engine.GameplayStatics:SaveGameToSlot x2".
func (c *CallChange) String() string {
	sign, n := "+", c.More
	if n < 0 {
		sign, n = "-", -n
	}
	if n == 1 {
		return sign + "call " + c.Callee
	}
	return sign + "call " + c.Callee + " x" + strconv.FormatInt(n, 10)
}

// Fields are the change as fields: the function, and its calls.
func (f *Function) Fields() (fields []Field) {
	yes := "yes"
	name := "function " + f.Path
	switch f.Kind {
	case FunctionAdded:
		return []Field{{Name: name, New: &yes}}
	case FunctionRemoved:
		return []Field{{Name: name, Old: &yes}}
	case FunctionRenamed:
		return []Field{{Name: name + " name", Old: &f.From, New: &f.Path}}
	}
	before, after := "code", "other code"
	fields = append(fields, Field{Name: name, Old: &before, New: &after})
	for _, c := range f.Calls {
		n := strconv.FormatInt(max(c.More, -c.More), 10)
		if call := (Field{Name: name + " call " + c.Callee, New: &n}); c.More > 0 {
			fields = append(fields, call)
		} else {
			fields = append(fields, Field{Name: call.Name, Old: &n})
		}
	}
	return fields
}

// AllFields are the fields, and the functions as fields.
func (d *Difference) AllFields() []Field {
	all := slices.Clip(d.Fields)
	for i := range d.Functions {
		all = append(all, d.Functions[i].Fields()...)
	}
	return all
}

// function is one of a side that was understood.
type function struct {
	path  string          // as it is spelled
	form  int64           // equal for those that mean the same
	size  int64           // tokens
	calls map[string]call // by folded callee
}

// call is how often a function calls another.
type call struct {
	callee string
	count  int64
}

// codeChanges compares the functions of both sides.
func codeChanges(a, b *objects) (changes []Function) {
	var gone []*function
	for _, path := range slices.Sorted(maps.Keys(a.code)) {
		if b.code[path] == nil {
			gone = append(gone, a.code[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(b.code)) {
		f, prior := b.code[path], a.code[path]
		switch {
		case prior == nil:
			change := Function{Path: f.path, Kind: FunctionAdded}
			if i := renamedFrom(f, gone, b.code); i >= 0 {
				change.Kind, change.From = FunctionRenamed, gone[i].path
				gone = slices.Delete(gone, i, i+1)
			}
			changes = append(changes, change)
		case f.form != prior.form:
			changes = append(changes, Function{Path: f.path, Kind: FunctionChanged, was: prior.path, Calls: callChanges(prior.calls, f.calls)})
		}
	}
	for _, f := range gone {
		changes = append(changes, Function{Path: f.path, Kind: FunctionRemoved})
	}
	return changes
}

// leastRenamed is how many tokens a function has at least that is known by what it does:
// smaller ones are alike by chance.
const leastRenamed = 12

// renamedFrom returns which of the functions that went a new one was, -1 for none.
func renamedFrom(f *function, gone []*function, others map[string]*function) int {
	if f.size < leastRenamed {
		return -1
	}
	for _, o := range others {
		if o != f && o.form == f.form {
			return -1
		}
	}
	found := -1
	for i, g := range gone {
		if g.form != f.form {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

func callChanges(old, new map[string]call) (all []CallChange) {
	for _, callee := range slices.Sorted(maps.Keys(new)) {
		if n := new[callee].count - old[callee].count; n > 0 {
			all = append(all, CallChange{new[callee].callee, n})
		}
	}
	for _, callee := range slices.Sorted(maps.Keys(old)) {
		if n := old[callee].count - new[callee].count; n > 0 {
			all = append(all, CallChange{old[callee].callee, -n})
		}
	}
	return all
}

// codeOf reads the functions of set id.
func codeOf(ctx context.Context, s *Comparer, all *objects, id int64) error {
	all.code = map[string]*function{}
	byExport := map[int64]*function{}
	err := s.each(ctx, scriptRows, []driver.Value{id}, func(v []driver.Value) {
		if v[2] == nil {
			return // opaque: the hashes of its export show what is known
		}
		f := &function{path: functionPath(side.Text(v[1])), form: side.Integer(v[2]), size: side.Integer(v[3]), calls: map[string]call{}}
		all.code[values.Fold(f.path)], byExport[side.Integer(v[0])] = f, f
	})
	if err != nil || len(byExport) == 0 {
		return err
	}
	return s.each(ctx, scriptCalls, []driver.Value{id}, func(v []driver.Value) {
		if f := byExport[side.Integer(v[0])]; f != nil {
			callee := side.Text(v[1])
			f.calls[values.Fold(callee)] = call{callee, f.calls[values.Fold(callee)].count + side.Integer(v[2])}
		}
	})
}

// isMade reports whether a variable is one that the compiler of blueprints makes: it comes
// and goes with the code that uses it, which shows more.
func isMade(name string) bool {
	return strings.HasPrefix(name, "CallFunc_") || strings.HasPrefix(name, "K2Node_") || strings.HasPrefix(name, "Temp_")
}

// functionPath writes the path of an object as paths of functions are written, with a
// colon after the class.
func functionPath(path string) string { return strings.Replace(path, ".", ":", 1) }

// compareCode adds texts to the functions that changed.
func compareCode(ctx context.Context, s *Comparer, changed []Function, old, new *diff.File) error {
	if s.Code == nil || !slices.ContainsFunc(changed, func(f Function) bool { return f.Kind == FunctionChanged }) {
		return nil
	}
	before, err := s.Code(ctx, s.OldBuild, old.Path)
	if err != nil {
		return err
	}
	after, err := s.Code(ctx, s.NewBuild, new.Path)
	if err != nil {
		return err
	}
	for i := range changed {
		if f := &changed[i]; f.Kind == FunctionChanged {
			f.Text = hunks(before[f.was], after[f.Path])
		}
	}
	return nil
}

// hunks is a unified diff without its head.
func hunks(old, new string) string {
	text := textdiff.Diff("", []byte(old), "", []byte(new))
	for range 3 {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return string(text)
}

// movedCode says that functions have other bytes and mean the same.
func movedCode(n int) Field {
	old, new := "their bytes", "other bytes that mean the same"
	return Field{Name: fmt.Sprintf("code of %d functions", n), Old: &old, New: &new, Cosmetic: true}
}

// scriptRows yields the functions of set ?1: ordinal, path, form, tokens. scriptCalls
// yields what they call: ordinal, callee, count.
const scriptRows = `SELECT v.ordinal, ` + objectPath + `, v.hash, v.tokens
	FROM x_script v
	JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.ordinal
	LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
	JOIN x_name xn ON xn.name_id = x.object_id
	WHERE v.set_id = ?1`

const scriptCalls = `SELECT v.export, n.name, v.count
	FROM x_script_use v
	JOIN x_name n ON n.name_id = v.name_id
	WHERE v.set_id = ?1 AND v.kind < 8`
