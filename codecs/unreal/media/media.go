package media

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"

	"pakdb/codecs"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// Package is a package whose textures are to be read, by one goroutine.
type Package struct {
	*unreal.PackageFacts
	Options property.Options
	// Bytes returns those of an export.
	Bytes func(export int) ([]byte, error)
	// Open is nil where there are no files beside the package.
	Open Opener
	// Package returns another package of the game by its name, for the palettes of UE1 and
	// UE2; nil where there is none.
	Package func(name string) (*Package, error)

	old *property.ClassicDecoder // nil until it is needed
}

// Opener opens a file beside a package, and returns how long it is. The error is
// [ErrNoBytes] where there is none.
type Opener func(File) (io.ReaderAt, int64, error)

// File is where bytes lie: [Inside] an export, in the package as a [Whole], or in a file
// beside it, by its extension, such as ".ubulk".
type File string

// The files that need no others.
const (
	Inside File = ""
	Whole  File = "package" // a .uasset and the .uexp after it
)

// ErrNoBytes means that what a texture consists of lies in files that are not there.
var ErrNoBytes = codecs.Errorf(codecs.ErrNotFound, "the file beside the package")

// ErrElsewhere means that another object of the game has the pixels of a texture, as those
// of landscapes.
var ErrElsewhere = codecs.Errorf(codecs.ErrNotFound, "no bytes are stored")

// openFile opens a file beside a package.
func openFile(p *Package, f File) (io.ReaderAt, int64, error) {
	if p.Open == nil {
		return nil, 0, ErrNoBytes
	}
	return p.Open(f)
}

// layouts returns the engines that may have saved the package, the likeliest first.
func layouts(p *Package) (all []property.Engine) {
	var engines []property.Engine
	if p.Options.Engine != 0 {
		engines = append(engines, p.Options.Engine)
	}
	engines = append(engines, property.Candidates(p.PackageFacts)...)
	engines = append(engines, 508, 506, 505, 504, 502, 501, 500, 427, 425, 422, 419) // one of each kind
	for i, e := range engines {
		if e >= 419 && !slices.Contains(engines[:i], e) {
			all = append(all, e)
		}
	}
	return all
}

// reader reads the class data of an export.
type reader struct {
	bin.Reader
	p      *Package
	x      *unreal.PackageExport
	data   []byte          // of the export
	engine property.Engine // by whose layout
}

func (r *reader) reset(at int, e property.Engine) {
	r.Reset(r.data, 0, binary.LittleEndian)
	r.Skip(at)
	r.engine = e
}

// ok reports whether all so far was there and made sense.
func (r *reader) ok() bool { return r.Err() == nil }

var errLayout = codecs.Errorf(codecs.ErrCorrupt, "class data of an unknown layout")

// want fails unless what was read is as it must be.
func (r *reader) want(ok bool) {
	if !ok {
		r.Fail(errLayout)
	}
}

// flag reads a u32 that is 0 or 1.
func (r *reader) flag() bool {
	v := r.U32()
	r.want(v <= 1)
	return v == 1
}

// name reads an FName.
func (r *reader) name() string {
	index, number := r.I32(), r.I32()
	if r.p.Zen != nil {
		index &= 0x3FFFFFFF
	}
	if index < 0 || int(index) >= min(r.p.NameCount, len(r.p.Names)) || number < 0 {
		r.Fail(errLayout)
		return ""
	}
	return r.p.NameOf(unreal.ObjectName{Index: index, Number: number})
}

// text reads an FString.
func (r *reader) text() string { return unreal.FString(&r.Reader).String() }

// side reads an i32 that is a side of a picture, or a number of them.
func (r *reader) side() int {
	v := r.I32()
	r.want(v >= 0 && v <= 1<<24)
	return int(v)
}

// numbers reads an array of u32.
func (r *reader) numbers() []uint32 {
	list := make([]uint32, r.Count(4))
	for i := range list {
		list[i] = r.U32()
	}
	return list
}

// place returns the offset of the reader in .uasset and .uexp as one.
func (r *reader) place() int64 {
	at := r.x.Offset + r.Off()
	if z := r.p.Zen; z != nil {
		at += z.CookedHeader - r.p.HeaderSize
	}
	return at
}

// maxSearch bounds how far after the start of an export its class data is searched for.
const maxSearch = 16 << 10

// object reads the properties of export i, if they can be read, and the data of its class,
// which may begin where starts says so: parse returns false for a layout that is none. It returns the error of the first layout
// that was tried where none fits.
func object(p *Package, i int, starts func([]byte) bool, parse func(*reader) bool) (d *property.Decoder, x *property.Export, err error) {
	if i < 0 || i >= len(p.Exports) {
		return nil, nil, codecs.Errorf(codecs.ErrNotFound, "export %d of %d", i, len(p.Exports))
	}
	data, err := p.Bytes(i)
	if err != nil {
		return nil, nil, err
	}
	if len(data) > math.MaxInt32 {
		return nil, nil, codecs.Errorf(codecs.ErrLimit, "export of %d bytes", len(data))
	}
	d, x = property.NewDecoder(p.PackageFacts, p.Options), &property.Export{}
	d.Export(x, i, data)
	r := &reader{p: p, x: &p.Exports[i], data: data}
	if x.Status != property.Lost {
		err = r.try(len(data)-x.Tail, parse)
		return d, x, err
	}
	for at := range min(len(data), maxSearch) {
		if starts(data[at:]) && r.try(at, parse) == nil {
			return d, x, nil
		}
	}
	return d, x, x.Why
}

// startsTexture reports whether class data of a cooked texture may begin with b.
func startsTexture(b []byte) bool {
	return len(b) >= 8 && (b[0]&1 == 1 && b[2]&1 == 1 && binary.LittleEndian.Uint32(b[4:]) == 1)
}

// try reads class data by each layout in turn.
func (r *reader) try(at int, parse func(*reader) bool) (first error) {
	for _, e := range layouts(r.p) {
		r.reset(at, e)
		if parse(r) && r.ok() {
			return nil
		}
		err := r.Err()
		if err == nil {
			err = errLayout
		}
		if errors.Is(err, errors.ErrUnsupported) {
			return err
		}
		if first == nil {
			first = err
		}
	}
	return first
}
