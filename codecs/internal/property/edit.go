package property

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/glob"
)

// Draft changes the values of one export. Every change is read back: it fails, and
// changes nothing, unless the new bytes have the value that was asked for and as much of
// the export is understood as before. Positions of nodes are those of [Draft.List], until
// the next change.
type Draft struct {
	d      *Decoder
	index  int
	data   []byte
	export Export
	first  int // end of the list as it was read
}

// Edit begins to change export i, whose bytes are data. It fails where the list of the
// export cannot be read. The tables that the decoder was made with are extended by what
// values need: see [Decoder.Added].
func (d *Decoder) Edit(i int, data []byte) (*Draft, error) {
	e := &Draft{d: d, index: i, data: data}
	e.export.List.placed = true
	d.Export(&e.export, i, data)
	if e.export.Status == Lost {
		return nil, refuse("a list that cannot be read: %w", e.export.Why)
	}
	e.first = e.export.End
	e.learn()
	return e, nil
}

// RestrictImports has canImport asked before an object of a package becomes a new import.
func (d *Decoder) RestrictImports(canImport func(pkg string) error) { d.canImport = canImport }

// Export returns what the bytes say now.
func (e *Draft) Export() *Export { return &e.export }

// List returns the values.
func (e *Draft) List() *List { return &e.export.List }

// Data returns the bytes of the export now.
func (e *Draft) Data() []byte { return e.data }

// Target is a value that [Draft.Find] found.
type Target struct {
	l  *List // the export's, or elements of a packed array
	at int
	// parent is the struct or array that lacks the value, where at is -1, and name and index
	// are those of the field.
	parent int
	name   string
	index  int32
}

// Exists reports whether the export has the value. A field that it has not inherits it.
func (t Target) Exists() bool { return t.at >= 0 }

// Node returns the position of the value in the list of the export, -1 for none: an element
// of a packed array has no node.
func (e *Draft) Node(t Target) int {
	if t.l != &e.export.List {
		return -1
	}
	return t.at
}

// Shown returns the value as [Decoder.Value] has it, "" where it is inherited, "null" for an
// optional value that is not set.
func (e *Draft) Shown(t Target) any {
	if t.at < 0 {
		return ""
	}
	if n := &t.l.Nodes[t.at]; n.Kind == Optional && n.Bits == 1 {
		return e.d.Value(t.l, t.at+1)
	} else if n.Kind == Optional {
		return "null"
	}
	return e.d.Value(t.l, t.at)
}

// TextKey returns the key by which a game looks a text up; ok is false for values without.
func (e *Draft) TextKey(t Target) (namespace, key string, ok bool) {
	if t.at < 0 || t.l != &e.export.List || t.l.Nodes[t.at].Kind != Text {
		return "", "", false
	}
	space, at := t.l.Find(t.at, "Namespace", 0), t.l.Find(t.at, "Key", 0)
	if space < 0 || at < 0 || t.l.Nodes[at].Text == "" {
		return "", "", false
	}
	return t.l.Nodes[space].Text, t.l.Nodes[at].Text, true
}

// Kind returns the kind of the value.
func (e *Draft) Kind(t Target) Kind {
	if t.at < 0 {
		return Unknown
	}
	return t.l.Nodes[t.at].Kind
}

// Find returns the value at a path as [Decoder.Walk] yields it, "Stats.Damage" or
// "Rows[Rifle].Cost", or a struct or container on the way to one. A field that its struct
// does not have is found as one that can be added, if its type is known. The error has the
// nearest names.
func (e *Draft) Find(path string) (Target, error) {
	if path == "" {
		return Target{}, fmt.Errorf("%w: no field", ErrValue)
	}
	t, known := e.find(&e.export.List, -1, Struct, path)
	if known == nil {
		return t, nil
	}
	return t, &NoFieldError{path, glob.Nearest(path, known)}
}

// NoFieldError says that an export has no value at a path. It unwraps to
// [codecs.ErrNotFound].
type NoFieldError struct {
	Path string
	Near []string // paths that are like it
}

func (e *NoFieldError) Error() string { return "no field " + e.Path }

func (e *NoFieldError) Unwrap() error { return codecs.ErrNotFound }

// find looks for rest below a node. Where there is none it returns the paths that there
// are.
func (e *Draft) find(l *List, parent int, kind Kind, rest string) (Target, []string) {
	known := []string{}
	removed, position, key := 0, 0, -1
	if kind == Set || kind == Map {
		removed = int(l.Nodes[parent].Bits)
	}
	for i, n := range l.Children(parent) {
		var part []byte
		switch {
		case removed > 0:
			removed--
			continue
		case kind == Map && key < 0:
			key = i
			continue
		case kind == Map:
			part = append(e.d.AppendKey([]byte{'['}, l, key), ']')
			key = -1
		case kind == Array || kind == Set:
			part = fmt.Appendf(nil, "[%d]", position)
			position++
		default:
			part = appendField(nil, n)
		}
		known = append(known, string(part))
		after, ok := cutFold(rest, string(part))
		if !ok {
			continue
		}
		if after == "" && n.Name != "" || after == "" && len(part) > 0 {
			return Target{l: l, at: i, parent: parent}, nil
		}
		if len(part) > 0 && after[0] != '.' && after[0] != '[' {
			continue
		}
		if t, below := e.findBelow(l, i, strings.TrimPrefix(after, ".")); below == nil {
			return t, nil
		} else {
			for _, b := range below {
				if b == "" || b[0] != '[' && len(part) > 0 {
					b = "." + b
				}
				known = append(known, string(part)+b)
			}
		}
	}
	if kind == Struct && l == &e.export.List {
		if t, ok := e.findAbsent(parent, rest); ok {
			return t, nil
		}
	}
	return Target{}, known
}

// findBelow looks for rest in a struct or container.
func (e *Draft) findBelow(l *List, i int, rest string) (Target, []string) {
	n := &l.Nodes[i]
	if n.Flags&Packed == 0 {
		return e.find(l, i, n.Kind, rest)
	}
	elements := l.Unpack(i, 0, int(n.Bits))
	position := 0
	for at := range elements.Children(-1) {
		after, ok := strings.CutPrefix(rest, fmt.Sprintf("[%d]", position))
		position++
		if !ok {
			continue
		}
		if after == "" {
			return Target{l: elements, at: at, parent: i}, nil
		}
		return e.find(elements, at, Struct, strings.TrimPrefix(after, "."))
	}
	return Target{}, []string{fmt.Sprintf("[0] to [%d]", n.Bits-1)}
}

// cutFold cuts a prefix, without case.
func cutFold(s, prefix string) (after string, ok bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// findAbsent returns a field of a list that the list does not have.
func (e *Draft) findAbsent(parent int, path string) (Target, bool) {
	p := e.export.List.placeOf(parent)
	name, index := path, int32(0)
	if at := strings.IndexByte(path, '['); at > 0 {
		if _, err := fmt.Sscanf(path[at:], "[%d]", &index); err != nil {
			return Target{}, false
		}
		name = path[:at]
	}
	t := Target{l: &e.export.List, at: -1, parent: parent, name: name, index: index}
	fields := p.slots
	if parent >= 0 && e.export.List.Nodes[parent].Flags&Zero != 0 {
		n := &e.export.List.Nodes[parent]
		if n.Kind != Struct || n.Type.native != nil {
			return t, false
		}
		fields, _ = e.d.slotsOf(n.Type.Path, n.Type.Name)
		p = &place{form: formPositions}
	}
	switch p.form {
	case formPositions:
		return t, slices.ContainsFunc(fields, func(s slot) bool {
			return s.field != nil && strings.EqualFold(s.field.Name, name) && s.index == index
		})
	case formTagged:
		typ, _ := e.fieldType(parent, name)
		isElement := name != path && typ != nil && (typ.Kind == Array || typ.Kind == Set || typ.Kind == Map)
		return t, typ != nil && !isElement
	}
	return t, false
}

// learn keeps the types that tags state of fields, for lists of the same class or struct
// that lack the field.
func (e *Draft) learn() {
	if e.d.ver.schemas {
		return
	}
	if e.d.tagTypes == nil {
		e.d.tagTypes = map[[2]string]*Type{}
	}
	l := &e.export.List
	_, class := e.owner(-1)
	type level struct {
		end   int32
		owner string
	}
	stack := []level{{int32(len(l.Nodes)), class}}
	for i := range l.Nodes {
		n := &l.Nodes[i]
		for stack[len(stack)-1].end <= int32(i) {
			stack = stack[:len(stack)-1]
		}
		if l.places[i].tagged && n.Kind != Opaque {
			e.d.tagTypes[[2]string{strings.ToLower(stack[len(stack)-1].owner), strings.ToLower(n.Name)}] = n.Type
		}
		if n.Kind == Struct && n.Next > int32(i+1) {
			stack = append(stack, level{n.Next, n.Type.Name})
		}
	}
}

// owner returns the class or struct whose list a node has.
func (e *Draft) owner(node int) (path, name string) {
	if node >= 0 {
		t := e.export.List.Nodes[node].Type
		return t.Path, t.Name
	}
	x := &e.d.pkg.Exports[e.index]
	switch {
	case e.d.classic != nil && e.d.classic.code[e.index] != nil: // defaults of the class itself
		return "", e.d.pkg.NameOf(x.Name)
	case x.Class != 0:
		return e.d.Declared(x.Class)
	}
	return "/Script/CoreUObject", "Class"
}

// fieldType returns the type of a field of the list of a node: as another list of the package
// has it in a tag, or as schemas state it.
func (e *Draft) fieldType(parent int, name string) (t *Type, fromTag bool) {
	path, owner := e.owner(parent)
	if owner == "" {
		return nil, false
	}
	if t := e.d.tagTypes[[2]string{strings.ToLower(owner), strings.ToLower(name)}]; t != nil {
		return t, true
	}
	if e.d.classic != nil {
		if parent >= 0 {
			return nil, false
		}
		return e.declaredOld(name), false
	}
	p := parser{d: e.d, v: &e.d.ver, work: 1 << 20}
	return fieldNamed(&p, path, owner, name), false
}

// splice is a range of the export's bytes and what takes its place.
type splice struct {
	from, to int
	data     []byte
}

// change is what an edit does to the bytes. owner is the node whose value has all splices,
// -1 for the export; patches are numbers of a few bytes that change in place.
type change struct {
	owner   int
	splices []splice
	patches []splice
}

// count adds to the number of elements of a container.
func (e *Draft) count(c *change, at, by int) error {
	place := e.export.List.placeOf(at)
	if place.count == 0 {
		return refuse("elements of %s: their number is not stored as that of others", e.export.List.Nodes[at].Name)
	}
	if e.d.compact() {
		e.countCompact(c, place.count, by)
		return nil
	}
	n := e.d.order().Uint32(e.data[place.count:])
	c.patch(int(place.count), appendNumber(nil, Int, uint64(int64(int32(n))+int64(by)), e.d.order()))
	return nil
}

func (c *change) patch(at int, b []byte) {
	c.patches = append(c.patches, splice{at, at + len(b), b})
}

// owned is a splice of the value of a node, -1 for the export. Of those at one place the lowest
// order comes first.
type owned struct {
	splice
	owner, order int
}

// rewritten makes the new bytes and reads them. Values that grow are longer by their sizes, too.
func (e *Draft) rewritten(splices []owned, patches []splice) ([]byte, Export) {
	order := e.d.order()
	data := bytes.Clone(e.data)
	grown := map[int]int{}
	for _, s := range splices {
		for _, i := range e.ancestors(s.owner) {
			grown[i] += len(s.data) - (s.to - s.from)
		}
	}
	add := func(at int32, by int) {
		if at > 0 && by != 0 {
			order.PutUint32(data[at:], uint32(int64(order.Uint32(data[at:]))+int64(by)))
		}
	}
	if e.d.compact() {
		splices, patches = e.packSizes(splices, patches, grown)
		clear(grown)
	}
	for i, by := range grown {
		add(e.export.List.places[i].size, by)
		add(e.export.List.places[i].inner, by)
	}
	for _, p := range patches {
		copy(data[p.from:p.to], p.data)
	}
	// An array that is replaced as a whole has its new count and sizes.
	slices.SortStableFunc(splices, func(a, b owned) int {
		return cmp.Or(cmp.Compare(b.from, a.from), cmp.Compare(b.to, a.to), cmp.Compare(b.order, a.order))
	})
	for _, s := range splices {
		data = slices.Replace(data, s.from, s.to, s.data...)
	}
	next := Export{List: List{placed: true}}
	e.d.Export(&next, e.index, data)
	return data, next
}

// apply makes the new bytes and reads them. check says whether they have what was asked
// for.
func (e *Draft) apply(c *change, check func(l *List) error) error {
	var splices []owned
	for _, s := range c.splices {
		splices = append(splices, owned{s, c.owner, 0})
	}
	data, next := e.rewritten(splices, c.patches)
	if err := e.worse(&next); err != nil {
		return err
	}
	if check != nil {
		if err := check(&next.List); err != nil {
			return err
		}
	}
	e.data, e.export = data, next
	return nil
}

// worse returns an error where less of the new bytes is understood.
func (e *Draft) worse(next *Export) error {
	was := &e.export
	switch {
	case next.Status != was.Status || next.Tail != was.Tail || (next.Why == nil) != (was.Why == nil):
		return refuse("the new bytes would not be read back: %s with %d bytes left, was %s with %d (%v)", next.Status, next.Tail, was.Status, was.Tail, next.Why)
	case next.Coverage.Opaque > was.Coverage.Opaque || next.Coverage.Guessed > was.Coverage.Guessed:
		return refuse("the new bytes would not be read back: a value in them is not understood")
	}
	return nil
}

// ancestors returns a node and those that it is in, the innermost last.
func (e *Draft) ancestors(at int) (chain []int) {
	l := &e.export.List
	for parent := -1; at >= 0; {
		for i := range l.Children(parent) {
			if at >= i && at < int(l.Nodes[i].Next) {
				chain, parent = append(chain, i), i
				break
			}
		}
		if parent < 0 || parent == at {
			break
		}
	}
	return chain
}

// parentOf returns the node that a node is directly in, -1 for the export.
func (e *Draft) parentOf(at int) int {
	chain := e.ancestors(at)
	if len(chain) < 2 {
		return -1
	}
	return chain[len(chain)-2]
}

// Set gives a value another one, as text: numbers and texts as they are, true and false,
// members of enums by their names, objects by their paths. A field that the struct does not
// have is added.
func (e *Draft) Set(t Target, text string) error {
	l := &e.export.List
	if t.at < 0 {
		return e.add(t, text)
	}
	n := &t.l.Nodes[t.at]
	w := encoder{e.d, e.data, t.l, e.d.order()}
	if t.l != l { // an element of a packed array
		b, err := w.value(nil, n.Type, t.at, true, text)
		if err != nil || len(b) != int(n.Size) {
			return cmp.Or(err, refuse("%s as a whole: set its fields", n.Type))
		}
		c := change{owner: -1}
		c.patch(int(n.Offset), b)
		return e.apply(&c, nil)
	}
	if err := e.editable(t.at); err != nil {
		return err
	}
	place := &l.places[t.at]
	if n.Kind == Bool && place.tagged {
		return e.setTaggedBool(t.at, text)
	}
	parent := e.parentOf(t.at)
	inside := e.inside(parent)
	if n.Flags&Zero != 0 {
		if parent >= 0 && l.Nodes[parent].Flags&Zero != 0 {
			return e.setInZero(t, parent, text)
		}
		return e.setZero(t.at, parent, text)
	}
	// The encoding of the unchanged value must equal the bytes in the file.
	if err := e.provable(t.at, inside); err != nil {
		return err
	}
	b, err := w.value(nil, n.Type, t.at, inside, text)
	if err != nil {
		return err
	}
	old := e.data[n.Offset : n.Offset+n.Size]
	if bytes.Equal(b, old) || e.plain(l, t.at) == text {
		return nil
	}
	c := change{owner: t.at, splices: []splice{{int(n.Offset), int(n.Offset + n.Size), b}}}
	if !inside && l.placeOf(parent).form == formPositions && isZeroNumber(n.Kind, b) {
		c.splices[0].data, c.owner = nil, parent
		if err := e.state(&c, parent, t.at, slotZero); err != nil {
			return err
		}
		return e.apply(&c, nil)
	}
	return e.apply(&c, func(next *List) error { return e.same(next, t.at, inside, b) })
}

// inside reports whether a node's values are stored as elements of containers and fields of
// binary structs are.
func (e *Draft) inside(parent int) bool { return e.export.List.placeOf(parent).form == formNone }

// isZeroNumber reports a value that lists without tags state by a bit.
func isZeroNumber(k Kind, b []byte) bool {
	return (k.size() > 0 || k == Enum || k.IsReference()) && !slices.ContainsFunc(b, func(c byte) bool { return c != 0 })
}

// editable refuses values by which others are read, and those that are not understood.
func (e *Draft) editable(at int) error {
	n := &e.export.List.Nodes[at]
	chain := e.ancestors(at)
	top := chain[0]
	guessed := slices.ContainsFunc(chain, func(i int) bool { return e.export.List.Nodes[i].Flags&Guessed != 0 })
	switch name := e.export.List.Nodes[top].Name; {
	case e.d.classic != nil && guessed:
		return refuse("%s: the type of its elements is guessed, as the class that declares it is in another package", name)
	case n.Kind == Opaque:
		return refuse("%s: its bytes are not understood: %s", n.Name, n.Text)
	case strings.EqualFold(name, "RowStruct") && e.export.List.Find(-1, "Rows", 0) >= 0, strings.EqualFold(name, "Status") && e.export.Schema != nil:
		return refuse("%s: what follows is read by it", name)
	case e.export.List.Nodes[top].Flags&ClassData != 0 && name != "Rows" && name != "TableNamespace" && name != "KeysToEntries" && name != "DefaultProperties":
		return refuse("%s: data of the class", name)
	}
	return nil
}

// provable checks that the value that is there would be written as it is.
func (e *Draft) provable(at int, inside bool) error {
	l := &e.export.List
	n := &l.Nodes[at]
	switch n.Kind {
	case Str, Utf8Str, AnsiStr, VerseStr, Text, SoftObject, SoftClass, AssetObject, AssetClass, Struct, Float, Double, Optional, Delegate:
		// Texts may be stored as UTF-16 that need not be, and NaN has many forms: the new
		// value is checked instead.
		if n.Size > 0 {
			return nil
		}
		return refuse("%s: it is not stored as others are", n.Name)
	case Array, Set, Map:
		return refuse("%s as a whole: set, add or remove its elements", n.Type)
	}
	w := encoder{e.d, e.data, l, e.d.order()}
	b, err := w.value(nil, n.Type, at, inside, e.plain(l, at))
	if err != nil || !bytes.Equal(b, e.data[n.Offset:n.Offset+n.Size]) {
		return refuse("%s: it is not stored as others are", n.Name)
	}
	return nil
}

// plain returns a value as [encoder.value] takes it.
func (e *Draft) plain(l *List, at int) string {
	n := &l.Nodes[at]
	if n.Kind.IsReference() {
		if n.Bits == 0 {
			return "None"
		}
	}
	return fmt.Sprint(e.Shown(Target{l: l, at: at}))
}

// Encode returns the bytes of a value as Set would write it, as it is, and the bytes that the
// export has. They are the same but for texts that another program stored as UTF-16 without
// need, empty ones that it stored with their NUL, and NaN.
func (e *Draft) Encode(t Target) (made, stored []byte, err error) {
	if t.at < 0 {
		return nil, nil, &NoFieldError{Path: t.name}
	}
	n := &t.l.Nodes[t.at]
	if t.l == &e.export.List {
		if err := e.editable(t.at); err != nil {
			return nil, nil, err
		}
		if at := e.export.List.places[t.at].flag; n.Kind == Bool && e.export.List.places[t.at].tagged {
			return e.data[at : at+1], e.data[at : at+1], nil
		}
	}
	w := encoder{e.d, e.data, t.l, e.d.order()}
	made, err = w.value(nil, n.Type, t.at, t.l != &e.export.List || e.inside(e.parentOf(t.at)), e.plain(t.l, t.at))
	return made, e.data[n.Offset : n.Offset+n.Size], err
}

// same checks that a node of the new list has the bytes that were meant for it.
func (e *Draft) same(next *List, at int, inside bool, b []byte) error {
	if at >= len(next.Nodes) {
		return refuse("the new bytes would not be read back")
	}
	n := &next.Nodes[at]
	if int(n.Size) != len(b) || n.Kind != e.export.List.Nodes[at].Kind || !bytes.Equal(next.data[n.Offset:n.Offset+n.Size], b) {
		return refuse("the new bytes would be read back as another value")
	}
	return nil
}

func (e *Draft) setTaggedBool(at int, text string) error {
	n := &e.export.List.Nodes[at]
	v, err := parseBool(n.Type, text)
	if err != nil || v == n.Bits {
		return err
	}
	flag := e.export.List.places[at].flag
	b := byte(v)
	switch {
	case e.d.compact():
		b = e.data[flag] ^ packedTrue
	case e.d.ver.ue5 >= typeNames:
		b = e.data[flag] ^ tagTrue
	}
	c := change{owner: -1}
	c.patch(int(flag), []byte{b})
	return e.apply(&c, func(next *List) error {
		if next.Nodes[at].Bits != v {
			return refuse("the new bytes would be read back as another value")
		}
		return nil
	})
}

// state rewrites the header of a list without tags for another state of the position of a
// node.
func (e *Draft) state(c *change, parent, at int, to slotState) error {
	position, err := e.positionOf(parent, &e.export.List.Nodes[at])
	if err != nil {
		return err
	}
	return e.stateAt(c, parent, position, to)
}

// positionOf returns the position of a field in a list without tags.
func (e *Draft) positionOf(parent int, n *Node) (int, error) {
	i := slices.IndexFunc(e.export.List.placeOf(parent).slots, func(s slot) bool {
		return s.field != nil && strings.EqualFold(s.field.Name, n.Name) && s.index == n.Index
	})
	if i < 0 {
		return 0, refuse("%s: its position is not known", n.Name)
	}
	return i, nil
}

// states returns those of the positions of a list without tags.
func (e *Draft) states(parent int) []slotState {
	place := e.export.List.placeOf(parent)
	return readStates(e.data[place.head:place.end], len(place.slots), e.d.order())
}

// header returns what makes the header of a list without tags say these states.
func (e *Draft) header(parent int, now []slotState) (splice, error) {
	place := e.export.List.placeOf(parent)
	made := rewriteHeader(e.data[place.head:place.end], e.states(parent), now, e.d.order())
	if made == nil {
		return splice{}, refuse("a list whose header is not as the engine makes it")
	}
	return splice{int(place.head), int(place.end), made}, nil
}

func (e *Draft) stateAt(c *change, parent, position int, to slotState) error {
	now := e.states(parent)
	now[position] = to
	s, err := e.header(parent, now)
	if err == nil {
		c.splices = append(c.splices, s)
	}
	return err
}

// setZero gives a value bytes that a list states by a bit.
func (e *Draft) setZero(at, parent int, text string) error {
	l := &e.export.List
	n := &l.Nodes[at]
	w := encoder{e.d, e.data, l, e.d.order()}
	b, err := w.value(nil, n.Type, -1, false, text)
	if err != nil || isZeroNumber(n.Kind, b) || text == e.plain(l, at) {
		return err
	}
	c := change{owner: parent, splices: []splice{{int(n.Offset), int(n.Offset), b}}}
	if err := e.state(&c, parent, at, slotStored); err != nil {
		return err
	}
	return e.apply(&c, nil)
}

// setInZero sets a field of a struct that a list states by a bit: all its fields are stored
// from then on.
func (e *Draft) setInZero(t Target, parent int, text string) error {
	if err := e.store(parent); err != nil {
		return err
	}
	return e.Set(Target{l: &e.export.List, at: t.at, parent: t.parent}, text)
}

// store gives a struct of zeros, or an empty container, bytes: all its fields are stored
// then, as zeros.
func (e *Draft) store(at int) error {
	l := &e.export.List
	n := &l.Nodes[at]
	outer := e.parentOf(at)
	if outer >= 0 && l.Nodes[outer].Flags&Zero != 0 {
		if err := e.store(outer); err != nil {
			return err
		}
		n = &e.export.List.Nodes[at]
		if n.Flags&Zero == 0 {
			return nil
		}
	}
	var b []byte
	switch {
	case n.Kind == Array:
		b = make([]byte, 4)
	case n.Kind == Set || n.Kind == Map:
		b = make([]byte, 8)
	case n.Kind != Struct || n.Type.native != nil && n.Type.native.layout == nil:
		return refuse("a part of the zero %s", n.Type)
	case n.Type.native != nil:
		b = make([]byte, n.Type.native.layout.size(e.d.ver.wide))
	default:
		all, err := e.d.slotsOf(n.Type.Path, n.Type.Name)
		if err != nil {
			return err
		}
		b = appendHeader(nil, slices.Repeat([]slotState{slotZero}, len(all)), e.d.order())
	}
	c := change{owner: outer, splices: []splice{{int(n.Offset), int(n.Offset), b}}}
	if err := e.state(&c, outer, at, slotStored); err != nil {
		return err
	}
	return e.apply(&c, nil)
}

// add gives a list a field.
func (e *Draft) add(t Target, text string) error {
	l := &e.export.List
	if t.parent >= 0 && l.Nodes[t.parent].Flags&Zero != 0 {
		if err := e.store(t.parent); err != nil {
			return err
		}
		at := e.export.List.Find(t.parent, t.name, t.index)
		if at < 0 {
			return refuse("%s: a field of the zero %s", t.name, e.export.List.Nodes[t.parent].Type)
		}
		return e.Set(Target{l: &e.export.List, at: at, parent: t.parent}, text)
	}
	place := l.placeOf(t.parent)
	w := encoder{e.d, e.data, l, e.d.order()}
	c := change{owner: t.parent}
	if place.form == formPositions {
		position := slices.IndexFunc(place.slots, func(s slot) bool {
			return s.field != nil && strings.EqualFold(s.field.Name, t.name) && s.index == t.index
		})
		b, err := w.value(nil, place.slots[position].field.Type, -1, false, text)
		if err != nil {
			return err
		}
		at, to := e.positionOffset(t.parent, position), slotStored
		if isZeroNumber(place.slots[position].field.Type.Kind, b) {
			b, to = nil, slotZero
		}
		c.splices = append(c.splices, splice{at, at, b})
		if err := e.stateAt(&c, t.parent, position, to); err != nil {
			return err
		}
		return e.applyAdded(&c, t)
	}
	typ, fromTag := e.fieldType(t.parent, t.name)
	if typ == nil {
		return &NoFieldError{Path: t.name}
	}
	tagged := func() ([]byte, error) { return w.tagged(t.name, typ, fromTag, t.index, text) }
	if e.d.classic != nil {
		tagged = func() ([]byte, error) { return w.oldTagged(t.name, typ, t.index, text) }
	}
	b, err := tagged()
	if err != nil {
		return err
	}
	c.splices = append(c.splices, splice{int(place.end), int(place.end), b})
	return e.applyAdded(&c, t)
}

// applyAdded applies a change that adds one field.
func (e *Draft) applyAdded(c *change, t Target) error {
	return e.apply(c, func(next *List) error {
		if next.Find(t.parent, t.name, t.index) < 0 || len(next.Nodes) <= len(e.export.List.Nodes) {
			return refuse("the new bytes would not be read back: %s is not in them", t.name)
		}
		return nil
	})
}

// positionOffset returns where the value of an absent position belongs.
func (e *Draft) positionOffset(parent, position int) int {
	l := &e.export.List
	place := l.placeOf(parent)
	states := readStates(e.data[place.head:place.end], len(place.slots), e.d.order())
	at := -1
	for i := range l.Children(parent) {
		for at++; at < len(states) && (states[at] == slotAbsent || place.slots[at].field == nil); at++ {
		}
		if at > position {
			return int(l.Nodes[i].Offset)
		}
	}
	return e.listEnd(parent)
}

// listEnd returns where the list of a node ends.
func (e *Draft) listEnd(at int) int {
	if at < 0 {
		return e.export.End
	}
	n := &e.export.List.Nodes[at]
	return int(n.Offset + n.Size)
}

// Remove removes a field, which is inherited from then on, an element, or an entry of a map
// or table.
func (e *Draft) Remove(t Target) error {
	l := &e.export.List
	switch {
	case t.at < 0:
		return &NoFieldError{Path: t.name}
	case t.l != l:
		return e.removePacked(t)
	}
	if err := e.editable(t.at); err != nil {
		return err
	}
	n, place := &l.Nodes[t.at], l.places[t.at]
	parent := e.parentOf(t.at)
	c := change{owner: parent}
	left := len(l.Nodes) - (int(n.Next) - t.at)
	switch form := l.placeOf(parent).form; {
	case place.tagged && form == formTagged:
		c.splices = []splice{{int(place.tag), int(n.Offset + n.Size), nil}}
	case form == formPositions:
		c.splices = []splice{{int(n.Offset), int(n.Offset + n.Size), nil}}
		if err := e.state(&c, parent, t.at, slotAbsent); err != nil {
			return err
		}
	case parent >= 0 && (l.Nodes[parent].Kind == Array || l.Nodes[parent].Kind == Set):
		c.splices = []splice{{int(n.Offset), int(n.Offset + n.Size), nil}}
		if err := e.count(&c, parent, -1); err != nil {
			return err
		}
	case parent >= 0 && l.Nodes[parent].Kind == Map:
		key := e.keyOf(parent, t.at)
		c.splices = []splice{{int(l.Nodes[key].Offset), int(n.Offset + n.Size), nil}}
		left -= int(l.Nodes[key].Next) - key
		if err := e.count(&c, parent, -1); err != nil {
			return err
		}
	default:
		return refuse("%s: a field of a struct that always has it", n.Name)
	}
	return e.apply(&c, func(next *List) error {
		if len(next.Nodes) != left && !(parent >= 0 && next.Nodes[parent].Flags&Packed != 0) {
			return refuse("the new bytes would not be read back: %d values, not %d", len(next.Nodes), left)
		}
		return nil
	})
}

func (e *Draft) removePacked(t Target) error {
	n := &t.l.Nodes[t.at]
	if !e.isElement(t) {
		return refuse("%s: a field of a struct that always has it", n.Name)
	}
	c := change{owner: t.parent, splices: []splice{{int(n.Offset), int(n.Offset + n.Size), nil}}}
	if err := e.count(&c, t.parent, -1); err != nil {
		return err
	}
	return e.apply(&c, nil)
}

// isElement reports an element of a packed array, and not a field of one.
func (e *Draft) isElement(t Target) bool { return t.l.Nodes[t.at].Name == "" }

// keyOf returns the key of a value of a map.
func (e *Draft) keyOf(parent, at int) int {
	last := -1
	for i := range e.export.List.Children(parent) {
		if i == at {
			return last
		}
		last = i
	}
	return last
}

// Append adds an element to an array or set. It is the value of the text or, where the text
// is "", a copy of the last element, as structs need it.
func (e *Draft) Append(t Target, text string) error {
	l := &e.export.List
	if t.at < 0 || t.l != l || l.Nodes[t.at].Kind != Array && l.Nodes[t.at].Kind != Set {
		return fmt.Errorf("%w: only arrays and sets take elements", ErrValue)
	}
	if err := e.editable(t.at); err != nil {
		return err
	}
	n := &l.Nodes[t.at]
	if n.Flags&Zero != 0 {
		if err := e.store(t.at); err != nil {
			return err
		}
		l, n = &e.export.List, &e.export.List.Nodes[t.at]
	}
	end := int(n.Offset + n.Size)
	var b []byte
	last := -1
	for i := range l.Children(t.at) {
		last = i
	}
	if text == "" && last >= 0 {
		b = bytes.Clone(e.data[l.Nodes[last].Offset : l.Nodes[last].Offset+l.Nodes[last].Size])
	} else {
		var err error
		w := encoder{e.d, e.data, l, e.d.order()}
		like := last
		if last >= 0 && l.Nodes[last].Kind == Text {
			like = -1
		}
		if b, err = w.value(nil, n.Type.Elem, like, true, text); err != nil {
			return err
		}
	}
	return e.applyLonger(&change{owner: t.at, splices: []splice{{end, end, b}}})
}

// Copy adds an entry to a map or a row to a table: a copy of one that it has, under another
// key.
func (e *Draft) Copy(t Target, key string) error {
	l := &e.export.List
	parent, err := e.mapOf(t, key)
	if err != nil {
		return err
	}
	if err := e.editable(t.at); err != nil {
		return err
	}
	k, n := e.keyOf(parent, t.at), &l.Nodes[t.at]
	w := encoder{e.d, e.data, l, e.d.order()}
	b, err := w.value(nil, l.Nodes[k].Type, k, true, key)
	if err != nil {
		return err
	}
	b = append(b, e.data[n.Offset:n.Offset+n.Size]...)
	end := int(l.Nodes[parent].Offset + l.Nodes[parent].Size)
	return e.applyLonger(&change{owner: parent, splices: []splice{{end, end, b}}})
}

// applyLonger applies a change that adds one element to its owner.
func (e *Draft) applyLonger(c *change) error {
	if err := e.count(c, c.owner, 1); err != nil {
		return err
	}
	want := e.export.List.Count(c.owner) + 1
	return e.apply(c, func(next *List) error {
		if next.Count(c.owner) != want {
			return refuse("the new bytes would not be read back")
		}
		return nil
	})
}

// Rename gives an entry of a map or a row of a table another key.
func (e *Draft) Rename(t Target, key string) error {
	l := &e.export.List
	parent, err := e.mapOf(t, key)
	if err != nil {
		return err
	}
	return e.Set(Target{l: l, at: e.keyOf(parent, t.at), parent: parent}, key)
}

// LastKey returns the key of the last entry of a map that other does not pass over, "" if it has none.
func (e *Draft) LastKey(at int, other func(key string) bool) (last string) {
	i := 0
	for k := range e.export.List.Children(at) {
		if i++; i%2 == 0 {
			continue
		}
		if key := string(e.d.AppendKey(nil, &e.export.List, k)); !other(key) {
			last = key
		}
	}
	return last
}

// mapOf returns the map whose entry a target is. It fails where that has the key already.
func (e *Draft) mapOf(t Target, key string) (parent int, err error) {
	l := &e.export.List
	parent = -1
	if t.at >= 0 && t.l == l {
		parent = e.parentOf(t.at)
	}
	if parent < 0 || l.Nodes[parent].Kind != Map {
		return -1, fmt.Errorf("%w: only entries of maps and rows of tables have keys", ErrValue)
	}
	i := 0
	for at := range l.Children(parent) {
		if i++; i%2 == 1 && strings.EqualFold(string(e.d.AppendKey(nil, l, at)), key) {
			return -1, fmt.Errorf("%w: there is already an entry %s", ErrValue, key)
		}
	}
	return parent, nil
}

// tagged returns a tag and a value. fromTag says that the type is that of another tag.
func (w *encoder) tagged(name string, t *Type, fromTag bool, index int32, text string) ([]byte, error) {
	var value []byte
	var flags byte
	switch {
	case fromTag:
	case t.Kind == Class: // tags have the kinds that these are made of
		t = typeObject
	case t.Kind == SoftClass:
		t = typeSoft
	case t.Kind == Enum && t.Elem == typeByte: // of a byte with an enum, see readFieldType
		t = NewType(Byte, t.Name, t.Path, nil, nil)
	case t.Kind == Enum && (t.Elem == nil || t.Elem.Kind == Byte):
		return nil, refuse("%s: a new enum, which mappings do not distinguish from a byte", name)
	}
	if t.Kind == Bool {
		b, err := parseBool(t, text)
		if err != nil {
			return nil, err
		}
		flags = byte(b) * tagTrue
	} else {
		var err error
		// In tags enums are names, whatever schemas say of their numbers.
		if value, err = w.value(nil, t, -1, true, text); err != nil {
			return nil, err
		}
	}
	dst, err := w.tag(nil, name, t, index, flags, len(value))
	return append(dst, value...), err
}

// tag appends the tag of a value of size bytes. flags are as from UE5 1012 on.
func (w *encoder) tag(dst []byte, name string, t *Type, index int32, flags byte, size int) ([]byte, error) {
	v := &w.d.ver
	dst = w.word(dst, name)
	if v.ue5 >= typeNames {
		dst, err := w.typeName(dst, t)
		if index > 0 {
			flags |= tagIndex
		}
		if t.Kind == Struct && t.native != nil {
			flags |= tagBinary
		}
		dst = append(w.u32(dst, uint32(size)), flags)
		if index > 0 {
			dst = w.u32(dst, uint32(index))
		}
		return dst, err
	}
	if t.Kind == Byte && t.Name != "" {
		dst = w.word(dst, "ByteProperty")
	} else {
		dst = w.word(dst, t.Kind.String()+"Property")
	}
	dst = w.u32(w.u32(dst, uint32(size)), uint32(index))
	switch t.Kind {
	case Struct:
		dst = w.word(dst, t.Name)
		if v.ue4 >= structGUID {
			dst = append(dst, make([]byte, 16)...)
		}
	case Bool:
		dst = append(dst, flags/tagTrue)
	case Byte, Enum:
		dst = w.word(dst, cmp.Or(t.Name, "None"))
	case Array, Set, Map, Optional:
		return dst, refuse("%s: a new container", name)
	}
	if v.ue4 >= tagGUID {
		dst = append(dst, 0)
	}
	if v.ue5 >= extensions {
		dst = append(dst, 0)
	}
	return dst, nil
}

// word appends a name.
func (w *encoder) word(dst []byte, s string) []byte {
	n := w.d.nameFor(s)
	return w.u32(w.u32(dst, uint32(n.Index)), uint32(n.Number))
}

// typeName appends a complete type name: names and how many are below each, depth first.
func (w *encoder) typeName(dst []byte, t *Type) ([]byte, error) {
	node := func(name string, below int) { dst = w.u32(w.word(dst, name), uint32(below)) }
	declared := func() error {
		if t.Name == "" || t.Path == "" {
			return refuse("a new field of type %s, whose package is not known", t)
		}
		node(t.Name, 1)
		node(t.Path, 0)
		return nil
	}
	var err error
	below := func(of *Type) {
		if err == nil {
			dst, err = w.typeName(dst, of)
		}
	}
	property := t.Kind.String() + "Property"
	switch t.Kind {
	case Struct:
		node(property, 1)
		err = declared()
	case Enum:
		node(property, 2)
		err = declared()
		below(cmp.Or(t.Elem, typeByte))
	case Byte:
		if unnamedByte(t) {
			node(property, 0)
			break
		}
		node(property, 1)
		err = declared()
	case Array, Set, Optional:
		node(property, 1)
		below(t.Elem)
	case Map:
		node(property, 2)
		below(t.Key)
		below(t.Elem)
	default:
		node(property, 0)
	}
	return dst, err
}

// Changed lists the values that differ between two readings of an export, by path: those
// that only one of them has included.
func Changed(a *Decoder, x *List, b *Decoder, y *List) []Difference {
	was, order := flat(a, x)
	now, more := flat(b, y)
	var out []Difference
	for _, path := range order {
		if old, got := was[path], now[path]; old != got {
			out = append(out, Difference{path, old, got})
		}
	}
	for _, path := range more {
		if _, ok := was[path]; !ok {
			out = append(out, Difference{path, "", now[path]})
		}
	}
	return out
}

// Difference is a value that differs. Old and New are "" where there is none.
type Difference struct{ Path, Old, New string }

// flat returns the values of a list by their paths, and the paths in order.
func flat(d *Decoder, l *List) (map[string]string, []string) {
	values, order := map[string]string{}, []string(nil)
	for path, at := range d.Walk(l) {
		n := &l.Nodes[at]
		p := string(path)
		for k := 2; ; k++ {
			if _, twice := values[p]; !twice {
				break
			}
			p = fmt.Sprintf("%s#%d", path, k)
		}
		values[p] = flatValue(d, l, at, n)
		order = append(order, p)
	}
	return values, order
}

func flatValue(d *Decoder, l *List, at int, n *Node) string {
	text := fmt.Sprintf("%s ", n.Kind)
	switch {
	case n.Flags&Packed != 0:
		b, _ := l.Packed(at)
		return text + string(b)
	case n.Kind == Opaque:
		return text + string(l.data[n.Offset:n.Offset+n.Size])
	case n.Kind == Float || n.Kind == Double:
		return fmt.Sprintf("%s%x", text, n.Bits)
	case n.Kind == Text:
		for i := at; i < int(n.Next); i++ {
			c := &l.Nodes[i]
			text += fmt.Sprintf("%s=%s ", c.Name, flatLeaf(d, l, i))
		}
		return text
	}
	return text + flatLeaf(d, l, at)
}

func flatLeaf(d *Decoder, l *List, at int) string {
	n := &l.Nodes[at]
	if n.Kind.IsReference() {
		return d.ObjectPath(unreal.ObjectRef(n.Int()))
	}
	return fmt.Sprint(d.Value(l, at))
}

// Grown returns by how many bytes the list of properties became longer.
func (e *Draft) Grown() int64 { return int64(e.export.End - e.first) }
