package script

import "pakdb/codecs/unreal"

// class reads what a class has after its state. Each line is a field with the
// versions that have it.
func (o *ClassicObject) class(r *unreal.OldReader) {
	v := r.Version
	if v < 62 {
		r.In.Skip(4)
	}
	flags := r.In.U32()
	o.ClassFlags = flags
	switch {
	case v < 276:
		r.In.Skip(16) // GUID
	case v <= 546:
		r.In.Skip(1)
	}
	if v < 186 {
		array(r, 6, func() { r.Ref(); r.In.Skip(8) }) // classes that this one was compiled with
	}
	if v < 208 {
		r.Names()
	}
	if v >= 62 {
		o.Within, o.Config = r.Ref(), r.NameText()
	}
	o.classLists(r, flags)
	if v >= 813 {
		r.FString()
	}
	if v >= 576 && v <= 672 {
		r.In.Skip(4)
	}
	if v >= 655 {
		r.NameText()
	}
	if v >= 219 {
		o.Default = r.Ref()
		return
	}
	o.Defaults = r.In.Pos()
	r.SkipList()
}

// classLists reads what the editor shows and hides, components, and interfaces.
func (o *ClassicObject) classLists(r *unreal.OldReader, flags uint32) {
	v := r.Version
	if v >= 178 && v <= 539 {
		r.Names()
	}
	if v >= 178 && v <= 247 {
		pairs(r, func() { r.Ref(); r.NameText() })
	}
	if v >= 210 && v <= 266 {
		array(r, 4, func() { r.Ref() })
	}
	if v >= 178 {
		pairs(r, func() { r.NameText(); r.Ref() })
	}
	if v >= 222 && v <= 287 {
		array(r, 4, func() { r.Ref() })
	}
	if v >= 288 {
		array(r, 8, func() { r.In.Skip(8) })
	}
	if v >= 603 {
		r.Names()
	}
	if v >= 99 && v <= 177 || v > 539 {
		r.Names()
	}
	if v >= 185 && (v < 540 || v > 575 || flags&0x2000 == 0) {
		r.Names()
	}
	if v > 670 {
		r.Names()
	}
	if v >= 749 {
		r.In.Skip(4)
	}
	if v >= 789 {
		r.Names()
	}
}
