package pkg

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"slices"
	"sync"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// Changes are what [Package.Rewrite] writes otherwise. The zero value changes nothing.
type Changes struct {
	Names   []string               // appended to the name table
	Imports []unreal.PackageImport // appended; they may refer to the names above
	Soft    []SoftEntry            // appended to the list of soft object paths
	Exports map[int]ExportChange
	Copies  []ExportCopy // appended to the exports
}

// ExportCopy is an export that is there a second time, with the data, the outer and the
// dependencies that it has. Its name must be another.
type ExportCopy struct {
	Of   int
	Name unreal.ObjectName
	// Other is set for an export of another package, which this one gets.
	Other *OtherExport
}

// OtherExport is export Of of another package of the same version, with the references and
// names that lead to the same in the package that gets it.
type OtherExport struct {
	Package *Package
	Asset   []byte               // the file with its tables
	Export  unreal.PackageExport // offset and size are not used
	Data    []byte               // as many bytes as the export has there
	Preload []unreal.ObjectRef   // those of its span
}

// original returns the package that has the export.
func (c *ExportCopy) original(p *Package) *Package {
	if c.Other != nil {
		return c.Other.Package
	}
	return p
}

// SoftEntry is a path in the list of soft object paths.
type SoftEntry struct {
	Package, Asset unreal.ObjectName
	Sub            string
}

// ExportChange is the new data of an export. Grown is by how many bytes its list of
// properties became longer, which from UE5 1010 on the export table states.
type ExportChange struct {
	Data  []byte
	Grown int64
}

// Oldest and newest versions whose rewriting samples prove: UE 4.9 to 5.8.
const oldestWritten = 482

// Writable returns why the package cannot be written, nil if it can.
func (p *Package) Writable() error {
	if p.Version > 0 && p.LegacyVersion == 0 && !p.Modern() {
		return p.classicWritable()
	}
	v := p.versions
	refuse := func(format string, args ...any) error {
		return failure("package", 0, codecs.Errorf(unreal.ErrNoWriting, format, args...))
	}
	switch {
	case p.LegacyVersion > -6:
		return refuse("%s package of version %d: only legacy packages of UE 4.10 to 5.8 are written", cmp.Or(p.Engine, "unknown"), p.Version)
	case v.newer() || v.ue4 < oldestWritten:
		return refuse("version ue4 %d, ue5 %d: only legacy packages of UE 4.10 to 5.8 are written", v.ue4, v.ue5)
	case p.Compression != "" || p.BigEndian || p.Licensee != 0:
		return refuse("compressed, big-endian or licensee package")
	case p.Summary.CellExports.Count > 0 || p.Summary.CellImports.Count > 0:
		return refuse("package with Verse cells")
	case p.Summary.Names.Count == 0 || p.Summary.Exports.Count == 0 || p.Summary.Exports.End == 0:
		return refuse("package without names or exports")
	}
	for _, problem := range p.Problems {
		return refuse("its tables contradict the format: %v", problem)
	}
	return nil
}

// Rewrite returns the files of the package with changes: asset and uexp are its files as
// they were read, uexp nil unless the package is [unreal.PackageFacts.Split]. Bytes that
// the changes do not concern stay. The result was read back: it has the tables and data
// that were asked for, and all other exports are equal. It fails with [unreal.ErrNoWriting] for
// packages that no sample proves.
func (p *Package) Rewrite(ctx context.Context, asset, uexp []byte, c *Changes) (newAsset, newUexp []byte, err error) {
	if err := p.Writable(); err != nil {
		return nil, nil, err
	}
	for i := range c.Exports {
		if i < 0 || i >= len(p.Exports) {
			return nil, nil, failure("exports", -1, codecs.Errorf(codecs.ErrNotFound, "export %d of %d", i, len(p.Exports)))
		}
	}
	if !p.Modern() {
		newAsset, err = p.rewriteClassic(ctx, asset, c)
		return newAsset, nil, err
	}
	w := rewriter{p: p, c: c, order: binary.LittleEndian, head: asset, body: uexp}
	if !p.Split {
		if p.HeaderSize > int64(len(asset)) {
			return nil, nil, failure("header_size", 0, codecs.ErrTruncated)
		}
		w.head, w.body = asset[:p.HeaderSize], asset[p.HeaderSize:]
	}
	if err := w.run(); err != nil {
		return nil, nil, err
	}
	newAsset, newUexp = w.head, w.body
	if !p.Split {
		newAsset, newUexp = append(w.head, w.body...), nil
	}
	if err := w.readBack(ctx, newAsset, newUexp); err != nil {
		return nil, nil, failure("read back", -1, err)
	}
	return newAsset, newUexp, nil
}

// rewriter makes the new files from the old ones.
type rewriter struct {
	p       *Package
	c       *Changes
	order   binary.ByteOrder
	head    []byte // up to HeaderSize
	body    []byte // the data and what follows it
	was     []byte // the old body
	inserts []insert
	places  []int64  // new offset of each export, and of the copies
	copies  [][]byte // their entries of the export table
	preload int64    // entries of the list of preload dependencies that are added
	none    int32    // index of the name None, which new imports have for their package
}

// insert is bytes that are put into the header at an offset of the old one.
type insert struct {
	at   int64
	own  placeKind // the offset of the table that the bytes are appended to
	data []byte
}

// moved returns the new place of what lay at an offset of the old header. own is the
// kind of the number that leads there.
func (w *rewriter) moved(at int64, own placeKind) int64 {
	to := at
	for i := range w.inserts {
		if in := &w.inserts[i]; in.at <= at && (in.own != own || in.at < at) {
			to += int64(len(in.data))
		}
	}
	return to
}

func (w *rewriter) run() error {
	for _, c := range w.c.Copies {
		of := c.original(w.p)
		if c.Of < 0 || c.Of >= len(of.Exports) {
			return failure("exports", -1, codecs.Errorf(codecs.ErrNotFound, "export %d of %d", c.Of, len(of.Exports)))
		}
		if of.versions != w.p.versions || (of.Flags^w.p.Flags)&flagUnversionedProperties != 0 || of.exportSize() != w.p.exportSize() || (of.PreloadSpans == nil) != (w.p.PreloadSpans == nil) {
			return failure("exports", -1, codecs.Errorf(unreal.ErrNoWriting, "export of a package of another version"))
		}
		if len(w.p.Bulk)+len(of.Bulk) > 0 {
			return failure(fmt.Sprintf("exports[%d]", c.Of), -1, codecs.Errorf(unreal.ErrInside, "copies of exports in a package with bulk data"))
		}
	}
	w.head = bytes.Clone(w.head)
	w.nameNone()
	registry, err := w.collect()
	if err != nil {
		return err
	}
	end := w.moved(w.p.HeaderSize, headerEnd)
	data, grown, err := w.joinData(end)
	if err != nil {
		return err
	}
	if err := w.refusePositions(); err != nil {
		return err
	}
	if err := w.patchSummary(end, grown); err != nil {
		return err
	}
	w.patchExports()
	if err := w.patchThumbnails(); err != nil {
		return err
	}
	w.patchRegistry(registry)
	w.was, w.body = w.body, data
	w.head = w.splice()
	if int64(len(w.head)) > 1<<31-1 {
		return failure("header_size", -1, codecs.Errorf(codecs.ErrLimit, "%d bytes", len(w.head)))
	}
	return nil
}

// nameNone finds the name None, and adds it for imports that need it.
func (w *rewriter) nameNone() {
	v := w.p.versions
	if len(w.c.Imports) == 0 || v.ue4 < ue4ImportPackage || w.p.Summary.filtered && !v.importPackage {
		return
	}
	isNone := func(n unreal.PackageName) bool { return n.Text == "None" }
	if i := slices.IndexFunc(w.p.Names, isNone); i >= 0 {
		w.none = int32(i)
		return
	}
	i := slices.Index(w.c.Names, "None")
	if i < 0 {
		c := *w.c
		i, c.Names = len(c.Names), append(slices.Clip(c.Names), "None")
		w.c = &c
	}
	w.none = int32(len(w.p.Names) + i)
}

// registryBits is where the asset registry says which imports the game uses.
type registryBits struct {
	depends int64 // offset of the offset; 0 for none
	at      int64 // of the first bit array
	added   int
}

// collect lists what is put into the header.
func (w *rewriter) collect() (r registryBits, err error) {
	p, s := w.p, &w.p.Summary
	var names, imports, soft []byte
	for _, n := range w.c.Names {
		names = p.versions.appendName(names, n)
	}
	for i := range w.c.Imports {
		imports = w.appendImport(imports, &w.c.Imports[i])
	}
	for _, e := range w.c.Soft {
		for _, n := range [...]unreal.ObjectName{e.Package, e.Asset} {
			soft = w.appendFName(soft, n)
		}
		soft = unreal.AppendFString(soft, e.Sub)
	}
	if len(names) > 0 {
		w.inserts = append(w.inserts, insert{s.Names.End, fixedOffset, names})
	}
	if len(soft) > 0 {
		if s.SoftObjects.Count == 0 {
			return r, failure("soft_objects", -1, codecs.Errorf(unreal.ErrNoWriting, "first soft object path of a package"))
		}
		w.inserts = append(w.inserts, insert{s.SoftObjects.End, softOffset, soft})
	}
	if len(imports) > 0 {
		at := s.Imports.End
		if s.Imports.Count == 0 {
			if at = s.Imports.Offset; at <= 0 {
				return r, failure("imports", -1, codecs.Errorf(unreal.ErrNoWriting, "first import of a package"))
			}
		}
		w.inserts = append(w.inserts, insert{at, importOffset, imports})
	}
	w.collectCopies()
	if s.AssetRegistry <= 0 || s.filtered || p.versions.ue4 < ue4RegistryDepends {
		return r, nil
	}
	return w.collectRegistry()
}

// collectCopies lists the entries of copies in the tables of exports, depends and preload
// dependencies.
func (w *rewriter) collectCopies() {
	if len(w.c.Copies) == 0 {
		return
	}
	p, s, v := w.p, &w.p.Summary, w.p.versions
	size := p.exportSize()
	name, spans := int64(12), size-20
	if v.ue4 >= ue4Template {
		name += 4
	}
	if v.ue5 >= ue5ScriptOffsets && p.Flags&flagUnversionedProperties == 0 {
		spans -= 16
	}
	var entries, preload []byte
	for i, c := range w.c.Copies {
		of, head := c.original(p), w.head
		if c.Other != nil {
			head = c.Other.Asset
		}
		at := of.Summary.Exports.Offset + int64(c.Of)*size
		e := bytes.Clone(head[at : at+size])
		copy(e[name:], w.appendFName(nil, c.Name))
		if c.Other != nil {
			x := &c.Other.Export
			refs := []unreal.ObjectRef{x.Class, x.Super, x.Archetype, x.Outer}
			if v.ue4 < ue4Template {
				refs = slices.Delete(refs, 2, 3)
			}
			for k, r := range refs {
				w.order.PutUint32(e[4*k:], uint32(r))
			}
		}
		if of.PreloadSpans != nil && of.PreloadSpans[c.Of].First >= 0 {
			w.order.PutUint32(e[spans:], uint32(len(p.Preload)+len(preload)/4))
			for _, r := range w.preloadOf(i) {
				preload = binary.LittleEndian.AppendUint32(preload, uint32(r))
			}
		}
		entries = append(entries, e...)
	}
	for e := range slices.Chunk(entries, int(size)) {
		w.copies = append(w.copies, e)
	}
	w.inserts = append(w.inserts, insert{s.Exports.End, fixedOffset, entries})
	if s.Depends.Offset > 0 && s.Depends.End > 0 {
		w.inserts = append(w.inserts, insert{s.Depends.End, fixedOffset, make([]byte, 4*len(w.c.Copies))})
	}
	if len(preload) > 0 {
		w.preload = int64(len(preload) / 4)
		w.inserts = append(w.inserts, insert{s.Preload.End, fixedOffset, preload})
	}
}

// preloadOf returns the dependencies of a copy.
func (w *rewriter) preloadOf(copied int) []unreal.ObjectRef {
	c := &w.c.Copies[copied]
	if c.Other != nil {
		return c.Other.Preload
	}
	span := w.p.PreloadSpans[c.Of]
	all := slices.Clone(w.p.Preload[span.First:][:span.Len()])
	for k, r := range all {
		if r == unreal.ObjectRef(c.Of+1) {
			all[k] = unreal.ObjectRef(len(w.p.Exports) + copied + 1)
		}
	}
	return all
}

// exportSize returns the size of an entry of the export table.
func (p *Package) exportSize() int64 {
	t := &p.Summary.Exports
	return (t.End - t.Offset) / int64(t.Count)
}

// collectRegistry finds the bits of imports, and lengthens them by those of new ones:
// the game uses what a value refers to.
func (w *rewriter) collectRegistry() (r registryBits, err error) {
	r.depends = w.p.Summary.AssetRegistry
	in := bin.NewReader(w.head, 0, w.order)
	in.Seek(int(r.depends))
	r.at = in.I64()
	if in.Err() != nil || r.at <= r.depends || r.at > int64(len(w.head))-4 {
		return r, failure("asset_registry", r.depends, codecs.ErrCorrupt)
	}
	in.Seek(int(r.at))
	bits, added := int(in.I32()), len(w.c.Imports)
	if r.added = added; added == 0 {
		return r, nil
	}
	if in.Err() != nil || bits != len(w.p.Imports) {
		return r, failure("asset_registry", r.at, codecs.Errorf(codecs.ErrCorrupt, "%d bits for %d imports", bits, len(w.p.Imports)))
	}
	words := (bits + 31) / 32
	more := (bits+added+31)/32 - words
	tail := make([]byte, 4*more)
	end := r.at + 4 + int64(4*words)
	if end > int64(len(w.head)) {
		return r, failure("asset_registry", r.at, codecs.ErrTruncated)
	}
	for i := bits; i < bits+added; i++ {
		if i < 32*words {
			w.head[r.at+4+int64(i/8)] |= 1 << (i % 8)
		} else {
			tail[i/8-4*words] |= 1 << (i % 8)
		}
	}
	w.put32(r.at, int64(bits+added))
	if more > 0 {
		w.inserts = append(w.inserts, insert{end, fixedCount, tail})
	}
	return r, nil
}

func (w *rewriter) appendFName(dst []byte, n unreal.ObjectName) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(dst, uint32(n.Index)), uint32(n.Number))
}

func (w *rewriter) appendImport(dst []byte, e *unreal.PackageImport) []byte {
	v := w.p.versions
	dst = w.appendFName(w.appendFName(dst, e.ClassPackage), e.Class)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(e.Outer))
	dst = w.appendFName(dst, e.Name)
	if v.ue4 >= ue4ImportPackage && (!w.p.Summary.filtered || v.importPackage) {
		dst = w.appendFName(dst, unreal.ObjectName{Index: w.none})
	}
	if v.ue5 >= ue5Optional {
		dst = append(dst, 0, 0, 0, 0)
	}
	return dst
}

// joinData returns the data of the exports and what follows it, and by how much it grew.
func (w *rewriter) joinData(end int64) (out []byte, grown int64, err error) {
	p := w.p
	at := p.HeaderSize
	w.places = make([]int64, len(p.Exports))
	out = make([]byte, 0, len(w.body)+64)
	for i := range p.Exports {
		x := &p.Exports[i]
		if x.Offset != at || x.Size < 0 || at-p.HeaderSize+x.Size > int64(len(w.body)) {
			return nil, 0, failure(fmt.Sprintf("exports[%d].offset", i), x.Offset, codecs.Errorf(unreal.ErrNoWriting, "data of exports that is not in the order of the table"))
		}
		w.places[i] = end + int64(len(out))
		if c, ok := w.c.Exports[i]; ok {
			out = append(out, c.Data...)
		} else {
			out = append(out, w.body[at-p.HeaderSize:at-p.HeaderSize+x.Size]...)
		}
		at += x.Size
	}
	for _, c := range w.c.Copies {
		w.places = append(w.places, end+int64(len(out)))
		if c.Other != nil {
			out = append(out, c.Other.Data...)
			continue
		}
		x := &p.Exports[c.Of]
		out = append(out, w.body[x.Offset-p.HeaderSize:][:x.Size]...)
	}
	if p.BulkStart != at {
		return nil, 0, failure("bulk_data", p.BulkStart, codecs.Errorf(unreal.ErrNoWriting, "data of exports that ends at %d", at))
	}
	grown = int64(len(out)) - (at - p.HeaderSize)
	return append(out, w.body[at-p.HeaderSize:]...), grown, nil
}

// refusePositions fails where data moves, or changes, that has its own position in the
// file. Below UE5 1009 bulk data inside of an export is preceded by it: u32 flags, i32
// elements, i32 bytes, i64 position. Later a table in the header has it, counted from the
// export's data, so that the export itself may not change its size.
func (w *rewriter) refusePositions() error {
	if w.p.versions.ue5 >= ue5DataResources {
		return w.refuseInline()
	}
	for i := range w.p.Exports {
		x := &w.p.Exports[i]
		c, changed := w.c.Exports[i]
		copied := slices.ContainsFunc(w.c.Copies, func(c ExportCopy) bool { return c.Other == nil && c.Of == i })
		if !changed && !copied && w.places[i] == x.Offset {
			continue
		}
		b := w.body[x.Offset-w.p.HeaderSize:][:x.Size]
		for at := range w.positions(b, x.Offset) {
			if changed && !copied && w.places[i] == x.Offset && len(c.Data) >= at+8 && bytes.Equal(c.Data[at-12:at+8], b[at-12:at+8]) {
				continue // it stays where it is
			}
			return failure(fmt.Sprintf("exports[%d]", i), x.Offset+int64(at), codecs.Errorf(unreal.ErrInside,
				"%s %s may not move: add no names, and keep the sizes of values", w.p.ClassOf(i), w.p.NameOf(x.Name)))
		}
	}
	for _, c := range w.c.Copies {
		if c.Other == nil {
			continue
		}
		for at := range w.positions(c.Other.Data, c.Other.Package.Exports[c.Of].Offset) {
			return failure(fmt.Sprintf("exports[%d]", c.Of), int64(at), codecs.Errorf(unreal.ErrInside, "bulk data of an export of another package"))
		}
	}
	return nil
}

// positions returns where the data of an export at an offset has the position of bulk data
// that follows.
func (w *rewriter) positions(b []byte, offset int64) iter.Seq[int] {
	const afterEnd, packed = 0x01, 0x02 // flags: elsewhere, compressed by zlib
	return func(yield func(int) bool) {
		for at := 12; at+8 <= len(b); at++ {
			if int64(w.order.Uint64(b[at:])) != offset+int64(at)+8 {
				continue
			}
			flags, n, size := w.order.Uint32(b[at-12:]), w.order.Uint32(b[at-8:]), w.order.Uint32(b[at-4:])
			if flags&afterEnd == 0 && int64(size) <= int64(len(b)-at-8) && (flags&packed != 0 || n == size) && !yield(at) {
				return
			}
		}
	}
}

func (w *rewriter) refuseInline() error {
	inside := slices.ContainsFunc(w.p.Bulk, func(b unreal.BulkData) bool { return b.Inline() })
	for i, c := range w.c.Exports {
		if x := &w.p.Exports[i]; inside && int64(len(c.Data)) != x.Size {
			return failure(fmt.Sprintf("exports[%d]", i), x.Offset, codecs.Errorf(unreal.ErrInside, "%s %s must keep its size", w.p.ClassOf(i), w.p.NameOf(x.Name)))
		}
	}
	return nil
}

func (w *rewriter) put32(at, v int64) { w.order.PutUint32(w.head[at:], uint32(v)) }

func (w *rewriter) put64(at, v int64) { w.order.PutUint64(w.head[at:], uint64(v)) }

// patchSummary changes the counts and offsets of the summary, in the old header.
func (w *rewriter) patchSummary(end, grown int64) error {
	p := w.p
	for _, f := range p.numbers {
		var v int64
		if f.wide {
			v = int64(w.order.Uint64(w.head[f.off:]))
		} else {
			v = int64(int32(w.order.Uint32(w.head[f.off:])))
		}
		switch f.what {
		case fixedOffset, fixedCount:
			continue
		case nameCount:
			v += int64(len(w.c.Names))
		case importCount:
			v += int64(len(w.c.Imports))
		case exportCount:
			v += int64(len(w.c.Copies))
		case preloadCount:
			v += w.preload
		case softCount:
			v += int64(len(w.c.Soft))
		case referencedCount:
			if v > 0 && len(w.c.Names) > 0 {
				v = int64(p.Summary.Names.Count + len(w.c.Names))
			}
		case headerEnd:
			v = end
		case headerOffset, importOffset, exportOffset, softOffset:
			if v <= 0 || v < p.Summary.Names.End {
				continue
			}
			v = w.moved(v, f.what)
		case dataOffset:
			if v <= 0 {
				continue
			}
			if v < p.BulkStart {
				return failure("summary", f.off, codecs.Errorf(unreal.ErrNoWriting, "offset 0x%x of data lies before its end", v))
			}
			v += end - p.HeaderSize + grown
		}
		if f.wide {
			w.put64(f.off, v)
		} else {
			w.put32(f.off, v)
		}
	}
	return nil
}

// patchExports changes where the data of exports lies.
func (w *rewriter) patchExports() {
	p, v := w.p, w.p.versions
	t := &p.Summary.Exports
	entry := p.exportSize()
	size := int64(24) // after class, super, outer, name and flags
	if v.ue4 >= ue4Template {
		size += 4
	}
	for i := range p.Exports {
		at := t.Offset + int64(i)*entry
		c, changed := w.c.Exports[i]
		n := p.Exports[i].Size
		if changed {
			n = int64(len(c.Data))
		}
		if v.ue4 >= ue4Size64 {
			w.put64(at+size, n)
			w.put64(at+size+8, w.places[i])
		} else {
			w.put32(at+size, n)
			w.put32(at+size+4, w.places[i])
		}
		if changed && v.ue5 >= ue5ScriptOffsets && p.Flags&flagUnversionedProperties == 0 {
			last := at + entry - 8
			w.put64(last, int64(w.order.Uint64(w.head[last:]))+c.Grown)
		}
	}
	for i, e := range w.copies {
		if v.ue4 >= ue4Size64 {
			w.order.PutUint64(e[size+8:], uint64(w.places[len(p.Exports)+i]))
		} else {
			w.order.PutUint32(e[size+4:], uint32(w.places[len(p.Exports)+i]))
		}
	}
}

// patchThumbnails changes where the table of thumbnails finds its pictures, which are in
// the header.
func (w *rewriter) patchThumbnails() error {
	at := w.p.Summary.Thumbnails
	if at <= 0 || len(w.inserts) == 0 {
		return nil
	}
	in := bin.NewReader(w.head, 0, w.order)
	in.Seek(int(at))
	for range in.Count(12) {
		unreal.FString(in)
		unreal.FString(in)
		off := in.Off()
		v := int64(in.I32())
		if in.Err() == nil && v >= w.p.Summary.Names.End {
			w.put32(off, w.moved(v, headerOffset))
		}
	}
	if in.Err() != nil {
		return failure("thumbnails", at, in.Err())
	}
	return nil
}

func (w *rewriter) patchRegistry(r registryBits) {
	if r.depends > 0 {
		w.put64(r.depends, w.moved(r.at, headerOffset))
	}
}

// splice returns the header with the inserts.
func (w *rewriter) splice() []byte {
	slices.SortStableFunc(w.inserts, func(a, b insert) int { return cmp.Compare(a.at, b.at) })
	var out []byte
	at := int64(0)
	for _, in := range w.inserts {
		out = append(append(out, w.head[at:in.at]...), in.data...)
		at = in.at
	}
	return append(out, w.head[at:]...)
}

// checkNames fails unless a new package has the names of the old one, and then the added ones.
func (c *Changes) checkNames(old, got *Package) error {
	n := len(old.Names)
	if len(got.Names) != n+len(c.Names) || !slices.Equal(got.Names[:n], old.Names) {
		return errors.New("other names")
	}
	for i, name := range c.Names {
		if got.Names[n+i].Text != name {
			return fmt.Errorf("name %d is %q", n+i, got.Names[n+i].Text)
		}
	}
	return nil
}

// readBack reads the new package: it must have what was asked for and nothing else.
func (w *rewriter) readBack(ctx context.Context, asset, uexp []byte) error {
	old, c := w.p, w.c
	got, err := Read(ctx, bytes.NewReader(asset), int64(len(asset)))
	switch {
	case err != nil:
		return err
	case len(got.Problems) > 0:
		return got.Problems[0]
	case got.versions != old.versions || got.Split != old.Split || got.Flags != old.Flags:
		return errors.New("another layout")
	case len(got.Imports) != len(old.Imports)+len(c.Imports) ||
		len(got.Exports) != len(old.Exports)+len(c.Copies) || len(got.SoftObjects) != len(old.SoftObjects)+len(c.Soft):
		return errors.New("other counts")
	}
	if err := c.checkNames(old, got); err != nil {
		return err
	}
	for i := range got.Imports {
		want := unreal.PackageImport{}
		if i < len(old.Imports) {
			want = old.Imports[i]
		} else {
			want = c.Imports[i-len(old.Imports)]
		}
		have := got.Imports[i]
		want.Flags, have.Flags = want.Flags&unreal.ImportOptional, have.Flags&unreal.ImportOptional
		if have != want {
			return fmt.Errorf("import %d differs", i)
		}
	}
	if !slices.Equal(got.SoftPackages, old.SoftPackages) || !slices.Equal(got.SoftObjects[:len(old.SoftObjects)], old.SoftObjects) ||
		!slices.Equal(got.Preload[:min(len(old.Preload), len(got.Preload))], old.Preload) || int64(len(got.Preload)-len(old.Preload)) != w.preload ||
		!slices.Equal(got.PreloadSpans[:min(len(old.PreloadSpans), len(got.PreloadSpans))], old.PreloadSpans) || !slices.Equal(got.Depends.Refs, old.Depends.Refs) ||
		!slices.Equal(got.Bulk, old.Bulk) {
		return errors.New("other lists of references")
	}
	body := uexp
	if !got.Split {
		body = asset[got.HeaderSize:]
	}
	for i := range got.Exports {
		a := got.Exports[i]
		var b unreal.PackageExport
		var want []byte
		if k := i - len(old.Exports); k < 0 {
			b, want = old.Exports[i], w.data(i)
		} else {
			c := &c.Copies[k]
			of := c.original(old)
			if c.Other == nil {
				b, want = old.Exports[c.Of], w.original(c.Of)
			} else {
				b, want = c.Other.Export, c.Other.Data
			}
			b.Name = c.Name
			if of.PreloadSpans != nil && got.PreloadSpans[i].Counts != of.PreloadSpans[c.Of].Counts {
				return fmt.Errorf("dependencies of export %d differ", i)
			}
		}
		if a.Offset-got.HeaderSize < 0 || a.Offset-got.HeaderSize+a.Size > int64(len(body)) ||
			!bytes.Equal(body[a.Offset-got.HeaderSize:a.Offset-got.HeaderSize+a.Size], want) {
			return fmt.Errorf("data of export %d differs", i)
		}
		a.Offset, a.Size = b.Offset, b.Size
		if a != b {
			return fmt.Errorf("export %d differs", i)
		}
	}
	return nil
}

// data returns the bytes that export i is to have.
func (w *rewriter) data(i int) []byte {
	if c, ok := w.c.Exports[i]; ok {
		return c.Data
	}
	return w.original(i)
}

// original returns the bytes that export i had.
func (w *rewriter) original(i int) []byte {
	x := &w.p.Exports[i]
	return w.was[x.Offset-w.p.HeaderSize : x.Offset-w.p.HeaderSize+x.Size]
}

// placeKind says how a number of a summary follows from what a writer changes.
type placeKind uint8

const (
	fixedOffset placeKind = iota // the names, which nothing is put before
	fixedCount
	headerOffset // moves with the bytes of the header that it leads to
	exportOffset
	importOffset // the same, but for bytes that are appended to its own empty table
	softOffset
	headerEnd
	dataOffset // of something after the data of the exports
	nameCount
	importCount
	exportCount
	preloadCount
	softCount
	referencedCount // names that data of exports refers to; they come first
)

// place is where the summary of a UE4 or UE5 package has such a number.
type place struct {
	off  int64
	wide bool // an i64
	what placeKind
}

// i32 reads a number of the summary that a writer may change.
func (p *parser) i32(d *decoder, what placeKind) int64 {
	p.numbers = append(p.numbers, place{d.Off(), false, what})
	return int64(d.I32())
}

func (p modern) i64(d *decoder, what placeKind) int64 {
	p.numbers = append(p.numbers, place{d.Off(), true, what})
	return d.I64()
}

// readPlace is readTable for what a writer may change.
func (p *parser) readPlace(d *decoder, count, offset placeKind) Table {
	return Table{Count: int(p.i32(d, count)), Offset: p.i32(d, offset)}
}

// appendName appends an entry of the name table. Names from 504 on have two hashes: of
// the upper-cased text and of the text as it is.
func (v versions) appendName(dst []byte, name string) []byte {
	dst = unreal.AppendFString(dst, name)
	if v.ue4 < ue4NameHashes {
		return dst
	}
	folded, exact := nameHashes(name)
	return append(dst, byte(folded), byte(folded>>8), byte(exact), byte(exact>>8))
}

// oldTable is the table of the engine's deprecated CRC: most significant bit first, in
// a loop that shifts the other way.
var oldTable = sync.OnceValue(func() (t [256]uint32) {
	for i := range t {
		c := uint32(i) << 24
		for range 8 {
			if c&(1<<31) != 0 {
				c = c<<1 ^ 0x04C11DB7
			} else {
				c <<= 1
			}
		}
		t[i] = c
	}
	return t
})

// nameHashes returns the two hashes of a name.
func nameHashes(name string) (folded, exact uint16) {
	table, wide := oldTable(), false
	for _, r := range name {
		wide = wide || r > 0x7F
	}
	var old, crc uint32 = 0, ^uint32(0)
	for _, r := range name {
		up := r
		if up >= 'a' && up <= 'z' {
			up -= 'a' - 'A'
		}
		old = old>>8 ^ table[byte(old)^byte(up)]
		if wide {
			old = old>>8 ^ table[byte(old)^byte(up>>8)]
		}
		for shift := 0; shift < 32; shift += 8 {
			crc = crc>>8 ^ crc32.IEEETable[byte(crc)^byte(r>>shift)]
		}
	}
	return uint16(old), uint16(^crc)
}
