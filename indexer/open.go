package indexer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"pakdb/codecs"
	"pakdb/internal/process"
	"pakdb/internal/regular"
	"pakdb/internal/stored"
	"pakdb/schema"
)

// opened is a file on its way through the scan.
type opened struct {
	file
	f       *os.File
	handle  chan struct{} // it has a place in it until it is closed; nil: it needs none
	src     codecs.Source
	windows *windows // in src; nil: contents lie elsewhere
	quick   schema.Digest
	format  *codecs.Format // nil: not even detected
	archive codecs.Archive // nil: could not be opened, see err
	known   *schema.Known  // not nil: scanned before, nothing to do
	scan    string
	parts   int  // in scan: where files beside the archive begin
	skim    bool // contents are not read, see Options.Quick
	hollow  bool // the files that hold its contents are absent
	sums    []codecs.Sum
	before  before

	mountPoint string
	err        error // why there is no archive

	id       int64 // in the catalog, given by collect
	started  bool
	repeated codecs.Repeated // of collect
	changed  bool            // see ErrChanged
	content  *schema.Digest  // of a loose file, where it is the file's digest as well

	counted atomic.Int64 // bytes of the file that progress has heard of

	headers   func() byAsset           // see findHeaders
	tables    func() map[string]string // see tableFiles
	digesting sync.Once
	digest    chan digestResult
}

type digestResult struct {
	digest schema.Digest
	err    error
}

// isLoose reports whether a file is one entry, itself.
func isLoose(o *opened) bool { return o.format.Mounts().Loose }

// opener opens the files of a scan.
type opener struct {
	options  *Options
	into     Target
	build    *schema.Build // into, if that is one
	failures *failures
	rescan   bool // what an earlier scan found does not count
}

func (p *opener) openFile(ctx context.Context, o *opened) (err error) {
	if err := p.openSource(o); err != nil {
		return err
	}
	if o.quick, err = stored.Sample(o.f, o.size); err != nil {
		return err
	}
	if o.format, err = p.detect(o.src); err != nil {
		return err
	}
	o.scan = p.scanKey(o.format) + placeKey(p.options.Registry, o)
	o.parts = len(o.scan)
	if err := findParts(o); err != nil {
		return err
	}
	if p.rescan {
		return nil
	}
	if o.known, err = p.find(ctx, o, o.scan); err == nil && o.known == nil && p.options.Quick && !o.hollow {
		o.known, err = p.find(ctx, o, o.scan+quickKey)
	}
	return err
}

// reopen opens a file once more that the build mounts. The archive itself is
// wanted, not what is known of it.
func (p *opener) reopen(ctx context.Context, location string) *opened {
	files, err := walk(ctx, []string{location}, nil, nil)
	if err != nil {
		return &opened{err: err}
	}
	o := &opened{file: files[0], digest: make(chan digestResult, 1)}
	fresh := *p
	fresh.rescan = true
	if o.err = fresh.openFile(ctx, o); o.err == nil {
		o.archive, o.err = p.openArchive(ctx, o)
	}
	if o.err == nil {
		p.lookInside(ctx, o)
		o.headers = sync.OnceValue(o.findHeaders)
		o.mountPoint = o.archive.Info().MountPoint
	}
	return o
}

// openSource opens the file as it is now, which may be newer than walk saw.
func (p *opener) openSource(o *opened) (err error) {
	if o.f, err = regular.Open(o.path); err != nil {
		return err
	}
	if o.src, err = codecs.FileSource(o.f); err == nil {
		o.size, o.mod, err = sizeAndTime(o.f)
		o.src.Size = o.size
		o.src.ReaderAt, o.src.Dir = noted{o.f, o.size, p.failures}, notedFS{o.src.Dir, p.failures}
	}
	return err
}

func sizeAndTime(f *os.File) (size, mod int64, err error) {
	st, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	return st.Size(), st.ModTime().UnixNano(), nil
}

// ErrChanged means that someone wrote to a file during its scan, so that the
// rows may have neither state.
var ErrChanged = errors.New("changed while it was scanned")

// checkUnchanged is asked when everything has been read.
func (o *opened) checkUnchanged() error {
	size, mod, err := sizeAndTime(o.f)
	if err == nil && (size != o.size || mod != o.mod) {
		err = ErrChanged
	}
	return err
}

// find looks for an earlier scan of the same file: one of the same time, or one
// of another time, from a copy in another folder, when the whole file has the
// same digest. What keeps size and time, and differs between the samples of the
// quick digest alone, is taken for unchanged.
func (p *opener) find(ctx context.Context, o *opened, scan string) (*schema.Known, error) {
	candidates, err := p.into.Known(ctx, o.size, o.mod, o.quick, scan)
	if err == nil && len(candidates) == 0 && !p.options.Sketch {
		// A scan that made sketches as well has all that this one would.
		candidates, err = p.into.Known(ctx, o.size, o.mod, o.quick, scan+sketchKey)
	}
	if err != nil {
		return nil, p.failures.keep(err)
	}
	if len(candidates) == 0 {
		return nil, nil
	}
	if candidates[0].ModTime == o.mod {
		return &candidates[0], nil
	}
	if p.options.Quick {
		return nil, nil // the digest would take longer than what it saves
	}
	digest, err := stored.Hash(ctx, o.f, o.size)
	if err != nil {
		return nil, err
	}
	for i, k := range candidates {
		if bytes.Equal(k.Digest, digest[:]) {
			return &candidates[i], nil
		}
	}
	return nil, nil
}

func (p *opener) detect(src codecs.Source) (f *codecs.Format, err error) {
	defer guard(&err, src.Name)
	return p.options.Registry.Detect(src)
}

func (p *opener) openArchive(ctx context.Context, o *opened) (a codecs.Archive, err error) {
	defer guard(&err, o.src.Name)
	if o.format.Parts == nil && !isLoose(o) {
		o.windows = &windows{ReaderAt: o.src.ReaderAt}
		o.src.ReaderAt = o.windows
	}
	return o.format.Open(ctx, o.src, p.options.Open)
}

// lookInside adds what archives within the archive hold. A quick scan does not
// read the contents that they would be, and a loose file holds itself.
func (p *opener) lookInside(ctx context.Context, o *opened) {
	if !o.skim && !isLoose(o) {
		o.archive = codecs.WrapNested(ctx, o.archive, o.src.Name, p.options.Registry, p.options.Open)
	}
}

// guard turns a panic of a format's code into an error. Formats must not panic;
// should one do so all the same, a scan of a thousand archives goes on, and the
// problem says where to look.
func guard(err *error, name string) {
	if r := recover(); r != nil {
		*err = &codecs.FormatError{Format: "internal", File: name, Off: -1,
			Err: fmt.Errorf("%w: %v", ErrPanic, r)}
	}
}

// ErrPanic means that code of a format broke down: an error in pakdb.
var ErrPanic = errors.New("internal error, please report it with the file")

// scanKey says what made the rows of an archive. It changes when a reader or an
// inspector does, so that an old scan is not taken for a new one.
func (p *opener) scanKey(f *codecs.Format) string {
	key := fmt.Sprintf("%s/%d rows/%d", f.Name, f.Revision, rowsRevision)
	if len(f.Exts) > 0 {
		key += nestedKey(p.options.Registry)
	}
	for _, in := range p.options.Registry.Inspectors {
		key += fmt.Sprintf(" %s/%d", in.Name, in.Revision)
	}
	key += valuesKey(p.options.Registry.Values)
	if p.options.KeyPrint != "" {
		key += " keys:" + p.options.KeyPrint
	}
	if p.options.Sketch {
		key += sketchKey
	}
	return key
}

// nestedKey is for the formats of archives within archives. That of a file
// itself is in the key already; a change of any other re-indexes all.
func nestedKey(r *codecs.Registry) string {
	key := fmt.Sprintf(" nested/%d", codecs.NestedRevision)
	for _, f := range r.Formats {
		if len(f.Exts) > 0 {
			key += fmt.Sprintf(",%s/%d", f.Name, f.Revision)
		}
	}
	return key
}

// rowsRevision is raised when the indexer itself makes other rows of the same
// archive. 2: entries know which file of the game they are. 3: chunks do by their
// ids. 4: loose files are named by their place. 5: problems say whether they
// concern an archive as a whole, and files that lost what makes them archives have
// one; problems that entries share are one.
const rowsRevision = 5

const sketchKey = " sketch/1"

// startDigest begins to hash the whole file, beside its entries.
func (o *opened) startDigest(ctx context.Context) {
	o.digesting.Do(func() {
		go func() {
			var d schema.Digest
			err := process.RescueCall(func() (err error) { d, err = stored.Hash(ctx, o.f, o.size); return err })
			o.digest <- digestResult{d, err}
		}()
	})
}

// count reports progress of n more bytes, though never of more than the file has:
// entries may overlap, and lie.
func (o *opened) count(p *Progress, n int64) {
	for {
		before := o.counted.Load()
		after := min(before+n, o.size)
		if after <= before || o.counted.CompareAndSwap(before, after) {
			p.BytesDone.Add(max(after-before, 0))
			return
		}
	}
}

func (o *opened) close() {
	if o.archive != nil {
		_ = o.archive.Close()
	}
	if o.f != nil {
		_ = o.f.Close()
	}
	if o.handle != nil {
		<-o.handle
		o.handle = nil
	}
}

// findParts looks for the files beside an archive that hold its contents. Their
// sizes are part of the scan key: a file that was absent and is there, or was
// cut short, is another scan. What the parts hold is vouched for by checksums
// in the archive's own file, so their bytes need not be. An archive without any
// is scanned like one by Options.Quick.
func findParts(o *opened) error {
	if o.format.Parts == nil {
		return nil
	}
	names, err := o.format.Parts(o.src)
	if err != nil {
		return err
	}
	found := 0
	for i, name := range names {
		st, err := fs.Stat(o.src.Dir, name)
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		o.scan += fmt.Sprintf("%s%d:%d", partKey, i, st.Size())
		found++
	}
	if o.hollow = len(names) > 0 && found == 0; o.hollow {
		o.scan += quickKey // as it will be scanned, whatever was asked for
	}
	return nil
}

// partKey begins what the scan key says about a file beside the archive.
const partKey = " part"

// quickKey marks the scan of an archive that was not read: a full scan does not
// take it for its own.
const quickKey = " quick"
