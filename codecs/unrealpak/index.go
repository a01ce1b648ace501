package unrealpak

import (
	"crypto/sha1"
	"encoding/binary"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/internal/spool"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// table is the list of entries of an opened pak, in the order of their
// ordinals. It decodes on demand from the index as it is stored, most of which is
// read again where it is needed: an entry costs 4 bytes of memory, from version 10 on 40.
type table interface {
	len() int
	// name returns the path of entry i relative to the mount point, or "".
	name(i int) string
	// hash returns the stored path hash of entry i.
	hash(i int) (uint64, bool)
	// record decodes entry i into rec.
	record(i int, rec *record) error
}

// recordIndex is the index of versions 1 to 9:
//
//	FString mount | i32 count | count x (FString name, record)
type recordIndex struct {
	bytes   *spool.Region
	base    int64 // absolute offset of bytes
	version version
	starts  []uint32 // of each name within bytes, and the end of the last entry
}

// parseRecordIndex walks the index. Entries in front of damage are kept; the
// error then says where the table breaks.
func parseRecordIndex(buf []byte, base int64, v version) (t *recordIndex, mount string, err error) {
	r := bin.NewReader(buf, base, binary.LittleEndian)
	mount = normalSlashes(unreal.FString(r).String())
	t = &recordIndex{bytes: spool.RegionHeld(buf), base: base, version: v}
	count := r.Count(4 + int(v.recordSize(false, 0)))
	t.starts = append(make([]uint32, 0, count+1), uint32(r.Pos()))
	for range count {
		unreal.FString(r)
		if skipRecord(r, v); r.Err() != nil {
			return t, mount, at("index", r.Off(), r.Err())
		}
		t.starts = append(t.starts, uint32(r.Pos()))
	}
	return t, mount, at("index", r.Off(), r.Err())
}

func (t *recordIndex) len() int { return len(t.starts) - 1 }

func (t *recordIndex) at(i int) ([]byte, error) {
	return t.bytes.At(int64(t.starts[i]), int64(t.starts[i+1]-t.starts[i]))
}

func (t *recordIndex) name(i int) string {
	b, _ := t.at(i) // record reports what is wrong
	return normalSlashes(unreal.FString(bin.NewReader(b, 0, binary.LittleEndian)).String())
}

func (t *recordIndex) hash(int) (uint64, bool) { return 0, false }

func (t *recordIndex) record(i int, rec *record) error {
	b, err := t.at(i)
	if err != nil {
		return at("index", t.base+int64(t.starts[i]), err)
	}
	r := bin.NewReader(b, t.base+int64(t.starts[i]), binary.LittleEndian)
	unreal.FString(r)
	readRecord(r, t.version, rec)
	return at("entry", rec.at, r.Err())
}

func normalSlashes(s string) string { return strings.ReplaceAll(s, `\`, "/") }

// checkCount compares the entry count that an index declares with its list.
func checkCount(declared int64, have int, field int64) error {
	if declared == int64(have) {
		return nil
	}
	return at("entry count", field, codecs.Errorf(codecs.ErrNonStrict, "%d declared, %d listed", declared, have))
}

// indexReader reads the regions of the index while a pak is opened.
type indexReader struct{ *archive }

// open reads the index of any version.
func (a indexReader) open() error {
	f := a.footer
	buf, warning, err := a.region("index", f.index, f.at+8, f.ivs[0])
	if err != nil {
		return err
	}
	if warning != nil && f.encrypted && !plausibleIndex(buf) {
		return at("index", f.index.off, codecs.Errorf(codecs.ErrWrongKey, "key %s does not decrypt the index", keyName(f.keyID)))
	}
	a.keyProven = f.encrypted && warning == nil
	a.warn(warning)
	if f.version >= pathHashIndex {
		return a.hashIndex(buf)
	}
	var t *recordIndex
	t, a.mount, a.tableErr = parseRecordIndex(buf, f.index.off, f.version)
	a.table, t.bytes = t, spool.RegionAgain(buf, !f.encrypted, a.src, f.index.off)
	a.release = t.bytes.Release
	if t.len() == 0 && a.tableErr != nil {
		return a.tableErr
	}
	return nil
}

// hashIndex reads the regions that the primary index names. Any one of the
// two is enough to list the entries, with or without names.
func (a indexReader) hashIndex(buf []byte) error {
	f := a.footer
	p, err := parsePrimary(buf, f.index.off, f.version, a.crypt.ctr)
	if err != nil {
		return err
	}
	a.mount = p.mount
	a.hashed = newHashIndex(f.version, a.crypt.ctr, p)
	a.table = a.hashed
	pairs, hashErr := a.pathHashes(p)
	more, dirErr := a.directory(p)
	if hashErr != nil && (p.fullDir == nil || dirErr != nil) {
		return hashErr
	}
	if dirErr != nil && len(a.hashed.items) == 0 && len(pairs) == 0 {
		return dirErr
	}
	if p.pathHash == nil && p.fullDir == nil && p.count > 0 {
		return at("index", p.regionAt[0], codecs.Errorf(codecs.ErrCorrupt, "%d entries, but neither path hashes nor a directory", p.count))
	}
	a.warn(hashErr)
	a.tableErr = dirErr
	a.hashed.finish(append(pairs, more...))
	if dirErr == nil {
		a.warn(checkCount(p.count, a.hashed.len(), p.countAt))
	}
	return nil
}

func (a indexReader) pathHashes(p *primary) ([]pathHash, error) {
	if p.pathHash == nil {
		return nil, nil
	}
	buf, warning, err := a.region("path hash index", *p.pathHash, p.regionAt[0]+4, a.footer.ivs[1])
	if err != nil {
		return nil, err
	}
	a.warn(warning)
	if isFlat(buf) { // version 13 on may keep the pairs in the directory alone
		return nil, nil
	}
	pairs, _, err := parsePathHashes(buf, p.pathHash.off)
	return pairs, err
}

func (a indexReader) directory(p *primary) ([]pathHash, error) {
	if p.fullDir == nil {
		return nil, nil
	}
	buf, warning, err := a.region("directory index", *p.fullDir, p.regionAt[1]+4, a.footer.ivs[2])
	if err != nil {
		return nil, err
	}
	a.warn(warning)
	if a.footer.version >= sortedDirectoryIndex && isFlat(buf) {
		pairs, err := a.hashed.parseFlat(buf, p.fullDir.off, a.limits.Table)
		if p.pathHash != nil {
			pairs = nil
		}
		return pairs, err
	}
	r := bin.NewReader(buf, p.fullDir.off, leOrder)
	names := spool.RegionAgain(buf, !a.footer.encrypted, a.src, p.fullDir.off)
	a.release = names.Release
	return nil, a.hashed.parseDirectory(r, names, int(max(p.count, 0)))
}

// region reads a region of the index, decrypts it, and compares its hash. A
// mismatch that does not keep the region from being read is a warning.
func (a indexReader) region(name string, g region, field int64, iv [12]byte) (buf []byte, warning, err error) {
	if err := g.check(a.footer.start, field); err != nil {
		return nil, nil, err
	}
	buf, err = bin.Section(a.src, g.off, g.size, a.src.Size, a.limits.Table)
	if err != nil {
		return nil, nil, at(name, g.off, err)
	}
	if a.footer.encrypted {
		if a.crypt.block == nil {
			return nil, nil, at(name, g.off, noKey(a.footer, "the index is encrypted"))
		}
		a.crypt.decrypt(buf, iv, 0)
	}
	if sha1.Sum(buf) != g.sum {
		warning = at(name, g.off, codecs.Errorf(codecs.ErrChecksum, "SHA-1 is not the %x stored at 0x%x", g.sum, field+16))
	}
	return buf, warning, nil
}
