package unrealpak

import (
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"strconv"
	"sync"

	"pakdb/codecs"
)

// archive is an opened pak. It is immutable after open.
type archive struct {
	src      codecs.Source
	limits   codecs.Limits
	keys     codecs.KeyFunc
	footer   *footer
	crypt    crypt
	mount    string
	table    table
	hashed   *hashIndex // table, from version 10 on
	release  func()     // drops what can be read again
	tableErr error      // where the table breaks; what is before it is listed
	warnings []*codecs.FormatError
	facts    facts

	keyTrusted bool        // the caller is sure of the key
	keyProven  bool        // the index, decrypted, has its hash
	keySign    func() sign // what the entries say about the key, found out once
}

func open(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	opt := o.WithDefaults()
	a, err := openWith(src, opt)
	if a.crypt.block == nil && (errors.Is(err, codecs.ErrEncrypted) || err == nil && a.facts.encrypted > 0) {
		for _, key := range opt.Candidates {
			if b, err := openWith(src, opt.WithCandidate(key)); err == nil && b.keyKnown() {
				return b, nil
			}
		}
		if n := len(opt.Candidates); n > 0 && err != nil {
			err = at("key", a.footer.index.off, codecs.Errorf(codecs.ErrWrongKey, "none of %d keys without a GUID decrypts the index", n))
		}
	}
	if err != nil {
		return nil, a.error("", err)
	}
	return a, nil
}

// openWith opens a pak by the keys of the options. The archive is there with an error, too.
func openWith(src codecs.Source, opt codecs.Options) (*archive, error) {
	a := &archive{src: src, limits: opt.Limits, keys: opt.Keys, keyTrusted: opt.KeysTrusted, release: func() {}}
	a.keySign = sync.OnceValue(func() sign { return entriesSign(a) })
	return a, a.open()
}

func (a *archive) open() (err error) {
	if a.footer, err = readFooter(a.src); err != nil {
		return err
	}
	if err := a.footer.check(); err != nil {
		return err
	}
	if a.crypt, err = newCrypt(a.footer, a.keys); err != nil {
		return err
	}
	if err := (indexReader{a}).open(); err != nil {
		return err
	}
	if len(a.mount) > maxMount {
		return at("mount point", a.footer.index.off, codecs.Errorf(codecs.ErrCorrupt, "%d > %d bytes", len(a.mount), maxMount))
	}
	collect(a)
	a.release()
	return nil
}

// Info implements codecs.Archive.
func (a *archive) Info() codecs.Info {
	return codecs.Info{
		Format:     formatName,
		Version:    a.footer.version.String(),
		MountPoint: a.mount,
		Encrypted:  a.footer.encrypted || a.facts.encrypted > 0,
		EntryCount: a.table.len(),
		Details:    detailsOf(a),
		Warnings:   append([]*codecs.FormatError(nil), a.warnings...),
	}
}

// Entries implements codecs.Archive. Each entry costs its own memory and that
// of its name.
func (a *archive) Entries() iter.Seq2[*codecs.Entry, error] {
	return func(yield func(*codecs.Entry, error) bool) {
		var rec record
		for i := range a.table.len() {
			e, err := a.entry(i, &rec)
			if !yield(e, err) {
				return
			}
		}
		if a.tableErr != nil {
			yield(nil, a.error("", a.tableErr))
		}
	}
}

// entry decodes entry i; rec is scratch and holds its record afterwards.
func (a *archive) entry(i int, rec *record) (*codecs.Entry, error) {
	e := &codecs.Entry{Ordinal: i, Name: a.table.name(i), Offset: -1}
	if hash, ok := a.table.hash(i); ok {
		e.PathHash = codecs.ID64(hash)
	}
	err := a.load(i, rec)
	if err == nil && len(e.Name) > a.limits.Name {
		err = at("name", rec.at, codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", len(e.Name), a.limits.Name))
		e.Name = ""
	}
	if err == nil {
		err = a.describe(e, rec)
	}
	if err != nil {
		return e, a.error(label(e), err)
	}
	return e, nil
}

// load decodes and checks the record of entry i.
func (a *archive) load(i int, rec *record) error {
	if err := a.table.record(i, rec); err != nil {
		return err
	}
	return rec.check(a.footer.version, a.footer.start)
}

func (a *archive) describe(e *codecs.Entry, rec *record) error {
	if rec.deleted() {
		e.Flags |= codecs.Deleted
		return nil
	}
	method, err := a.footer.methodOf(rec.method)
	if err != nil {
		return at("method", rec.at, err)
	}
	e.Method, e.Mod = method, rec.mod()
	e.Offset = rec.offset + rec.headerSize(a.footer.version)
	e.Stored, e.Size = rec.stored(), rec.usize
	e.Blocks = rec.entryBlocks(e.Stored)
	if rec.encrypted() {
		e.Flags |= codecs.Encrypted
		if a.crypt.ctr { // the IV is in the index
			e.Flags |= codecs.Sealed
		}
	}
	if rec.sum != [20]byte{} {
		e.Sum = rec.entrySum(e.Stored)
	}
	return nil
}

// entryBlocks returns the blocks of an entry that are not just its payload.
func (rec *record) entryBlocks(stored int64) []codecs.Block {
	n := len(rec.blocks)
	if n == 0 || (n == 1 && rec.blocks[0].end-rec.blocks[0].start == stored) {
		return nil
	}
	blocks := make([]codecs.Block, n)
	for i, b := range rec.blocks {
		blocks[i] = codecs.Block{Offset: rec.offset + b.start, Stored: b.end - b.start, Size: rec.blockLen(i)}
	}
	return blocks
}

func (rec *record) entrySum(stored int64) codecs.Sum {
	s := codecs.Sum{Kind: codecs.SHA1Stored, Bytes: append([]byte(nil), rec.sum[:]...)}
	if rec.size != stored {
		s.Len = rec.size
	}
	return s
}

// label names an entry in messages.
func label(e *codecs.Entry) string {
	if e.Name != "" {
		return e.Name
	}
	return "#" + strconv.Itoa(e.Ordinal)
}

// find decodes the record of e, which may be a copy that someone kept, into rec.
func (a *archive) find(e *codecs.Entry, rec *record) error {
	if e.Ordinal < 0 || e.Ordinal >= a.table.len() {
		return a.error(label(e), at("", -1, codecs.Errorf(codecs.ErrNotFound, "ordinal %d of %d", e.Ordinal, a.table.len())))
	}
	if err := a.load(e.Ordinal, rec); err != nil {
		return a.error(label(e), err)
	}
	return nil
}

// OpenRaw implements codecs.Archive. For encrypted entries the bytes include
// the padding to whole AES blocks.
func (a *archive) OpenRaw(e *codecs.Entry) (*io.SectionReader, error) {
	var rec record
	if err := a.find(e, &rec); err != nil {
		return nil, err
	}
	if rec.deleted() {
		return io.NewSectionReader(a.src, 0, 0), nil
	}
	return io.NewSectionReader(a.src, rec.offset+rec.headerSize(a.footer.version), rec.stored()), nil
}

// Close implements codecs.Archive; there is nothing to release.
func (a *archive) Close() error { return nil }

// error turns err into a FormatError about an entry, or about the file.
func (a *archive) error(entry string, err error) *codecs.FormatError {
	return formatError(a.src.Name, entry, err)
}

// keyKnown reports whether the key is certainly the right one, so that what does
// not decode is damaged.
func (a *archive) keyKnown() bool {
	return a.keyTrusted || a.keyProven || a.keySign() == inFavour
}

func (a *archive) label(i int) string {
	return label(&codecs.Entry{Ordinal: i, Name: a.table.name(i)})
}

func (a *archive) warn(err error) {
	if err != nil {
		a.warnings = append(a.warnings, a.error("", err))
	}
}

// maxBlock bounds one compressed block, which is decoded in memory as a whole.
func (a *archive) maxBlock() int64 { return min(a.limits.Entry, a.limits.Table, math.MaxInt32) }
