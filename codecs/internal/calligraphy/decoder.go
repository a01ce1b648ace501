package calligraphy

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// maxProblems bounds the problems of names in one file.
const maxProblems = 16

// decoder reads one file at a time. It is reused, so that its scratch space
// grows once and every result is allocated at its exact size.
type decoder struct {
	r       bin.Reader
	buf     []byte // the content
	own     []byte // room for one that is not in memory
	text    string // the content again, for the kinds whose names are slices of it
	version uint8

	facts  *codecs.Facts
	detail *Facts
	broken *codecs.FormatError // the error given to fail

	// Where the reader is, for messages: part 3 of "records" is "records[3]".
	part  string
	index int

	refs   []codecs.Ref
	proto  Prototype
	places []int32 // by value of the prototype: where it begins
}

// result is what one file makes, in one allocation.
type result struct {
	facts  codecs.Facts
	detail Facts
}

func (d *decoder) reset() {
	out := &result{}
	out.facts.Detail = &out.detail
	d.facts, d.detail = &out.facts, &out.detail
	d.text, d.broken = "", nil
	d.refs = d.refs[:0]
	d.proto.Bodies = d.proto.Bodies[:0]
	d.proto.Groups = d.proto.Groups[:0]
	d.proto.Fields = d.proto.Fields[:0]
	d.proto.Values = d.proto.Values[:0]
	d.places = d.places[:0]
}

// finish reports how reading ended and hands the facts over.
func (d *decoder) finish() *codecs.Facts {
	switch err := d.r.Err(); {
	case d.broken != nil:
		d.problem(d.broken)
	case err != nil:
		d.problem(failure(d.where(), err, 0))
	case d.r.Len() > 0:
		d.problem(failure("end", codecs.Errorf(codecs.ErrNonStrict, "%d more bytes follow", d.r.Len()), d.r.Off()))
	}
	d.facts.Refs = exact(d.refs)
	facts := d.facts
	d.facts, d.detail, d.text, d.buf, d.broken = nil, nil, "", nil, nil
	return facts
}

// at says which part is read next; where names it in messages.
func (d *decoder) at(part string, index int) { d.part, d.index = part, index }
func (d *decoder) where() string             { return d.part + "[" + strconv.Itoa(d.index) + "]" }

// fail stops reading because of err, which concerns the last n bytes read.
func (d *decoder) fail(n int, err error) {
	if d.r.Err() == nil {
		d.broken = failure(d.where(), err, d.r.Off()-int64(n))
		d.r.Fail(err)
	}
}

func (d *decoder) problem(err *codecs.FormatError) {
	d.facts.Problems = append(d.facts.Problems, err)
}

// ref adds a reference, unless id is 0.
func (d *decoder) ref(kind string, space codecs.Space, id uint64) {
	if id == 0 {
		return
	}
	ref := codecs.Ref{Kind: kind, Space: space, ID: codecs.ID64(id)}
	if space == SpaceLocale {
		ref.Flags = codecs.Native // the texts lie outside the archives
	}
	d.refs = append(d.refs, ref)
}

// count reads the count of a directory, whose width is the one difference
// between the versions.
func (d *decoder) count(minElem int) int {
	d.at("count", 0)
	if d.version == version10 {
		return d.r.Count16(minElem)
	}
	return d.r.Count(minElem)
}

// str reads a string: a u16 length and that many bytes of UTF-8. It is a slice
// of d.text.
func (d *decoder) str() string {
	n := int(d.r.U16())
	start := d.r.Pos()
	d.r.Skip(n)
	if d.r.Err() != nil {
		return ""
	}
	return d.valid(d.text[start:start+n], start)
}

// valid returns s, which began at off, or what is left of it when it is not
// UTF-8.
func (d *decoder) valid(s string, off int) string {
	if utf8.ValidString(s) {
		return s
	}
	if len(d.facts.Problems) < maxProblems {
		d.problem(failure(d.where(), codecs.Errorf(codecs.ErrCorrupt, "%.64q is not UTF-8", s), int64(off)))
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// exact copies scratch space to a slice of its own; nil stays nil.
func exact[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return append(make([]T, 0, len(s)), s...)
}

// fieldType reads the type of a member or value. How long an unknown one is
// cannot be known, so it ends the reading.
func (d *decoder) fieldType() byte {
	t := d.r.U8()
	switch t {
	case 'A', 'B', 'C', 'D', 'L', 'P', 'R', 'S', 'T':
		return t
	}
	d.fail(1, codecs.Errorf(codecs.ErrCorrupt, "type %q", t))
	return 0
}
