package script

import (
	"errors"
	"fmt"

	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// classicMaxDepth bounds expressions in expressions. The deepest known are below 40.
const classicMaxDepth = 256

// Errors of tokens. What is opaque names one of them, or a size.
var (
	errClassicToken = errors.New("unknown token")
	errClassicDepth = errors.New("expressions nested too deeply")
)

// classicOperands reads what stands behind tokens, and counts it on disk and in memory.
// Its first failure stays.
type classicOperands struct {
	r       *unreal.OldReader
	in      *bin.Reader // of r
	start   int         // of the script
	extra   int         // how much larger the part read so far is in memory
	objects int         // what a reference takes in memory
	texts   int         // what a name takes in memory
	names   *Names
	last    byte  // token
	err     error // with the offset of the operand
}

func newOperands(r *unreal.OldReader, names *Names) classicOperands {
	o := classicOperands{r: r, in: r.In, start: r.In.Pos(), names: names, objects: 4, texts: 4}
	if r.Version >= 343 {
		o.texts = 8
	}
	if r.Version >= 587 {
		o.objects = 8
	}
	return o
}

// memory is the offset in memory of the next byte.
func (o *classicOperands) memory() int { return o.in.Pos() - o.start + o.extra }

func (o *classicOperands) ok() bool { return o.err == nil && o.in.Err() == nil }

// fail records an error at an offset in the export, of the token read last.
func (o *classicOperands) fail(at int, err error) {
	if o.ok() {
		o.err = fmt.Errorf("token %02x at %d: %w", o.last, at, err)
	}
}

func (o *classicOperands) failed() error {
	if o.err != nil {
		return o.err
	}
	return o.in.Err()
}

// object reads a reference.
func (o *classicOperands) object() unreal.ObjectRef {
	from := o.in.Pos()
	r := o.r.Ref()
	o.extra += o.objects - (o.in.Pos() - from)
	if o.in.Err() != nil {
		return 0
	}
	return r
}

// name reads a name as text.
func (o *classicOperands) name() string {
	from := o.in.Pos()
	text := o.r.NameText()
	o.extra += o.texts - (o.in.Pos() - from)
	return text
}

// peek returns the next token, and fails where there is none.
func (o *classicOperands) peek() byte {
	if o.in.Len() == 0 {
		return o.in.U8()
	}
	at := o.in.Pos()
	b := o.in.U8()
	o.in.Seek(at)
	return b
}

// since reports a version of the package, or a later one.
func (o *classicOperands) since(version int) bool { return o.r.Version >= version }

// ue3 reports the last of the three generations.
func (o *classicOperands) ue3() bool { return o.r.Version >= unreal.VerUE3 }
