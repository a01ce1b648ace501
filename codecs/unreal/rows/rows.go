package rows

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/zeebo/blake3"

	"pakdb/codecs/internal/property"
	"pakdb/codecs/unreal"
	"pakdb/internal/family"
)

// maker makes the rows of a package.
type maker struct {
	p *Package
	d *property.Decoder
	x *property.Export
	i int32 // the export

	limit int // of values

	words   []string
	texts   []string
	wordAt  map[*property.Type]int32
	textAt  map[string]int32
	objects map[unreal.ObjectRef]object
	outers  map[unreal.ObjectRef]int32

	exports []exportRow
	values  []valueRow
	keys    []textRow
	fields  []fieldRow
	members []memberRow
	scripts []scriptRow
	uses    []useRow
	spoken  []textRow
	named   []string // packages that soft paths name, in order
	seen    map[string]bool
}

// object is what a reference leads to.
type object struct {
	path   int32 // text; -1: an export
	target int64
}

// of reads all exports of a package and returns the rows, and the packages that values
// name by paths. Of exports after the one with which there are limit rows of values, none
// is made. The error is of the machine.
func of(p *Package, limit int) (batch *family.Batch, named []string, err error) {
	m := &maker{p: p, limit: limit, wordAt: map[*property.Type]int32{}, textAt: map[string]int32{},
		objects: map[unreal.ObjectRef]object{}, outers: map[unreal.ObjectRef]int32{}, seen: map[string]bool{}}
	m.addExports()
	err = p.Each(func(d *property.Decoder, i int, x *property.Export) error {
		m.d, m.i, m.x = d, int32(i), x
		m.export()
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if err := m.addScripts(); err != nil {
		return nil, nil, err
	}
	media, err := addMedia(m)
	if err != nil {
		return nil, nil, err
	}
	problems := m.addProblems()
	return &family.Batch{Words: m.words, Texts: m.texts, Rows: append([]family.Rows{exports.Rows(m.exports...), values.Rows(m.values...),
		texts.Rows(m.keys...), fields.Rows(m.fields...), members.Rows(m.members...),
		scripts.Rows(m.scripts...), uses.Rows(m.uses...), spoken.Rows(m.spoken...), problems}, media...)}, m.named, nil
}

// text returns the position of a text. It is copied: texts of values share the memory of
// an export.
func (m *maker) text(s string) int32 {
	i, ok := m.textAt[s]
	if !ok {
		s = strings.Clone(s)
		i = int32(len(m.texts))
		m.texts, m.textAt[s] = append(m.texts, s), i
	}
	return i
}

// bytesText is text of bytes.
func (m *maker) bytesText(b []byte) int32 {
	if i, ok := m.textAt[string(b)]; ok {
		return i
	}
	return m.text(string(b))
}

// word returns the position of the name of a type.
func (m *maker) word(t *property.Type) int32 {
	i, ok := m.wordAt[t]
	if !ok {
		i = int32(len(m.words))
		m.words = append(m.words, typeName(t))
		m.wordAt[t] = i
	}
	return i
}

// addExports adds the objects of the package, of which nothing was read yet.
func (m *maker) addExports() {
	f := m.p.PackageFacts
	m.exports = make([]exportRow, len(f.Exports))
	for i := range f.Exports {
		x := &f.Exports[i]
		row := exportRow{class: m.text(f.ClassOf(i)), outer: m.outerPath(unreal.ObjectRef(i + 1)), super: -1, why: -1, number: -1, status: uint8(property.Lost)}
		if n := x.Name; n.Number > 0 && !f.BareNumbers && n.Index >= 0 && int(n.Index) < len(f.Names) {
			row.object, row.number = m.text(f.Names[n.Index].Text), n.Number-1
		} else {
			row.object = m.text(f.NameOf(n))
		}
		m.exports[i] = row
	}
}

// outerPath returns what is in front of the name of an object, with the separator.
func (m *maker) outerPath(r unreal.ObjectRef) int32 {
	f := m.p.PackageFacts
	outer := f.OuterOf(r)
	if outer == 0 {
		return -1
	}
	i, ok := m.outers[outer]
	if !ok {
		path, _ := f.PathOf(r)
		i = m.text(strings.ReplaceAll(path[:len(path)-len(f.ObjectOf(r))], ":", "."))
		m.outers[outer] = i
	}
	return i
}

// export adds what was read of one.
func (m *maker) export() {
	row := &m.exports[m.i]
	if len(m.values) >= m.limit && m.x.Status != property.Lost && len(m.x.List.Nodes) > 0 {
		m.p.Coverage.Lost++
		if m.x.Status == property.Tailed {
			m.p.Coverage.Tailed--
		} else {
			m.p.Coverage.Exact--
		}
		m.p.Coverage.OpaqueBytes += m.x.Coverage.Bytes
		m.x.Status, m.x.Why, m.x.Damage = property.Lost, errRows, errRows
	}
	row.status = uint8(m.x.Status)
	if m.x.Why != nil {
		row.why = m.text(m.x.Why.Error())
	}
	if m.x.Status == property.Lost {
		return
	}
	m.declared()
	declares := declares(m.p.ClassOf(int(m.i)))
	walk(m.d, &m.x.List, func(l *property.List, at int, p *place) {
		if declares && p.data && !strings.HasPrefix(string(p.field), "DefaultProperties.") {
			return // they have tables of their own
		}
		m.value(l, at, p)
	})
}

// value adds a value.
func (m *maker) value(l *property.List, at int, p *place) {
	n := &l.Nodes[at]
	row := valueRow{export: m.i, name: m.text(p.name), field: -1, key: -1, place: -1, typ: m.word(n.Type), text: -1, flags: flagsOf(n)}
	if p.data {
		row.flags |= flagClassData
	}
	if p.keyed {
		if row.place = p.index; p.index < 0 {
			row.key = m.text(p.key)
		}
	}
	if field := p.field; !p.keyed && string(field) != p.name || p.keyed && string(field) != p.name+"[]" {
		row.field = m.bytesText(field)
	}
	m.setValue(&row, l, at)
	m.values = append(m.values, row)
}

// setValue sets the number, the text and the reference of a row.
func (m *maker) setValue(row *valueRow, l *property.List, at int) {
	n := &l.Nodes[at]
	switch {
	case n.Kind == property.Opaque:
		row.text = m.text(n.Text)
		return
	case isPlain(l, at):
		row.flags |= flagArray
		row.kind, row.bits = integer, uint64(l.Count(at))
		row.text = m.text(plainText(m.d, l, at))
		return
	case n.Kind.IsReference():
		m.setReference(row, unreal.ObjectRef(n.Int()))
		return
	case (n.Kind == property.Array || n.Kind == property.Set || n.Kind == property.Map) && l.Count(at) == 0:
		return // empty
	}
	switch v := m.d.Value(l, at).(type) {
	case int64:
		row.kind, row.bits = integer, uint64(v)
	case float64:
		if row.kind, row.bits = real, math.Float64bits(v); math.IsNaN(v) { // NULL in SQLite
			row.kind, row.text = noNumber, m.text("NaN")
		}
	case string:
		if n.Kind == property.Enum || n.Kind == property.Byte {
			v = member(v)
		}
		if row.text = m.text(v); n.Kind == property.Text {
			m.addTextKey(l, at)
		}
		if n.IsSoft() {
			m.setTarget(row, v)
		}
	}
}

// setTarget sets the package that a path leads to.
func (m *maker) setTarget(row *valueRow, path string) { row.target = m.soft(path) }

// soft returns the key of the package that a path leads to, "/Game/A/B.B:Sub", and notes
// its name.
func (m *maker) soft(path string) int64 {
	if i := strings.IndexByte(path, '\''); i >= 0 { // Class'/Game/A.A'
		path = strings.TrimSuffix(path[i+1:], "'")
	}
	pkg, _, _ := strings.Cut(path, ".")
	if !strings.HasPrefix(pkg, "/") {
		return 0
	}
	if !m.seen[pkg] {
		pkg = strings.Clone(pkg)
		m.seen[pkg] = true
		m.text(pkg) // by which the catalog knows the target
		if !strings.EqualFold(pkg, m.p.Options.Name) {
			m.named = append(m.named, pkg)
		}
	}
	return family.NameKey(pkg)
}

// setReference sets what a reference to an object of the tables leads to.
func (m *maker) setReference(row *valueRow, r unreal.ObjectRef) {
	row.hasRef, row.ref = true, int32(r)
	if r == 0 {
		return
	}
	o, ok := m.objects[r]
	if !ok {
		o.path = -1
		if i, export := r.Export(); !export || i >= len(m.exports) {
			o.path = m.text(m.d.ObjectPath(r))
			f := m.p.PackageFacts
			if root, ok := f.RootOf(r).Import(); ok && root < len(f.Imports) && f.Imports[root].Flags&unreal.ImportByID == 0 {
				o.target = family.NameKey(f.NameOf(f.Imports[root].Name))
			}
		}
		m.objects[r] = o
	}
	row.text, row.target = o.path, o.target
}

// addTextKey adds the names that a text is translated by.
func (m *maker) addTextKey(l *property.List, at int) {
	key := l.Find(at, "Key", 0)
	if key < 0 {
		return
	}
	namespace := ""
	for _, name := range []string{"Namespace", "TableId"} {
		if i := l.Find(at, name, 0); i >= 0 {
			namespace = l.Nodes[i].Text
		}
	}
	m.keys = append(m.keys, textRow{int64(len(m.values)), m.text(namespace), m.text(l.Nodes[key].Text)})
}

func flagsOf(n *property.Node) (flags uint8) {
	if n.Flags&property.Zero != 0 {
		flags |= flagZero
	}
	if n.Flags&property.Guessed != 0 {
		flags |= flagGuessed
	}
	if n.Kind == property.Opaque {
		flags |= flagOpaque
	}
	return flags
}

func floatOf(bits uint64) float64 { return math.Float64frombits(bits) }

// manyElements is how many elements an array of numbers must have more of to be one
// value.
const manyElements = 16

// isPlain reports whether an array is one value: it has many elements, and all are
// numbers or structs of numbers.
func isPlain(l *property.List, at int) bool {
	n := &l.Nodes[at]
	if n.Kind != property.Array || l.Count(at) <= manyElements || isCurve(n) {
		return false
	}
	if n.Flags&property.Packed != 0 {
		return true
	}
	for i := at + 1; i < int(n.Next); i++ {
		e := &l.Nodes[i]
		if !isNumber(e) && (e.Kind != property.Struct || e.Text != "" || int(e.Next)-i > manyElements) {
			return false
		}
	}
	return true
}

func isNumber(n *property.Node) bool {
	return n.Kind >= property.Bool && n.Kind <= property.Double && n.Text == ""
}

// plainText renders an array that is one value: its first elements, and the start of
// the BLAKE3 of all.
func plainText(d *property.Decoder, l *property.List, at int) string {
	h := blake3.New()
	if data, _ := l.Packed(at); data != nil {
		_, _ = h.Write(data)
	} else {
		for i := at + 1; i < int(l.Nodes[at].Next); i++ {
			if e := &l.Nodes[i]; e.Kind != property.Struct {
				_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, e.Bits))
			}
		}
	}
	return fmt.Sprintf("%s, ... #%x", strings.Join(d.FirstElements(l, at), ", "), h.Sum(nil)[:8])
}
