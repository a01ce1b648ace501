package zen

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// containerMagic starts the header of a container of UE5: "IoCn" read as a
// little-endian number.
const containerMagic = 0x496f436e

// The versions of a container's header, by what each brought.
const (
	localizedPackages = 1
	optionalSegment   = 2
	noExportInfo      = 3
	softReferences    = 4
	softSection       = 5 // soft references at an offset of their own
)

// ReadContainerHeader reads a ContainerHeader chunk: which packages a container
// has, and which packages each imports.
func ReadContainerHeader(r io.ReaderAt, size int64) (*unreal.ContainerFacts, error) {
	buf, err := bin.Section(r, 0, size, size, maxHeader)
	if err != nil {
		return nil, failure("container header", 0, err)
	}
	b := newReader(buf, 0)
	f := &unreal.ContainerFacts{Version: -1}
	if len(buf) >= 4 && b.U32() == containerMagic {
		err = readContainer5(b, buf, f)
	} else {
		b.Seek(0)
		err = readContainer4(b, f)
	}
	if err == nil {
		err = b.Err()
	}
	if err != nil {
		return nil, failure("container header", b.Off(), err)
	}
	return f, nil
}

func readContainer5(b *bin.Reader, buf []byte, f *unreal.ContainerFacts) error {
	f.Version = int(b.U32())
	if f.Version > softSection {
		return codecs.Errorf(errors.ErrUnsupported, "version %d; known are 0 to %d", f.Version, softSection)
	}
	f.ContainerID = b.U64()
	record := recordOf(f.Version)
	f.Packages = readStore(b, record, f)
	if f.Version >= optionalSegment {
		f.Optional = readStore(b, record, f)
	}
	names := unreal.PackageFacts{}
	for _, text := range unreal.NameBatch(b) {
		names.Names = append(names.Names, unreal.PackageName{Text: text})
	}
	if f.Version >= localizedPackages {
		for range b.Count(16) {
			f.Localized = append(f.Localized, unreal.LocalizedPackage{Source: b.U64(), Name: names.NameOf(mappedName(b))})
		}
	}
	for range b.Count(24) {
		f.Redirects = append(f.Redirects, unreal.PackageRedirect{Source: b.U64(), Target: b.U64(), Name: names.NameOf(mappedName(b))})
	}
	if b.Err() == nil && f.Version >= softReferences {
		readSoft(b, buf, f)
	}
	return b.Err()
}

// entryRecord is the layout of a package's record in the store: its size, and
// where the view of imports is; that of shader maps follows.
type entryRecord struct {
	size, imports int
	exports       bool
	noShaders     bool
}

func recordOf(version int) entryRecord {
	if version >= noExportInfo {
		return entryRecord{size: 16}
	}
	return entryRecord{size: 24, exports: true, imports: 8}
}

// readStore reads ids and records. Views in them are relative to themselves.
func readStore(b *bin.Reader, l entryRecord, f *unreal.ContainerFacts) []unreal.StoredPackage {
	n := b.Count(8)
	list := make([]unreal.StoredPackage, n)
	for i := range list {
		list[i].ID = b.U64()
	}
	base := b.Off() + 4
	store := b.Bytes(b.Count(1))
	if n > len(store)/l.size {
		if n > 0 {
			b.Fail(bin.ErrShort)
		}
		return nil
	}
	budget := len(store) - n*l.size // lists do not share bytes, and leave none
	for i := range list {
		r := newReader(store, base)
		if l.exports {
			r.Seek(i*l.size + l.imports - 8)
			list[i].Exports, list[i].Bundles = int(r.I32()), int(r.I32())
		}
		imports := readView(store, i*l.size+l.imports, 8, &f.Odd)
		var shaders []byte
		if !l.noShaders {
			shaders = readView(store, i*l.size+l.imports+viewSize, shaderMapSize, &f.Odd)
		}
		if budget -= len(imports) + len(shaders); budget < 0 {
			b.Fail(bin.ErrCount)
			return nil
		}
		list[i].Imports = u64s(imports)
		for chunk := range slices.Chunk(shaders, shaderMapSize) {
			list[i].Shaders = append(list[i].Shaders, unreal.ShaderMap(chunk))
		}
	}
	if budget > 0 {
		f.Odd++
	}
	return list
}

const (
	viewSize      = 8 // u32 n, u32 offset from here
	shaderMapSize = 20
)

// readView returns the n records that the view at that place points to. What
// lies outside is left out, and counted as odd.
func readView(store []byte, at, size int, odd *int) []byte {
	r := newReader(store, 0)
	r.Seek(at)
	n, off := int64(r.U32()), int64(r.U32())
	if r.Err() == nil && n == 0 {
		return nil
	}
	if r.Err() != nil || off > int64(len(store)-at) || n > (int64(len(store)-at)-off)/int64(size) {
		*odd++
		return nil
	}
	return store[at+int(off):][:n*int64(size)]
}

// readSoft reads the packages that others load on demand: u32 whether there
// are any, their ids, and for each package {u32 n, u32 offset} to u32 indices
// into those.
func readSoft(b *bin.Reader, buf []byte, f *unreal.ContainerFacts) {
	r := b
	if f.Version >= softSection {
		off, size := b.I64(), b.I64()
		if b.Err() != nil || bin.Range(off, size, int64(len(buf))) != nil {
			b.Fail(bin.ErrShort)
			return
		}
		r = newReader(buf[off:off+size], off)
	}
	if r.U32() == 0 {
		return
	}
	ids := make([]uint64, r.Count(8))
	for i := range ids {
		ids[i] = r.U64()
	}
	store := r.Bytes(r.Count(1))
	budget := len(store) / 4
	for i := range f.Packages {
		if 8*i+8 > len(store) {
			return
		}
		f.Packages[i].Soft = softOf(store, 8*i, ids, &f.Odd)
		if budget -= len(f.Packages[i].Soft); budget < 0 {
			r.Fail(bin.ErrCount)
			b.Fail(bin.ErrCount)
			return
		}
	}
}

func softOf(store []byte, at int, ids []uint64, odd *int) (soft []uint64) {
	numbers := readView(store, at, 4, odd)
	r := newReader(numbers, 0)
	for range len(numbers) / 4 {
		i := r.U32()
		if int64(i) >= int64(len(ids)) {
			*odd++
			continue
		}
		soft = append(soft, ids[i])
	}
	return soft
}

// readContainer4 reads the header of a container of UE4.
func readContainer4(b *bin.Reader, f *unreal.ContainerFacts) error {
	f.ContainerID = b.U64()
	b.Skip(4)          // how many packages
	b.Skip(b.Count(1)) // names
	b.Skip(b.Count(1)) // their hashes
	f.Packages = readStore(b, entryRecord{size: 32, imports: 24, noShaders: true}, f)
	for range b.Count(8) { // cultures
		culture := b.Bytes(b.Count(1))
		for range b.Count(16) {
			f.Redirects = append(f.Redirects, unreal.PackageRedirect{Source: b.U64(), Target: b.U64(), Name: unreal.Text{Bytes: trimNUL(culture)}.String()})
		}
	}
	for range b.Count(16) {
		f.Redirects = append(f.Redirects, unreal.PackageRedirect{Source: b.U64(), Target: b.U64()})
	}
	return b.Err()
}

func trimNUL(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == 0 {
		return b[:n-1]
	}
	return b
}

func inspectContainer(r io.ReaderAt, size int64) (*codecs.Facts, error) {
	f, err := ReadContainerHeader(r, size)
	if err != nil {
		return nil, err
	}
	facts := &codecs.Facts{Kind: "zen-container-header", Detail: f}
	if f.Odd > 0 {
		facts.Problems = append(facts.Problems, &codecs.FormatError{Format: formatName, Field: "container header", Off: -1,
			Err: codecs.Errorf(codecs.ErrCorrupt, "%d lists of packages lie outside of their table, or leave a gap", f.Odd)})
	}
	return facts, nil
}

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
