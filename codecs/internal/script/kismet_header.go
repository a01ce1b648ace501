package script

import (
	"errors"
	"fmt"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

var (
	errProperties = errors.New("a function with properties of its own")
	errBool       = errors.New("neither 0 nor 1")
	errKismetTail = errors.New("bytes after the function")
)

// classDefault is the object flag of default objects, which have no GUID.
const classDefault = 0x10

// header reads a function around its script.
type header struct {
	*kismetOperands
	fields []kismetField
}

// read reads what is in front of the script of a function, whose properties are a list that
// is empty. It returns the sizes of the script.
func (r *header) read(flags uint64) (memory, disk int) {
	r.noProperties()
	return r.structure(flags)
}

// structure reads what functions and classes have after their properties, up to the script:
// their fields, and the sizes of the script.
func (r *header) structure(flags uint64) (memory, disk int) {
	in := r.in
	if flags&classDefault == 0 && r.bool() {
		in.Skip(16)
	}
	if r.lay.chained {
		in.Skip(4)
	}
	in.Skip(4) // the function that this one overrides
	if r.lay.chained {
		in.Skip(4)
	} else {
		in.Skip(4 * in.Count(4))
	}
	if r.lay.fields {
		for range in.Count(16) {
			if !r.ok() {
				break
			}
			if f := r.field(0); f.name != "" {
				r.fields = append(r.fields, f)
			}
		}
	}
	memory, disk = int(in.I32()), int(in.I32())
	if r.ok() && (memory < 0 || disk < 0 || disk > in.Len()) {
		r.failAt(codecs.Errorf(codecs.ErrCorrupt, "script of %d bytes, %d in memory, in %d", disk, memory, in.Len()))
	}
	return memory, disk
}

func (r header) failAt(err error) {
	if r.ok() {
		r.err = fmt.Errorf("offset %d of the export: %w", r.in.Pos(), err)
	}
}

func (r header) bool() bool {
	v := r.in.U32()
	if v > 1 {
		r.failAt(errBool)
	}
	return v == 1
}

// noProperties passes over the end of an empty list.
func (r header) noProperties() {
	if r.lay.unversioned {
		for {
			h := r.in.U16()
			if h>>9 != 0 {
				r.failAt(errProperties)
			}
			if h&0x100 != 0 || !r.ok() {
				return
			}
		}
	}
	if r.lay.control && r.in.U8() != 0 {
		r.failAt(errProperties)
	}
	n := r.lay.name(r.in)
	if text, ok := r.names.Name(n.Index); !ok || text != "None" {
		r.failAt(errProperties)
	}
}

// tail reads what is after the script, up to the end of the export.
func tail(in *bin.Reader) (flags uint32, err error) {
	flags = in.U32()
	if flags&0x40 != 0 { // Net: an offset for replication
		in.Skip(2)
	}
	in.Skip(8) // the event graph, and where this event is called in it
	if err := in.Err(); err != nil {
		return flags, err
	}
	if in.Len() > 0 {
		return flags, fmt.Errorf("offset %d of the export: %w: %d", in.Off(), errKismetTail, in.Len())
	}
	return flags, nil
}
