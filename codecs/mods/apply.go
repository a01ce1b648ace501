package mods

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"pakdb/codecs/internal/property"
	"pakdb/codecs/unreal"
)

// Op is what an [Edit] does.
type Op string

// Operations, in the order in which [Ordered] has them.
const (
	Duplicate Op = "duplicate" // the object, under the name Value; [Package] alone
	Copy      Op = "copy"      // an entry or row, under the key Value
	Rename    Op = "rename"    // an entry or row, to the key Value
	Append    Op = "append"    // an element with Value to an array; "" copies the last one
	Set       Op = "set"       // a field to Value; a field that is inherited is added
	Add       Op = "add"       // a field that is inherited, with Value
	Multiply  Op = "multiply"  // a number by Value
	Remove    Op = "remove"    // a field, element, entry or row
)

var ops = []Op{Duplicate, Copy, Rename, Append, Set, Remove}

// Edit is one change of a package. Arguments of commands, statements, CSV and JSON all become
// lists of edits.
type Edit struct {
	Path          string // of the package, where a list is for several
	Object, Field string // as [Package.Set] takes them
	Op            Op
	Value         string
}

// ErrExists is wrapped by errors about fields that are to be added and are there.
var ErrExists = errors.New("the object has the field")

// Apply makes an edit.
func (p *Package) Apply(e Edit) error {
	switch e.Op {
	case Duplicate:
		return p.Duplicate(e.Object, e.Value)
	case Copy:
		return p.Copy(e.Object, e.Field, e.Value)
	case Rename:
		return p.Rename(e.Object, e.Field, e.Value)
	case Set:
		return p.Set(e.Object, e.Field, e.Value)
	case Add:
		return p.add(e.Object, e.Field, e.Value)
	case Multiply:
		return multiply(p, e.Object, e.Field, e.Value)
	case Append:
		return p.Append(e.Object, e.Field, e.Value)
	case Remove:
		return p.Remove(e.Object, e.Field)
	}
	return fmt.Errorf("%w: no operation %q", property.ErrValue, e.Op)
}

// add sets a field that is not there. Of a row of a table, or an entry of a map, that is not
// there either, it makes a copy of the last one first, whose fields are set by further edits.
func (p *Package) add(object, field, value string) error {
	_, _, t, err := p.find(object, field)
	entry := entryOf(field)
	var none *property.NoFieldError
	switch {
	case entry != "" && p.made[madeKey(object, entry)]:
	case errors.As(err, &none) && entry != "":
		if failed := p.makeEntry(object, entry); failed != nil {
			return cmp.Or(failed, err)
		}
	case err != nil:
		return err
	case t.Exists():
		return fmt.Errorf("%w: %s", ErrExists, field)
	}
	return p.Set(object, field, value)
}

// entryOf returns the first part of a path that is an entry of a map or a row: "Rows[A]" of
// "Rows[A].Cost", "" if there is none.
func entryOf(field string) string {
	depth := 0
	for i, r := range field {
		switch r {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return field[:i+1]
			}
		}
	}
	return ""
}

// makeEntry copies the last entry of a map, or row of a table, under a key. Entries that were made
// themselves are not copied.
func (p *Package) makeEntry(object, entry string) error {
	container, key, _ := strings.Cut(strings.TrimSuffix(entry, "]"), "[")
	_, d, t, err := p.find(object, container)
	if err != nil {
		return err
	}
	at := d.Node(t)
	switch {
	case at >= 0 && (d.Kind(t) == property.Array || d.Kind(t) == property.Set):
		return fmt.Errorf("%w: %s has no element %s: it has %d, and more are appended", property.ErrValue, container, key, d.List().Count(at))
	case at < 0 || d.Kind(t) != property.Map:
		return &property.NoFieldError{Path: entry}
	}
	last := d.LastKey(at, func(key string) bool { return p.made[madeKey(object, container+"["+key+"]")] })
	if last == "" {
		return fmt.Errorf("%w: the first entry of %s, as there is none to copy", property.ErrRefused, container)
	}
	if err := p.Copy(object, container+"["+last+"]", key); err != nil {
		return err
	}
	p.made[madeKey(object, entry)] = true
	return nil
}

// madeKey is how [Package.made] calls an entry of an object.
func madeKey(object, entry string) string { return object + ":" + strings.ToLower(entry) }

// Holds reports whether a field has a value, as a table of the view properties shows it: a
// bool is 1 or 0, and what is not shown is "".
func (p *Package) Holds(object, field, value string) bool {
	_, d, t, err := p.find(object, field)
	if err != nil || !t.Exists() {
		return false
	}
	if at := d.Node(t); at >= 0 && d.Kind(t) == property.Array && value == strconv.Itoa(d.List().Count(at)) {
		return true // of many numbers, the view shows no more
	}
	switch now := d.Shown(t).(type) {
	case float64:
		f, err := strconv.ParseFloat(value, 64)
		return err == nil && math.Float64bits(f) == math.Float64bits(now) || math.IsNaN(now) && value == ""
	case string:
		if _, member, ok := strings.Cut(now, "::"); ok && (d.Kind(t) == property.Enum || d.Kind(t) == property.Byte) {
			now = member // the view shows no more
		}
		return value == now || value == "" && (d.Kind(t) == property.Opaque || d.Kind(t) == property.Optional && now == "null")
	default:
		return value == fmt.Sprint(now) || value == shown(d, t)
	}
}

// Ordered sorts edits so that all paths are those of the package as it was: copies and
// new elements first, so that their fields can be set; removals last, from the last element to the first.
func Ordered(edits []Edit) {
	slices.SortStableFunc(edits, func(a, b Edit) int {
		if c := cmp.Compare(a.Op.order(), b.Op.order()); c != 0 || a.Op != Remove {
			return c
		}
		x, i := lastIndex(a.Field)
		y, k := lastIndex(b.Field)
		return cmp.Or(strings.Compare(y, x), cmp.Compare(k, i))
	})
}

func (o Op) order() int {
	if o == Add || o == Multiply {
		o = Set
	}
	return slices.Index(ops, o)
}

// lastIndex divides "Slots[3]" into "Slots" and 3. A path that does not end so has index -1.
func lastIndex(field string) (container string, index int) {
	at := strings.LastIndexByte(field, '[')
	if at < 0 || !strings.HasSuffix(field, "]") {
		return field, -1
	}
	index, err := strconv.Atoi(field[at+1 : len(field)-1])
	if err != nil {
		return field, -1
	}
	return field[:at], index
}

// multiply sets a number to a multiple of itself. The product is exact before it is rounded
// to the type: 24 times 1.2 is 28.8.
func multiply(p interface {
	Get(object, field string) (any, error)
	Set(object, field, value string) error
}, object, field, by string,
) error {
	factor, ok := new(big.Rat).SetString(by)
	if !ok {
		return fmt.Errorf("%w: %q is no number", property.ErrValue, by)
	}
	old, err := p.Get(object, field)
	if err != nil {
		return err
	}
	var text string
	switch v := old.(type) {
	case int64:
		text = strconv.FormatInt(v, 10)
	case float64:
		text = strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		text = v
	}
	number, ok := new(big.Rat).SetString(text)
	if _, isText := old.(string); !ok || isText && strings.Trim(text, "0123456789") != "" {
		return fmt.Errorf("%w: %s is %q, which is no number", property.ErrValue, field, text)
	}
	number.Mul(number, factor)
	if _, isFloat := old.(float64); isFloat {
		f, _ := number.Float64()
		if math.IsInf(f, 0) {
			return fmt.Errorf("%w: %s is out of range", property.ErrValue, number.FloatString(0))
		}
		return p.Set(object, field, strconv.FormatFloat(f, 'g', -1, 64))
	}
	return p.Set(object, field, number.FloatString(0))
}

// JSONEdits returns the edits that make the package the one that JSON describes, in the shape
// that pakdb extract --as json writes: an array with an object for each export. JSON of the
// package as it is gives none. It fails for differences that no edit makes.
func (p *Package) JSONEdits(doc []byte) (edits []Edit, err error) {
	var exports []json.RawMessage
	if err := json.Unmarshal(doc, &exports); err != nil {
		return nil, fmt.Errorf("%w: %w", property.ErrValue, err)
	}
	if len(exports) != len(p.facts.Exports) {
		return nil, fmt.Errorf("%w: JSON of %d objects, and the package has %d", property.ErrValue, len(exports), len(p.facts.Exports))
	}
	var x property.Export
	for i, text := range exports {
		p.decoder.Export(&x, i, p.frame.data(i))
		changes, err := p.decoder.JSONChanges(&x, i, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.decoder.ObjectPath(unreal.ObjectRef(i+1)), err)
		}
		for _, c := range changes {
			edits = append(edits, Edit{Object: fmt.Sprint("#", i), Field: c.Path, Op: Op(c.Op), Value: c.Value})
		}
	}
	return edits, nil
}
