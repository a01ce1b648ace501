package calligraphy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"pakdb/codecs"
)

// Errors of edits: of values that a field cannot have, and of what is not written.
var (
	ErrValue   = errors.New("wrong value")
	ErrRefused = errors.New("not written")
)

// Names are what the ids in prototypes mean: the files of an archive by their ids. It is for
// one goroutine.
type Names struct {
	paths      map[codecs.Symbol]string
	read       func(path string) ([]byte, error)
	blueprints map[uint64]*Blueprint
	assets     map[uint64][]Asset
}

// NewNames returns the names that the files of an archive give. Read returns the content of
// one of them.
func NewNames(paths iter.Seq[string], read func(path string) ([]byte, error)) *Names {
	n := &Names{paths: map[codecs.Symbol]string{}, read: read, blueprints: map[uint64]*Blueprint{}, assets: map[uint64][]Asset{}}
	for path := range paths {
		for _, s := range EntrySymbols(path) {
			n.paths[s] = path
		}
	}
	return n
}

func (n *Names) path(space codecs.Space, id uint64) string {
	return n.paths[codecs.Symbol{Space: space, ID: codecs.ID64(id)}]
}

// facts reads a file by its id; nil if there is none, or a damaged one.
func (n *Names) facts(space codecs.Space, id uint64) *Facts {
	path := n.path(space, id)
	if path == "" {
		return nil
	}
	content, err := n.read(path)
	if err != nil {
		return nil
	}
	var d decoder
	f, err := d.inspect(bytes.NewReader(content), int64(len(content)), extension(path))
	if err != nil {
		return nil
	}
	return f.Detail.(*Facts)
}

// member returns the member of a blueprint that declares a field, nil if it is not known.
func (n *Names) member(blueprint, field uint64) *Member {
	b, known := n.blueprints[blueprint]
	if !known {
		if f := n.facts(SpaceBlueprint, blueprint); f != nil {
			b = f.Blueprint
		}
		n.blueprints[blueprint] = b
	}
	if b == nil {
		return nil
	}
	if i := slices.IndexFunc(b.Members, func(m Member) bool { return m.ID == field }); i >= 0 {
		return &b.Members[i]
	}
	return nil
}

// assetsOf returns what a .type file lists.
func (n *Names) assetsOf(id uint64) []Asset {
	list, known := n.assets[id]
	if !known {
		if f := n.facts(SpaceAssetType, id); f != nil {
			list = f.Assets
		}
		n.assets[id] = list
	}
	return list
}

// Draft is a .prototype, .defaults or .curve whose values are being changed.
type Draft struct {
	name    string
	names   *Names
	content []byte
	values  []draftValue
}

// draftValue is a value and where it is.
type draftValue struct {
	path    string // "Effect.Damage", "Keywords[1]"
	ordinal int    // as the view calligraphy_fields has it
	typ     byte
	subtype uint64 // of the member: the asset type of an A
	at      int
	count   int // where the list states its length; 0: no list
}

// Edit reads a file of the database by its name in the archive. It fails for damaged ones,
// and for those without values.
func Edit(name string, content []byte, names *Names) (*Draft, error) {
	d := &Draft{name: name, names: names, content: bytes.Clone(content)}
	return d, d.read()
}

func (d *Draft) read() error {
	var in decoder
	f, err := in.inspect(bytes.NewReader(d.content), int64(len(d.content)), extension(d.name))
	if err != nil {
		return err
	}
	if len(f.Problems) > 0 {
		return f.Problems[0]
	}
	detail := f.Detail.(*Facts)
	d.values = d.values[:0]
	switch {
	case detail.Curve != nil:
		for i := range detail.Curve.Values {
			d.values = append(d.values, draftValue{path: fmt.Sprintf("Values[%d]", int(detail.Curve.Start)+i), ordinal: i, typ: 'D', at: headerSize + 8 + 8*i})
		}
	case detail.Prototype != nil:
		d.list(detail.Prototype, in.places)
	default:
		return fmt.Errorf("%w: a %s has no values that are changed", ErrRefused, f.Kind)
	}
	return nil
}

// list names the values of a prototype. Those of embedded ones have the path of what holds
// them in front.
func (d *Draft) list(p *Prototype, places []int32) {
	prefixes := make([]string, len(p.Values))
	ordinal := 0
	for _, f := range p.Fields {
		g := p.Groups[f.Group]
		v := draftValue{typ: f.Type}
		name := fmt.Sprintf("%016x", f.ID)
		if m := d.names.member(g.Blueprint, f.ID); m != nil {
			name, v.subtype = m.Name, m.Subtype
		}
		if owner := p.Bodies[g.Body].Owner; owner >= 0 {
			name = prefixes[owner] + "." + name
		}
		for i := range int(f.Count) {
			at := int(f.First) + i
			v.path, v.at, v.ordinal = name, int(places[at]), ordinal
			if f.Structure == list {
				v.path, v.count = fmt.Sprintf("%s[%d]", name, i), int(places[f.First])-2
			}
			prefixes[at] = v.path
			d.values = append(d.values, v)
			ordinal++
		}
		if f.Count == 0 {
			ordinal++
		}
	}
}

// Content returns the file with the changes.
func (d *Draft) Content() []byte { return d.content }

// Paths returns the paths of all values.
func (d *Draft) Paths() (all []string) {
	for _, v := range d.values {
		all = append(all, v.path)
	}
	return all
}

// AmbiguousError is the error of a path that several values have: copies of a blueprint, or
// fields of the same name.
type AmbiguousError struct {
	Path    string
	Choices []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%d values have the path %s", len(e.Choices), e.Path)
}

// Find returns the position of a value by its path, or by #N, its ordinal; -1 if there is
// none.
func (d *Draft) Find(path string) (int, error) {
	if n, ok := strings.CutPrefix(path, "#"); ok {
		return slices.IndexFunc(d.values, func(v draftValue) bool { return strconv.Itoa(v.ordinal) == n }), nil
	}
	found, choices := -1, []string(nil)
	for i, v := range d.values {
		if strings.EqualFold(v.path, path) {
			found, choices = i, append(choices, fmt.Sprint("#", v.ordinal))
		}
	}
	if len(choices) > 1 {
		return -1, &AmbiguousError{path, choices}
	}
	return found, nil
}

func (d *Draft) bits(i int) uint64 { return binary.LittleEndian.Uint64(d.content[d.values[i].at:]) }

// Number returns a value of type D or L.
func (d *Draft) Number(i int) (any, bool) {
	switch d.values[i].typ {
	case 'D':
		return math.Float64frombits(d.bits(i)), true
	case 'L':
		return int64(d.bits(i)), true
	}
	return nil, false
}

// Shown returns a value as text that Set takes.
func (d *Draft) Shown(i int) string {
	v := &d.values[i]
	if v.typ == 'R' {
		return "embedded prototype"
	}
	id := d.bits(i)
	switch v.typ {
	case 'D':
		return strconv.FormatFloat(math.Float64frombits(id), 'g', -1, 64)
	case 'L':
		return strconv.FormatInt(int64(id), 10)
	case 'B':
		return strconv.FormatUint(id, 10)
	case 'A':
		for _, a := range d.names.assetsOf(v.subtype) {
			if a.ID == id {
				return a.Name
			}
		}
	}
	if id == 0 {
		return "none"
	}
	if path := d.names.path(spaceOf(v.typ), id); path != "" {
		return path
	}
	return fmt.Sprintf("%016x", id)
}

// spaceOf returns where the files are that values of a type refer to, "" for others.
func spaceOf(typ byte) codecs.Space {
	switch typ {
	case 'C':
		return SpaceCurve
	case 'P':
		return SpacePrototype
	case 'T':
		return SpaceAssetType
	}
	return ""
}

// Set changes a value: a number, 1 or 0, the name of an asset, the path of a file of the
// database, an id of 16 digits, or none. An id that nothing in the archive has is refused
// unless it is that of a text, which lies elsewhere.
func (d *Draft) Set(i int, text string, dangling bool) error {
	v := d.values[i]
	if v.typ == 'R' {
		return fmt.Errorf("%w: %s is an embedded prototype: set its fields", ErrRefused, v.path)
	}
	bits, err := d.parse(&v, text, dangling)
	if err != nil {
		return err
	}
	old := d.content
	d.content = bytes.Clone(old)
	binary.LittleEndian.PutUint64(d.content[v.at:], bits)
	return d.prove(old, func(p string) bool { return p == v.path })
}

// Remove removes an element of a list.
func (d *Draft) Remove(i int) error {
	v := d.values[i]
	switch {
	case v.typ == 'R':
		return fmt.Errorf("%w: removing the embedded prototype %s", ErrRefused, v.path)
	case v.count == 0:
		return fmt.Errorf("%w: removing %s: only elements of lists are removed", ErrRefused, v.path)
	}
	old := d.content
	d.content = slices.Concat(old[:v.at], old[v.at+8:])
	d.countBy(v.count, -1)
	return d.prove(old, inListOf(v.path))
}

// Append puts an element after the last one of a list, which is at i.
func (d *Draft) Append(i int, text string, dangling bool) error {
	v := d.values[i]
	n := binary.LittleEndian.Uint16(d.content[max(v.count, 0):])
	switch {
	case v.typ == 'R':
		return fmt.Errorf("%w: adding an embedded prototype to %s", ErrRefused, v.path)
	case v.count == 0:
		return fmt.Errorf("%w: adding to %s, which is no list", ErrRefused, v.path)
	case n == math.MaxUint16:
		return fmt.Errorf("%w: more than %d elements", ErrRefused, n)
	}
	bits, err := d.parse(&v, text, dangling)
	if err != nil {
		return err
	}
	old, end := d.content, v.count+2+8*int(n)
	d.content = slices.Concat(old[:end], binary.LittleEndian.AppendUint64(nil, bits), old[end:])
	d.countBy(v.count, 1)
	return d.prove(old, inListOf(v.path))
}

func (d *Draft) countBy(at, by int) {
	binary.LittleEndian.PutUint16(d.content[at:], uint16(int(binary.LittleEndian.Uint16(d.content[at:]))+by))
}

func inListOf(path string) func(string) bool {
	stem := path[:strings.LastIndexByte(path, '[')+1]
	return func(p string) bool { return strings.HasPrefix(p, stem) }
}

// prove reads the changed file back: values of other paths than those that may change are
// what they were. Else the file is as before.
func (d *Draft) prove(old []byte, may func(path string) bool) error {
	before := &Draft{name: d.name, names: d.names, content: old}
	err := errors.Join(before.read(), d.read())
	if err == nil {
		a, b := before.flat(may), d.flat(may)
		if !slices.Equal(a, b) {
			err = errors.New("other values differ")
		}
	}
	if err != nil {
		d.content = old
		return errors.Join(fmt.Errorf("read back: %w", err), d.read())
	}
	return nil
}

func (d *Draft) flat(but func(path string) bool) (all []string) {
	for i, v := range d.values {
		if !but(v.path) {
			all = append(all, fmt.Sprintf("%s %c %x", v.path, v.typ, d.content[v.at:v.at+d.size(i)]))
		}
	}
	return all
}

// size is how many bytes of a value are compared: embedded prototypes have values of their own.
func (d *Draft) size(i int) int {
	if d.values[i].typ == 'R' {
		return 1
	}
	return 8
}

// parse returns the bits of a value.
func (d *Draft) parse(v *draftValue, text string, dangling bool) (uint64, error) {
	wrong := func(want string) error {
		return fmt.Errorf("%w: %s: %q: want %s", ErrValue, v.path, text, want)
	}
	switch v.typ {
	case 'D':
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, wrong("a number")
		}
		return math.Float64bits(f), nil
	case 'L':
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, wrong("an integer of 64 bits")
		}
		return uint64(n), nil
	case 'B':
		b, err := strconv.ParseBool(strings.ToLower(text))
		if err != nil {
			return 0, wrong("1 or 0")
		}
		if b {
			return 1, nil
		}
		return 0, nil
	}
	if text == "none" || text == "" {
		return 0, nil
	}
	id, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 64)
	isID := err == nil && len(strings.TrimPrefix(text, "0x")) == 16
	switch v.typ {
	case 'S':
		if !isID {
			return 0, wrong("the id of a text, 16 digits")
		}
		return id, nil
	case 'A':
		all := d.names.assetsOf(v.subtype)
		var known []string
		for _, a := range all {
			if a.Name == text || isID && a.ID == id {
				return a.ID, nil
			}
			known = append(known, a.Name)
		}
		if isID && dangling {
			return id, nil
		}
		if len(known) == 0 {
			return 0, wrong("an asset of a type that the archive lacks")
		}
		return 0, wrong("one of " + strings.Join(known[:min(len(known), 20)], ", "))
	}
	if !isID {
		for _, s := range EntrySymbols(text) {
			if s.Space == spaceOf(v.typ) {
				id, isID = s.ID.Lo, true
			}
		}
	}
	switch {
	case !isID:
		return 0, wrong(fmt.Sprintf("the path of a %s, as Calligraphy/...", spaceOf(v.typ)))
	case !dangling && d.names.path(spaceOf(v.typ), id) == "":
		return 0, fmt.Errorf("%w: %s: no %s %s in the archive", codecs.ErrNotFound, v.path, spaceOf(v.typ), text)
	}
	return id, nil
}

// Around returns the content with zeros in place of its values.
func (d *Draft) Around() string {
	out := slices.Clone(d.content)
	for i := range d.values {
		if at := d.values[i].at; d.values[i].typ != 'R' {
			clear(out[at : at+8])
		}
	}
	return string(out)
}
