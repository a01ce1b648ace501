package zen

import (
	"encoding/binary"
	"errors"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// AppendContainerHeader appends the ContainerHeader chunk that f describes, as
// the engine's packer lays it out: read back it is f, and what
// [ReadContainerHeader] read from a container of the engine's comes out byte for
// byte. Which names the packer would give redirects and localized packages
// beside those in f is not known; they are stored as f has them.
//
// The layout of UE4 (Version -1) and versions after 5 are
// errors.ErrUnsupported, names of more than 1,023 bytes codecs.ErrName.
func AppendContainerHeader(dst []byte, f *unreal.ContainerFacts) ([]byte, error) {
	if f.Version < 0 || f.Version > softSection {
		return nil, failure("container header", -1, codecs.Errorf(errors.ErrUnsupported,
			"version %d is not written; 0 to %d are", f.Version, softSection))
	}
	if err := checkNames(f); err != nil {
		return nil, failure("container header", -1, err)
	}
	w := headerWriter{b: dst, start: len(dst)}
	w.u32(containerMagic, uint32(f.Version))
	w.u64(f.ContainerID)
	w.store(f.Packages, recordOf(f.Version))
	if f.Version >= optionalSegment {
		w.store(f.Optional, recordOf(f.Version))
	}
	w.redirects(f)
	if f.Version >= softReferences {
		w.soft(f)
	}
	return w.b, nil
}

// maxName is the longest name that the engine takes.
const maxName = 1023

func checkNames(f *unreal.ContainerFacts) error {
	for _, l := range f.Localized {
		if len(l.Name) > maxName {
			return codecs.Errorf(codecs.ErrName, "%d bytes", len(l.Name))
		}
	}
	for _, r := range f.Redirects {
		if len(r.Name) > maxName {
			return codecs.Errorf(codecs.ErrName, "%d bytes", len(r.Name))
		}
	}
	return nil
}

// headerWriter appends to b, in which the chunk begins at start.
type headerWriter struct {
	b     []byte
	start int
}

func (w *headerWriter) u32(list ...uint32) {
	for _, v := range list {
		w.b = binary.LittleEndian.AppendUint32(w.b, v)
	}
}

func (w *headerWriter) u64(list ...uint64) {
	for _, v := range list {
		w.b = binary.LittleEndian.AppendUint64(w.b, v)
	}
}

// store writes ids and records; what the views of a record lead to follows all
// records, package by package.
func (w *headerWriter) store(packages []unreal.StoredPackage, l entryRecord) {
	w.u32(uint32(len(packages)))
	for i := range packages {
		w.u64(packages[i].ID)
	}
	records, tail := headerWriter{}, headerWriter{}
	end := l.size * len(packages)
	for i := range packages {
		p := &packages[i]
		if l.exports {
			records.u32(uint32(p.Exports), uint32(p.Bundles))
		}
		records.view(len(p.Imports), end+len(tail.b))
		tail.u64(p.Imports...)
		records.view(len(p.Shaders), end+len(tail.b))
		for _, s := range p.Shaders {
			tail.b = append(tail.b, s[:]...)
		}
	}
	w.u32(uint32(len(records.b) + len(tail.b)))
	w.b = append(append(w.b, records.b...), tail.b...)
}

// view leads to n things at an offset of the store, counted from the view.
func (w *headerWriter) view(n, off int) {
	if n == 0 {
		w.u32(0, 0)
		return
	}
	w.u32(uint32(n), uint32(off-len(w.b)))
}

// redirects writes the names of localized and redirected packages, and those
// lists.
func (w *headerWriter) redirects(f *unreal.ContainerFacts) {
	var names nameTable
	body := headerWriter{}
	if f.Version >= localizedPackages {
		body.u32(uint32(len(f.Localized)))
		for _, l := range f.Localized {
			body.u64(l.Source, names.mapped(l.Name))
		}
	}
	body.u32(uint32(len(f.Redirects)))
	for _, r := range f.Redirects {
		body.u64(r.Source, r.Target, names.mapped(r.Name))
	}
	w.b = append(names.append(w.b), body.b...)
}

// soft writes which packages others load on demand: u32 whether there are any,
// and if so the ids, and for each package a view of numbers of ids.
func (w *headerWriter) soft(f *unreal.ContainerFacts) {
	section := headerWriter{}
	section.softList(f.Packages)
	if f.Version >= softSection {
		w.u64(uint64(len(w.b)-w.start+16), uint64(len(section.b)))
	}
	w.b = append(w.b, section.b...)
}

func (w *headerWriter) softList(packages []unreal.StoredPackage) {
	number := map[uint64]uint32{}
	var ids []uint64
	views, numbers := headerWriter{}, headerWriter{}
	for i := range packages {
		soft := packages[i].Soft
		views.view(len(soft), viewSize*len(packages)+len(numbers.b))
		for _, id := range soft {
			n, known := number[id]
			if !known {
				n = uint32(len(ids))
				number[id] = n
				ids = append(ids, id)
			}
			numbers.u32(n)
		}
	}
	if len(ids) == 0 {
		w.u32(0)
		return
	}
	w.u32(1, uint32(len(ids)))
	w.u64(ids...)
	w.u32(uint32(len(views.b) + len(numbers.b)))
	w.b = append(append(w.b, views.b...), numbers.b...)
}
