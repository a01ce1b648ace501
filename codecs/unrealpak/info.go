package unrealpak

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// facts are what opening learns about the entries as a whole.
type facts struct {
	encrypted int // entries
	deleted   int
	methods   map[compress.Method]int
	blockSize int64 // of the first entry with several blocks
	form      blockForm
}

// collect walks the records once. Entries returns the errors of records.
func collect(a *archive) {
	var rec record
	a.facts.methods = map[compress.Method]int{}
	for i := range a.table.len() {
		if a.load(i, &rec) != nil {
			continue
		}
		a.facts.add(&rec, a.footer)
	}
	a.facts.form = blockFormOf(a)
	if a.footer.extra > 0 {
		a.warn(at("footer", a.footer.at, codecs.Errorf(codecs.ErrNonStrict, "%d bytes follow it (game fork?)", a.footer.extra)))
	}
}

func (s *facts) add(rec *record, f *footer) {
	if rec.deleted() {
		s.deleted++
		return
	}
	if rec.encrypted() {
		s.encrypted++
	}
	if m, err := f.methodOf(rec.method); err == nil {
		s.methods[m]++
	}
	if s.blockSize == 0 && len(rec.blocks) > 1 {
		s.blockSize = int64(rec.blockSize)
	}
}

// siblingsOf are the files that belong to a pak and lie beside it.
func siblingsOf(a *archive) []codecs.Detail {
	var d []codecs.Detail
	if a.src.Dir == nil {
		return nil
	}
	base, _ := unreal.CutSuffixFold(a.src.Name, ".pak")
	for _, s := range []struct{ ext, meaning string }{
		{".sig", "the pak is signed; a change to it voids the signature"},
		{".utoc", "IoStore container: most of the content is there"},
		{".ucas", "content of the .utoc"},
	} {
		if _, err := fs.Stat(a.src.Dir, base+s.ext); err == nil {
			d = append(d, codecs.Detail{Name: "beside it", Value: base + s.ext + ": " + s.meaning})
		}
	}
	return d
}

func detailsOf(a *archive) []codecs.Detail {
	f := a.footer
	tr := f.version.traits()
	d := []codecs.Detail{
		{Name: "version name", Value: tr.name},
		{Name: "engine", Value: tr.engine},
		{Name: "index", Value: fmt.Sprintf("%d bytes at 0x%x, %s", f.index.size, f.index.off, plainOr(f.encrypted, "encrypted"))},
	}
	add := func(name, value string) { d = append(d, codecs.Detail{Name: name, Value: value}) }
	if f.version >= encryptionKeyGUID && (!f.keyID.IsZero() || f.encrypted || a.facts.encrypted > 0) {
		add("key", keyName(f.keyID))
	}
	if f.method == methodCTR {
		add("encryption", "AES-256-CTR")
	}
	if names := strings.Join(used(f.slots), " "); names != "" {
		add("methods", names)
	}
	if a.hashed != nil {
		add("path hash seed", "0x"+strconv.FormatUint(a.hashed.primary.seed, 16))
		add("index regions", regions(a.hashed.primary))
	}
	if n, ok := chunkOf(a); ok {
		add("chunk", strconv.Itoa(n))
	}
	if a.facts.encrypted > 0 {
		add("encrypted entries", strconv.Itoa(a.facts.encrypted))
	}
	if a.facts.deleted > 0 {
		add("delete records", strconv.Itoa(a.facts.deleted))
	}
	if a.facts.encrypted > 0 && !f.encrypted {
		add("key check", "no hash covers decrypted content: a wrong key shows by padding, magics and damage only")
	}
	return append(d, siblingsOf(a)...)
}

func plainOr(set bool, word string) string {
	if set {
		return word
	}
	return "plain"
}

func used(slots []string) []string {
	var s []string
	for _, name := range slots {
		if name != "" {
			s = append(s, name)
		}
	}
	return s
}

func regions(p *primary) string {
	switch {
	case p.pathHash != nil && p.fullDir != nil:
		return "path hashes, directory"
	case p.pathHash != nil:
		return "path hashes only: names are unknown"
	}
	return "directory only"
}

// chunkOf is the number of the chunk that the pak holds.
func chunkOf(a *archive) (int, bool) {
	if a.footer.chunk >= 0 {
		return int(a.footer.chunk), true
	}
	return Chunk(a.src.Name)
}

// blockFormOf reports by which habit the packer wrote single-block entries.
func blockFormOf(a *archive) blockForm {
	if a.hashed == nil {
		return formExact
	}
	for _, it := range a.hashed.items {
		if it.location < 0 || int(it.location)+4 > len(a.hashed.primary.encoded) {
			continue
		}
		bits := leOrder.Uint32(a.hashed.primary.encoded[it.location:])
		if bits>>shiftMethod&maskMethod == 0 || bits>>shiftBlocks&maskBlocks != 1 {
			continue
		}
		switch bits & bitsBlockSize {
		case 0:
			return formZero
		case 0x3e:
			return formRepak
		}
		return formExact
	}
	if a.footer.version >= utf8PakDirectory {
		return formZero
	}
	return formExact
}

// Sums implements codecs.Summer. Up to version 9 the index holds the SHA-1 of
// every entry, and Sums returns nil; from version 10 on only the record before each
// payload does, so 20 bytes an entry are read, in the order of the file. Delete records, entries
// that the index describes wrongly, and those without a SHA-1 have no sum.
func (a *archive) Sums(ctx context.Context) ([]codecs.Sum, error) {
	if a.hashed == nil {
		return nil, nil
	}
	sums := make([]codecs.Sum, a.table.len())
	all := make([]byte, 20*len(sums))
	places := sumPlaces(a, sums, all)
	w := window20{src: a.src}
	for n, p := range places {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		next := p.off
		if n+1 < len(places) {
			next = places[n+1].off
		}
		if err := w.read(sums[p.ordinal].Bytes, p.off, next); err != nil {
			return nil, a.error(a.label(p.ordinal), at("SHA-1", p.off, err))
		}
	}
	for i := range sums {
		if zero := [20]byte{}; string(sums[i].Bytes) == string(zero[:]) {
			sums[i] = codecs.Sum{}
		}
	}
	return sums, nil
}

// SealedBy implements codecs.Sealer. Regions of the index that overlap, which only
// a damaged pak has, are left out.
func (a *archive) SealedBy() (key []byte, id [16]byte, tables []codecs.Region) {
	f := a.footer
	if a.crypt.block == nil || a.crypt.ctr || !a.keyKnown() && a.keySign() == against {
		return nil, f.keyID, nil
	}
	if f.encrypted {
		tables = indexRegions(a)
	}
	return a.keys(f.keyID), f.keyID, tables
}

// SealedUnit implements codecs.Sealer: UnrealPak pads every block of an entry with
// the beginning of the first.
func (a *archive) SealedUnit() bool { return true }

// Verify implements codecs.Verifier. It reads the whole file once and needs no
// key for the payloads. It reports
//
//   - each entry whose stored bytes do not have its SHA-1,
//   - each record before a payload that contradicts the index,
//   - names and path hashes that do not belong together,
//   - payloads that overlap, and bytes in gaps.
//
// Problems of entries come in the order of their ordinals.
func (a *archive) Verify(ctx context.Context, report func(*codecs.FormatError)) error {
	return verify(ctx, a, report)
}

// sumsWindow is read at once where records lie close to each other.
const sumsWindow = 64 << 10

type sumPlace struct {
	ordinal int
	off     int64
}

// sumPlaces fills in the sums that the index holds, and returns where the
// others are, by offset.
func sumPlaces(a *archive, sums []codecs.Sum, all []byte) []sumPlace {
	var rec record
	var places []sumPlace
	for i := range sums {
		if a.load(i, &rec) != nil || rec.deleted() {
			continue
		}
		b := all[20*i : 20*i+20 : 20*i+20]
		copy(b, rec.sum[:])
		sums[i] = codecs.Sum{Kind: codecs.SHA1Stored, Bytes: b}
		if rec.size != rec.stored() {
			sums[i].Len = rec.size
		}
		places = append(places, sumPlace{i, rec.offset + int64(a.footer.version.shaAt())})
	}
	slices.SortFunc(places, func(x, y sumPlace) int { return cmp.Compare(x.off, y.off) })
	return places
}

// window20 reads short pieces in rising order, several at once where they are
// close.
type window20 struct {
	src codecs.Source
	buf []byte
	off int64
}

func (w *window20) read(p []byte, off, next int64) error {
	if off < w.off || off+int64(len(p)) > w.off+int64(len(w.buf)) {
		n := int64(len(p))
		if next-off < sumsWindow/2 {
			n = min(sumsWindow, w.src.Size-off)
		}
		if err := bin.Range(off, n, w.src.Size); err != nil {
			return err
		}
		w.buf, w.off = grow(w.buf, int(n)), off
		if err := bin.Fill(w.src, w.buf, off); err != nil {
			w.buf = w.buf[:0]
			return err
		}
	}
	copy(p, w.buf[off-w.off:])
	return nil
}
