package pkg

import (
	"fmt"

	"pakdb/codecs/unreal"
)

// The UE4 and UE5 versions that change the layout, named for what they bring.
const (
	ue4WorldTile        = 224
	ue4ChunkID          = 278
	ue4ChunkIDs         = 326
	ue4EngineVersion    = 336
	ue4LoadInEditorGame = 365
	ue4SoftPackages     = 384
	ue4Compatible       = 444
	ue4Gatherable       = 459
	ue4SoftPackageOnly  = 484
	ue4IsAsset          = 485
	ue4NameHashes       = 504
	ue4Preload          = 507
	ue4Template         = 508
	ue4SearchableNames  = 510
	ue4Size64           = 511
	ue4SoftNames        = 514
	ue4LocalizationID   = 516
	ue4PersistentGUID   = 518
	ue4NoOwnerGUID      = 520
	ue4ImportPackage    = 520
	ue4RegistryDepends  = 521

	ue5NamesReferenced   = 1001
	ue5PayloadTOC        = 1002
	ue5Optional          = 1003
	ue5NoExportGUID      = 1005
	ue5Inherited         = 1006
	ue5SoftObjects       = 1008
	ue5DataResources     = 1009
	ue5ScriptOffsets     = 1010
	ue5RegistryBuildOnly = 1013
	ue5MetaData          = 1014
	ue5Cells             = 1015
	ue5SavedHash         = 1016
	ue5TypeHierarchies   = 1018
)

// Package flags of UE4 and UE5.
const (
	flagUnversionedProperties = 0x2000
	flagFilterEditorOnly      = 0x80000000
)

// summary reads the summary from the version fields on.
func (p modern) summary(d *decoder) {
	f, s, v := p.facts, &p.sum, p.v
	p.numbers = p.numbers[:0]
	d.Skip(8) // UE4's version and the licensee
	if v.legacy != -4 {
		d.Skip(4)
	}
	if v.legacy <= -8 {
		d.Skip(4)
	}
	if v.ue4 >= 138 && v.ue4 <= 141 {
		d.Skip(8)
	}
	if v.ue5 >= ue5SavedHash {
		p.addNoise(d, 20)
		f.SavedHash = append([]byte(nil), d.Bytes(20)...)
		f.HeaderSize = p.i32(d, headerEnd)
	}
	f.Custom = customVersions(d, v.legacy)
	if v.ue5 < ue5SavedHash {
		f.HeaderSize = p.i32(d, headerEnd)
	}
	f.Name = longName(d.fstring(maxText))
	f.Flags = d.U32()
	s.filtered = f.Flags&flagFilterEditorOnly != 0
	p.places(d)
	p.identity(d)
	p.tail(d)
	s.UE5 = v.ue5
	s.End = d.Off()
}

// customVersions reads the versions of the engine's parts. Those of UE 4.0 (legacy -2)
// have numbers in place of identifiers and are passed over.
func customVersions(d *decoder, legacy int) []unreal.CustomVersion {
	n := count(d, 8)
	if legacy == -2 {
		d.Skip(8 * n)
		return nil
	}
	list := make([]unreal.CustomVersion, 0, min(n, d.Len()/20+1))
	for range n {
		c := unreal.CustomVersion{Key: unreal.ReadID(&d.Reader), Version: d.I32()}
		if legacy > -6 {
			d.fstring(maxText) // its friendly name
		}
		if d.Err() != nil {
			return nil
		}
		list = append(list, c)
	}
	return list
}

// places reads where the tables are.
func (p modern) places(d *decoder) {
	s, v := &p.sum, p.v
	s.Names = p.readPlace(d, nameCount, fixedOffset)
	if v.ue5 >= ue5SoftObjects {
		s.SoftObjects = p.readPlace(d, softCount, softOffset)
	}
	if v.ue4 >= ue4LocalizationID && !s.filtered {
		d.fstring(maxText)
	}
	if v.ue4 >= ue4Gatherable {
		d.Skip(4)
		s.Gatherable = p.i32(d, headerOffset)
	}
	s.Exports = p.readPlace(d, exportCount, exportOffset)
	s.Imports = p.readPlace(d, importCount, importOffset)
	if v.ue5 >= ue5Cells {
		s.CellExports = p.readPlace(d, fixedCount, headerOffset)
		s.CellImports = p.readPlace(d, fixedCount, headerOffset)
	}
	if v.ue5 >= ue5MetaData {
		s.MetaData = p.i32(d, headerOffset)
	}
	s.Depends = Table{Count: s.Exports.Count, Offset: p.i32(d, headerOffset)}
	if v.ue4 >= ue4SoftPackages {
		s.SoftPackages = p.readPlace(d, fixedCount, headerOffset)
	}
	if v.ue4 >= ue4SearchableNames {
		s.SearchableNames = p.i32(d, headerOffset)
	}
	s.Thumbnails = p.i32(d, headerOffset)
	if v.ue5 >= ue5TypeHierarchies {
		p.readPlace(d, fixedCount, headerOffset)
	}
}

// identity reads identifiers, earlier saves and engine versions.
func (p modern) identity(d *decoder) {
	f, v := p.facts, p.v
	if v.ue5 < ue5SavedHash {
		f.GUID = p.saveGUID(d)
	}
	if v.ue4 >= ue4PersistentGUID && !p.sum.filtered {
		f.PersistentGUID = p.saveGUID(d)
		if v.ue4 < ue4NoOwnerGUID {
			p.skipNoise(d, 16)
		}
	}
	p.generations(d, v.ue4 < 196)
	if len(f.Generations) > 0 && v.ue4 >= 196 {
		p.numbers = append(p.numbers, place{off: d.Off() - 8, what: exportCount}, place{off: d.Off() - 4, what: nameCount}) // of the last one
	}
	if v.ue4 < ue4EngineVersion {
		d.Skip(4) // changelist
		return
	}
	f.EngineVersion = engineVersion(d)
	if v.ue4 >= ue4Compatible {
		f.CompatibleEngine = engineVersion(d)
	}
}

// engineVersion renders as the engine does; "" when nothing is stored. The top
// bit of the changelist marks a licensee's.
func engineVersion(d *decoder) string {
	major, minor, patch, change := d.U16(), d.U16(), d.U16(), d.U32()&0x7FFFFFFF
	branch := d.fstring(maxText)
	if major == 0 && minor == 0 && patch == 0 && change == 0 && branch == "" {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d-%d+%s", major, minor, patch, change, branch)
}

func (p modern) tail(d *decoder) {
	s, v := &p.sum, p.v
	s.compressionFlags = d.U32()
	s.Chunks = readChunks(d)
	s.Source = d.U32()
	s.Additional = readStrings(d)
	if v.legacy > -7 {
		d.Skip(4) // texture allocations
	}
	s.AssetRegistry = p.i32(d, headerOffset)
	s.BulkData = p.i64(d, dataOffset)
	p.facts.BulkStart = s.BulkData
	if v.ue4 >= ue4WorldTile {
		p.i32(d, headerOffset)
	}
	switch {
	case v.ue4 >= ue4ChunkIDs:
		d.Skip(4 * count(d, 4))
	case v.ue4 >= ue4ChunkID:
		d.Skip(4)
	}
	if v.ue4 >= ue4Preload {
		s.Preload = p.readPlace(d, preloadCount, headerOffset)
	}
	if v.ue5 >= ue5NamesReferenced {
		s.NamesReferenced = int(p.i32(d, referencedCount))
	}
	if v.ue5 >= ue5PayloadTOC {
		p.i64(d, dataOffset)
	}
	if v.ue5 >= ue5DataResources {
		s.DataResources = p.i32(d, headerOffset)
	}
}

func (p modern) nameEntry(d *decoder) unreal.PackageName {
	n := unreal.PackageName{Text: d.fstring(maxName)}
	if p.v.ue4 >= ue4NameHashes {
		p.skipNoise(d, 4) // hashes, wrong or zero in real files
	}
	return n
}

func (p modern) importEntry(d *decoder) (e unreal.PackageImport) {
	e.ClassPackage, e.Class = d.name(), d.name()
	e.Outer = d.ref()
	e.Name = d.name()
	if p.v.ue4 >= ue4ImportPackage && (!p.sum.filtered || p.v.importPackage) {
		d.Skip(8) // package name; "None" in all files seen
	}
	if p.v.ue5 >= ue5Optional && d.U32() != 0 {
		e.Flags |= unreal.ImportOptional
	}
	return e
}

func (p modern) exportEntry(d *decoder) (e unreal.PackageExport) {
	v := p.v
	e.Class, e.Super = d.ref(), d.ref()
	if v.ue4 >= ue4Template {
		e.Archetype = d.ref()
	}
	e.Outer = d.ref()
	e.Name = d.name()
	if v.ue4 < 163 {
		e.Archetype = d.ref()
	}
	e.Flags = uint64(d.U32())
	if v.ue4 >= ue4Size64 {
		e.Size, e.Offset = d.I64(), d.I64()
	} else {
		e.Size, e.Offset = int64(d.I32()), int64(d.I32())
	}
	p.exportFlags(d, &e)
	return e
}

// exportFlags reads what follows the place of the data.
func (p modern) exportFlags(d *decoder, e *unreal.PackageExport) {
	v := p.v
	bit := func(has bool, flag unreal.ExportFlags) {
		if has && d.U32() != 0 {
			e.ExportFlags |= flag
		}
	}
	bit(true, unreal.ExportForced)
	bit(true, unreal.ExportNotForClient)
	bit(true, unreal.ExportNotForServer)
	if v.ue4 < 196 {
		d.skipArray(4)
	}
	if v.ue5 < ue5NoExportGUID {
		p.skipNoise(d, 16)
	}
	bit(v.ue5 >= ue5Inherited, unreal.ExportInherited)
	e.PackageFlags = d.U32()
	bit(v.ue4 >= ue4LoadInEditorGame, unreal.ExportNotInEditorGame)
	bit(v.ue4 >= ue4IsAsset, unreal.ExportAsset)
	bit(v.ue5 >= ue5Optional, unreal.ExportPublicHash)
	if v.ue4 >= ue4Preload {
		p.spans = append(p.spans, unreal.PreloadSpan{First: d.I32(), Counts: [4]int32{d.I32(), d.I32(), d.I32(), d.I32()}})
	}
	if v.ue5 >= ue5ScriptOffsets && p.facts.Flags&flagUnversionedProperties == 0 {
		d.Skip(16)
	}
}
