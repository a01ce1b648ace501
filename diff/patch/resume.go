package patch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path"

	"github.com/zeebo/blake3"

	"pakdb/internal/atomicfile"
	"pakdb/internal/fields"
)

// How far an Apply got is kept in a file beside the new ones: the root of the
// patch; segments executed; the file at hand, its size, the places of its digests
// and what was copied into it, as LEB128; the hashes of the files before it; BLAKE3
// of all that.

func (a *applier) progressName() string {
	return fmt.Sprintf("%s%x.progress", atomicfile.Prefix, a.h.root[:6])
}

// saveProgress makes what was written so far last.
func (a *applier) saveProgress() error {
	if err := a.temp.Sync(); err != nil {
		return err
	}
	b := append([]byte(nil), a.h.root[:]...)
	for _, n := range []int{a.segment, a.file, int(a.pos), len(a.digests)} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, at := range a.digests {
		b = binary.AppendUvarint(b, uint64(at))
	}
	b = binary.AppendUvarint(b, uint64(len(a.copies)))
	for _, c := range a.copies {
		like := int64(0)
		if c.like {
			like = 1
		}
		for _, n := range []int64{int64(c.file), int64(c.to), c.off, c.n, c.at, like} {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	for _, s := range a.sums {
		b = append(b, s[:]...)
	}
	sum := blake3.Sum256(b)
	name := a.progressName()
	f, err := a.dir.OpenFile(name+"-", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, sum[:]...))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = a.dir.Rename(name+"-", name)
	}
	if err != nil {
		err = errors.Join(err, a.dir.Remove(name+"-"))
	}
	return err
}

func (a *applier) removeProgress() error { return a.dir.Remove(a.progressName()) }

// reached is what an earlier call left.
type reached struct {
	segment, file int
	pos           int64
	digests       []int64
	copies        []copied
	sums          []Sum // of the files before
}

// resume takes up what an earlier call left, if all of it is there.
func (a *applier) resume(r *Reader) error {
	if a.o.Mode != NewFiles || len(r.segments) < 2 {
		return nil
	}
	b, err := a.dir.ReadFile(a.progressName())
	if err != nil {
		return nil // none, or none that helps
	}
	p, ok := a.parseProgress(b)
	if !ok || p.segment >= len(r.segments) || p.file >= len(r.New) || p.pos > r.New[p.file].Size || !a.areComplete(p.file) {
		return nil
	}
	temp, err := a.dir.OpenFile(a.tempName(r.New[p.file].Name), os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	if st, err := temp.Stat(); err != nil || st.Size() < p.pos {
		return temp.Close()
	}
	for _, f := range r.New[:p.file] {
		a.done = append(a.done, f.Name)
	}
	a.watch.Add(sizeOf(r.New[:p.file]) + p.pos)
	a.file, a.temp, a.skip, a.sums = p.file, temp, p.segment, p.sums
	a.begin(p.file, temp, r.New[p.file].Size, p.pos, p.digests, p.copies)
	return temp.Truncate(p.pos)
}

// areComplete reports that the temporary files before a file have their sizes.
// That they are right was checked before the progress was saved.
func (a *applier) areComplete(file int) bool {
	for _, f := range a.h.New[:file] {
		st, err := a.dir.Stat(path.Clean(a.tempName(f.Name)))
		if err != nil || st.Size() != f.Size {
			return false
		}
	}
	return true
}

func (a *applier) parseProgress(b []byte) (p reached, ok bool) {
	n := len(b) - len(Root{})
	if n < len(Root{}) || blake3.Sum256(b[:n]) != Root(b[n:]) || Root(b) != a.h.root {
		return p, false
	}
	f := fields.New(b[len(Root{}):n], ErrCorrupt)
	p.segment = int(f.Number("segments", maxSegments))
	p.file = int(f.Number("file", maxFiles))
	p.pos = f.Number("size", 1<<62)
	p.digests = make([]int64, f.Count("digests", 1<<30, 1))
	for i := range p.digests {
		p.digests[i] = f.Number("digest", max(p.pos, 0))
	}
	p.copies = make([]copied, f.Count("copies", 1<<30, 6))
	for i := range p.copies {
		c := &p.copies[i]
		c.file, c.to = int(f.Number("file", int64(len(a.h.Old)))), int(f.Number("file", int64(len(a.h.New))))
		c.off, c.n, c.at = f.Number("offset", 1<<62), f.Number("length", 1<<62), f.Number("place", 1<<62)
		c.like = f.Number("likeness", 1) == 1
	}
	for i := 0; i < p.file && f.Err() == nil; i++ {
		p.sums = append(p.sums, Sum(f.Bytes(len(Sum{}))))
	}
	return p, f.Err() == nil
}
