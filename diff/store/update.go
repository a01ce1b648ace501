package store

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/zeebo/blake3"
	"golang.org/x/sync/errgroup"

	"pakdb/codecs/compress"
)

// SpaceError means that a disk has too little room.
type SpaceError struct{ Need, Free int64 }

func (e *SpaceError) Error() string {
	return fmt.Sprintf("%d bytes are to be written, and the disk has room for %d", e.Need, e.Free)
}

// Apply fetches what is missing, makes the files beside the old ones, checks
// each, and only when all are right puts them into place and removes what is
// gone. Until then, and when it fails, the folder is as it was, but for what has
// been fetched and made, which the next try uses. fetched is told of bytes that
// came; it may be nil. An Update is applied once.
func (u *Update) Apply(ctx context.Context, fetched func(n int64)) error {
	if need := u.Bill.Write + u.Bill.Fetch; u.Bill.Free >= 0 && need > u.Bill.Free {
		return &SpaceError{need, u.Bill.Free}
	}
	if err := u.root.MkdirAll(workDir, 0o777); err != nil {
		return err
	}
	if err := u.fetch(ctx, fetched); err != nil {
		return err
	}
	for _, d := range u.deltas {
		if err := u.applyDelta(ctx, d); err != nil {
			return err
		}
		if fetched != nil {
			fetched(d.Size)
		}
	}
	for _, f := range u.todo {
		if f.byDelta {
			continue
		}
		if err := u.make(ctx, f); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return u.commit()
}

// fetch gets all ranges, some at a time, each into a file of its own.
func (u *Update) fetch(ctx context.Context, fetched func(n int64)) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for _, r := range u.ranges {
		for i := range r.frames {
			u.frames[frameID{r.pack, i}] = r
		}
		g.Go(func() error {
			err := u.fetchRange(ctx, r)
			if err == nil && fetched != nil {
				fetched(r.n)
			}
			return err
		})
	}
	return g.Wait()
}

func (u *Update) fetchRange(ctx context.Context, r *packRange) error {
	sum := u.tables[r.pack].sum
	name := path.Join(workDir, fmt.Sprintf(".pakdb-%x-%d-%d", sum, r.off, r.n))
	if f, err := u.root.Open(name); err == nil {
		if st, err := f.Stat(); err == nil && st.Size() == r.n {
			r.data = f
			return nil
		}
		_ = f.Close()
	}
	b, err := u.r.get(ctx, packName(r.pack), r.off, r.n)
	if err != nil {
		return err
	}
	f, err := u.root.OpenFile(name+"~", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	if _, err := f.Write(b); err != nil {
		return errors.Join(err, f.Close())
	}
	r.data = f
	return u.root.Rename(name+"~", name)
}

// frameCache holds decoded frames.
type frameCache struct {
	frames map[frameID][]byte
	order  []frameID
}

const keptFrames = 64

// frame returns a frame that was fetched, decoded.
func (u *Update) frame(id frameID) ([]byte, error) {
	c := &u.recent
	if b, ok := c.frames[id]; ok {
		return b, nil
	}
	r, ok := u.frames[id]
	if !ok || r.data == nil {
		return nil, fmt.Errorf("%w: frame %d of pack %d was not planned", ErrCorrupt, id.frame, id.pack)
	}
	stored := make([]byte, u.tables[id.pack].frames[id.frame])
	if n, err := r.data.ReadAt(stored, r.frames[id.frame]); n < len(stored) {
		return nil, err
	}
	b, err := inflateFrame(stored)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", packName(id.pack), err)
	}
	if c.frames == nil {
		c.frames = map[frameID][]byte{}
	}
	if len(c.order) == keptFrames {
		delete(c.frames, c.order[0])
		c.order = c.order[1:]
	}
	c.frames[id] = b
	c.order = append(c.order, id)
	return b, nil
}

// chunk returns a chunk, from the folder or from what was fetched.
func (u *Update) chunk(c chunkRef) ([]byte, error) {
	if have, ok := u.local.chunk(c); ok {
		return u.local.read(have, c.id)
	}
	if _, err := u.frame(c.place.id()); err != nil {
		return nil, err
	}
	b, err := part(u.recent.frames, c.place)
	if err == nil && keyOf(b).short() != c.id {
		err = fmt.Errorf("%w: a chunk of %s is not what its id says", ErrCorrupt, packName(c.pack))
	}
	return b, err
}

// chunkReader reads chunks one behind the other.
type chunkReader struct {
	u      *Update
	chunks []chunkRef
	rest   []byte
}

func (r *chunkReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if len(r.chunks) == 0 {
			return 0, io.EOF
		}
		var err error
		if r.rest, err = r.u.chunk(r.chunks[0]); err != nil {
			return 0, err
		}
		r.chunks = r.chunks[1:]
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// content reads a content of a file that is made.
func (u *Update) content(f *fileUpdate, i int) io.Reader {
	c := f.recipe.contents[i]
	if have, ok := u.local.find(c.id, c.size); ok {
		return have.g.open(have.src)
	}
	return &chunkReader{u: u, chunks: f.chunks[i]}
}

func (f *fileUpdate) work() string { return path.Join(workDir, ".pakdb-"+f.Sum[:40]) }

// isMade reports whether a file is complete in the folder of work.
func (u *Update) isMade(ctx context.Context, f *fileUpdate) bool {
	have, err := u.root.Open(f.work())
	if err != nil {
		return false
	}
	defer func() { _ = have.Close() }()
	st, err := have.Stat()
	if err != nil || st.Size() != f.Size {
		return false
	}
	sum, err := sumOf(ctx, have, f.Size)
	return err == nil && sum == f.Sum
}

// make makes a file, unless an earlier try has.
func (u *Update) make(ctx context.Context, f *fileUpdate) error {
	if u.isMade(ctx, f) {
		return nil
	}
	file, err := u.root.OpenFile(f.work(), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	err = u.write(ctx, f, file)
	return errors.Join(err, file.Sync(), file.Close())
}

// output hashes what it writes, and writes no more than a file may have.
type output struct {
	w    *bufio.Writer
	h    *blake3.Hasher
	left int64
}

func (o *output) Write(p []byte) (int, error) {
	if o.left -= int64(len(p)); o.left < 0 {
		return 0, fmt.Errorf("%w: a recipe makes more than its file", ErrCorrupt)
	}
	_, _ = o.h.Write(p)
	return o.w.Write(p)
}

func (u *Update) write(ctx context.Context, f *fileUpdate, file io.Writer) error {
	out := &output{bufio.NewWriterSize(file, 1<<20), blake3.New(), f.Size}
	skeleton := &chunkReader{u: u, chunks: f.rest}
	between := int64(0)
	for _, p := range f.recipe.pieces {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := io.CopyN(out, skeleton, p.gap); err != nil {
			return err
		}
		between += p.gap
		if err := u.piece(f, p, out); err != nil {
			return err
		}
	}
	if _, err := io.CopyN(out, skeleton, f.recipe.skeleton.size-between); err != nil {
		return err
	}
	if err := out.w.Flush(); err != nil {
		return err
	}
	if sum := hex.EncodeToString(out.h.Sum(nil)); out.left != 0 || sum != f.Sum {
		return fmt.Errorf("%w: what was made is not the file: %d bytes short, BLAKE3 %s", ErrCorrupt, out.left, sum)
	}
	return nil
}

// piece writes a content as its recipe stores it.
func (u *Update) piece(f *fileUpdate, p piece, out io.Writer) error {
	r := u.content(f, p.content)
	recipe, size := f.recipe.recipes[p.recipe], f.recipe.contents[p.content].size
	if recipe.Method == compress.None {
		_, err := io.CopyN(out, r, size)
		return err
	}
	plain := make([]byte, min(p.block, size))
	var stored []byte
	for size > 0 {
		plain = plain[:min(size, p.block)]
		if _, err := io.ReadFull(r, plain); err != nil {
			return err
		}
		size -= int64(len(plain))
		var err error
		if stored, err = u.coder.Encode(stored[:0], plain, recipe); err != nil {
			return err
		}
		if _, err := out.Write(stored); err != nil {
			return err
		}
	}
	return nil
}

// commit puts the files into place. A crash in between leaves files of both
// builds, each of them whole; the next update completes it.
func (u *Update) commit() error {
	if u.files != nil { // some systems do not rename over open files
		if err := u.files.Close(); err != nil {
			return err
		}
		u.files = nil
	}
	touched := map[string]bool{".": true}
	for _, f := range u.todo {
		dir := path.Dir(f.Path)
		if err := u.root.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		if err := u.root.Rename(f.work(), f.Path); err != nil {
			return err
		}
		touched[dir] = true
	}
	for _, name := range u.gone {
		if u.isNew(name) {
			continue
		}
		if err := u.root.Remove(name); err != nil {
			return err
		}
		touched[path.Dir(name)] = true
	}
	for dir := range touched {
		if err := syncDir(u.root, dir); err != nil {
			return err
		}
	}
	for _, r := range u.ranges {
		if r.data != nil {
			_ = r.data.Close()
			r.data = nil
		}
	}
	u.removeEmpty()
	return u.root.RemoveAll(workDir)
}

// isNew reports that a file to be removed is one of the build's, on a system on
// which names in capitals and others are the same.
func (u *Update) isNew(name string) bool {
	old, err := u.root.Stat(name)
	if err != nil {
		return false
	}
	for _, f := range u.Build.Files {
		if !strings.EqualFold(f.Path, name) {
			continue
		}
		if st, err := u.root.Stat(f.Path); err == nil && os.SameFile(st, old) {
			return true
		}
	}
	return false
}

// removeEmpty removes folders in which nothing is left of what is gone.
func (u *Update) removeEmpty() {
	for _, name := range slices.Backward(u.gone) {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if u.root.Remove(dir) != nil {
				break
			}
		}
	}
}

// syncDir makes renames in a folder last. Where folders cannot be synced, the
// system sees to it.
func syncDir(root *os.Root, dir string) error {
	f, err := root.Open(dir)
	if err != nil {
		return err
	}
	_ = f.Sync()
	return f.Close()
}
