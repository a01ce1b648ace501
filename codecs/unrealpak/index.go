package unrealpak

import (
	"crypto/sha1"
	"encoding/binary"
	"io"
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
	starts  []uint32   // of each name within bytes, and the end of the last entry
	reader  bin.Reader // of parseRecordIndex
}

// parseRecordIndex walks the index in pieces. Entries in front of damage are kept; the
// error then says where the table breaks.
func parseRecordIndex(bytes *spool.Region, base int64, v version) (t *recordIndex, mount string, err error) {
	t = &recordIndex{bytes: bytes, base: base, version: v}
	count := int64(0)
	end, err := t.walk(0, func(r *bin.Reader) {
		mount = normalSlashes(unreal.FString(r).String())
		count = int64(r.U32())
	})
	if most := (bytes.Size() - end) / (4 + v.recordSize(false, 0)); err == nil && count > most {
		err = &bin.Error{Off: base + end - 4, Need: count, Have: bytes.Size() - end, Err: bin.ErrCount}
	}
	if err != nil {
		count = 0
	}
	t.starts = append(make([]uint32, 0, count+1), uint32(end))
	for i := int64(0); i < count && err == nil; i++ {
		end, err = t.walk(end, func(r *bin.Reader) {
			unreal.FString(r)
			skipRecord(r, v)
		})
		if err == nil {
			t.starts = append(t.starts, uint32(end))
		}
	}
	return t, mount, at("index", base+end, err)
}

// walk reads what is at a position of the index and returns where it ends, or broke off. What
// needs more than a piece of the bytes that follow is read again with more of them.
func (t *recordIndex) walk(pos int64, read func(*bin.Reader)) (end int64, err error) {
	for piece := int64(512); ; piece *= 4 {
		rest := t.bytes.Size() - pos
		b, err := t.bytes.At(pos, min(piece, rest))
		if err != nil {
			return pos, err
		}
		t.reader.Reset(b, t.base+pos, binary.LittleEndian)
		if read(&t.reader); t.reader.Err() == nil || int64(len(b)) >= rest {
			return pos + int64(t.reader.Pos()), t.reader.Err()
		}
	}
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
	if f.version < pathHashIndex && !f.encrypted {
		if err := a.hashRegion("index", f.index, f.at+8); err != nil {
			return err
		}
		return a.recordIndex(spool.RegionOf(a.src, f.index.off, f.index.size))
	}
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
	return a.recordIndex(spool.RegionHeld(buf))
}

// recordIndex reads the index of versions 1 to 9.
func (a indexReader) recordIndex(bytes *spool.Region) error {
	var t *recordIndex
	t, a.mount, a.tableErr = parseRecordIndex(bytes, a.footer.index.off, a.footer.version)
	a.table, a.release = t, bytes.Release
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
	return buf, g.compare(name, field, sha1.Sum(buf)), nil
}

// compare compares the hash of a region with the one that is stored.
func (g region) compare(name string, field int64, sum [20]byte) error {
	if sum == g.sum {
		return nil
	}
	return at(name, g.off, codecs.Errorf(codecs.ErrChecksum, "SHA-1 is not the %x stored at 0x%x", g.sum, field+16))
}

// hashRegion is region for one that is not held: of three million entries it has 300 MB.
func (a indexReader) hashRegion(name string, g region, field int64) error {
	if err := g.check(a.footer.start, field); err != nil {
		return err
	}
	if g.size > a.limits.Table {
		return at(name, g.off, &bin.Error{Off: g.off, Need: g.size, Have: a.limits.Table, Err: bin.ErrLimit})
	}
	h := sha1.New()
	if _, err := io.Copy(h, io.NewSectionReader(a.src, g.off, g.size)); err != nil {
		return at(name, g.off, err)
	}
	a.warn(g.compare(name, field, [20]byte(h.Sum(nil))))
	return nil
}
