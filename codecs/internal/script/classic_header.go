package script

import (
	"errors"
	"fmt"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// classicLayout is what the version of a package leaves open.
type classicLayout struct {
	stripped bool // console-cooked: neither source nor lines
	flags    bool // UE2.5: flags of a struct, in place of C++ text
}

// classicLayouts returns the layouts to try, the likeliest first.
func classicLayouts(version int) []classicLayout {
	switch {
	case version < 100:
		return []classicLayout{{}}
	case version < unreal.VerUE3:
		return []classicLayout{{flags: true}, {}}
	}
	return []classicLayout{{}, {stripped: true}}
}

var errClassicTail = errors.New("bytes after the object")

// read reads what is in front of a script: the object, its place among
// others, the sizes of the script. disk is -1 where the file does not state it.
func (o *ClassicObject) read(r *unreal.OldReader, lay classicLayout) (memory, disk int) {
	if r.Version >= unreal.VerNetIndex {
		r.In.Skip(4)
	}
	if o.Class != "Class" {
		r.SkipList()
	}
	if r.Version < 756 {
		o.Super = r.Ref()
	}
	o.Next = r.Ref()
	if r.Version >= 756 {
		o.Super = r.Ref()
	}
	if !lay.stripped {
		r.Ref() // the source
	}
	o.Children = r.Ref()
	if r.Version < 160 {
		o.Friendly = r.NameText()
	}
	switch {
	case lay.flags:
		r.In.Skip(4)
	case r.Version >= 120 && !lay.stripped:
		r.Ref() // C++ text
	}
	if !lay.stripped {
		o.Line = int(r.In.I32())
		r.In.Skip(4) // place in the source
	}
	memory, disk = int(r.In.I32()), -1
	if r.Version >= 639 {
		disk = int(r.In.I32())
		if disk < 0 || disk > r.In.Len() {
			r.In.Fail(codecs.Errorf(codecs.ErrCorrupt, "script of %d bytes in %d", disk, r.In.Len()))
		}
	}
	if r.In.Err() == nil && (memory < 0 || memory > 16*r.In.Len()) { // no token is so much larger in memory
		r.In.Fail(codecs.Errorf(codecs.ErrCorrupt, "script of %d bytes in memory in %d", memory, r.In.Len()))
	}
	return memory, disk
}

// tail reads what is after the script, which ends where the export does.
func (o *ClassicObject) tail(r *unreal.OldReader) error {
	switch o.Class {
	case "Function":
		o.function(r)
	case "State":
		o.state(r)
	case "Class":
		o.state(r)
		o.class(r)
	default:
		if r.Version >= 242 {
			r.In.Skip(4)
		}
		if r.Version >= unreal.VerUE3 {
			r.SkipList()
		}
	}
	if err := r.In.Err(); err != nil {
		return err
	}
	if r.In.Len() > 0 {
		return fmt.Errorf("offset %d of the export: %w: %d", r.In.Pos(), errClassicTail, r.In.Len())
	}
	return nil
}

func (o *ClassicObject) function(r *unreal.OldReader) {
	if r.Version < 64 {
		r.In.Skip(2)
	}
	o.Native = int(r.In.U16())
	if r.Version < 64 {
		r.In.Skip(1)
	}
	o.Precedence = int(r.In.U8())
	if r.Version < 64 {
		r.In.Skip(2)
	}
	o.Flags = r.In.U32()
	if o.Flags&flagNetFunction != 0 {
		o.Net = int(r.In.U16())
	}
	if r.Version >= 160 {
		o.Friendly = r.NameText()
	}
}

func (o *ClassicObject) state(r *unreal.OldReader) {
	o.Ignored = ^uint64(0)
	if r.Version < 691 {
		r.In.Skip(8) // the probes that it, or a class above, has functions for
		o.Ignored = r.In.U64()
	} else {
		r.In.Skip(4)
	}
	r.In.Skip(2) // where the labels are
	o.Flags = r.In.U32()
	if r.Version >= 160 {
		pairs(r, func() { r.NameText(); r.Ref() })
	}
}

// pairs reads the entries of a map.
func pairs(r *unreal.OldReader, read func()) {
	for range r.In.CheckCount(int64(r.In.I32()), 2) {
		if read(); r.In.Err() != nil {
			return
		}
	}
}

// array reads elements of at least least bytes.
func array(r *unreal.OldReader, least int, read func()) {
	for range r.Count(least) {
		if read(); r.In.Err() != nil {
			return
		}
	}
}

// ownerOf returns the name of the class that an object lies in.
func ownerOf(f *unreal.PackageFacts, export int) string {
	r := unreal.ObjectRef(export + 1)
	for range unreal.MaxOuters {
		r = f.OuterOf(r)
		i, ok := r.Export()
		if !ok || i >= len(f.Exports) {
			return ""
		}
		if f.Exports[i].Class == 0 {
			return f.ObjectOf(r)
		}
	}
	return ""
}
