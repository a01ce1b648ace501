package unrealpak

import (
	"cmp"
	"context"
	"crypto/sha1"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// verify does what [archive.Verify] promises.
func verify(ctx context.Context, a *archive, report func(*codecs.FormatError)) error {
	v := verifier{a: a, ctx: ctx, problems: make([][]error, a.table.len())}
	extents := v.extents()
	if err := v.payloads(extents); err != nil {
		return err
	}
	if a.hashed != nil {
		v.hashes()
	}
	v.repeatedNames()
	for i, errs := range v.problems {
		for _, err := range errs {
			report(a.error(a.label(i), err))
		}
	}
	for _, err := range v.container {
		report(a.error("", err))
	}
	return v.layout(extents, report)
}

type verifier struct {
	a         *archive
	ctx       context.Context
	problems  [][]error // by ordinal
	container []error
}

func (v *verifier) add(i int, errs ...error) {
	for _, err := range errs {
		if err != nil {
			v.problems[i] = append(v.problems[i], err)
		}
	}
}

// extent is the place of a record and its payload.
type extent struct {
	off, end int64
	ordinal  int // -1: part of the index
}

// extents lists where the readable entries lie, by offset. What makes the
// the others are unreadable is reported by Entries.
func (v *verifier) extents() []extent {
	var rec record
	var list []extent
	for i := range v.a.table.len() {
		if v.a.load(i, &rec) == nil && !rec.deleted() {
			list = append(list, extent{rec.offset, rec.offset + rec.headerSize(v.a.footer.version) + rec.stored(), i})
		}
	}
	slices.SortFunc(list, compareExtents)
	return list
}

func compareExtents(a, b extent) int {
	return cmp.Or(cmp.Compare(a.off, b.off), cmp.Compare(a.end, b.end), cmp.Compare(a.ordinal, b.ordinal))
}

// payloads checks every entry, on all processors, in the order of the file.
// Each problem goes to its own ordinal, so no lock is needed. Payloads that
// reach into an earlier one are not hashed: layout reports them, and the work
// stays within the size of the file.
func (v *verifier) payloads(list []extent) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	apart, end := make([]bool, len(list)), int64(0)
	for i, x := range list {
		apart[i] = x.off >= end
		end = max(end, x.end)
	}
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		wg.Go(func() {
			buf := make([]byte, 1<<18)
			for v.ctx.Err() == nil {
				n := next.Add(1) - 1
				if n >= int64(len(list)) {
					return
				}
				v.payload(list[n].ordinal, apart[n], buf)
			}
		})
	}
	wg.Wait()
	return v.ctx.Err()
}

func (v *verifier) payload(i int, hash bool, buf []byte) {
	var rec record
	if v.a.load(i, &rec) != nil {
		return
	}
	_, err := v.a.footer.methodOf(rec.method)
	v.add(i, err)
	header := make([]byte, rec.headerSize(v.a.footer.version))
	if err := bin.Fill(v.a.src, header, rec.offset); err != nil {
		v.add(i, at("record before the payload", rec.offset, err))
		return
	}
	var dup record
	readCopy(header, v.a.footer.version, rec.offset, &dup)
	v.add(i, compareCopy(&rec, &dup, v.a.footer.version)...)
	if hash {
		v.add(i, v.compareSum(&rec, dup.sum, buf))
	}
}

// readCopy reads the record before a payload. Its offset is 0, so that the
// absolute blocks of versions 3 and 4 need the entry's.
func readCopy(b []byte, ver version, offset int64, dup *record) {
	readRecord(bin.NewReader(b, offset, leOrder), ver, dup)
	if ver >= relativeChunkOffsets {
		return
	}
	for i := range dup.blocks {
		dup.blocks[i].start += dup.offset - offset
		dup.blocks[i].end += dup.offset - offset
	}
}

// compareCopy reports where the record before a payload contradicts the index.
func compareCopy(rec, dup *record, v version) []error {
	var errs []error
	for _, f := range []struct {
		name       string
		same       bool
		want, have any
		class      error
	}{
		{"size", rec.size == dup.size, rec.size, dup.size, codecs.ErrCorrupt},
		{"decoded size", rec.usize == dup.usize, rec.usize, dup.usize, codecs.ErrCorrupt},
		{"method", rec.method == dup.method, rec.method, dup.method, codecs.ErrCorrupt},
		{"flags", rec.flags == dup.flags, rec.flags, dup.flags, codecs.ErrCorrupt},
		{"blocks", slices.Equal(rec.blocks, dup.blocks) || v < compressionEncryption, len(rec.blocks), len(dup.blocks), codecs.ErrCorrupt},
		{"SHA-1", v >= pathHashIndex || rec.sum == dup.sum, rec.sum, dup.sum, codecs.ErrCorrupt},
		// The engine compares it; repak writes another one for single blocks.
		{"block size", rec.blockSize == dup.blockSize, rec.blockSize, dup.blockSize, codecs.ErrNonStrict},
		{"offset", dup.offset == 0, 0, dup.offset, codecs.ErrNonStrict},
	} {
		if !f.same {
			errs = append(errs, at("record before the payload: "+f.name, rec.offset,
				codecs.Errorf(f.class, "%v, the index says %v", show(f.have), show(f.want))))
		}
	}
	return errs
}

func (v *verifier) compareSum(rec *record, want [20]byte, buf []byte) error {
	if v.a.hashed == nil {
		want = rec.sum
	}
	if want == [20]byte{} {
		return nil
	}
	payload := rec.offset + rec.headerSize(v.a.footer.version)
	h := sha1.New()
	for pos := int64(0); pos < rec.size; {
		if v.ctx.Err() != nil {
			return nil
		}
		p := buf[:min(int64(len(buf)), rec.size-pos)]
		if err := bin.Fill(v.a.src, p, payload+pos); err != nil {
			return at("payload", payload+pos, err)
		}
		h.Write(p)
		pos += int64(len(p))
	}
	if [20]byte(h.Sum(nil)) != want {
		return at("SHA-1", payload, codecs.Errorf(codecs.ErrChecksum, "the %d stored bytes do not have the SHA-1 %x", rec.size, want))
	}
	return nil
}
