package apply

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path"

	"github.com/zeebo/blake3"

	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/program"
	"pakdb/internal/atomicfile"
	"pakdb/internal/fields"
)

// How far an Apply got is kept in a file beside the new ones: the root of the
// patch; segments executed; the file at hand, its size, the places of its digests
// and what was copied into it, as LEB128; the hashes of the files before it; BLAKE3
// of all that.

func (a *applier) progressName() string {
	return fmt.Sprintf("%s%x.progress", atomicfile.Prefix, a.H.RootHash[:6])
}

// saveProgress makes what was written so far last.
func (a *applier) saveProgress() error {
	if err := a.temp.Sync(); err != nil {
		return err
	}
	b := append([]byte(nil), a.H.RootHash[:]...)
	for _, n := range []int{a.segment, a.file, int(a.Pos()), len(a.Digests)} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, at := range a.Digests {
		b = binary.AppendUvarint(b, uint64(at))
	}
	b = binary.AppendUvarint(b, uint64(len(a.Copies)))
	for _, c := range a.Copies {
		like := int64(0)
		if c.Like {
			like = 1
		}
		for _, n := range []int64{int64(c.File), int64(c.To), c.Off, c.N, c.At, like} {
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
	copies        []program.Copied
	sums          []pkdelta.Sum // of the files before
}

// resume takes up what an earlier call left, if all of it is there.
func (a *applier) resume(r *pkdelta.Reader) error {
	if a.o.Mode != NewFiles || len(r.Parts) < 2 {
		return nil
	}
	b, err := a.dir.ReadFile(a.progressName())
	if err != nil {
		return nil // none, or none that helps
	}
	p, ok := a.parseProgress(b)
	if !ok || p.segment >= len(r.Parts) || p.file >= len(r.New) || p.pos > r.New[p.file].Size || !a.areComplete(p.file) {
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
	a.Watch.Add(pkdelta.SizeOf(r.New[:p.file]) + p.pos)
	a.file, a.temp, a.skip, a.sums = p.file, temp, p.segment, p.sums
	a.Begin(p.file, temp, r.New[p.file].Size, p.pos, p.digests, p.copies)
	return temp.Truncate(p.pos)
}

// areComplete reports that the temporary files before a file have their sizes.
// That they are right was checked before the progress was saved.
func (a *applier) areComplete(file int) bool {
	for _, f := range a.H.New[:file] {
		st, err := a.dir.Stat(path.Clean(a.tempName(f.Name)))
		if err != nil || st.Size() != f.Size {
			return false
		}
	}
	return true
}

func (a *applier) parseProgress(b []byte) (p reached, ok bool) {
	n := len(b) - len(pkdelta.Root{})
	if n < len(pkdelta.Root{}) || blake3.Sum256(b[:n]) != pkdelta.Root(b[n:]) || pkdelta.Root(b) != a.H.RootHash {
		return p, false
	}
	f := fields.New(b[len(pkdelta.Root{}):n], pkdelta.ErrCorrupt)
	p.segment = int(f.Number("segments", pkdelta.MaxSegments))
	p.file = int(f.Number("file", pkdelta.MaxFiles))
	p.pos = f.Number("size", 1<<62)
	p.digests = make([]int64, f.Count("digests", 1<<30, 1))
	for i := range p.digests {
		p.digests[i] = f.Number("digest", max(p.pos, 0))
	}
	p.copies = make([]program.Copied, f.Count("copies", 1<<30, 6))
	for i := range p.copies {
		c := &p.copies[i]
		c.File, c.To = int(f.Number("file", int64(len(a.H.Old)))), int(f.Number("file", int64(len(a.H.New))))
		c.Off, c.N, c.At = f.Number("offset", 1<<62), f.Number("length", 1<<62), f.Number("place", 1<<62)
		c.Like = f.Number("likeness", 1) == 1
	}
	for i := 0; i < p.file && f.Err() == nil; i++ {
		p.sums = append(p.sums, pkdelta.Sum(f.Bytes(len(pkdelta.Sum{}))))
	}
	return p, f.Err() == nil
}
