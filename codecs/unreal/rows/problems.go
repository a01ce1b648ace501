package rows

import (
	"cmp"
	"errors"

	"pakdb/codecs"
	"pakdb/codecs/internal/property"
	"pakdb/internal/family"
)

// kindOfPart is a part of an export that was not read.
type kindOfPart string

// The parts of exports, as the field of problems names them.
const (
	valuesPart  kindOfPart = "values"
	codePart    kindOfPart = "code"
	picturePart kindOfPart = "picture"
	soundPart   kindOfPart = "sound"
)

// trouble is what could not be read, for one cause.
type trouble struct {
	field string
	off   int64
	first error
	text  string // what the first one is
	n     int
	what  kindOfPart
}

// troubles collects what could not be read of a package. Exports whose bytes share a
// damaged block are one problem, and so are all values that do not fit.
type troubles struct {
	all    []*trouble
	by     map[string]*trouble
	noted  map[partOf]bool
	unread map[int]error // exports whose bytes cannot be had
}

// partOf is a part of an export.
type partOf struct {
	export int
	part   kindOfPart
}

// add notes that a part of an export was not read.
func (t *troubles) add(p *Package, export int, part kindOfPart, why error) {
	field, off, key := string(part), p.Exports[export].Offset, string(part)
	var at *codecs.FormatError
	if errors.As(why, &at) {
		field, off, key, why = at.Field, at.Off, at.Error(), at.Err
	}
	if t.by == nil {
		t.by, t.noted = map[string]*trouble{}, map[partOf]bool{}
	}
	if t.noted[partOf{export, part}] {
		return
	}
	t.noted[partOf{export, part}] = true
	found := t.by[key]
	if found == nil {
		found = &trouble{field: field, off: off, first: why, text: p.ClassOf(export) + " " + p.NameOf(p.Exports[export].Name), what: part}
		t.by[key] = found
		t.all = append(t.all, found)
	}
	found.n++
}

// problems returns what was not read, in the order in which it was met.
func (t *troubles) problems(exports int) (all []*codecs.FormatError) {
	for _, x := range t.all {
		class := codecs.ErrCorrupt
		for _, other := range []error{codecs.ErrTruncated, codecs.ErrLimit, codecs.ErrEncrypted, codecs.ErrWrongKey, errors.ErrUnsupported} {
			if errors.Is(x.first, other) {
				class = other
			}
		}
		all = append(all, &codecs.FormatError{Format: readerName, Field: x.field, Off: x.off,
			Err: codecs.Errorf(class, "%s of %d of %d objects not read whole, the first is %s: %v", x.what, x.n, exports, x.text, x.first)})
	}
	return all
}

// problemRow is a problem of a set of values.
type problemRow struct {
	field, cause int32 // texts
	off          int64
}

// found is the table of problems; see 0032_value_problems.sql.
var found = family.NewTable("value_problem", "seq",
	family.TextColumn("field_id", func(p *problemRow) int32 { return p.field }),
	family.ValueColumn("offset", func(p *problemRow) any {
		if p.off < 0 {
			return nil
		}
		return p.off
	}),
	family.TextColumn("cause_id", func(p *problemRow) int32 { return p.cause })).OfSet()

// addProblems returns rows of what was not read.
func (m *maker) addProblems() family.Rows {
	var list []problemRow
	for _, p := range m.p.Problems() {
		list = append(list, problemRow{m.text(p.Field), m.text(p.Err.Error()), p.Off})
	}
	return found.Rows(list...)
}

// Problems returns what [Package.Each] could not read for what the bytes say, or for a limit.
// What is only not known, as a class without a schema, is none.
func (p *Package) Problems() []*codecs.FormatError { return p.troubles.problems(len(p.Exports)) }

// bytes returns those of an export, nil where they are damaged. The error is of the
// machine.
func (p *Package) bytes(export int) ([]byte, error) {
	data, err := p.Bytes(export)
	if err == nil || !codecs.IsFinding(err) {
		return data, err
	}
	if p.troubles.unread == nil {
		p.troubles.unread = map[int]error{}
	}
	p.troubles.unread[export] = cmp.Or(p.troubles.unread[export], err)
	return nil, nil
}

// lose notes that a part of an export was not read, unless it is only not known how, or
// its bytes are a problem already.
func (p *Package) lose(export int, part kindOfPart, why error) {
	var told toldError
	if !property.IsDamage(why) || errors.As(why, &told) || part != valuesPart && (p.troubles.unread[export] != nil || errors.Is(why, codecs.ErrNotFound)) {
		return
	}
	p.troubles.add(p, export, part, why)
}

// toldError is one that the tables of the package are a problem for.
type toldError struct{ error }

func (e toldError) Unwrap() error { return e.error }
