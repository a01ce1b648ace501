package script

import "pakdb/codecs/unreal"

// classicOperands reads the operands of tokens.
type classicOperands struct {
	tokens
	r       *unreal.OldReader
	objects int              // what a reference takes in memory
	texts   int              // what a name takes in memory
	named   unreal.ObjectRef // read last
}

func newOperands(r *unreal.OldReader, names *Names, fn *Function) classicOperands {
	o := classicOperands{tokens: tokens{in: r.In, start: r.In.Pos(), names: names, fn: fn}, r: r, objects: 4, texts: 4}
	if r.Version >= 343 {
		o.texts = 8
	}
	if r.Version >= 587 {
		o.objects = 8
	}
	return o
}

// object reads a reference.
func (o *classicOperands) object() unreal.ObjectRef {
	from := o.in.Pos()
	r := o.r.Ref()
	o.extra += o.objects - (o.in.Pos() - from)
	if o.in.Err() != nil {
		return 0
	}
	o.named = r
	return r
}

// name reads a name as text.
func (o *classicOperands) name() string {
	from := o.in.Pos()
	text := o.r.NameText()
	o.extra += o.texts - (o.in.Pos() - from)
	return text
}

// since reports a version of the package, or a later one.
func (o *classicOperands) since(version int) bool { return o.r.Version >= version }

// ue3 reports the last of the three generations.
func (o *classicOperands) ue3() bool { return o.r.Version >= unreal.VerUE3 }
