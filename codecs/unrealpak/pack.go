package unrealpak

import (
	"bytes"
	"context"
	"crypto/sha1"
	"io"
	"runtime"
	"sync"

	"pakdb/codecs/compress"
	"pakdb/codecs/internal/ue"
)

// pack writes content in compressed blocks, or stored when that is not worth
// it. How many blocks there are decides the size of the record before them, so
// content is spooled first.
func (w *writer) pack(ctx context.Context, name string, rec *record, m compress.Method, r io.Reader) (err error) {
	defer func() {
		for _, s := range []*spool{&w.raw, &w.coded} {
			if rerr := s.reset(); err == nil {
				err = rerr
			}
		}
	}()
	if _, err := io.Copy(&w.raw, r); err != nil {
		return err
	}
	worth := w.raw.size > 0
	if worth {
		if worth, err = w.encodeAll(ctx, rec, m); err != nil {
			return err
		}
	}
	if !worth {
		*rec = record{flags: rec.flags}
		return w.place(name, rec, func() error { return w.store(ctx, rec, io.NewSectionReader(&w.raw, 0, w.raw.size)) })
	}
	if rec.method, err = w.methodField(m); err != nil {
		return err
	}
	return w.place(name, rec, func() error {
		_, err := io.Copy(w.out, io.NewSectionReader(&w.coded, 0, w.coded.size))
		return err
	})
}

// worthIt is UnrealPak's rule: up to 4.26 any gain counts; later ones want zlib
// to save a KiB and either a tenth or 64 KiB, and the newest leave small files
// alone.
func worthIt(v version, m compress.Method, raw, coded int64) bool {
	saved := raw - coded
	switch {
	case v >= utf8PakDirectory && raw < 1024:
		return false
	case v >= pathHashIndex && (m == compress.Zlib || m == compress.Gzip):
		return saved >= 1024 && (coded*10 <= raw*9 || saved >= 64<<10)
	}
	return saved > 0
}

// encodeAll compresses the spooled content into w.coded and fills in rec.
func (w *writer) encodeAll(ctx context.Context, rec *record, m compress.Method) (worth bool, err error) {
	size, bs := w.raw.size, int64(w.opt.BlockSize)
	n := (size + bs - 1) / bs
	rec.usize = size
	rec.blockSize = uint32(min(bs, size))
	pos := w.version.recordSize(true, int(n))
	sum := sha1.New()
	plain := int64(0) // coded bytes without padding
	var head []byte   // of the first block: it pads every one
	if w.jobs == nil {
		w.jobs = make([]encodeJob, 4*runtime.GOMAXPROCS(0))
	}
	for first := int64(0); first < n; first += int64(len(w.jobs)) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		batch := w.jobs[:min(int64(len(w.jobs)), n-first)]
		if err := w.encodeBatch(batch, m, first*bs); err != nil {
			return false, err
		}
		for i := range batch {
			coded := batch[i].coded
			rec.blocks = append(rec.blocks, span{pos, pos + int64(len(coded))})
			plain += int64(len(coded))
			if rec.encrypted() {
				if head == nil {
					head = bytes.Clone(coded[:min(len(coded), ue.AESBlock)])
				}
				coded = ue.AppendPadding(coded, head, int64(len(coded)))
				ue.EncryptECB(w.crypt.block, coded)
			}
			pos += int64(len(coded))
			sum.Write(coded)
			if _, err := w.coded.Write(coded); err != nil {
				return false, err
			}
		}
	}
	rec.size = w.coded.size
	sum.Sum(rec.sum[:0])
	return worthIt(w.version, m, size, plain), nil
}

type encodeJob struct {
	plain, coded []byte
	err          error
}

// encodeBatch compresses consecutive blocks from offset off on, in parallel.
func (w *writer) encodeBatch(batch []encodeJob, m compress.Method, off int64) error {
	bs := int64(w.opt.BlockSize)
	for i := range batch {
		j := &batch[i]
		j.plain = grow(j.plain, int(min(bs, w.raw.size-off)))
		if _, err := w.raw.ReadAt(j.plain, off); err != nil && err != io.EOF {
			return err
		}
		off += bs
	}
	if len(batch) == 1 {
		batch[0].encode(m)
		return batch[0].err
	}
	var wg sync.WaitGroup
	for i := range batch {
		wg.Go(func() { batch[i].encode(m) })
	}
	wg.Wait()
	for i := range batch {
		if batch[i].err != nil {
			return batch[i].err
		}
	}
	return nil
}

func (j *encodeJob) encode(m compress.Method) {
	j.coded, j.err = compress.Encode(m, j.coded[:0], j.plain)
}
