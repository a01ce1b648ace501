package property

import (
	"errors"
	"fmt"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// maxDepth bounds how deep lists, containers and texts nest. Assets of the samples
// nest nine deep.
const maxDepth = 48

// Errors inside an export. They become the Text of opaque nodes, and [Export.Why].
var (
	errName  = errors.New("name outside of the name table")
	errRef   = errors.New("reference outside of the tables")
	errBool  = errors.New("bool that is neither 0 nor 1")
	errText  = errors.New("text without its end")
	errDepth = fmt.Errorf("nesting deeper than %d: %w", maxDepth, codecs.ErrLimit)
	errWork  = fmt.Errorf("more values than %d, or than its bytes: %w", DefaultMaxNodes, codecs.ErrLimit)
	errMade  = fmt.Errorf("more than %d bytes of names with numbers and paths: %w", maxMade, codecs.ErrLimit)
	errSkip  = errors.New("value that its writer left out")
	errRest  = errors.New("bytes left after the value")
	errKind  = errors.New("type without a reader")
	errTag   = errors.New("damaged tag")
	errOwn   = fmt.Errorf("a serializer of its own: %w", ErrLayout)
)

// ErrLayout means that nobody knows how a value is laid out. Nothing says that it is
// damaged.
var ErrLayout = errors.New("unknown layout")

// IsDamage reports whether values were not read because of what their bytes say, or of a
// limit, and not because their schema or layout is unknown.
func IsDamage(err error) bool {
	var none *NoSchemaError
	return err != nil && !errors.As(err, &none) && !errors.Is(err, ErrLayout) && !errors.Is(err, errSkip)
}

// parser reads the bytes of one export. Its reader's offsets are those in the export.
type parser struct {
	d     *Decoder
	v     *versions
	l     *List
	in    bin.Reader
	data  []byte
	text  string // data, once a text is read: texts share its memory
	depth int
	trial int  // how many guesses are being tried
	lists bool // structs with a serializer of their own are read as lists
	work  int  // what may still be done
	texts int  // bytes of texts that may still be made
	nodes int  // that there may be
	tally
}

// tally counts what was read.
type tally struct {
	values, lost, guessed int64
	lostBytes             int64
	missing               *NoSchemaError // the last schema that was not known
	damage                error          // of the first value that was not read for what its bytes say
}

// mark is a place to go back to when a guess proves wrong.
type mark struct {
	in    bin.Reader
	nodes int
	depth int
	tally
}

func (p *parser) mark() mark { return mark{p.in, len(p.l.Nodes), p.depth, p.tally} }

func (p *parser) back(m mark) {
	p.in, p.depth, p.tally = m.in, m.depth, m.tally
	p.l.cut(m.nodes)
	p.l.unlink(p.in.Off())
}

func (p *parser) fail(err error) { p.in.Fail(err) }

func (p *parser) ok() bool { return p.in.Err() == nil }

// enter limits the reader to the next size bytes. What it was before continues after
// them with leave.
func (p *parser) enter(size int) (outer bin.Reader) {
	outer = p.in
	at := int(p.in.Off())
	p.in.Reset(p.data[at:at+size], int64(at), p.l.order)
	return outer
}

func (p *parser) leave(outer bin.Reader, size int) {
	p.in = outer
	p.in.Skip(size)
}

// spend takes n nodes from the work that may still be done. Guesses read bytes again,
// so that work is more than what is kept.
func (p *parser) spend(n int) bool {
	if len(p.l.Nodes)+n > p.nodes {
		p.work = -1
	}
	return p.toil(n)
}

// toil takes work that keeps no nodes: guesses, and searches.
func (p *parser) toil(n int) bool {
	if p.work -= n; p.work < 0 {
		p.work = -1
		p.fail(errWork)
		return false
	}
	return true
}

// add adds a node, which close completes.
func (p *parser) add(name string, t *Type) int {
	i := len(p.l.Nodes)
	if !p.spend(1) {
		return max(i-1, 0)
	}
	if i == cap(p.l.Nodes) && i >= 1<<10 { // twice as many, but no more than there may be
		p.l.Nodes = append(make([]Node, 0, min(2*i, p.nodes+maxFields)), p.l.Nodes...)
	}
	p.l.Nodes = append(p.l.Nodes, Node{Name: name, Type: t, Kind: t.Kind, Offset: int32(p.in.Off()), Next: int32(i + 1)})
	if p.l.placed {
		p.l.places = append(p.l.places, place{})
	}
	return i
}

// close sets where the node and what is below it end.
func (p *parser) close(i int) {
	if i < len(p.l.Nodes) {
		n := &p.l.Nodes[i]
		n.Next, n.Size = int32(len(p.l.Nodes)), int32(p.in.Off())-n.Offset
	}
}

// leaf adds a node that has a number or a text and nothing below.
func (p *parser) leaf(name string, t *Type, bits uint64, text string) {
	at := len(p.l.Nodes)
	if i := p.add(name, t); i == at {
		p.l.Nodes[i].Bits, p.l.Nodes[i].Text = bits, text
	}
}

// name reads an FName: i32 index, i32 number.
func (p *parser) name() string {
	p.link(LinkName)
	index, number := p.in.I32(), p.in.I32()
	if p.d.zen {
		index &= 0x3FFFFFFF // the two top bits say which name map; there is one
	}
	names := p.d.pkg.Names
	if uint32(index) >= uint32(p.d.names) || number < 0 {
		p.fail(errName)
		return ""
	}
	if number == 0 {
		return names[index].Text
	}
	return p.numbered(unreal.ObjectName{Index: index, Number: number})
}

// ref reads a reference to an object.
func (p *parser) ref() unreal.ObjectRef {
	p.link(LinkObject)
	r := unreal.ObjectRef(p.in.I32())
	if i, ok := r.Export(); ok && i >= len(p.d.pkg.Exports) {
		p.fail(errRef)
	}
	if i, ok := r.Import(); ok && i >= len(p.d.pkg.Imports) {
		p.fail(errRef)
	}
	return r
}

func (p *parser) b8() bool {
	v := p.in.U8()
	if v > 1 {
		p.fail(errBool)
	}
	return v == 1
}

func (p *parser) b32() bool {
	v := p.in.U32()
	if v > 1 {
		p.fail(errBool)
	}
	return v == 1
}

// count reads the i32 number of elements of at least some bytes each.
func (p *parser) count(least int) int { return p.in.CheckCount(int64(p.in.I32()), least) }

// str reads an FString.
func (p *parser) str() string {
	t := unreal.FString(&p.in)
	if t.Bare {
		p.fail(errText)
	}
	return p.shared(t, 1)
}

// utf8 reads an FUtf8String. Those of properties have no NUL.
func (p *parser) utf8() string { return p.shared(unreal.Utf8String(&p.in), 0) }

// shared returns a text that ends some bytes before the reader's place. One that is
// stored as it is shares the memory of all texts of the export.
func (p *parser) shared(t unreal.Text, behind int) string {
	switch {
	case !p.ok() || len(t.Bytes) == 0:
		return ""
	case t.Wide || !t.Plain():
		return t.String()
	}
	if p.text == "" {
		p.text = string(p.data)
	}
	end := int(p.in.Off()) - behind
	return p.text[end-len(t.Bytes) : end]
}

// guid reads an FGuid as its 32 hex digits.
func (p *parser) guid() string {
	const digits = "0123456789ABCDEF"
	var text [32]byte
	for i := range 4 {
		v := p.in.U32()
		for k := range 8 {
			text[8*i+k] = digits[v>>(28-4*k)&15]
		}
	}
	if !p.ok() {
		return ""
	}
	return string(text[:])
}

// down begins a level of nesting and reports whether it may.
func (p *parser) down() bool {
	if p.depth++; p.depth > maxDepth {
		p.fail(errDepth)
		return false
	}
	return true
}

func (p *parser) up() { p.depth-- }

// wideBool reads a b32 as a field.
func (p *parser) wideBool(name string) (v bool) {
	at := int32(p.in.Off())
	bits := uint64(0)
	if v = p.b32(); v {
		bits = 1
	}
	if p.ok() {
		p.leaf(name, typeBool, bits, "")
		last := &p.l.Nodes[len(p.l.Nodes)-1]
		last.Offset, last.Size = at, 4
	}
	return v
}

// bytes reads n bytes as an array.
func (p *parser) bytes(name string, n int) {
	i := p.add(name, p.d.types.of(Array, nil, typeByte))
	if p.ok() {
		readElements(p, i, typeByte, n)
		p.close(i)
	}
}

// element reads an element of a container.
func (p *parser) element(t *Type) { p.field("", t) }

// field reads a value with a name, as it is stored in containers: as a field of what is
// being read.
func (p *parser) field(name string, t *Type) {
	if at := len(p.l.Nodes); p.ok() {
		if i := p.add(name, t); i == at {
			readValue(p, i, true)
		}
	}
}

// nameID reads an FName and returns it as it is stored: index and number.
func (p *parser) nameID() nameID {
	at := int(p.in.Off())
	p.name()
	if !p.ok() {
		return 0
	}
	return nameID(p.l.order.Uint32(p.data[at:])) | nameID(p.l.order.Uint32(p.data[at+4:]))<<32
}
