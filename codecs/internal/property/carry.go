package property

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"strings"

	"pakdb/codecs/unreal"
)

// Link is a place in the bytes of an export that refers to a table of the package. The same
// bytes mean something else in another package, whose tables have another order.
type Link struct {
	At   int32
	Kind LinkKind
}

// LinkKind is the table that a [Link] refers to.
type LinkKind uint8

// The tables.
const (
	LinkName   LinkKind = iota // index and number of a name
	LinkObject                 // an export or import
	LinkSoft                   // an entry of the list of soft object paths
)

func (p *parser) link(k LinkKind) { p.l.linkAt(int32(p.in.Off()), k) }

// linkAt notes a link. Those after it are of a guess that proved wrong.
func (l *List) linkAt(at int32, k LinkKind) {
	if l.placed {
		l.unlink(int64(at))
		l.links = append(l.links, Link{at, k})
	}
}

// unlink drops the links from an offset on.
func (l *List) unlink(from int64) {
	for len(l.links) > 0 && int64(l.links[len(l.links)-1].At) >= from {
		l.links = l.links[:len(l.links)-1]
	}
}

// Code returns the range of the script in the bytes of the export, empty for none.
func (e *Draft) Code() (from, to int) { return int(e.export.List.code[0]), int(e.export.List.code[1]) }

// LinkCode says where the script refers to tables. Without that its bytes are unknown ones.
func (e *Draft) LinkCode(links []Link) {
	l := &e.export.List
	l.links = append(l.links, links...)
	slices.SortFunc(l.links, func(a, b Link) int { return cmp.Compare(a.At, b.At) })
	l.code = [2]int32{}
}

// unknown returns the ranges of bytes in which nobody knows the links.
func (e *Draft) unknown() (all [][2]int) {
	l := &e.export.List
	for i := range l.Nodes {
		if n := &l.Nodes[i]; n.Kind == Opaque && n.Size > 0 {
			all = append(all, [2]int{int(n.Offset), int(n.Offset + n.Size)})
		}
	}
	if l.code[1] > l.code[0] {
		all = append(all, [2]int{int(l.code[0]), int(l.code[1])})
	}
	if e.export.Tail > 0 {
		all = append(all, [2]int{len(e.data) - e.export.Tail, len(e.data)})
	}
	return all
}

// linksIn returns the links in a range of bytes.
func (e *Draft) linksIn(from, to int) []Link {
	links := e.export.List.links
	i := sort.Search(len(links), func(i int) bool { return int(links[i].At) >= from })
	k := sort.Search(len(links), func(i int) bool { return int(links[i].At) >= to })
	return links[i:k]
}

// Resolved returns bytes of the export with what their links lead to in place of the links:
// equal for bytes of two packages that say the same.
func (e *Draft) Resolved(from, to int) string { return string(e.appendResolved(nil, from, to)) }

func (e *Draft) appendResolved(dst []byte, from, to int) []byte {
	order := e.d.order()
	for _, k := range e.linksIn(from, to) {
		dst = append(dst, e.data[from:k.At]...)
		value := order.Uint32(e.data[k.At:])
		from = int(k.At) + 4
		switch k.Kind {
		case LinkName:
			dst = fmt.Appendf(dst, "\x00name %s %d\x00", strings.ToLower(e.d.baseName(value)), order.Uint32(e.data[k.At+4:]))
			from += 4
		case LinkObject:
			dst = append(dst, "\x00object "+e.d.ObjectKey(unreal.ObjectRef(value))+"\x00"...)
		case LinkSoft:
			s := e.d.soft[value]
			dst = append(dst, "\x00soft "+strings.ToLower(s.path)+":"+s.sub+"\x00"...)
		}
	}
	return append(dst, e.data[from:to]...)
}

// baseName returns the text of a name as it is stored, without its number.
func (d *Decoder) baseName(index uint32) string {
	if d.zen {
		index &= 0x3FFFFFFF
	}
	return d.pkg.Names[index].Text
}

// ObjectKey returns a text that identifies an object in all versions of a package: its path and
// class.
func (d *Decoder) ObjectKey(r unreal.ObjectRef) string {
	if r == 0 {
		return ""
	}
	class := ""
	if i, ok := r.Export(); ok && i < len(d.pkg.Exports) {
		class = d.ObjectPath(d.pkg.Exports[i].Class)
	} else if i, ok := r.Import(); ok && i < len(d.pkg.Imports) {
		class = d.pkg.NameOf(d.pkg.Imports[i].ClassPackage) + "." + d.pkg.NameOf(d.pkg.Imports[i].Class)
	}
	return strings.ToLower(d.ObjectPath(r) + "'" + class + "'")
}

// Canon returns a text that is equal for equal values of two packages, and for no others. Names
// are compared without case, as the engine does.
func (e *Draft) Canon(at int) string { return string(e.appendCanon(nil, at)) }

func (e *Draft) appendCanon(dst []byte, at int) []byte {
	l := &e.export.List
	n := &l.Nodes[at]
	dst = append(dst, n.Type.String()...)
	dst = append(dst, ' ')
	switch {
	case n.Kind == Opaque:
		dst = append(append(dst, "opaque "...), e.data[n.Offset:n.Offset+n.Size]...)
	case n.Flags&Packed != 0:
		b, _ := l.Packed(at)
		dst = append(dst, b...)
	case n.Kind == Struct && n.Flags&Binary != 0 && n.Flags&Zero == 0 && (n.Type.native == nil || n.Type.native.layout == nil) && !n.IsSoft():
		dst = e.appendResolved(dst, int(n.Offset), int(n.Offset+n.Size))
	case n.Kind == Struct || n.Kind == Array || n.Kind == Set || n.Kind == Map || n.Kind == Optional:
		dst = e.appendBelow(dst, at)
	case n.IsSoft():
		dst = e.appendBelow(append(dst, strings.ToLower(n.Text)...), at)
	case n.Kind == Enum || n.Kind == Byte || n.Kind == Name:
		if dst = append(dst, strings.ToLower(n.Text)...); n.Text == "" {
			dst = fmt.Append(dst, n.Bits)
		}
	case n.Kind == Str || n.Kind == VerseStr || n.Kind == Utf8Str || n.Kind == AnsiStr || n.Kind == LazyObject:
		dst = append(dst, n.Text...)
	case n.Kind.IsReference():
		dst = append(dst, e.d.ObjectKey(unreal.ObjectRef(n.Int()))...)
	case n.Kind.size() > 0:
		dst = fmt.Appendf(dst, "%x", n.Bits)
	case n.Size > 0:
		dst = e.appendResolved(dst, int(n.Offset), int(n.Offset+n.Size))
	}
	return dst
}

// appendBelow appends what is below a node. Fields of lists have no order.
func (e *Draft) appendBelow(dst []byte, at int) []byte {
	l := &e.export.List
	n := &l.Nodes[at]
	dst = append(fmt.Appendf(append(dst, n.Text...), " %d", n.Bits), '{')
	var parts []string
	for i, c := range l.Children(at) {
		part := strings.ToLower(c.Name)
		if c.Index > 0 {
			part = fmt.Sprintf("%s[%d]", part, c.Index)
		}
		parts = append(parts, part+"="+e.Canon(i))
	}
	if l.placeOf(at).form != formNone {
		slices.Sort(parts)
	}
	for _, part := range parts {
		dst = append(fmt.Appendf(dst, "%d:", len(part)), part...)
	}
	return append(dst, '}')
}

// Element is an element of an array or set.
type Element struct {
	Canon    string
	Node     int // -1 in a packed array
	from, to int
}

// Elements returns the elements of an array or set.
func (e *Draft) Elements(at int) (all []Element) {
	l := &e.export.List
	if data, size := l.Packed(at); size > 0 {
		n := &l.Nodes[at]
		for from := int(n.Offset+n.Size) - len(data); from < int(n.Offset+n.Size); from += size {
			all = append(all, Element{string(e.data[from : from+size]), -1, from, from + size})
		}
		return all
	}
	skip := 0
	if l.Nodes[at].Kind == Set {
		skip = int(l.Nodes[at].Bits)
	}
	for i, n := range l.Children(at) {
		if skip--; skip < 0 {
			all = append(all, Element{e.Canon(i), i, int(n.Offset), int(n.Offset + n.Size)})
		}
	}
	return all
}

// Divided reports whether a value has parts that can be carried one by one: fields of a list,
// entries, elements.
func (e *Draft) Divided(at int) bool {
	n := &e.export.List.Nodes[at]
	if n.Flags&(Zero|Guessed) != 0 {
		return false
	}
	switch n.Kind {
	case Struct:
		return e.export.List.placeOf(at).form != formNone
	case Array, Set, Map:
		return e.export.List.placeOf(at).count > 0
	}
	return false
}

// KeyText returns the key of an entry as paths have it, and Key the node of it.
func (e *Draft) KeyText(key int) string { return string(e.d.AppendKey(nil, &e.export.List, key)) }

// JSON returns a value in the shape of [Decoder.AppendJSON].
func (e *Draft) JSON(at int) []byte {
	w := jsonWriter{d: e.d, l: &e.export.List}
	w.value(at, false)
	return w.dst
}

// FieldName returns the name of a field as paths have it: with its index, unless that is 0.
func FieldName(n *Node) string { return string(appendField(nil, n)) }

// End returns the offset after the list of the export.
func (e *Draft) End() int { return e.export.End }

// Head returns the offset at which the list begins.
func (e *Draft) Head() int {
	l := &e.export.List
	if l.top.form == formPositions {
		return int(l.top.head)
	}
	for i, n := range l.Children(-1) {
		if n.Flags&ClassData == 0 && l.places[i].tagged {
			return int(l.places[i].tag)
		}
		break
	}
	return int(l.top.end)
}

// Carrier carries values of other packages into an export: all at once, so that positions of
// nodes are those of the draft as it is. Names and objects that they refer to are added to the
// tables of the package.
type Carrier struct {
	e       *Draft
	splices []owned
	states  map[int][]slotState
	counts  map[int]int
	order   int
	tail    int
}

// Carry begins to carry values into the export.
func (e *Draft) Carry() *Carrier {
	return &Carrier{e: e, states: map[int][]slotState{}, counts: map[int]int{}, tail: e.export.Tail}
}

func (c *Carrier) add(owner, from, to int, data []byte, order int) {
	c.order++
	c.splices = append(c.splices, owned{splice{from, to, data}, owner, order<<20 + c.order})
}

// take returns bytes of another package as this one has them.
func (c *Carrier) take(from *Draft, lo, hi int) ([]byte, error) { return c.e.d.take(from, lo, hi) }

func (d *Decoder) take(from *Draft, lo, hi int) ([]byte, error) {
	if err := d.compatible(from); err != nil {
		return nil, err
	}
	for _, r := range from.unknown() {
		if r[0] < hi && r[1] > lo && !from.d.portable(from.data[max(r[0], lo):min(r[1], hi)], d) {
			return nil, refuse("bytes that are not understood, which may refer to names of their package")
		}
	}
	out := bytes.Clone(from.data[lo:hi])
	order := d.order()
	for _, k := range from.linksIn(lo, hi) {
		at := int(k.At) - lo
		value := order.Uint32(out[at:])
		switch k.Kind {
		case LinkName:
			high := uint32(0)
			if d.zen {
				high = value &^ 0x3FFFFFFF
			}
			n := d.numbered(from.d.baseName(value), 0)
			order.PutUint32(out[at:], uint32(n.Index)|high)
		case LinkObject:
			r, err := d.carryRef(from.d, unreal.ObjectRef(value))
			if err != nil {
				return nil, err
			}
			order.PutUint32(out[at:], uint32(r))
		case LinkSoft:
			s := from.d.soft[value]
			order.PutUint32(out[at:], uint32(d.softFor(s.path, s.sub)))
		}
	}
	return out, nil
}

// compatible fails for packages that store values otherwise.
func (d *Decoder) compatible(from *Draft) error {
	a, b := &d.ver, &from.d.ver
	if a.ue4 != b.ue4 || a.ue5 != b.ue5 || a.schemas != b.schemas || a.editor != b.editor || a.custom != b.custom || d.pkg.BigEndian != from.d.pkg.BigEndian ||
		(len(d.soft) == 0) != (len(from.d.soft) == 0) {
		return refuse("another version of the engine wrote the package")
	}
	return nil
}

// portable reports whether bytes that nobody understands mean the same in two packages: every
// number in them that may be an index leads to the same name and object in both.
func (d *Decoder) portable(raw []byte, to *Decoder) bool {
	for i := 0; i+4 <= len(raw); i++ {
		v := int32(binary.LittleEndian.Uint32(raw[i:]))
		switch {
		case v == 0:
			continue
		case v > 0 && int(v) < max(d.names, to.names):
			if int(v) >= min(d.names, to.names) || d.pkg.Names[v].Text != to.pkg.Names[v].Text {
				return false
			}
		}
		if -int64(v) <= int64(max(len(d.pkg.Imports), len(to.pkg.Imports))) && int(v) <= max(len(d.pkg.Exports), len(to.pkg.Exports)) &&
			d.ObjectKey(unreal.ObjectRef(v)) != to.ObjectKey(unreal.ObjectRef(v)) {
			return false
		}
	}
	return true
}

// carryRef returns the reference to an object of another package, and adds it to the imports
// if it is none of them.
func (d *Decoder) carryRef(from *Decoder, r unreal.ObjectRef) (unreal.ObjectRef, error) {
	if r == 0 {
		return 0, nil
	}
	key := from.ObjectKey(r)
	if _, ok := r.Export(); ok {
		for i := range d.pkg.Exports {
			if d.ObjectKey(unreal.ObjectRef(i+1)) == key {
				return unreal.ObjectRef(i + 1), nil
			}
		}
		return 0, refuse("a reference to %s, which is not in the package", from.ObjectPath(r))
	}
	for i := range d.pkg.Imports {
		if d.ObjectKey(unreal.ObjectRef(-i-1)) == key {
			return unreal.ObjectRef(-i - 1), nil
		}
	}
	i, _ := r.Import()
	if d.zen || i >= len(from.pkg.Imports) {
		return 0, refuse("a reference to %s: new imports of a Zen package", from.ObjectPath(r))
	}
	im := &from.pkg.Imports[i]
	outer, err := d.carryRef(from, im.Outer)
	if err != nil {
		return 0, err
	}
	name := func(n unreal.ObjectName) unreal.ObjectName {
		return d.numbered(from.pkg.Names[n.Index].Text, n.Number)
	}
	return d.addImport(unreal.PackageImport{ClassPackage: name(im.ClassPackage), Class: name(im.Class), Outer: outer, Name: name(im.Name), Flags: im.Flags}), nil
}

// AddExport appends an export of another package to the table, and returns the entry. It fails
// if the package lacks what the export is in or made of.
func (d *Decoder) AddExport(from *Decoder, i int) (unreal.PackageExport, error) {
	x := from.pkg.Exports[i]
	for _, r := range []*unreal.ObjectRef{&x.Class, &x.Super, &x.Outer, &x.Archetype} {
		var err error
		if *r, err = d.carryRef(from, *r); err != nil {
			return x, err
		}
	}
	x.Name = d.numbered(from.pkg.Names[x.Name.Index].Text, x.Name.Number)
	for k := range d.pkg.Exports {
		if e := &d.pkg.Exports[k]; e.Outer == x.Outer && strings.EqualFold(d.pkg.NameOf(e.Name), d.pkg.NameOf(x.Name)) {
			return x, refuse("another object is called %s", d.ObjectPath(unreal.ObjectRef(k+1)))
		}
	}
	d.pkg.Exports = append(slices.Clip(d.pkg.Exports), x)
	return x, nil
}

// TakeExport returns the data of an export of another package, and what it waits for, with the
// references and names of this one.
func (d *Decoder) TakeExport(from *Draft, waits []unreal.ObjectRef) (data []byte, preload []unreal.ObjectRef, err error) {
	if data, err = d.take(from, 0, len(from.data)); err != nil {
		return nil, nil, err
	}
	for _, r := range waits {
		if r, err = d.carryRef(from.d, r); err != nil {
			return nil, nil, err
		}
		preload = append(preload, r)
	}
	return data, preload, nil
}

// Replace gives a node the value of a node of another package, of a field its tag included.
func (c *Carrier) Replace(at int, from *Draft, src int) error {
	l, theirs := &c.e.export.List, &from.export.List
	n, m := &l.Nodes[at], &theirs.Nodes[src]
	parent := c.e.parentOf(at)
	switch form := l.placeOf(parent).form; {
	case form == formTagged:
		if !theirs.places[src].tagged {
			return refuse("%s: a value that is stored otherwise", n.Name)
		}
		b, err := c.take(from, int(theirs.places[src].tag), int(m.Offset+m.Size))
		if err == nil {
			c.add(parent, int(l.places[at].tag), int(n.Offset+n.Size), b, 0)
		}
		return err
	case form == formPositions:
		b, err := c.take(from, int(m.Offset), int(m.Offset+m.Size))
		if err != nil {
			return err
		}
		to := slotStored
		if m.Flags&Zero != 0 {
			to = slotZero
		}
		position, err := c.state(parent, n, to)
		c.add(parent, int(n.Offset), int(n.Offset+n.Size), b, position)
		return err
	case parent >= 0 && l.Nodes[parent].Flags&Zero != 0:
		return refuse("%s: a part of a value that is not stored", n.Name)
	}
	b, err := c.take(from, int(m.Offset), int(m.Offset+m.Size))
	if err == nil {
		c.add(at, int(n.Offset), int(n.Offset+n.Size), b, 0)
	}
	return err
}

// state notes that a field in a list without tags has another state, and returns its position.
func (c *Carrier) state(parent int, n *Node, to slotState) (position int, err error) {
	if position, err = c.e.positionOf(parent, n); err != nil {
		return 0, err
	}
	if c.states[parent] == nil {
		c.states[parent] = c.e.states(parent)
	}
	c.states[parent][position] = to
	return position, nil
}

// Insert adds a field or an entry of another package to a node that lacks it.
func (c *Carrier) Insert(parent int, from *Draft, src int) error {
	l, theirs := &c.e.export.List, &from.export.List
	m := &theirs.Nodes[src]
	place := l.placeOf(parent)
	switch {
	case parent >= 0 && l.Nodes[parent].Flags&Zero != 0:
		return refuse("%s: a field of a value that is not stored", m.Name)
	case place.form == formTagged:
		if !theirs.places[src].tagged {
			return refuse("%s: a value that is stored otherwise", m.Name)
		}
		b, err := c.take(from, int(theirs.places[src].tag), int(m.Offset+m.Size))
		if err == nil {
			c.add(parent, int(place.end), int(place.end), b, 0)
		}
		return err
	case place.form == formPositions:
		b, err := c.take(from, int(m.Offset), int(m.Offset+m.Size))
		if err != nil {
			return err
		}
		to := slotStored
		if m.Flags&Zero != 0 {
			to = slotZero
		}
		position, err := c.state(parent, m, to)
		if err != nil {
			return err
		}
		at := c.e.positionOffset(parent, position)
		c.add(parent, at, at, b, position)
		return nil
	case parent >= 0 && l.Nodes[parent].Kind == Map && place.count > 0:
		k := &theirs.Nodes[from.keyOf(from.parentOf(src), src)]
		b, err := c.take(from, int(k.Offset), int(m.Offset+m.Size))
		if err != nil {
			return err
		}
		end := int(l.Nodes[parent].Offset + l.Nodes[parent].Size)
		c.counts[parent]++
		c.add(parent, end, end, b, 0)
		return nil
	}
	return refuse("%s: a field of a struct that always has it", m.Name)
}

// Remove removes a field or an entry.
func (c *Carrier) Remove(at int) error {
	l := &c.e.export.List
	n, parent := &l.Nodes[at], c.e.parentOf(at)
	switch form := l.placeOf(parent).form; {
	case form == formTagged:
		c.add(parent, int(l.places[at].tag), int(n.Offset+n.Size), nil, 0)
		return nil
	case form == formPositions:
		position, err := c.state(parent, n, slotAbsent)
		c.add(parent, int(n.Offset), int(n.Offset+n.Size), nil, position)
		return err
	case parent >= 0 && l.Nodes[parent].Kind == Map && l.placeOf(parent).count > 0:
		k := &l.Nodes[c.e.keyOf(parent, at)]
		c.counts[parent]--
		c.add(parent, int(k.Offset), int(n.Offset+n.Size), nil, 0)
		return nil
	}
	return refuse("%s: a field of a struct that always has it", n.Name)
}

// Part is an element of an array of some package.
type Part struct {
	From *Draft
	Element
}

// Array gives an array or set these elements. like is an array of that type with an element,
// if one of them has any.
func (c *Carrier) Array(at int, from *Draft, like int, parts []Part) error {
	l, theirs := &c.e.export.List, &from.export.List
	n, m := &l.Nodes[at], &theirs.Nodes[like]
	if n.Type.String() != m.Type.String() || l.placeOf(at).count == 0 || theirs.placeOf(like).count == 0 {
		return refuse("%s: arrays that are stored otherwise", n.Name)
	}
	head := int(m.Offset + m.Size)
	if all := from.Elements(like); len(all) > 0 {
		head = all[0].from
	}
	b, err := c.take(from, int(m.Offset), head)
	if err != nil {
		return err
	}
	start := len(b)
	for _, p := range parts {
		one, err := c.take(p.From, p.from, p.to)
		if err != nil {
			return err
		}
		b = append(b, one...)
	}
	place, order := theirs.placeOf(like), c.e.d.order()
	order.PutUint32(b[place.count-m.Offset:], uint32(len(parts)))
	if place.inner > 0 {
		order.PutUint32(b[place.inner-m.Offset:], uint32(len(b)-start))
	}
	c.add(at, int(n.Offset), int(n.Offset+n.Size), b, 0)
	return nil
}

// IsTable reports the parts of class data whose entries can be carried one by one.
func IsTable(n *Node) bool {
	return n.Flags&ClassData != 0 && n.Kind == Map && (n.Name == "Rows" || n.Name == "KeysToEntries")
}

// Outside returns the data after the list as [Draft.Resolved] does, without tables and the
// numbers of their entries.
func (e *Draft) Outside() string {
	var out []byte
	l := &e.export.List
	at := e.export.End
	for i, n := range l.Children(-1) {
		if !IsTable(n) {
			continue
		}
		if count := int(l.places[i].count); count < int(n.Offset) && count >= at {
			out, at = e.appendResolved(out, at, count), count+4
		}
		out, at = e.appendResolved(out, at, int(n.Offset)), int(n.Offset+n.Size)
	}
	return string(e.appendResolved(out, at, len(e.data)))
}

// Rest gives the export the data after the list that another package has.
func (c *Carrier) Rest(from *Draft) error {
	for _, n := range c.e.export.List.Children(-1) {
		if IsTable(n) {
			return refuse("the data of a table around its entries")
		}
	}
	b, err := c.take(from, from.export.End, len(from.data))
	if err == nil {
		c.add(-1, c.e.export.End, len(c.e.data), b, 1<<20)
		c.tail = from.export.Tail
	}
	return err
}

// Whole gives the export all data that another package has.
func (c *Carrier) Whole(from *Draft) error {
	b, err := c.take(from, 0, len(from.data))
	if err == nil {
		c.add(-1, 0, len(c.e.data), b, 0)
		c.tail = from.export.Tail
	}
	return err
}

// Apply makes the changes. The new bytes are read back: [Draft.Export] says what they have.
func (c *Carrier) Apply() error {
	e := c.e
	for parent, now := range c.states {
		h, err := e.header(parent, now)
		if err != nil {
			return err
		}
		c.add(parent, h.from, h.to, h.data, -1)
	}
	counts := &change{}
	for at, by := range c.counts {
		if err := e.count(counts, at, by); err != nil {
			return err
		}
	}
	data, next := e.rewritten(c.splices, counts.patches)
	if next.Status == Lost || next.Tail != c.tail {
		return refuse("the new bytes would not be read back: %s with %d bytes left (%v)", next.Status, next.Tail, next.Why)
	}
	e.data, e.export = data, next
	return nil
}

// Changes returns what makes a value the one that JSON in the shape of [Draft.JSON] describes.
// It fails for differences that no edit makes.
func (e *Draft) Changes(at int, path string, doc []byte) ([]JSONChange, error) {
	given, err := parseJSON(doc)
	if err != nil {
		return nil, err
	}
	x := &jsonDiffer{d: e.d, l: &e.export.List}
	err = x.value(at, false, path, given)
	return x.out, err
}

// NewEntry returns what adds an entry with that value to a map or table: a copy of the last one
// that it has, and the changes of the copy.
func (e *Draft) NewEntry(parent int, path, key string, doc []byte) ([]JSONChange, error) {
	given, err := parseJSON(doc)
	if err != nil {
		return nil, err
	}
	l := &e.export.List
	k, last := -1, -1
	i := 0
	for at := range l.Children(parent) {
		if i++; i%2 == 1 {
			k = at
		} else {
			last = at
		}
	}
	if last < 0 || l.Nodes[parent].Bits > 0 {
		return nil, refuse("%s: an entry of an empty map", path)
	}
	x := &jsonDiffer{d: e.d, l: l}
	x.add("copy", path+"["+e.KeyText(k)+"]", key)
	err = x.value(last, false, path+"["+key+"]", given)
	return x.out, err
}

// RefText returns a reference as [Draft.Set] takes it, with the path of its class; ok is false
// for other values.
func (e *Draft) RefText(at int) (text string, ok bool) {
	n := &e.export.List.Nodes[at]
	r := unreal.ObjectRef(int32(n.Int()))
	if !n.Kind.IsReference() {
		return "", false
	}
	if r == 0 {
		return "None", true
	}
	path := e.d.ObjectPath(r)
	if i, isImport := r.Import(); isImport {
		im := &e.d.pkg.Imports[i]
		return e.d.pkg.NameOf(im.ClassPackage) + "." + e.d.pkg.NameOf(im.Class) + "'" + path + "'", true
	}
	return path, true
}
