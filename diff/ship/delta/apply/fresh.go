package apply

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path"
	"slices"

	"github.com/zeebo/blake3"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/program"
	"pakdb/internal/bin"
)

// fresh is a place where every new file is written, and then takes the place of an
// older one.
type fresh struct {
	s *staging
	m *program.Machine
}

func (p *fresh) obstacles() error { return p.s.obstacles(false) }

func (p *fresh) begin(_ context.Context, f delta.File) (program.Output, error) {
	temp, err := p.s.begin(f.Name)
	if err != nil {
		return nil, err
	}
	return temp, nil
}

func (p *fresh) complete(delta.File, delta.Sum) error { return p.s.finish() }

func (p *fresh) decide(context.Context) error { return nil }

func (p *fresh) bill() (b Bill) {
	b.Write = delta.SizeOf(p.s.h.New)
	b.Need = b.Write
	return b
}

func (p *fresh) commit(ctx context.Context) error {
	if err := p.s.closeOld(); err != nil {
		return err
	}
	return p.rename(ctx)
}

func (p *fresh) end(ctx context.Context, err error) error {
	errs := []error{p.s.closeOld(), p.s.closeTemp()}
	if err != nil && ctx.Err() != nil && len(p.s.h.Parts) > 1 {
		return errors.Join(errs...) // to be continued
	}
	errs = append(errs, p.s.remove())
	if err != nil {
		p.s.dir.RemoveMade()
	}
	return errors.Join(errs...)
}

// rename gives the complete files their names, and removes what goes. If several files are
// concerned and one of them is there, that is done by a journal: from when it is complete
// the update has happened, and [Recover] finishes it. With some files old and some new, the
// patch would fit no more.
func (p *fresh) rename(ctx context.Context) error {
	if err := p.s.keepModes(); err != nil {
		return err
	}
	list := p.s.actions()
	there := slices.ContainsFunc(list, func(x action) bool { _, err := p.s.dir.Lstat(x.name); return err == nil })
	if len(list) < 2 && len(p.s.removes) == 0 || !there || len(marshalActions(list, 0)) > maxActions {
		for i := range list {
			if err := list[i].do(p.s.dir, nil); err != nil {
				return err
			}
		}
		return errors.Join(p.s.dir.Sync(), p.s.removeProgress())
	}
	p.s.changed(p.s.done)
	err := goLive(ctx, p.s.dir, list)
	if IsInterrupted(p.s.dir.Name()) {
		p.s.done = nil // the journal needs what is left
	}
	return errors.Join(err, p.s.removeProgress())
}

// How far an Apply got is kept in a file beside the new ones: the root of the
// patch; segments executed; the file at hand, its size, the places of its digests
// and what was copied into it, as LEB128; the hashes of the files before it; BLAKE3
// of all that.

// keep implements place.
func (p *fresh) keep(segment, file int) error {
	if err := p.s.temp.Sync(); err != nil {
		return err
	}
	b := append([]byte(nil), p.s.h.RootHash[:]...)
	for _, n := range []int{segment, file, int(p.m.Pos()), len(p.m.Digests)} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, at := range p.m.Digests {
		b = binary.AppendUvarint(b, uint64(at))
	}
	b = binary.AppendUvarint(b, uint64(len(p.m.Copies)))
	for _, c := range p.m.Copies {
		like := int64(0)
		if c.Like {
			like = 1
		}
		for _, n := range []int64{int64(c.File), int64(c.To), c.Off, c.N, c.At, like} {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	for _, s := range p.s.sums {
		b = append(b, s[:]...)
	}
	sum := blake3.Sum256(b)
	name := p.s.progressName()
	f, err := p.s.dir.OpenFile(name+"-", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, sum[:]...))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = p.s.dir.Rename(name+"-", name)
	}
	if err != nil {
		err = errors.Join(err, p.s.dir.Remove(name+"-"))
	}
	return err
}

// reached is what an earlier call left.
type reached struct {
	segment, file int
	pos           int64
	digests       []int64
	copies        []program.Copied
	sums          []delta.Sum // of the files before
}

// resume takes up what an earlier call left, if all of it is there.
func (p *fresh) resume() (at reached, out program.Output, err error) {
	if len(p.s.h.Parts) < 2 {
		return at, nil, nil
	}
	if st, err := p.s.dir.Lstat(p.s.progressName()); err != nil || !st.Mode().IsRegular() {
		return at, nil, nil // none, or none that helps
	}
	b, err := p.s.dir.ReadFile(p.s.progressName())
	if err != nil {
		return at, nil, nil
	}
	h := p.s.h
	at, ok := parseProgress(h, b)
	if !ok || at.segment >= len(h.Parts) || at.file >= len(h.New) || at.pos > h.New[at.file].Size || !p.areComplete(at.file) {
		return at, nil, nil
	}
	name := h.New[at.file].Name
	temp, err := p.s.dir.OpenFile(p.s.tempName(name), os.O_RDWR, 0)
	if err != nil {
		return at, nil, nil
	}
	if st, err := temp.Stat(); err != nil || st.Size() < at.pos {
		return at, nil, temp.Close()
	}
	for _, f := range h.New[:at.file] {
		p.s.done = append(p.s.done, f.Name)
	}
	p.s.temp, p.s.name, p.s.sums = temp, name, at.sums
	return at, temp, temp.Truncate(at.pos)
}

// areComplete reports that the temporary files before a file have their sizes.
// That they are right was checked before the progress was saved.
func (p *fresh) areComplete(file int) bool {
	for _, f := range p.s.h.New[:file] {
		st, err := p.s.dir.Stat(path.Clean(p.s.tempName(f.Name)))
		if err != nil || st.Size() != f.Size {
			return false
		}
	}
	return true
}

// parseProgress reads what keep wrote for the patch of a header.
func parseProgress(h *delta.Header, b []byte) (p reached, ok bool) {
	n := len(b) - len(delta.Root{})
	if n < len(delta.Root{}) || blake3.Sum256(b[:n]) != delta.Root(b[n:]) || delta.Root(b) != h.RootHash {
		return p, false
	}
	f := bin.NewFields(b[len(delta.Root{}):n], delta.ErrCorrupt)
	p.segment = int(f.Number("segments", delta.MaxSegments))
	p.file = int(f.Number("file", delta.MaxFiles))
	p.pos = f.Number("size", 1<<62)
	p.digests = make([]int64, f.Count("digests", 1<<30, 1))
	for i := range p.digests {
		p.digests[i] = f.Number("digest", max(p.pos, 0))
	}
	p.copies = make([]program.Copied, f.Count("copies", 1<<30, 6))
	for i := range p.copies {
		c := &p.copies[i]
		c.File, c.To = int(f.Number("file", int64(len(h.Old)))), int(f.Number("file", int64(len(h.New))))
		c.Off, c.N, c.At = f.Number("offset", 1<<62), f.Number("length", 1<<62), f.Number("place", 1<<62)
		c.Like = f.Number("likeness", 1) == 1
	}
	for i := 0; i < p.file && f.Err() == nil; i++ {
		p.sums = append(p.sums, delta.Sum(f.Bytes(len(delta.Sum{}))))
	}
	return p, f.Err() == nil
}
