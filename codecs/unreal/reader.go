package unreal

import (
	"encoding/binary"
	"errors"
	"unicode/utf16"

	"pakdb/codecs/internal/latin1"
	"pakdb/internal/bin"
)

// Versions of packages that change how exports are laid out.
const (
	VerUE3        = 178 // INDEX becomes an i32
	VerTypedTags  = 223 // a tag names its type
	VerNetIndex   = 322
	VerNameNumber = 343
)

// maxString bounds a string, in characters.
const maxString = 1 << 20

// Errors of names and references that lead nowhere, and of what cannot be.
var (
	ErrName = errors.New("name outside the table")
	ErrRef  = errors.New("reference outside the tables")
	ErrText = errors.New("string too long")
)

// OldReader reads the bytes of one export. Failures are those of In, and stay.
type OldReader struct {
	In      *bin.Reader
	Data    []byte // what In reads
	Facts   *PackageFacts
	Version int
}

// NewOldReader returns a Reader of the bytes of an export.
func NewOldReader(f *PackageFacts, data []byte) *OldReader {
	var order binary.ByteOrder = binary.LittleEndian
	if f.BigEndian {
		order = binary.BigEndian
	}
	return &OldReader{In: bin.NewReader(data, 0, order), Data: data, Facts: f, Version: f.Version}
}

// Index reads what the engine calls INDEX: a compact index below 178, an i32 from
// there on.
func (r *OldReader) Index() int32 {
	if r.Version < VerUE3 {
		return CompactIndex(r.In)
	}
	return r.In.I32()
}

// Count reads a count of elements of at least least bytes.
func (r *OldReader) Count(least int) int { return r.In.CheckCount(int64(r.Index()), least) }

// Ref reads a reference to an object, and fails for one outside the tables.
func (r *OldReader) Ref() ObjectRef {
	o := ObjectRef(r.Index())
	if i, ok := o.Import(); ok && i >= len(r.Facts.Imports) {
		r.In.Fail(ErrRef)
	}
	if i, ok := o.Export(); ok && i >= len(r.Facts.Exports) {
		r.In.Fail(ErrRef)
	}
	return o
}

// Name reads a reference to a name, and fails for one outside the table.
func (r *OldReader) Name() ObjectName {
	n := ObjectName{Index: r.Index()}
	if r.Version >= VerNameNumber {
		n.Number = r.In.I32()
	}
	if n.Index < 0 || int(n.Index) >= len(r.Facts.Names) || n.Number < 0 {
		r.In.Fail(ErrName)
		return ObjectName{}
	}
	return n
}

// NameText is [OldReader.Name] as text.
func (r *OldReader) NameText() string {
	n := r.Name()
	if r.In.Err() != nil {
		return ""
	}
	return r.Facts.NameOf(n)
}

// Names passes over an array of names.
func (r *OldReader) Names() {
	for range r.Count(1) {
		if r.Name(); r.In.Err() != nil {
			return
		}
	}
}

// FString reads a counted string: 8-bit when the count is positive, UTF-16 when it
// is negative, with a NUL that is counted.
func (r *OldReader) FString() string {
	n := int64(r.Index())
	wide := n < 0
	if wide {
		n = -n
	}
	if n > maxString {
		r.In.Fail(ErrText)
		return ""
	}
	if !wide {
		b := r.In.Bytes(int(n))
		if len(b) > 0 && b[len(b)-1] == 0 {
			b = b[:len(b)-1]
		}
		return latin1.Decode(b)
	}
	b := r.In.Bytes(int(2 * n))
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = r.In.Order().Uint16(b[2*i:])
	}
	if n := len(units); n > 0 && units[n-1] == 0 {
		units = units[:n-1]
	}
	return string(utf16.Decode(units))
}
